package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

func TestStreamBeginsWithWhatHappensFromNowOn(t *testing.T) {
	t.Parallel()
	onEveryEngineInBubble(t, func(t *testing.T, f *fixture) {
		l := f.goLive()
		f.draft()
		w := l.follow()
		p := f.scheduled()
		e, comments := w.next()
		if e.Type != schedctl.EventPostCreated || e.Data.PostID != p.ID || len(comments) > 0 {
			t.Errorf("the first event is %+v, comments %q", e, comments)
		}
		if got := w.upTo(f.lastEvent()); got != "post.scheduled post.queued" {
			t.Errorf("then %s", got)
		}
		for name, want := range map[string]string{
			"Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no", "Content-Encoding": "",
		} {
			if got := w.res.Header.Get(name); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
	})
}

func TestStreamTellsWhatWebhooksAreTold(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	l := f.goLive()
	w := l.follow()
	f.inStatus(schedctl.Canceled)
	var stored []schedctl.Event
	err := f.store.View(t.Context(), func(r storage.Reader) (err error) {
		stored, err = r.Events("", 100)
		return err
	})
	if err != nil || len(stored) < 3 {
		t.Fatal(stored, err)
	}
	for _, s := range stored {
		e, _ := w.next()
		if diff := cmp.Diff(apiv1.NewEvent(s), e); diff != "" {
			t.Errorf("-stored +streamed:\n%s", diff)
		}
	}
}

func TestStreamResumes(t *testing.T) {
	t.Parallel()
	onEveryEngineInBubble(t, func(t *testing.T, f *fixture) {
		l := f.goLive()
		ids := f.addEvents(5)
		w := l.follow(resume(ids[1]))
		e, comments := w.next()
		if e.ID != ids[2] || len(comments) > 0 {
			t.Errorf("after %s comes %s, with %q", ids[1], e.ID, comments)
		}
		w.upTo(ids[4])
		more := f.addEvents(2)
		if got := w.upTo(more[1]); got != "webhook.disabled webhook.disabled" {
			t.Errorf("then %s", got)
		}
		w = l.follow(resume(more[1]))
		next := f.addEvents(1)
		if e, comments := w.next(); e.ID != next[0] || len(comments) > 0 {
			t.Errorf("after the youngest comes %s, with %q", e.ID, comments)
		}
	})
}

func TestStreamResumesAfterAnEventThatIsGone(t *testing.T) {
	t.Parallel()
	onEveryEngineInBubble(t, func(t *testing.T, f *fixture) {
		l := f.goLive()
		gone := f.addEvents(3)
		f.update(func(tx storage.Tx) error {
			_, err := tx.Prune(storage.Retention{Events: time.Now().Add(time.Hour)}, 100)
			return err
		})
		w := l.follow(resume(gone[1])) // without any event
		first := f.addEvents(1)[0]
		e, comments := w.next()
		if e.ID != first || !strings.Contains(strings.Join(comments, " "), "there is no event "+gone[1]) {
			t.Errorf("got %s, with %q", e.ID, comments)
		}
		f.addEvents(1)
		w = l.follow(resume(gone[0])) // when there are newer ones
		if e, comments := w.next(); e.ID != first || len(comments) != 1 {
			t.Errorf("got %s, with %q", e.ID, comments)
		}
	})
}

// TestStreamResumesFromTheFuture resumes with an id newer than all events, as after
// a backup was restored.
func TestStreamResumesFromTheFuture(t *testing.T) {
	t.Parallel()
	onEveryEngineInBubble(t, func(t *testing.T, f *fixture) {
		l := f.goLive()
		f.addEvents(1)
		w := l.follow(resume("evt_7ZZZZZZZZZZZZZZZZZZZZZZZZZ"))
		want := f.addEvents(1)[0]
		if e, comments := w.next(); e.ID != want || len(comments) != 1 {
			t.Errorf("got %s, with %q, want %s", e.ID, comments, want)
		}
	})
}

func TestStreamTellsNothingOfOtherWorkspaces(t *testing.T) {
	t.Parallel()
	onEveryEngineInBubble(t, func(t *testing.T, f *fixture) {
		l := f.goLive()
		before := f.addEvents(3)
		stranger := as(f.other.key)
		foreign := l.follow(all(stranger, resume(before[1])))
		unknown := l.follow(all(stranger, resume("evt_00000000000000000000000000")))
		f.draft()
		theirs := decodeAs[apiv1.PostEnvelope](t, f.do(stranger, "POST", "/posts", body{"content": "x"}).want(201)).Post
		f.draft()
		for _, w := range []*follower{foreign, unknown} {
			e, comments := w.next()
			if e.Data.PostID != theirs.ID || e.Data.WorkspaceID != f.other.workspace {
				t.Errorf("a key of a different workspace receives %+v", e)
			}
			if len(comments) != 1 || !strings.Contains(comments[0], "there is no event ") {
				t.Errorf("the event of a different workspace differs from an unknown one: %q", comments)
			}
		}
	})
}

func TestStreamOfALimitedKey(t *testing.T) {
	t.Parallel()
	onEveryEngineInBubble(t, func(t *testing.T, f *fixture) {
		l := f.goLive()
		second := f.newAccount(f.mine, "second")
		limited := as(f.newKey(f.mine.workspace, func(k *schedctl.APIKey) { k.AccountIDs = []string{second} }))
		start := f.addEvents(1)[0]
		follow := map[string]*follower{"as it happens": l.follow(limited)}

		create := func(accounts ...string) apiv1.Post {
			return f.create(body{"content": "x", "social_account_ids": accounts})
		}
		create(f.mine.account)
		create(f.mine.account, second)
		mine := create(second)
		deleted := create(second)
		f.do(nil, "DELETE", "/posts/"+deleted.ID, nil).want(204)
		f.addEvents(1)
		f.update(func(tx storage.Tx) error {
			return tx.AddEvents(
				schedctl.AccountErrorEvent(schedctl.Account{ID: f.mine.account, WorkspaceID: f.mine.workspace}, time.Now()),
				schedctl.AccountErrorEvent(schedctl.Account{ID: second, WorkspaceID: f.mine.workspace}, time.Now()))
		})
		last := create(second)

		follow["later"] = l.follow(all(limited, resume(start)))
		for name, w := range follow {
			var about []string
			for {
				e, _ := w.next()
				if e.Data.PostID != deleted.ID { // sent as long as it exists
					about = append(about, e.Data.PostID+e.Data.SocialAccountID)
				}
				if e.Data.PostID == last.ID {
					break
				}
			}
			if diff := cmp.Diff([]string{mine.ID, second, last.ID}, about); diff != "" {
				t.Errorf("%s, -want +got:\n%s", name, diff)
			}
		}
	})
}

func TestStreamLeavesTestsOfWebhooksOut(t *testing.T) {
	t.Parallel()
	onEveryEngineInBubble(t, func(t *testing.T, f *fixture) {
		l := f.goLive()
		start := f.addEvents(1)[0]
		w := l.follow()
		hook := f.newWebhook().Webhook.ID
		f.do(nil, "POST", "/webhooks/"+hook+"/test", nil).want(202)
		tested := f.lastEvent()
		want := f.addEvents(1)[0]
		for name, w := range map[string]*follower{
			"as it happens": w, "resumed": l.follow(resume(start)), "resumed after the test": l.follow(resume(tested)),
		} {
			if e, comments := w.next(); e.ID != want || len(comments) > 0 {
				t.Errorf("%s: got %+v, with %q", name, e, comments)
			}
		}
	})
}

func TestStreamIsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, id := range []string{"", " ", "1", "evt_", "evt_1", "post_01K2M4N6P8QARCTDVEWFXGYHZ1", "evt_01k2m4n6p8qarctdvewfxgyhz1", "evt_01K2M4N6P8QARCTDVEWFXGYHZ1x"} {
		e := f.do(resume(id), "GET", "/events", nil).refused(schedctl.ValidationFailed)
		if !strings.Contains(e.Message, "Last-Event-ID") {
			t.Errorf("%q: %s", id, e.Message)
		}
	}
	twice := func(r *http.Request) { r.Header["Last-Event-Id"] = []string{f.lastEvent(), f.lastEvent()} }
	f.do(twice, "GET", "/events", nil).refused(schedctl.ValidationFailed)
	f.do(nil, "GET", "/events?types=post.created", nil).refused(schedctl.ValidationFailed)
	f.do(as(f.scoped(schedctl.ScopePostsWrite, schedctl.ScopeWebhooksRead)), "GET", "/events", nil).refused(schedctl.InsufficientScope)
	f.do(header("Authorization", ""), "GET", "/events", nil).refused(schedctl.AuthenticationRequired)
	f.do(nil, "POST", "/events", nil).refused(schedctl.MethodNotAllowed)
	f.store.FailUpdates(1, storagetest.BeforeFn)
	f.do(nil, "GET", "/events", nil).refused(schedctl.Unavailable)
}

