package api_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// threadNetwork takes threads, polls and pictures.
type threadNetwork struct{ *publishtest.UploadingFake }

func (threadNetwork) ThreadRules(schedctl.Account) publish.ThreadRules {
	return publish.ThreadRules{Replies: 7, RepliesWindow: 24 * time.Hour}
}

func (threadNetwork) PollRules(schedctl.Account) publish.PollRules {
	return publish.PollRules{MaxOptions: 4}
}

// withThreads runs a test on a network that takes threads.
func withThreads(t *testing.T, test func(*testing.T, *fixture)) {
	t.Helper()
	test(t, newFixtureOn(t, storagetest.NewMemory(), func(c *api.Config) {
		c.Publishers = publish.NewRegistry(threadNetwork{publishtest.NewUploadingFake("fake")})
	}))
}

func (f *fixture) scheduledThread() apiv1.Post {
	f.t.Helper()
	return f.create(body{
		"content": "one", "thread": []body{{"content": "two"}, {"content": "three"}}, "first_comment": body{"content": "comment"},
		"poll":         body{"options": []string{"yes", "no"}, "expires_in_seconds": 3600},
		"link_preview": "none", "content_warning": "w", "visibility": "unlisted", "language": "en",
		"social_account_ids": []string{f.mine.account}, "publish_at": in(time.Hour),
	})
}

// shownParts renders the parts of the first target as "kind status".
func shownParts(p apiv1.Post) string {
	var out []string
	for _, part := range p.Targets[0].Parts {
		out = append(out, string(part.Kind)+" "+string(part.Status))
	}
	return strings.Join(out, ", ")
}

func TestThreadsAreShownAndEdited(t *testing.T) {
	t.Parallel()
	withThreads(t, func(t *testing.T, f *fixture) {
		p := f.scheduledThread()
		if got := shownParts(p); got != "post scheduled, reply scheduled, reply scheduled, comment scheduled" {
			t.Errorf("parts: %s", got)
		}
		if len(p.Thread) != 2 || p.FirstComment == nil || p.Poll == nil || p.Poll.ExpiresInSeconds != 3600 || p.LinkPreview.Mode != apiv1.PreviewNone ||
			*p.ContentWarning != "w" || *p.Visibility != "unlisted" || *p.Language != "en" {
			t.Errorf("post %+v", p)
		}
		edited := f.do(nil, "PATCH", "/posts/"+p.ID, body{
			"thread": []body{{"content": "zwei"}}, "first_comment": nil, "poll": nil, "link_preview": body{"url": "https://example.com/", "title": "t"},
			"content_warning": nil, "visibility": nil, "language": "",
		}).want(200).post()
		if len(edited.Thread) != 1 || edited.FirstComment != nil || edited.Poll != nil || edited.LinkPreview.Card == nil ||
			edited.ContentWarning != nil || edited.Visibility != nil || edited.Language != nil || edited.Version != 2 {
			t.Errorf("post %+v", edited)
		}
		for name, want := range map[string]int{"zwei": 1, "three": 0} {
			if list := decodeAs[apiv1.PostList](t, f.do(nil, "GET", "/posts?q="+name, nil).want(200)); list.Count != want {
				t.Errorf("search for %s: %d posts", name, list.Count)
			}
		}
		again := f.do(nil, "PATCH", "/posts/"+p.ID, body{"thread": []body{{"content": "zwei"}}}).want(200).post()
		if again.Version != 2 {
			t.Errorf("an edit without a change made version %d", again.Version)
		}
	})
}

