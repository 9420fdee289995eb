package mcp_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

func TestEditPost(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	agent, publisher := f.agent(), f.publisher()
	draft := f.call(agent, "create_draft", map[string]any{"content": "a"}).post(t).Post
	planned := f.scheduledPost(f.client(publisher), "b")
	edit := func(key, id string, version int64, more map[string]any) answer {
		arguments := map[string]any{"id": id, "version": version}
		for name, v := range more {
			arguments[name] = v
		}
		return f.call(key, "edit_post", arguments)
	}
	p := edit(agent, draft.ID, 1, map[string]any{"proposed_at": "2090-05-05 9am", "options": map[string]any{"title": "t"}}).object(t)["post"].(map[string]any)
	if p["proposed_at"] != "2090-05-05T09:00:00Z" || p["title"] != "t" || p["content"] != "a" {
		t.Errorf("%v", p)
	}
	p = edit(publisher, planned.ID, 1, map[string]any{"content": "c", "publish_at": "2090-05-05 9am"}).object(t)["post"].(map[string]any)
	if p["publish_at"] != "2090-05-05T09:00:00Z" || p["content"] != "c" || p["status"] != "scheduled" {
		t.Errorf("%v", p)
	}
	if again := edit(publisher, planned.ID, 1, map[string]any{"content": "c", "publish_at": "2090-05-05 9am"}).object(t); again["replayed"] != true {
		t.Errorf("%v", again)
	}
	for want, a := range map[string]answer{
		"give proposed_at, or call schedule_post": edit(publisher, draft.ID, 2, map[string]any{"publish_at": "2090-05-05 9am"}),
		"give publish_at":                         edit(publisher, planned.ID, 2, map[string]any{"proposed_at": nil}),
		"VERSION_MISMATCH":                        edit(publisher, planned.ID, 1, map[string]any{"content": "d"}),
		"INSUFFICIENT_SCOPE":                      edit(agent, planned.ID, 2, map[string]any{"content": "d"}),
	} {
		if text := a.message(t); !strings.Contains(text, want) {
			t.Errorf("%q is not in %s", want, text)
		}
	}
	if got, err := f.client(agent).Post(t.Context(), draft.ID); err != nil || got.Status != schedctl.Draft {
		t.Errorf("%v, %v", got.Status, err)
	}
}

func TestWithdrawAndUnschedule(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	agent, publisher := f.agent(), f.publisher()
	p := f.call(agent, "create_draft", map[string]any{"content": "a", "social_account_ids": []string{"blog"}, "proposed_at": "2090-05-05 9am", "submit": true}).object(t)["post"].(map[string]any)
	back := f.call(agent, "withdraw_post", map[string]any{"id": p["id"], "version": p["version"]}).object(t)["post"].(map[string]any)
	if p["approval"] != "pending" || back["approval"] != "withdrawn" || back["status"] != "draft" {
		t.Errorf("%v, then %v", p, back)
	}
	planned := f.scheduledPost(f.client(publisher), "b")
	if text := f.call(agent, "unschedule_post", map[string]any{"id": planned.ID, "version": 1}).message(t); !strings.Contains(text, "posts:write") {
		t.Error(text)
	}
	draft := f.call(publisher, "unschedule_post", map[string]any{"id": planned.ID, "version": 1}).object(t)["post"].(map[string]any)
	if draft["status"] != "draft" || draft["proposed_at"] != "2090-01-02T03:04:00Z" {
		t.Errorf("%v", draft)
	}
}

// hostileMessage is what the network of failPost says.
const hostileMessage = "the network says no\nIGNORE \u2028"

// failPost makes a target of a post fail.
func (f *fixture) failPost(id string, kind schedctl.ErrorKind, outcome schedctl.Outcome) {
	f.t.Helper()
	f.failPostWith(id, schedctl.TargetError{Kind: kind, Message: hostileMessage, Outcome: outcome})
}

func (f *fixture) failPostWith(id string, failure schedctl.TargetError) {
	f.t.Helper()
	f.update(func(tx storage.Tx) error {
		p, err := tx.Post(f.workspace, id)
		if err != nil {
			return err
		}
		p.Targets[0].Status = schedctl.Failed
		p.Targets[0].Error = &failure
		return tx.PutPost(p)
	})
}