func TestStreamAccept(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for value, want := range map[string]int{
		"":                                    200,
		"*/*":                                 200,
		"text/*":                              200,
		"text/event-stream":                   200,
		"application/json, text/event-stream": 200,
		"text/html, */*;q=0.1":                200,
		"application/json":                    406,
		"text/html":                           406,
		"text/event-stream;q=0, */*":          406,
	} {
		accept := header("Accept", value)
		if value == "" {
			accept = all()
		}
		// HEAD ends immediately.
		if r := f.do(accept, "HEAD", "/events", nil); r.status != want {
			t.Errorf("Accept: %s gets %d, want %d", value, r.status, want)
		}
	}
	e := f.do(header("Accept", "application/json"), "GET", "/events", nil).refused(schedctl.NotAcceptable)
	if !strings.Contains(e.Message, "send Accept: text/event-stream") {
		t.Error(e.Message)
	}
}

func TestHeadOfAStream(t *testing.T) {
	t.Parallel()
	l := newFixture(t).goLive()
	get := l.follow().res
	r, err := http.NewRequestWithContext(t.Context(), "HEAD", "http://memory/api/v1/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	as(l.mine.key)(r)
	head, err := l.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	head.Body.Close()
	for _, h := range []http.Header{head.Header, get.Header} {
		h.Del("X-Request-Id")
		h.Del("Date")
	}
	if diff := cmp.Diff(get.Header, head.Header); diff != "" || head.StatusCode != 200 {
		t.Errorf("%d, -get +head:\n%s", head.StatusCode, diff)
	}
}

// TestStreamResumesBeforeItsFirstEvent disconnects a stream before its first event,
// and emits an event before it resumes.
func TestStreamResumesBeforeItsFirstEvent(t *testing.T) {
	t.Parallel()
	onEveryEngineInBubble(t, func(t *testing.T, f *fixture) {
		l := f.goLive()
		before := f.addEvents(1)[0]
		w := l.follow()
		if w.position <= before {
			t.Errorf("after %s the stream starts at %s", before, w.position)
		}
		w.leave()
		missed := f.addEvents(2)
		w = l.follow(resume(w.position))
		for _, want := range missed {
			if e, _ := w.next(); e.ID != want {
				t.Errorf("got %s, want %s", e.ID, want)
			}
		}
		if again := l.follow(resume(missed[0])); again.position != missed[0] {
			t.Errorf("resumed after %s, the stream starts at %s", missed[0], again.position)
		}
	})
}
