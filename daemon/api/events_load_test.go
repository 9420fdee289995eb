package api_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// TestStreamsAreWhole lets 20 writers write while 50 streams read, disconnect and
// resume. Each stream must receive every event once and in order.
func TestStreamsAreWhole(t *testing.T) {
	t.Parallel()
	onEveryEngineInBubble(t, func(t *testing.T, f *fixture) {
		const streams, writers, posts = 50, 20, 10
		l := f.goLive()
		start := f.lastEvent()
		followers := make([]*follower, streams)
		for i := range followers {
			followers[i] = l.follow()
		}
		var writing, reading sync.WaitGroup
		for range writers {
			writing.Go(func() {
				for range posts {
					f.do(nil, "POST", "/posts", body{"content": "x"}).want(201)
				}
			})
		}
		got := make([][]string, streams)
		for i, w := range followers {
			reading.Go(func() {
				for n := 0; n < writers*posts; n++ {
					if n > 0 && n%(20+i) == 0 {
						w.leave()
						w = l.follow(resume(got[i][n-1]))
					}
					got[i] = append(got[i], w.nextID())
				}
			})
		}
		writing.Wait()
		reading.Wait()
		var want []string
		err := f.store.View(t.Context(), func(r storage.Reader) error {
			events, err := r.Events(start, 10_000)
			want = nil
			for _, e := range events {
				want = append(want, e.ID)
			}
			return err
		})
		if err != nil || len(want) != writers*posts {
			t.Fatalf("%d events are stored: %v", len(want), err)
		}
		for i := range got {
			if diff := cmp.Diff(want, got[i]); diff != "" {
				t.Errorf("stream %d, -stored +streamed:\n%s", i, diff)
			}
		}
	})
}

// viewed counts the snapshots of a store.
type viewed struct {
	storage.Store
	views atomic.Int64
}

func (v *viewed) View(ctx context.Context, fn func(storage.Reader) error) error {
	v.views.Add(1)
	return v.Store.View(ctx, fn)
}

// TestReadersCostNoReads compares the number of store reads for one stream with
// that for 200 streams of the same events.
func TestReadersCostNoReads(t *testing.T) {
	t.Parallel()
	for name, open := range engines {
		reads := map[int]int64{}
		for _, readers := range []int{1, 200} {
			t.Run(fmt.Sprintf("%s %d", name, readers), func(t *testing.T) {
				reads[readers] = readsWith(t, open, readers)
			})
		}
		if reads[200] > reads[1] {
			t.Errorf("%s: one reader costs %d reads of the store, 200 cost %d", name, reads[1], reads[200])
		}
	}
}

// readsWith returns how often the store is read for 100 events, each received by all
// readers before the next, and in a minute without events. Every reader has its own
// key.
func readsWith(t *testing.T, open func(*testing.T) storage.Store, readers int) (reads int64) {
	if _, err := document(); err != nil {
		t.Fatal(err)
	}
	store := &viewed{}
	synctest.Test(t, func(t *testing.T) {
		store.Store = open(t)
		f := newFixtureOn(t, store)
		l := f.goLive()
		followers := make([]*follower, readers)
		for i := range followers {
			followers[i] = l.follow(as(f.scoped(schedctl.ScopePostsRead)))
		}
		synctest.Wait()
		store.views.Store(0)
		for range 100 {
			id := f.addEvents(1)[0]
			for _, w := range followers {
				if got := w.nextID(); got != id {
					t.Fatalf("got %s, want %s", got, id)
				}
			}
		}
		time.Sleep(time.Minute - time.Second)
		synctest.Wait()
		reads = store.views.Load()
		for _, w := range followers {
			w.leave()
		}
		l.stop()
		f.store.Close()
	})
	return reads
}

// TestStreamThatIsFarBehind resumes further back than the events in memory, while
// new events arrive.
func TestStreamThatIsFarBehind(t *testing.T) {
	t.Parallel()
	onEveryEngineInBubble(t, func(t *testing.T, f *fixture) {
		l := f.goLive()
		first := l.follow()
		var ids []string
		for range 10 {
			ids = append(ids, f.addEvents(700)...)
		}
		catchUp := func(w *follower) {
			from := slices.Index(ids, w.nextID())
			for i, want := range ids[from+1:] {
				if i%1000 == 0 {
					ids = append(ids, f.addEvents(1)...)
				}
				if got := w.nextID(); got != want {
					t.Fatalf("event %d is %s, want %s", from+1+i, got, want)
				}
			}
		}
		catchUp(first)
		for _, at := range []int{0, 4000, 6990} { // sequentially, because a client that does not read for long is cut off
			catchUp(l.follow(resume(ids[at])))
		}
	})
}