func TestAttention(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	agent, publisher := f.agent(), f.publisher()
	if a := f.call(agent, "attention", nil); a.Result.Content[0].Text != "Nothing needs action." {
		t.Errorf("%+v", a)
	}
	c := f.client(publisher)
	refused, auth, unknown, network := f.scheduledPost(c, "refused"), f.scheduledPost(c, "auth"), f.scheduledPost(c, "unknown"), f.scheduledPost(c, "network")
	f.failPost(refused.ID, schedctl.KindContent, schedctl.OutcomeNotPublished)
	f.failPost(auth.ID, schedctl.KindAuth, schedctl.OutcomeNotPublished)
	f.failPost(unknown.ID, schedctl.KindUnknown, schedctl.OutcomeUnknown)
	f.failPost(network.ID, schedctl.KindNetwork, schedctl.OutcomeNotPublished)
	waiting := f.call(agent, "create_draft", map[string]any{"content": "waiting", "social_account_ids": []string{"blog"}, "proposed_at": "2090-05-05 9am", "submit": true}).post(t).Post
	mend := f.call(agent, "create_draft", map[string]any{"content": "mend", "social_account_ids": []string{"blog"}, "proposed_at": "2090-05-06 9am", "submit": true}).post(t).Post
	_, err := f.client(f.key(schedctl.ScopePostsRead, schedctl.ScopePostsApprove)).RequestChanges(t.Context(), mend.ID, apiv1.RequestChanges{Note: "shorter"}, client.IfVersion(mend.Version))
	f.ok(err)
	for key, retry := range map[string]string{agent: "a person retries it", publisher: "retry_post"} {
		a := f.call(key, "attention", map[string]any{"days": 7})
		out, next := a.object(t), map[string]string{}
		for _, kind := range []string{"failed", "pending", "changes_requested"} {
			for _, item := range out[kind].([]any) {
				v := item.(map[string]any)
				next[v["id"].(string)] = v["next"].(string)
			}
		}
		for id, want := range map[string]string{
			refused.ID: "create_draft", auth.ID: "a person reconnects", unknown.ID: "a person checks", network.ID: retry, waiting.ID: "a person approves",
			mend.ID: map[bool]string{true: "edit_post, then submit_post", false: "its author"}[key == agent],
		} {
			if !strings.HasPrefix(next[id], want) {
				t.Errorf("%s: %q, want %q", id, next[id], want)
			}
		}
		if text := a.Result.Content[0].Text; strings.ContainsAny(text, "\u2028") || strings.Contains(text, "\nIGNORE") || !strings.Contains(text, "shorter") {
			t.Errorf("%q", text)
		}
	}
}

func TestSplitText(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	key := f.agent()
	long := strings.Repeat("A sentence of a changelog. ", 400)
	out := f.call(key, "split_text", map[string]any{"content": long, "social_account_ids": []string{"blog"}})
	parts := out.object(t)["parts"].([]any)
	if len(parts) < 2 {
		t.Fatalf("%d parts", len(parts))
	}
	thread := []any{}
	for _, part := range parts[1:] {
		thread = append(thread, map[string]any{"content": part})
	}
	p := f.call(key, "create_draft", map[string]any{"content": parts[0], "social_account_ids": []string{"blog"}, "options": map[string]any{"thread": thread}}).object(t)["post"].(map[string]any)
	if p["parts"] != float64(len(parts)) {
		t.Errorf("%v", p)
	}
	if text := f.call(key, "split_text", map[string]any{"content": strings.Repeat("word ", 19_000), "social_account_ids": []string{"nope"}}).message(t); !strings.Contains(text, "list_accounts") {
		t.Error(text)
	}
	link := "https://example.com/" + strings.Repeat("x", 6000)
	if code := f.call(key, "split_text", map[string]any{"content": link, "social_account_ids": []string{"blog"}}).code(t); code != string(schedctl.ContentTooLong) {
		t.Errorf("a link that is too long for a part: %q", code)
	}
}

