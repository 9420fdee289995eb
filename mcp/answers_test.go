package mcp_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/mcp"
	"github.com/schedctl/schedctl/storage"
)

// object returns the structured content of a result.
func (a answer) object(t *testing.T) (out map[string]any) {
	t.Helper()
	if a.Result.IsError || a.Error != nil {
		t.Fatalf("%+v", a.Result.Content)
	}
	if err := json.Unmarshal(a.Result.StructuredContent, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// message returns the message of an error.
func (a answer) message(t *testing.T) string {
	t.Helper()
	if !a.Result.IsError {
		t.Fatalf("no error: %+v", a.Result)
	}
	return a.Result.Content[0].Text
}

// inZone gives the workspace a time zone.
func (f *fixture) inZone(zone string) {
	f.t.Helper()
	f.update(func(tx storage.Tx) error {
		w, err := tx.Workspace(f.workspace)
		if err != nil {
			return err
		}
		w.Timezone = zone
		return tx.PutWorkspace(w)
	})
}

func TestTimesOfPeople(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.inZone("Europe/Rome")
	key := f.agent()
	for i, tt := range []struct{ at, zone, utc, local string }{
		{"2090-06-02 09:00", "", "2090-06-02T07:00:00Z", "Fri 2 Jun 2090 09:00 CEST"},
		{"2 june 2090 9am", "America/New_York", "2090-06-02T13:00:00Z", "Fri 2 Jun 2090 09:00 EDT"},
		{"2090-06-02T09:00:00Z", "", "2090-06-02T09:00:00Z", "Fri 2 Jun 2090 11:00 CEST"},
		{"2090-06-02T09:00:00+01:00", "UTC", "2090-06-02T08:00:00Z", "Fri 2 Jun 2090 08:00 UTC"},
		{"next-slot", "", "next-slot", ""},
	} {
		arguments := map[string]any{"content": fmt.Sprint(i), "proposed_at": tt.at}
		if tt.zone != "" {
			arguments["timezone"] = tt.zone
		}
		p := f.call(key, "create_draft", arguments).object(t)["post"].(map[string]any)
		if local, _ := p["local"].(string); p["proposed_at"] != tt.utc || local != tt.local {
			t.Errorf("%s: %v, %v", tt.at, p["proposed_at"], p["local"])
		}
	}
	in := f.call(key, "create_draft", map[string]any{"content": "soon", "proposed_at": "in 2h"})
	again := f.call(key, "create_draft", map[string]any{"content": "soon", "proposed_at": "in 2h"})
	if in.post(t).Post.ID != again.post(t).Post.ID || !again.post(t).Replayed {
		t.Errorf("%+v, then %+v", in.post(t), again.post(t))
	}
	if text := f.call(key, "create_draft", map[string]any{"proposed_at": "some day soon"}).message(t); !strings.Contains(text, "friday 9am") || !strings.Contains(text, "Europe/Rome") {
		t.Error(text)
	}
	if text := f.call(key, "create_draft", map[string]any{"proposed_at": "friday 9am", "timezone": "Nowhere/Town"}).message(t); !strings.Contains(text, "no time zone") {
		t.Error(text)
	}
}

// TestDeletedReplay: a repeated call whose post was deleted creates it again, once.
func TestDeletedReplay(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	key := f.agent()
	create := func() map[string]any {
		return f.call(key, "create_draft", map[string]any{"content": "x"}).object(t)
	}
	id := func(out map[string]any) string { return out["post"].(map[string]any)["id"].(string) }
	first := create()
	f.call(key, "delete_draft", map[string]any{"id": id(first), "version": 1}).object(t)
	second, third := create(), create()
	if id(second) == id(first) || second["recreated"] != true || second["replayed"] != nil {
		t.Errorf("%v after %v", second, first)
	}
	if id(third) != id(second) || third["replayed"] != true || third["recreated"] != nil {
		t.Errorf("%v after %v", third, second)
	}
	f.call(key, "edit_post", map[string]any{"id": id(third), "version": 1, "content": "y"}).object(t)
	if now := create()["post"].(map[string]any); now["content"] != "y" || now["version"] != 2.0 {
		t.Errorf("a repeated call returns an old state: %v", now)
	}
}

// TestNull: null is accepted where a description says so, and means absent or removed.
func TestNull(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	key := f.agent()
	p := f.call(key, "create_draft", map[string]any{
		"content": "x", "social_account_ids": nil, "proposed_at": "2090-01-01 9am", "submit": nil, "request_key": nil,
		"options": map[string]any{"title": "t", "content_warning": "w", "poll": nil, "thread": nil, "first_comment": map[string]any{"content": "c"}, "language": "en", "labels": []string{"l"}},
	}).post(t).Post
	f.call(key, "edit_post", map[string]any{
		"id": p.ID, "version": p.Version, "content": nil, "proposed_at": nil,
		"options": map[string]any{"title": nil, "content_warning": nil, "first_comment": nil, "language": nil, "poll": nil, "thread": nil, "link_preview": nil},
	}).object(t)
	after, err := f.client(key).Post(t.Context(), p.ID)
	f.ok(err)
	if after.Content != "x" || after.Title != nil || after.ContentWarning != nil || after.FirstComment != nil || after.Language != nil || after.ProposedAt != nil || len(after.Labels) != 1 {
		t.Errorf("%+v", after)
	}
	if text := f.call(key, "edit_post", map[string]any{"id": p.ID, "version": after.Version, "options": map[string]any{"labels": nil}}).message(t); !strings.Contains(text, `options.labels must be an array of strings, and is null`) {
		t.Error(text)
	}
}

// TestSearchToTheEnd: a search continues after empty pages.
func TestSearchToTheEnd(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	c := f.client(f.publisher())
	for i := range 120 {
		text := fmt.Sprintf("post %d", i)
		if i == 0 {
			text = "the needle"
		}
		_, err := c.CreatePost(t.Context(), apiv1.CreatePost{Content: text})
		f.ok(err)
	}
	out := f.call(f.agent(), "list_posts", map[string]any{"q": "needle", "limit": 1}).object(t)
	if n := len(out["results"].([]any)); n != 1 || out["incomplete"] != nil {
		t.Errorf("%v", out)
	}
	if out := f.call(f.agent(), "list_posts", map[string]any{"q": "no such text"}).object(t); len(out["results"].([]any)) != 0 || out["next_cursor"] != nil || out["incomplete"] != nil {
		t.Errorf("%v", out)
	}
}

func TestProposalsInListsByTime(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	key := f.agent()
	f.call(key, "create_draft", map[string]any{"content": "x", "social_account_ids": []string{"blog"}, "proposed_at": "2090-01-01 9am", "submit": true}).object(t)
	for tool, arguments := range map[string]map[string]any{
		"list_posts":   {"publish_after": "2090-01-01", "publish_before": "2090-01-02"},
		"get_calendar": {"from": "2090-01-01", "before": "2090-01-02"},
	} {
		if out := f.call(key, tool, arguments).object(t); len(out["results"].([]any)) != 1 {
			t.Errorf("%s: %v", tool, out)
		}
	}
}

// TestErrorsSayWhatToDo: errors name what exists and the tool to call next, and have no
// command lines, requests or types of this program.
func TestErrorsSayWhatToDo(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	agent, publisher := f.agent(), f.publisher()
	p := f.scheduledPost(f.client(publisher), "text")
	own := f.call(agent, "create_draft", map[string]any{"content": "own"}).post(t).Post
	foreign := regexp.MustCompile(`(GET|POST|PATCH|DELETE) /|schedctl [a-z]+ |--[a-z]|apiv1|json:|struct|\*sdk|/api/`)
	for _, tt := range []struct {
		key, tool string
		arguments map[string]any
		want      []string
	}{
		{agent, "create_draft", map[string]any{"social_account_ids": []string{"blgo"}}, []string{"NOT_FOUND", `no account \"blgo\"`, `\"blog\"`, "list_accounts"}},
		{agent, "list_slots", map[string]any{"queue_id": "daily"}, []string{`no queue \"daily\"`, "list_slots"}},
		{agent, "list_posts", map[string]any{"options": map[string]any{"series_id": "weekly"}}, []string{`no series \"weekly\"`, "list_series"}},
		{agent, "list_slots", nil, []string{"NO_QUEUE", "a person"}},
		{agent, "get_post", map[string]any{"id": "post_01K2M4N6P8QARCTDVEWFXGYHZ1"}, []string{"NOT_FOUND", "list_posts"}},
		{agent, "get_post", nil, []string{"the argument id is missing", "known arguments: id, timezone, full"}},
		{agent, "create_draft", map[string]any{"options": map[string]any{"thraed": 1}}, []string{`no option \"thraed\"`, "known options: thread, first_comment", "describe_options"}},
		{agent, "create_draft", map[string]any{"options": map[string]any{"poll": map[string]any{"choices": 1}}}, []string{"choices", "describe_options"}},
		{agent, "create_draft", map[string]any{"text": "x"}, []string{`no argument \"text\"`, "content"}},
		{agent, "describe_options", map[string]any{"tool": "whoami"}, []string{"create_draft"}},
		{agent, "schedule_post", map[string]any{"id": p.ID, "version": 1, "publish_at": "friday 9am"}, []string{"INSUFFICIENT_SCOPE", "posts:write", "a person"}},
		{agent, "approve_post", map[string]any{"id": p.ID}, []string{"KEY_NOT_ALLOWED", "only a person"}},
		{agent, "edit_draft", map[string]any{"id": p.ID, "version": p.Version, "content": "z"}, []string{"POST_NOT_DRAFT"}},
		{agent, "delete_draft", map[string]any{"id": own.ID, "version": own.Version + 5}, []string{"get_post"}},
		{publisher, "reschedule_post", map[string]any{"id": p.ID, "version": p.Version, "publish_at": "2001-01-01"}, []string{"publish_at"}},
	} {
		text := f.call(tt.key, tt.tool, tt.arguments).message(t)
		for _, want := range tt.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is not in %s", tt.tool, want, text)
			}
		}
		if found := foreign.FindString(text); found != "" || utf8.RuneCountInString(text) > 900 {
			t.Errorf("%s: %q in %s", tt.tool, found, text)
		}
	}
}