func TestThreadsAreRefused(t *testing.T) {
	t.Parallel()
	withThreads(t, func(t *testing.T, f *fixture) {
		pending := f.announce(mediatest.PNG(7, 7)).MediaAsset.ID
		unknown := schedctl.NewID(schedctl.MediaPrefix, time.Now())
		for name, tt := range map[string]struct {
			fields string
			code   schedctl.Code
			field  string
		}{
			"empty part":       {`{"thread":[{"content":"x"},{"content":" "}]}`, schedctl.ValidationFailed, "thread[1].content"},
			"empty comment":    {`{"first_comment":{}}`, schedctl.ValidationFailed, "first_comment.content"},
			"empty poll":       {`{"poll":{}}`, schedctl.ValidationFailed, "poll.options"},
			"misspelt":         {`{"thread":[{"text":"x"}]}`, schedctl.ValidationFailed, "thread[0].text"},
			"not a list":       {`{"thread":"x"}`, schedctl.ValidationFailed, "thread"},
			"many parts":       {`{"thread":[` + strings.Repeat(`{"content":"x"},`, 24) + `{"content":"x"}]}`, schedctl.ValidationFailed, "thread"},
			"half a second":    {`{"poll":{"options":["a","b"],"expires_in_seconds":300.5}}`, schedctl.ValidationFailed, "poll.expires_in_seconds"},
			"options":          {`{"poll":{"options":["a","b","c","d","e"],"expires_in_seconds":300}}`, schedctl.ValidationFailed, "poll"},
			"preview":          {`{"link_preview":"maybe"}`, schedctl.ValidationFailed, "link_preview"},
			"card":             {`{"link_preview":{"title":"t"}}`, schedctl.ValidationFailed, "link_preview.url"},
			"image":            {`{"link_preview":{"url":"https://example.com","image":"` + unknown + `"}}`, schedctl.ValidationFailed, "link_preview.image"},
			"visibility":       {`{"visibility":"private"}`, schedctl.ValidationFailed, "visibility"},
			"unknown asset":    {`{"thread":[{"media":[{"id":"` + unknown + `"}]}]}`, schedctl.ValidationFailed, "thread[0].media[0].id"},
			"of a comment":     {`{"first_comment":{"media":[{"id":"` + unknown + `"}]}}`, schedctl.ValidationFailed, "first_comment.media[0].id"},
			"pending asset":    {`{"thread":[{"media":[{"id":"` + pending + `"}]}]}`, schedctl.MediaNotReady, ""},
			"override":         {`{"target_overrides":[{"social_account_id":"` + f.mine.account + `","thread":[{}]}]}`, schedctl.ValidationFailed, "target_overrides[0].thread[0].content"},
			"override's asset": {`{"target_overrides":[{"social_account_id":"` + f.mine.account + `","thread":[{"media":[{"id":"` + unknown + `"}]}]}]}`, schedctl.ValidationFailed, "target_overrides[0].thread[0].media[0].id"},
		} {
			b := body{"content": "x", "social_account_ids": []string{f.mine.account}, "publish_at": in(time.Hour)}
			if err := json.Unmarshal([]byte(tt.fields), &b); err != nil {
				t.Fatal(err)
			}
			e := f.do(nil, "POST", "/posts", b).refused(tt.code)
			named := tt.field == "" || slices.ContainsFunc(e.Details, func(d apiv1.Detail) bool { return d.Field == tt.field })
			if !named {
				t.Errorf("%s: %+v, want the field %s", name, e, tt.field)
			}
		}
	})
}

func TestValidateParts(t *testing.T) {
	t.Parallel()
	withThreads(t, func(t *testing.T, f *fixture) {
		f.limit(f.mine.account, 5)
		got := f.validate(body{
			"content": "fine", "thread": []body{{"content": "ok"}, {"content": "too long"}}, "first_comment": body{"content": "long, too"},
			"social_account_ids": []string{f.mine.account}, "publish_at": in(time.Hour),
		})
		var problems []string
		for _, part := range got.Accounts[0].Parts {
			for _, p := range part.Problems {
				problems = append(problems, string(part.Kind)+" "+p.Field+" "+p.Code)
			}
		}
		want := []string{"reply thread[1].content CONTENT_TOO_LONG", "comment first_comment.content CONTENT_TOO_LONG"}
		if got.Allowed || len(got.Accounts[0].Parts) != 4 || !slices.Equal(problems, want) || len(got.Accounts[0].Problems) != 2 {
			t.Errorf("problems %q, validation %+v", problems, got)
		}
	})
}

// TestNetworksWithoutThreads guards that a thread is refused once for each account, and
// that an override without a thread is accepted.
func TestNetworksWithoutThreads(t *testing.T) {
	t.Parallel()
	bare := func(c *api.Config) {
		c.Publishers = publish.NewRegistry(struct{ publish.Publisher }{publishtest.NewFake("fake")})
	}
	f := newFixtureOn(t, storagetest.NewMemory(), bare)
	b := body{
		"content": "x", "thread": []body{{"content": "two"}, {"content": "three"}},
		"social_account_ids": []string{f.mine.account}, "publish_at": in(time.Hour),
	}
	e := f.do(nil, "POST", "/posts", b).refused(schedctl.ValidationFailed)
	if len(e.Details) != 1 || e.Details[0].Field != "thread" {
		t.Errorf("details %+v", e.Details)
	}
	b["target_overrides"] = []body{{"social_account_id": f.mine.account, "thread": []body{}}}
	if got := shownParts(f.create(b)); got != "post scheduled" {
		t.Errorf("parts: %s", got)
	}
}

