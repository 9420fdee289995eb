package notify_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/notify"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/storage"
)

var (
	agent    = schedctl.Actor{Key: schedctl.KeyRef{ID: "key_01K2M4N6P8QARCTDVEWFXGYHZ1", Name: "claude"}, Agent: true}
	reviewer = schedctl.Actor{Key: schedctl.KeyRef{ID: "key_01K2M4N6P8QARCTDVEWFXGYHZ2", Name: "Vera"}, Approver: true}
)

// berlin gives the workspace a time zone.
func (r *rig) berlin() {
	r.Helper()
	r.update(func(tx storage.Tx) error {
		return tx.PutWorkspace(schedctl.Workspace{ID: r.workspace, Name: "Acme", Timezone: "Europe/Berlin"})
	})
}

func (r *rig) update(fn func(storage.Tx) error) {
	r.Helper()
	if err := r.config.Store.Update(r.Context(), fn); err != nil {
		r.Fatal(err)
	}
}

// submitted stores a draft with a text that was submitted, and returns it with the event.
func (r *rig) submitted(text string) (schedctl.Post, schedctl.Event) {
	r.Helper()
	p, _, err := schedctl.Create(schedctl.NewPost{
		WorkspaceID: r.workspace, Content: schedctl.Content{Text: text}, Accounts: []schedctl.Account{r.blog, r.channel}, By: agent,
	}, r.now)
	if err != nil {
		r.Fatal(err)
	}
	events, err := p.Submit(schedctl.Submission{By: agent, Note: "for the release", Proposed: &schedctl.ProposedTime{At: r.now.Add(time.Hour)}}, r.now)
	if err != nil {
		r.Fatal(err)
	}
	r.update(func(tx storage.Tx) error { return tx.PutPost(p) })
	return p, events[0]
}

// last returns the last message.
func (r *rig) last() string {
	texts := r.texts()
	return texts[len(texts)-1]
}