// TestOptions: describe_options describes what create_draft takes, and the options reach
// the post, with names of accounts.
func TestOptions(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	key := f.agent()
	described := f.call(key, "describe_options", map[string]any{"tool": "create_draft"})
	options := described.object(t)["options"].(map[string]any)
	for _, name := range []string{"thread", "first_comment", "poll", "target_overrides", "labels", "title"} {
		if options[name] == nil {
			t.Errorf("no option %s: %v", name, options)
		}
	}
	if strings.Contains(string(described.Result.StructuredContent), "$ref") || options["content"] != nil || options["allow_duplicate"] != nil {
		t.Errorf("%s", described.Result.StructuredContent)
	}
	one := f.call(key, "describe_options", map[string]any{"tool": "create_draft", "option": "poll"}).object(t)["options"].(map[string]any)
	if len(one) != 1 || one["poll"] == nil {
		t.Errorf("%v", one)
	}
	if text := f.call(key, "describe_options", map[string]any{"tool": "create_draft", "option": "force"}).message(t); !strings.Contains(text, "known options: thread") {
		t.Error(text)
	}
	p := f.call(key, "create_draft", map[string]any{"content": "1", "social_account_ids": []string{"BLOG"}, "options": map[string]any{
		"thread": []any{map[string]any{"content": "2"}}, "target_overrides": []any{map[string]any{"social_account_id": "blog", "content": "own"}},
	}}).post(t).Post
	got, err := f.client(key).Post(t.Context(), p.ID)
	f.ok(err)
	if len(got.Thread) != 1 || len(got.TargetOverrides) != 1 || got.TargetOverrides[0].SocialAccountID != f.account || got.SocialAccountIDs[0] != f.account {
		t.Errorf("%+v", got)
	}
}

