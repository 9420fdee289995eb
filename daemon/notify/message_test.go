package notify_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/notify"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/storage"
)

// texts returns what was sent through the account.
func (r *rig) texts() (texts []string) {
	for _, request := range r.network.Requests() {
		texts = append(texts, request.Content)
	}
	return texts
}

func TestMessageAboutOneEvent(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	unknown := r.event(schedctl.EventPostFailed, "the connection broke")
	unknown.Error.Outcome = schedctl.OutcomeUnknown
	disabled := schedctl.WebhookDisabledEvent(schedctl.Webhook{ID: "wh_01K2M4N6P8QARCTDVEWFXGYHZ1", WorkspaceID: r.workspace}, r.now)
	source := schedctl.Source{ID: "src_01K2M4N6P8QARCTDVEWFXGYHZ1", WorkspaceID: r.workspace, Fault: &schedctl.SourceFault{Message: "9 new items at once"}}
	held, failed := schedctl.SourceEvent(schedctl.EventSourceHeld, &source, r.now), schedctl.SourceEvent(schedctl.EventSourceFailed, &source, r.now)
	gone := r.event(schedctl.EventPostFailed, "")
	gone.AccountID = schedctl.NewID(schedctl.AccountPrefix, r.now)
	const end = "\n\nTime: 2026-06-02 15:04 UTC\nWorkspace: Acme\nDetails: schedctl "
	const post = end + "post show post_01K2M4N6P8QARCTDVEWFXGYHZ1"
	for _, tc := range []struct {
		event schedctl.Event
		want  string
	}{
		{r.event(schedctl.EventPostFailed, "the post is\n too long."), "A post was not published on blog (mastodon). Reason: the post is too long." + post},
		{unknown, "A post failed on blog (mastodon), but it may have been published. Reason: the connection broke." + post},
		{r.event(schedctl.EventPostUnconfirmed, ""), "A post may or may not have been published on blog (mastodon); schedctl is checking." + post},
		{r.event(schedctl.EventAccountError, "token expired"), "mastodon refused the login of blog (mastodon); posts to it are waiting. Reason: token expired." + end + "account show " + r.blog.ID},
		{disabled, "A webhook was disabled because its deliveries failed for three days." + end + "webhook show wh_01K2M4N6P8QARCTDVEWFXGYHZ1"},
		{held, "A source makes no posts until a person decides. Reason: 9 new items at once." + end + "source show " + source.ID},
		{failed, "The feed of a source could not be read for a day. Reason: 9 new items at once." + end + "source show " + source.ID},
		{gone, "A post was not published on an account of mastodon." + post},
	} {
		r.sends(r.hook(nil), digest(tc.event))
		texts := r.texts()
		if diff := cmp.Diff(tc.want, texts[len(texts)-1]); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestMessageAboutSeveralEvents(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var d notify.Digest
	for range 498 {
		d.Add(r.event(schedctl.EventPostFailed, strings.Repeat("very long reason ", 50)))
	}
	d.Add(r.event(schedctl.EventPostUnconfirmed, ""))
	d.Add(r.event(schedctl.EventAccountError, ""))
	r.sends(r.hook(nil), d)
	got := r.texts()[0]
	if !strings.HasPrefix(got, "500 problems: 498 failed posts, 1 unconfirmed post and 1 refused login since 2026-06-02 15:04 UTC:\n\n- A post was not published on blog (mastodon). Reason: very long") ||
		!strings.HasSuffix(got, "\n\n495 more are not shown. List failed posts: schedctl post list --status failed\n\nWorkspace: Acme") {
		t.Errorf("got\n%s", got)
	}
	if n := utf8.RuneCountInString(got); n > 2000 { // what Discord takes
		t.Errorf("the message has %d characters", n)
	}
}

func TestMessageThroughAnAccount(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	hook, d := r.hook(nil), digest(r.event(schedctl.EventPostFailed, "too long"))
	r.sends(hook, d)
	r.sends(hook, d)
	if err := notify.New(r.config).Test(t.Context(), hook); err != nil {
		t.Fatal(err)
	}
	requests := r.network.Requests()
	first, second, test := requests[0], requests[1], requests[2]
	if first.Key == "" || first.Key != second.Key || test.Key == first.Key {
		t.Errorf("keys %q, %q and %q of a message, its repetition and a test", first.Key, second.Key, test.Key)
	}
	if first.Credentials["token"] != token || first.Account.ID != r.channel.ID || first.Account.Credentials != nil || first.Account.Options["mrkdwn"] != false {
		t.Errorf("%+v", first)
	}
}

func TestAccountThatCannotCarryMessages(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	change := func(edit func(*schedctl.Account)) string {
		a := r.channel
		edit(&a)
		if err := r.config.Store.Update(t.Context(), func(tx storage.Tx) error { return tx.PutAccount(a) }); err != nil {
			t.Fatal(err)
		}
		return r.fails(t.Context(), r.hook(nil))
	}
	if got := change(func(a *schedctl.Account) { a.Status = schedctl.AccountDisconnected }); !strings.Contains(got, "disconnected") {
		t.Error(got)
	}
	if got := change(func(a *schedctl.Account) { a.Platform = "mastodon" }); !strings.Contains(got, "cannot carry") {
		t.Error(got)
	}
	missing := r.hook(nil)
	missing.Notify.AccountID = schedctl.NewID(schedctl.AccountPrefix, r.now)
	if got := r.fails(t.Context(), missing); !strings.Contains(got, "disconnected") {
		t.Error(got)
	}
	if n := len(r.network.Requests()); n > 0 {
		t.Errorf("%d messages were sent", n)
	}
}

func TestFailuresOfAnAccount(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.network.Then(publishtest.Response{Err: &publish.Error{Kind: schedctl.KindAuth, Message: "bad token " + token, Outcome: schedctl.OutcomeNotPublished}})
	if got := r.fails(t.Context(), r.hook(nil)); got != "bad token [hidden]" {
		t.Errorf("got %q", got)
	}
	r.network.Then(publishtest.Response{Err: errors.New("something else")})
	if got := r.fails(t.Context(), r.hook(nil)); got == "" || strings.Contains(got, "something else") {
		t.Errorf("got %q", got)
	}
	r.network.Then(publishtest.Response{Err: &publish.Error{Message: strings.Repeat("ü", 2000)}})
	if got := r.fails(t.Context(), r.hook(nil)); len(got) > schedctl.MaxNotificationError || !utf8.ValidString(got) {
		t.Errorf("%d bytes", len(got))
	}
	r.config.Publishers = publish.NewRegistry(panicking{r.network})
	if got := r.fails(t.Context(), r.hook(nil)); !strings.Contains(got, "internal error") || strings.Contains(r.logs.String(), token) {
		t.Errorf("got %q, logged %s", got, r.logs.String())
	}
}

// panicking is a publisher with a fault.
type panicking struct{ *publishtest.Fake }

func (panicking) Publish(context.Context, publish.Request) (schedctl.Receipt, error) { panic(token) }

func TestLongMessageFitsTheAccount(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.channel.Limits = schedctl.Limits{MaxCharacters: 100, Unit: "characters"}
	if err := r.config.Store.Update(t.Context(), func(tx storage.Tx) error { return tx.PutAccount(r.channel) }); err != nil {
		t.Fatal(err)
	}
	var d notify.Digest
	for i := range 20 {
		d.Add(r.event(schedctl.EventPostFailed, fmt.Sprint("reason ", i)))
	}
	r.sends(r.hook(nil), d)
	if n := utf8.RuneCountInString(r.texts()[0]); n > 100 {
		t.Errorf("the message has %d characters", n)
	}
}