func TestDuplicateGuardOfThreads(t *testing.T) {
	t.Parallel()
	withThreads(t, func(t *testing.T, f *fixture) {
		f.changeAccount(f.mine.account, func(a *schedctl.Account) { a.Options = schedctl.Options{"duplicate_guard": "24h"} })
		f.scheduledThread()
		again := body{"content": "one", "social_account_ids": []string{f.mine.account}, "publish_at": in(2 * time.Hour)}
		f.create(again)
		again["thread"] = []body{{"content": "two"}, {"content": "three"}}
		again["first_comment"] = body{"content": "comment"}
		again["poll"] = body{"options": []string{"yes", "no"}, "expires_in_seconds": 600}
		f.do(nil, "POST", "/posts", again).refused(schedctl.DuplicateContent)
	})
}

func TestRetryOfAFailedComment(t *testing.T) {
	t.Parallel()
	withThreads(t, func(t *testing.T, f *fixture) {
		p := f.create(body{
			"content": "one", "first_comment": body{"content": "comment"}, "social_account_ids": []string{f.mine.account}, "publish_at": "now",
		})
		f.finish(p.ID, schedctl.Result{Receipt: &schedctl.Receipt{ID: "1", URL: "https://fake.example/1"}})
		f.do(nil, "POST", "/posts/"+p.ID+"/retry", nil).refused(schedctl.PostNotRetryable)
		f.finish(p.ID, schedctl.Result{Error: &schedctl.TargetError{Kind: schedctl.KindContent, Message: "no", Outcome: schedctl.OutcomeNotPublished}})
		failed := f.do(nil, "GET", "/posts/"+p.ID, nil).want(200).post()
		if got := shownParts(failed); got != "post published, comment failed" || failed.Status != schedctl.Published {
			t.Errorf("parts: %s, status %s", got, failed.Status)
		}
		f.do(nil, "POST", "/posts/"+p.ID+"/cancel", nil).refused(schedctl.PostNotCancelable)
		retried := f.do(nil, "POST", "/posts/"+p.ID+"/retry", nil).want(202).post()
		if got := shownParts(retried); got != "post published, comment publishing" {
			t.Errorf("parts: %s", got)
		}
		f.finish(p.ID, schedctl.Result{Receipt: &schedctl.Receipt{ID: "2"}})
		published := f.do(nil, "GET", "/posts/"+p.ID, nil).want(200).post()
		if got := shownParts(published); got != "post published, comment published" || published.Targets[0].Error != nil {
			t.Errorf("parts: %s, target %+v", got, published.Targets[0])
		}
	})
}

// Link previews in the bodies of the Go client are stored and shown as they were sent.
func TestLinkPreviewsOfClients(t *testing.T) {
	t.Parallel()
	withThreads(t, func(t *testing.T, f *fixture) {
		image := f.upload(mediatest.PNG(7, 7)).ID
		draft := f.create(body{"content": "x"})
		for _, want := range []apiv1.LinkPreview{
			{Mode: apiv1.PreviewNone},
			{Card: &apiv1.LinkCard{URL: "https://example.com/?a=1&b=2", Title: "<title>", Description: "é\u2028", Image: &image}},
			{Card: &apiv1.LinkCard{URL: "https://example.com/"}},
			{Mode: apiv1.PreviewAuto},
		} {
			created := f.do(nil, "POST", "/posts", apiv1.CreatePost{Content: "x", NewExtras: apiv1.NewExtras{LinkPreview: &want}}).want(201).post()
			edited := f.do(nil, "PATCH", "/posts/"+draft.ID, apiv1.EditPost{ExtrasChange: apiv1.ExtrasChange{LinkPreview: &want}}).want(200).post()
			for what, p := range map[string]apiv1.Post{"created": created, "edited": edited, "read": f.do(nil, "GET", "/posts/"+created.ID, nil).want(200).post()} {
				if diff := cmp.Diff(want, p.LinkPreview); diff != "" {
					t.Errorf("%s:\n%s", what, diff)
				}
			}
		}
		kept := f.do(nil, "PATCH", "/posts/"+draft.ID, apiv1.EditPost{Content: new("y")}).want(200).post()
		if kept.LinkPreview.Mode != apiv1.PreviewAuto {
			t.Errorf("link preview %+v", kept.LinkPreview)
		}
	})
}
