package api_test

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// inBubble runs a test in a bubble of synctest.
func inBubble(t *testing.T, test func(*testing.T, *live)) {
	t.Helper()
	t.Parallel()
	if _, err := document(); err != nil { // read outside of the bubble: it is shared
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) { test(t, newFixture(t).goLive()) })
}

// The server allows one minute to read a request. A stream must outlast it.
func TestQuietStreamLivesOn(t *testing.T) {
	inBubble(t, func(t *testing.T, l *live) {
		w := l.follow()
		started := time.Now()
		for n := 1; n <= 20; n++ {
			b := w.block()
			if _, comment := b[":"]; !comment || len(b) != 1 {
				t.Fatalf("a heartbeat is %v", b)
			}
			if after := time.Since(started); after != time.Duration(n)*15*time.Second {
				t.Fatalf("heartbeat %d comes after %s", n, after)
			}
		}
		want := l.addEvents(1)[0]
		if e, _ := w.next(); e.ID != want {
			t.Errorf("after five minutes comes %s, want %s", e.ID, want)
		}
	})
}

func TestReaderThatTakesNothingIsCutOff(t *testing.T) {
	inBubble(t, func(t *testing.T, l *live) {
		w := l.follow()
		ids := l.addEvents(3)
		started := time.Now()
		e, _ := w.next()
		time.Sleep(9 * time.Second)
		synctest.Wait()
		// net.Pipe has delivered everything that was written before. The rest is
		// lost once the server has given up.
		more := l.addEvents(2000)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if l.streaming() == 0 {
			t.Fatalf("cut off within %s of taking something", time.Since(started))
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if n := l.streaming(); n != 0 {
			t.Fatalf("%d streams after 10 s without reading", n)
		}
		w.leave()
		w = l.follow(resume(e.ID))
		for _, want := range append(ids[1:], more...) {
			if e, _ := w.next(); e.ID != want {
				t.Fatalf("resumed with %s, want %s", e.ID, want)
			}
		}
	})
}

func TestSlowReaderIsNotCutOff(t *testing.T) {
	inBubble(t, func(t *testing.T, l *live) {
		w := l.follow()
		ids := l.addEvents(100)
		for i, want := range ids {
			if i%20 == 0 {
				time.Sleep(8 * time.Second)
			}
			if e, _ := w.next(); e.ID != want {
				t.Fatalf("got %s, want %s", e.ID, want)
			}
		}
	})
}

func TestStreamEndsWithItsKey(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*schedctl.APIKey)
		words  string
	}{
		"revoked":           {func(k *schedctl.APIKey) { k.RevokedAt = time.Now() }, "was revoked"},
		"expired":           {func(k *schedctl.APIKey) { k.ExpiresAt = time.Now().Add(5 * time.Second) }, "expired at"},
		"without its scope": {func(k *schedctl.APIKey) { k.Scopes = []schedctl.Scope{schedctl.ScopePostsWrite} }, "lacks the scope"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, l *live) {
				secret := l.scoped(schedctl.ScopePostsRead)
				ends, stays := l.follow(as(secret)), l.follow()
				time.Sleep(7 * time.Second)
				k := l.keyOf(secret)
				tt.change(&k)
				changed := time.Now()
				l.update(func(tx storage.Tx) error { return tx.PutKey(k) })
				if comment := ends.ended(); !strings.Contains(comment, tt.words) {
					t.Errorf("the last comment is %q", comment)
				}
				if took := time.Since(changed); took > 8*time.Second {
					t.Errorf("the stream ended after %s", took)
				}
				want := l.addEvents(1)[0]
				stays.upTo(want)
			})
		})
	}
}

func TestStreamEndsWhenItsKeyIsRevoked(t *testing.T) {
	inBubble(t, func(t *testing.T, l *live) {
		made := l.newAPIKey(nil, body{"name": "x"})
		w := l.follow(as(made.Secret))
		revoked := time.Now()
		l.do(nil, "DELETE", "/api-keys/"+made.APIKey.ID, nil).want(204)
		if comment := w.ended(); !strings.Contains(comment, "was revoked") {
			t.Errorf("the last comment is %q", comment)
		}
		if took := time.Since(revoked); took > 0 {
			t.Errorf("the stream ended after %s", took)
		}
	})
}

func TestStreamsEndWithTheServer(t *testing.T) {
	inBubble(t, func(t *testing.T, l *live) {
		idle, stuck := l.follow(), l.follow()
		ids := l.addEvents(1000)
		for _, want := range ids {
			if e, _ := idle.next(); e.ID != want {
				t.Fatalf("got %s, want %s", e.ID, want)
			}
		}
		stopped := time.Now()
		l.stop()
		if comment := idle.ended(); !strings.Contains(comment, "is stopping") {
			t.Errorf("the last comment is %q", comment)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if n := l.streaming(); n != 0 {
			t.Errorf("%d streams %s after the end of the server", n, time.Since(stopped))
		}
		if _, err := io.Copy(io.Discard, stuck.res.Body); err == nil {
			t.Error("a stream that was cut off ends as if it were whole")
		}
		l.do(nil, "GET", "/events", nil).refused(schedctl.Unavailable)
		l.do(nil, "GET", "/me", nil).want(200)
	})
}

// TestStreamAfterEverythingIsGone guards that pruned events are not sent even if
// they are still in memory, and that the stream does not search for them forever.
func TestStreamAfterEverythingIsGone(t *testing.T) {
	inBubble(t, func(t *testing.T, l *live) {
		first := l.follow()
		gone := l.addEvents(2)
		first.upTo(gone[1])
		l.update(func(tx storage.Tx) error {
			_, err := tx.Prune(storage.Retention{Events: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)}, 100)
			return err
		})
		followers := []*follower{first, l.follow(), l.follow(resume(gone[1]))}
		synctest.Wait() // until all goroutines block
		want := l.addEvents(1)[0]
		for i, w := range followers {
			if e, _ := w.next(); e.ID != want {
				t.Errorf("stream %d: got %s, want %s", i, e.ID, want)
			}
		}
	})
}

func TestStreamOutlivesAStoreThatFails(t *testing.T) {
	inBubble(t, func(t *testing.T, l *live) {
		w := l.follow()
		synctest.Wait()
		l.store.FailViews(1)
		want := l.addEvents(1)[0]
		failed := time.Now()
		if e, _ := w.next(); e.ID != want || time.Since(failed) > 3*time.Second {
			t.Errorf("got %s after %s, want %s", e.ID, time.Since(failed), want)
		}
		if !strings.Contains(l.logs.String(), "cannot read events for streams") {
			t.Error("the log does not mention it")
		}
	})
}

func TestStreamsAreLeft(t *testing.T) {
	inBubble(t, func(t *testing.T, l *live) {
		for range 3 {
			w := l.follow()
			w.leave()
		}
		synctest.Wait()
		if n := l.streaming(); n != 0 {
			t.Errorf("%d streams are left", n)
		}
	})
}
