package deliver_test

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// keyed is a network with its own idempotency keys. An option makes its accounts
// idempotent.
type keyed struct {
	*publishtest.Fake
	made atomic.Int64
}

func (k *keyed) NewKey(now time.Time) string { return fmt.Sprint("key-", k.made.Add(1)) }

// occurrenceKeyed is a network whose keys of occurrences follow from the target and its
// time.
type occurrenceKeyed struct{ *keyed }

func (occurrenceKeyed) KeyFor(targetID string, at time.Time) string {
	return fmt.Sprint("occurrence ", targetID, " ", at.UnixMilli())
}

func (r *rig) keyed() *keyed {
	k := &keyed{Fake: r.fake}
	r.registry["fake"] = k
	return k
}

// wantKeys checks which calls had the same key, with keys numbered by their first use.
// It also checks that the attempts have the same keys.
func (r *rig) wantKeys(p schedctl.Post, want ...int) (given []string) {
	r.Helper()
	var stored, distinct []string
	var numbers []int
	for _, q := range r.fake.Requests() {
		given = append(given, q.Key)
		if !slices.Contains(distinct, q.Key) {
			distinct = append(distinct, q.Key)
		}
		numbers = append(numbers, slices.Index(distinct, q.Key)+1)
	}
	r.view(func(tx storage.Reader) error {
		attempts, err := tx.Attempts(p.Targets[0].ID)
		stored = nil
		for _, a := range attempts {
			stored = append(stored, a.Key)
		}
		return err
	})
	if !slices.Equal(numbers, want) || !slices.Equal(given, stored) {
		r.Fatalf("keys given %q and stored %q, want %v", given, stored, want)
	}
	return given
}

func TestKeyOfACallThatMayHavePublishedIsUsedAgain(t *testing.T) {
	for _, test := range []struct {
		name    string
		answers []publishtest.Response
		keys    []int
	}{
		{"published", nil, []int{1}},
		{"not published", []publishtest.Response{netDown, netDown}, []int{1, 2, 3}},
		{"unknown", []publishtest.Response{lostReply, noAnswer}, []int{1, 1, 1}},
		{"unknown, then not published", []publishtest.Response{lostReply, netDown}, []int{1, 1, 1}},
		{"not published, then unknown", []publishtest.Response{netDown, lostReply, netDown}, []int{1, 2, 2, 2}},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				r.keyed()
				r.fake.Then(test.answers...)
				r.start()
				p := r.publishNow(r.account("me", schedctl.Options{"idempotent": true}))
				r.after(time.Hour)
				r.wantStatus(p, schedctl.Published)
				keys := r.wantKeys(p, test.keys...)
				if posts := r.fake.Posts(); len(posts) != 1 || posts[keys[len(keys)-1]] != 1 {
					t.Errorf("the network has %v", posts)
				}
			})
		})
	}
}

func TestKeyOutlivesTheRun(t *testing.T) {
	bubble(t, func(r *rig) {
		r.keyed()
		r.fake.Then(lostReply)
		r.start()
		p := r.publishNow(r.account("me", schedctl.Options{"idempotent": true}))
		synctest.Wait()
		r.kill()
		r.start()
		r.after(time.Minute)
		r.wantStatus(p, schedctl.Published)
		r.wantKeys(p, 1, 1)
	})
}

// If a run ends during the call, the next attempt uses the same key.
func TestKeyOfAnInterruptedCall(t *testing.T) {
	bubble(t, func(r *rig) {
		r.keyed()
		r.fake.Then(publishtest.Response{After: 25 * time.Second, Accepted: true})
		r.start()
		p := r.publishNow(r.account("me", schedctl.Options{"idempotent": true}))
		synctest.Wait()
		r.kill()
		r.start()
		r.after(time.Hour)
		r.wantStatus(p, schedctl.Published)
		key := r.wantKeys(p, 1, 1)[0]
		if n := r.fake.Posts()[key]; n != 1 {
			t.Errorf("published %d times", n)
		}
	})
}

// A forced retry of a target that may be published uses the same key, so that the network
// can recognize the repeat.
func TestKeyOfAForcedRetry(t *testing.T) {
	bubble(t, func(r *rig) {
		r.keyed()
		r.fake.Then(lostReply)
		r.start()
		a := r.account("me", nil)
		p := r.publishNow(a)
		r.after(time.Hour)
		r.wantStatus(p, schedctl.Failed)
		a.Options = schedctl.Options{"idempotent": true}
		r.putAccount(a)
		r.change(p.ID, func(p *schedctl.Post) ([]schedctl.Event, error) {
			return p.Retry(schedctl.Retry{Force: true}, time.Now())
		})
		r.after(time.Minute)
		r.wantStatus(p, schedctl.Published)
		r.wantKeys(p, 1, 1)
	})
}

func TestKeyWithoutAKeyerIsTheTarget(t *testing.T) {
	bubble(t, func(r *rig) {
		r.fake.Then(netDown)
		r.start()
		p := r.publishNow(r.account("me", nil))
		r.after(time.Minute)
		if key := r.wantKeys(p, 1, 1)[0]; key != p.Targets[0].ID {
			t.Errorf("key %s for target %s", key, p.Targets[0].ID)
		}
	})
}

// TestKeyOfAnOccurrence guards that copies of a database publish an occurrence with the
// same key, and that only occurrences have such keys.
func TestKeyOfAnOccurrence(t *testing.T) {
	bubble(t, func(r *rig) {
		r.registry["fake"] = occurrenceKeyed{r.keyed()}
		r.fake.Then(lostReply)
		a := r.account("me", schedctl.Options{"idempotent": true})
		s := r.series(a, "daily", "FREQ=DAILY")
		at := time.Now().Add(time.Hour)
		p, _, err := schedctl.NewOccurrence(&s, schedctl.Occurrence{Local: schedctl.LocalTimeOf(at), At: at}, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		twin := &rig{TB: r.TB, store: storagetest.NewMemory(), fake: r.fake, registry: r.registry, sealer: r.sealer, workspace: r.workspace}
		for _, copied := range []*rig{r, twin} {
			copied.store.Notify(copied.committed)
			copied.putAccount(a)
			copied.update(func(tx storage.Tx) error { return tx.PutPost(p) })
			copied.start()
			defer copied.kill()
		}
		r.after(2 * time.Hour)
		want := occurrenceKeyed{}.KeyFor(p.Targets[0].ID, at)
		for _, q := range r.fake.Requests() {
			if q.Key != want {
				t.Errorf("key %q, want %q", q.Key, want)
			}
		}
		if posts := r.fake.Posts(); len(posts) != 1 || posts[want] != 1 {
			t.Errorf("the network has %v", posts)
		}
		r.wantStatus(p, schedctl.Published)
		twin.wantStatus(p, schedctl.Published)
		r.wantCalls(3) // one has no response

		other := r.publishNow(a)
		r.after(time.Minute)
		r.wantStatus(other, schedctl.Published)
		if q := r.fake.Requests()[3]; !strings.HasPrefix(q.Key, "key-") {
			t.Errorf("a post of no series has the key %q", q.Key)
		}
	})
}