func TestMessageAboutAReview(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.berlin()
	p, asked := r.submitted("Version 1.4 is out\n\u202Ewith a trick")
	r.sends(r.hook(nil), digest(asked))
	const facts = "\n\nText:\nVersion 1.4 is out\nwith a trick\n\nAccounts: blog (mastodon) and team (slack)\nPlanned for: 2026-06-02 18:04 CEST\nTime: 2026-06-02 17:04 CEST\nWorkspace: Acme\nDetails: schedctl "
	if diff := cmp.Diff("claude (an agent) asks for the approval of a post. Note: for the release."+facts+"review "+p.ID, r.last()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	changes, err := p.RequestChanges(schedctl.Decision{By: reviewer, Note: "shorter,\nplease"}, r.now)
	if err != nil {
		t.Fatal(err)
	}
	r.sends(r.hook(nil), digest(changes[0]))
	if diff := cmp.Diff("Vera requested changes to a post. Reason: shorter, please."+facts+"post show "+p.ID, r.last()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	_, noted, err := p.AddNote(reviewer, "who says so?", r.now)
	if err != nil {
		t.Fatal(err)
	}
	r.sends(r.hook(nil), digest(noted))
	if !strings.HasPrefix(r.last(), "Vera wrote a note about a post. Note: who says so?") {
		t.Error(r.last())
	}
	approved := changes[0]
	approved.Type, approved.Edited, approved.Step.Note = schedctl.EventPostApproved, true, ""
	r.sends(r.hook(nil), digest(approved))
	if !strings.HasPrefix(r.last(), "Vera edited and approved a post.\n") {
		t.Error(r.last())
	}
}

// A message about a series names the series, also one of a type that a notification does not
// know.
func TestMessageAboutASeries(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	one := schedctl.Series{
		ID: schedctl.NewID(schedctl.SeriesPrefix, r.now), WorkspaceID: r.workspace, Name: "daily", Timezone: "UTC", Start: "2026-06-03T09:00", Rule: "FREQ=DAILY",
		State: schedctl.SeriesActive, Version: 1, CreatedAt: r.now, UpdatedAt: r.now,
	}
	one.Template.WorkspaceID, one.Template.Text = r.workspace, "Good morning"
	asked, err := one.Submit(agent, "", r.now)
	if err != nil {
		t.Fatal(err)
	}
	r.update(func(tx storage.Tx) error { return tx.PutSeries(one) })
	r.sends(r.hook(nil), digest(asked))
	want := "claude (an agent) asks for the approval of a series.\n\nText:\nGood morning\n\nTime: 2026-06-02 15:04 UTC\nWorkspace: Acme\nDetails: schedctl series show " + one.ID
	if diff := cmp.Diff(want, r.last()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	r.sends(r.hook(nil), digest(schedctl.SeriesEvent(schedctl.EventSeriesEnded, &one, nil, r.now)))
	if !strings.HasSuffix(r.last(), "Details: schedctl series show "+one.ID) {
		t.Error(r.last())
	}
}

// A message about a failure has the text, of at most 500 characters.
func TestMessageAboutAFailureHasTheText(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	p, _ := r.submitted(strings.Repeat("ü", 700))
	failed := r.event(schedctl.EventPostFailed, "too long")
	failed.PostID = p.ID
	r.sends(r.hook(nil), digest(failed))
	want := "A post was not published on blog (mastodon). Reason: too long.\n\nText:\n" + strings.Repeat("ü", 499) + "…\n\nTime: 2026-06-02 15:04 UTC\n"
	if !strings.HasPrefix(r.last(), want) {
		t.Errorf("got\n%s", r.last())
	}
	r.sends(r.hook(nil), digest(failed, failed))
	if got := r.last(); !strings.Contains(got, "\n  Text: "+strings.Repeat("ü", 149)+"…\n  schedctl post show "+p.ID) {
		t.Errorf("got\n%s", got)
	}
}

// Steps of reviews are not counted as problems.
func TestMessageAboutProblemsAndReviews(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	_, asked := r.submitted("A text")
	r.sends(r.hook(nil), digest(asked, asked))
	if got := r.last(); !strings.HasPrefix(got, "2 posts to review since 2026-06-02 15:04 UTC:\n\n- claude (an agent) asks for the approval of a post. Note: for the release.\n  Planned for 2026-06-02 16:04 UTC, for blog (mastodon) and team (slack). Text: A text\n  schedctl review post_") {
		t.Errorf("got\n%s", got)
	}
	d := digest(asked)
	for i := range 8 {
		d.Add(r.event(schedctl.EventPostFailed, fmt.Sprint("reason ", i)))
	}
	r.sends(r.hook(nil), d)
	if got := r.last(); !strings.HasPrefix(got, "8 problems: 8 failed posts; 1 post to review since ") ||
		!strings.Contains(got, "\n4 more are not shown. List failed posts: schedctl post list --status failed\nList what waits for an approval: schedctl review\n") {
		t.Errorf("got\n%s", got)
	}
}

// A message about a submitted post has the address of its share. A repeated message has the
// same one, and an error does not show it.
func TestMessageWithTheAddressOfAReview(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var seeds [][32]byte
	r.config.PublicURL = "https://posts.example.org/base"
	r.config.LinkReview = func(_ storage.Tx, _ *schedctl.Webhook, _ *schedctl.Event, seed [32]byte, _ time.Time) (string, error, error) {
		seeds = append(seeds, seed)
		token, _ := schedctl.ShareToken(seed)
		return token, nil, nil
	}
	key := schedctl.APIKey{ID: schedctl.NewID(schedctl.KeyPrefix, r.now), WorkspaceID: r.workspace, Name: "vera", Scopes: []schedctl.Scope{schedctl.ScopePostsRead}, CreatedAt: r.now}
	r.update(func(tx storage.Tx) error { return tx.PutKey(key) })
	p, asked := r.submitted("A text")
	noted := asked
	noted.ID, noted.Type = schedctl.NewID(schedctl.EventPrefix, r.now), schedctl.EventPostNoted
	hook := r.hook(nil)
	r.sends(hook, digest(asked))
	if len(seeds) > 0 {
		t.Error("a notification without a name of a person makes addresses")
	}
	hook.Notify.ReviewLink, hook.Notify.KeyID = "Dana", key.ID
	r.sends(hook, digest(asked))
	first := r.last()
	token, _ := schedctl.ShareToken(seeds[0])
	if want := "claude (an agent) asks for the approval of a post. Note: for the release.\n\nReview: https://posts.example.org/base/s/" + token + "\n\nText:\nA text\n"; !strings.HasPrefix(first, want) {
		t.Errorf("got\n%s\nwant\n%s", first, want)
	}
	r.network.Then(publishtest.Response{Err: &publish.Error{Message: "refused: " + first, Outcome: schedctl.OutcomeNotPublished}})
	err := notify.New(r.config).Notify(t.Context(), hook, digest(asked, noted))
	if err == nil || strings.Contains(err.Error()+r.logs.String(), token) {
		t.Errorf("the error is %v", err)
	}
	for _, quoted := range []string{
		strings.ReplaceAll(first, "/", `\/`), "=3D" + token[:20] + "=\r\n" + token[20:], "clipped " + token[:12], token[len(token)-12:],
	} {
		r.network.Then(publishtest.Response{Err: &publish.Error{Message: quoted, Outcome: schedctl.OutcomeNotPublished}})
		err := notify.New(r.config).Notify(t.Context(), hook, digest(asked, noted))
		if err == nil || strings.Contains(err.Error(), token[:12]) || strings.Contains(err.Error(), token[len(token)-12:]) {
			t.Errorf("the error about %q is %v", quoted, err)
		}
	}
	if slices.ContainsFunc(seeds, func(s [32]byte) bool { return s != seeds[0] }) {
		t.Errorf("a repeated message has the seeds %x", seeds)
	}
	if got := r.last(); strings.Count(got, "/s/") != 1 || !strings.Contains(got, "\n  Review: https://posts.example.org/base/s/"+token+"\n") {
		t.Errorf("got\n%s", got)
	}
	hook.ID = schedctl.NewID(schedctl.WebhookPrefix, r.now)
	if r.sends(hook, digest(asked)); seeds[len(seeds)-1] == seeds[0] {
		t.Error("two notifications have the same address")
	}

	// After the end of the key, nothing of the post is sent.
	key.RevokedAt = r.now
	r.update(func(tx storage.Tx) error { return tx.PutKey(key) })
	r.config.LinkReview = nil
	r.sends(hook, digest(asked))
	if got := r.last(); got != "claude (an agent) asks for the approval of a post.\n\nTime: 2026-06-02 15:04 UTC\nWorkspace: Acme\nDetails: schedctl review "+p.ID {
		t.Errorf("got\n%s", got)
	}
}

// A message without an address says why, and so does the log.
func TestMessageWithoutAddressSaysWhy(t *testing.T) {
	t.Parallel()
	for why, refused := range map[string]error{
		"There is no address, because the workspace has too many shares. Revoke some: schedctl share list": schedctl.Errorf(schedctl.ValidationFailed, "", "this workspace has 1000 shares"),
		"There is no address, because the API key of this notification may not make it.":                   schedctl.Errorf(schedctl.AccountNotAllowed, "", "not with this key"),
	} {
		r := newRig(t)
		r.config.PublicURL = "https://posts.example.org"
		r.config.LinkReview = func(storage.Tx, *schedctl.Webhook, *schedctl.Event, [32]byte, time.Time) (string, error, error) {
			return "", refused, nil
		}
		key := schedctl.APIKey{ID: schedctl.NewID(schedctl.KeyPrefix, r.now), WorkspaceID: r.workspace, Name: "vera", Scopes: []schedctl.Scope{schedctl.ScopePostsRead}, CreatedAt: r.now}
		r.update(func(tx storage.Tx) error { return tx.PutKey(key) })
		_, asked := r.submitted("A text")
		hook := r.hook(nil)
		hook.Notify.ReviewLink, hook.Notify.KeyID = "Dana", key.ID
		r.sends(hook, digest(asked))
		if got := r.last(); !strings.Contains(got, "for the release.\n\n"+why+"\n\nText:\nA text\n") || strings.Contains(got, "Review: ") {
			t.Errorf("got\n%s", got)
		}
		if !strings.Contains(r.logs.String(), "a message has no address of a review") || !strings.Contains(r.logs.String(), asked.PostID) {
			t.Errorf("the log: %s", r.logs.String())
		}
	}
}

// A message that is too long for its network loses whole lines, and never a part of a link.
func TestLongMessagesCutNoLink(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.config.PublicURL = "https://posts.example.org/base"
	addresses := map[string]bool{}
	r.config.LinkReview = func(_ storage.Tx, _ *schedctl.Webhook, _ *schedctl.Event, seed [32]byte, _ time.Time) (string, error, error) {
		token, _ := schedctl.ShareToken(seed)
		addresses["https://posts.example.org/base/s/"+token] = true
		return token, nil, nil
	}
	key := schedctl.APIKey{ID: schedctl.NewID(schedctl.KeyPrefix, r.now), WorkspaceID: r.workspace, Name: "vera", Scopes: []schedctl.Scope{schedctl.ScopePostsRead}, CreatedAt: r.now}
	r.update(func(tx storage.Tx) error { return tx.PutKey(key) })
	const inText = "https://example.com/a-page-with-a-long-address"
	addresses[inText] = true
	var events []schedctl.Event
	for range 5 {
		_, asked := r.submitted(strings.Repeat("word ", 22) + inText + " and more")
		events = append(events, asked)
	}
	hook := r.hook(nil)
	hook.Notify.ReviewLink, hook.Notify.KeyID = "Dana", key.ID
	r.sends(hook, digest(events...))
	full := r.last()
	if !strings.Contains(full, "\n  Review: https://") || strings.Contains(full, "not shown") {
		t.Fatalf("the whole message: %s", full)
	}
	for limit := 200; limit < utf8.RuneCountInString(full); limit += 7 {
		r.channel.Limits.MaxCharacters = limit
		r.update(func(tx storage.Tx) error { return tx.PutAccount(r.channel) })
		r.sends(hook, digest(events...))
		got := r.last()
		if utf8.RuneCountInString(got) > limit || !strings.HasSuffix(got, " not shown.") {
			t.Fatalf("with %d characters: %s", limit, got)
		}
		for word := range strings.FieldsSeq(got) {
			if strings.Contains(word, "http") && !addresses[word] {
				t.Fatalf("with %d characters, %q is a part of a link", limit, word)
			}
		}
	}
}