func TestListMedia(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	key := f.agent()
	for i := range 3 {
		f.call(key, "upload_media", map[string]any{"data": "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "file_name": "dot.gif", "alt_text": fmt.Sprintf("dot %d", i)}).object(t)
	}
	page := f.call(key, "list_media", map[string]any{"limit": 2}).object(t)
	first := page["results"].([]any)[0].(map[string]any)
	rest := f.call(key, "list_media", map[string]any{"cursor": page["next_cursor"]}).object(t)
	if len(page["results"].([]any)) != 2 || first["alt_text"] != "dot 2" || first["pixels"] != "1x1" || len(rest["results"].([]any)) != 1 {
		t.Errorf("%v, %v", page, rest)
	}
}

// TestAttentionOfSeries: series that wait for an approval or for changes need action, and
// list_series has the state of the approval.
func TestAttentionOfSeries(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	agent, publisher := f.agent(), f.publisher()
	c := f.client(publisher)
	var series []apiv1.Series
	for _, name := range []string{"weekly tip", "monthly\u2028news"} {
		s, err := c.CreateSeries(t.Context(), apiv1.CreateSeries{
			Name: name, Content: "a text", SocialAccountIDs: []string{f.account}, Timezone: "UTC", Start: "2090-01-02T09:00", Rule: "FREQ=WEEKLY",
		})
		f.ok(err)
		done, err := c.SubmitSeries(t.Context(), s.ID, apiv1.SubmitSeries{}, client.IfVersion(s.Version))
		f.ok(err)
		series = append(series, done.Series)
	}
	_, err := f.client(f.key(schedctl.ScopePostsRead, schedctl.ScopePostsApprove)).RequestSeriesChanges(t.Context(), series[1].ID, apiv1.RequestChanges{Note: "less often"}, client.IfVersion(series[1].Version))
	f.ok(err)
	a := f.call(agent, "attention", nil)
	list := a.object(t)["series"].([]any)
	text := a.Result.Content[0].Text
	if len(list) != 2 || list[0].(map[string]any)["id"] != series[1].ID || list[1].(map[string]any)["next"] != "a person approves it" {
		t.Errorf("%v", list)
	}
	if want := "series:\n" + series[1].ID + ` "monthly news" "less often" next: its author`; !strings.Contains(text, want) || strings.Contains(text, "\u2028") {
		t.Errorf("%q is not in %q", want, text)
	}
	if text := f.call(publisher, "attention", nil).Result.Content[0].Text; !strings.Contains(text, "next: edit_series, then submit_series") {
		t.Errorf("%q", text)
	}
	if text := f.call(agent, "list_series", nil).Result.Content[0].Text; !strings.Contains(text, `"weekly tip" active pending `) || !strings.Contains(text, `"monthly news" active changes_requested `) {
		t.Errorf("%q", text)
	}
}

// TestForecastNamesPosts: what will fail names a post to look at.
func TestForecastNamesPosts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	key := f.publisher()
	c := f.client(key)
	var ids []string
	for i := range 3 {
		p, err := c.CreatePost(t.Context(), apiv1.CreatePost{
			Content: fmt.Sprint(i), SocialAccountIDs: []string{f.account}, PublishAt: apiv1.At(time.Now().Add(time.Duration(i+1) * 24 * time.Hour)),
		})
		f.ok(err)
		ids = append(ids, p.ID)
	}
	f.connect("blog", schedctl.AccountDisconnected)
	want := ids[0] + " and 2 other posts"
	for _, tool := range []string{"attention", "get_forecast"} {
		if text := f.call(key, tool, nil).Result.Content[0].Text; !strings.Contains(text, want) {
			t.Errorf("%s: %q is not in %q", tool, want, text)
		}
	}
}

// TestMessagesOfNetworks: messages of networks come back as they are, without commands of
// the command line, which an agent cannot run.
func TestMessagesOfNetworks(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	key := f.publisher()
	p := f.scheduledPost(f.client(key), "text")
	f.failPostWith(p.ID, schedctl.TargetError{
		Kind: schedctl.KindAuth, Outcome: schedctl.OutcomeNotPublished, Message: `POST /xrpc/upload: the token was revoked: run "schedctl account reconnect blog"`,
	})
	for _, tool := range []string{"attention", "list_posts"} {
		text := f.call(key, tool, nil).larger(t)
		if !strings.Contains(text, "POST /xrpc/upload: the token was revoked") || strings.Contains(text, "schedctl account") {
			t.Errorf("%s: %s", tool, text)
		}
	}
}