// TestCheckPost: a key that writes drafts checks a post for a time.
func TestCheckPost(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	a := f.call(f.agent(), "check_post", map[string]any{"content": "x", "social_account_ids": []string{"blog"}, "publish_at": "2090-01-01 9am"})
	if out := a.object(t); out["allowed"] != true || out["refusals"] != nil || out["local"] != "Sun 1 Jan 2090 09:00 UTC (2090-01-01T09:00:00Z)" {
		t.Errorf("%v", out)
	}
	a = f.call(f.agent(), "check_post", map[string]any{"content": " ", "social_account_ids": []string{"blog"}})
	if out := a.object(t); out["allowed"] != false || !strings.Contains(a.Result.Content[0].Text, "would be refused") {
		t.Errorf("%v", out)
	}
}

// TestShortAndFull: results are short, and full has everything.
func TestShortAndFull(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	c, key := f.client(f.publisher()), f.agent()
	p, err := c.CreatePost(t.Context(), f.longPost(1))
	f.ok(err)
	short := f.call(key, "get_post", map[string]any{"id": p.ID}).object(t)["post"].(map[string]any)
	if n := utf8.RuneCountInString(short["content"].(string)); n != 280 || short["clipped"] != true || fmt.Sprint(short["accounts"]) != "[blog]" {
		t.Errorf("%d characters: %v", n, short)
	}
	full := f.call(key, "get_post", map[string]any{"id": p.ID, "full": true})
	whole := full.object(t)["post"].(map[string]any)
	if whole["content"] != p.Content || whole["targets"] == nil || !strings.Contains(full.Result.Content[0].Text, strings.TrimSpace(p.Content)) {
		t.Errorf("%v", whole)
	}
	list := f.call(key, "list_posts", map[string]any{"full": true}).object(t)["results"].([]any)
	if list[0].(map[string]any)["content"] != p.Content {
		t.Errorf("%v", list)
	}
}

// TestSeveralDrafts: one call creates several drafts, or none.
func TestSeveralDrafts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	key := f.agent()
	post := func(text string) map[string]any {
		return map[string]any{"content": text, "social_account_ids": []string{"blog"}, "proposed_at": "2090-01-01 9am", "submit": true, "note": nil, "options": map[string]any{"labels": []string{"week"}}}
	}
	posts := []any{post("one"), post("two"), map[string]any{"content": "three"}}
	out := f.call(key, "create_draft", map[string]any{"posts": posts, "timezone": "Europe/Rome"}).object(t)
	results := out["results"].([]any)
	first := results[0].(map[string]any)
	if len(results) != 3 || first["approval"] != "pending" || first["proposed_at"] != "2090-01-01T08:00:00Z" || fmt.Sprint(first["labels"]) != "[week]" {
		t.Errorf("%v", out)
	}
	if again := f.call(key, "create_draft", map[string]any{"posts": posts, "timezone": "Europe/Rome"}).object(t); again["replayed"] != true || f.count() != 3 {
		t.Errorf("%v", again)
	}
	for _, tt := range []struct {
		arguments map[string]any
		want      string
	}{
		{map[string]any{"posts": []any{post("a"), post("b"), map[string]any{}}}, "posts[2]: "},
		{map[string]any{"posts": []any{post("a"), map[string]any{"content": "b", "social_account_ids": []string{"nope"}}}}, `no account \"nope\"`},
		{map[string]any{"posts": []any{post("a"), map[string]any{"content": "b", "options": map[string]any{"force": true}}}}, `no option \"force\"`},
		{map[string]any{"posts": []any{post("a")}, "content": "b"}, "belongs in each of the posts"},
		{map[string]any{"posts": make([]any, 21)}, "posts"},
		{map[string]any{"posts": []any{}}, "posts"},
	} {
		if text := f.call(key, "create_draft", tt.arguments).message(t); !strings.Contains(text, tt.want) {
			t.Errorf("%q is not in %s", tt.want, text)
		}
	}
	if f.count() != 3 {
		t.Errorf("%d posts, want 3", f.count())
	}
	// What an earlier call made stays if a repeated one is refused.
	pair := map[string]any{"posts": []any{map[string]any{"content": "kept"}, map[string]any{"content": "gone", "social_account_ids": []string{f.account}}}}
	gone := f.call(key, "create_draft", pair).object(t)["results"].([]any)[1].(map[string]any)
	f.call(key, "delete_draft", map[string]any{"id": gone["id"], "version": gone["version"]}).object(t)
	f.connect("blog", schedctl.AccountDisconnected)
	if text := f.call(key, "create_draft", pair).message(t); !strings.Contains(text, "posts[1]: ") || !strings.Contains(text, "1 post of an earlier such call exist") || f.count() != 4 {
		t.Errorf("%d posts: %s", f.count(), text)
	}
	f.connect("blog", schedctl.AccountConnected)
	// The refused call, mended, creates its posts.
	f.call(key, "create_draft", map[string]any{"posts": []any{post("a"), post("b"), post("c")}}).object(t)
	if f.count() != 7 {
		t.Errorf("%d posts, want 7", f.count())
	}
}

// emptyPages responds to lists of posts with empty pages that have a next one.
type emptyPages struct{ http.RoundTripper }

func (e emptyPages) RoundTrip(r *http.Request) (*http.Response, error) {
	if !strings.HasSuffix(r.URL.Path, "/posts") {
		return e.RoundTripper.RoundTrip(r)
	}
	return &http.Response{
		StatusCode: http.StatusOK, Request: r, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(`{"results":[],"count":0,"next_cursor":"further"}`)),
	}, nil
}

// TestIncompleteSearch: a search that does not end in its time says so, and how to continue.
func TestIncompleteSearch(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(config *api.Config) {
		config.Agents = func(w http.ResponseWriter, r *http.Request, call api.AgentCall) {
			c, err := client.New(client.Config{URL: "http://localhost", Key: call.Secret, Transport: emptyPages{call.Transport}, Timeout: mcp.CallTimeout})
			if err != nil {
				t.Error(err)
			}
			(&mcp.Server{}).ServeHTTP(w, r, mcp.Caller{Client: c, KeyID: call.Key.ID, Scopes: call.Key.Scopes, SearchTime: time.Nanosecond})
		}
	})
	a := f.call(f.agent(), "list_posts", map[string]any{"q": "needle"})
	if out := a.object(t); out["incomplete"] != true || out["next_cursor"] != "further" || !strings.Contains(a.Result.Content[0].Text, "call again with cursor further") {
		t.Errorf("%v", out)
	}
}
