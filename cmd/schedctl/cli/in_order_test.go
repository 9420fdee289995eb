package cli

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// numbers yields 0, 1, 2, … and at the end an error, if there is one.
func numbers(n int, end error) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i := range n {
			if !yield(i, nil) {
				return
			}
		}
		if end != nil {
			yield(0, end)
		}
	}
}

func TestInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int32
		work := func(_ context.Context, i int) int {
			most.Store(max(most.Load(), running.Add(1)))
			time.Sleep(time.Duration(100-i) * time.Millisecond) // the first is the last to end
			running.Add(-1)
			return i
		}
		var got []int
		err := RunInOrder(t.Context(), numbers(50, nil), work, func(i int) error {
			got = append(got, i)
			return nil
		})
		if err != nil || len(got) != 50 || !slices.IsSorted(got) {
			t.Errorf("%v, %v", got, err)
		}
		if n := most.Load(); n < 2 || n > maxConcurrent+1 {
			t.Errorf("%d at once", n)
		}
	})
}

func TestInOrderEnds(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for name, tc := range map[string]struct {
		items iter.Seq2[int, error]
		stop  int // done fails at this one
		done  int
	}{
		"with an error of the items": {numbers(20, broken), -1, 20},
		"with an error of a result":  {numbers(1000, nil), 5, 6},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var running atomic.Int32
				done := 0
				err := RunInOrder(t.Context(), tc.items, func(ctx context.Context, i int) int {
					running.Add(1)
					defer running.Add(-1)
					select {
					case <-time.After(time.Second):
					case <-ctx.Done():
					}
					return i
				}, func(i int) error {
					done++
					if i == tc.stop {
						return broken
					}
					return nil
				})
				if !errors.Is(err, broken) || done != tc.done || running.Load() != 0 {
					t.Errorf("%v, %d done, want %d; %d still running", err, done, tc.done, running.Load())
				}
			})
		})
	}
}

func TestInOrderEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	begun := 0
	err := RunInOrder(ctx, numbers(1000, nil), func(context.Context, int) int { return 0 }, func(int) error {
		if begun++; begun == 3 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || begun > 3+2*maxConcurrent {
		t.Errorf("%v after %d", err, begun)
	}
}

// TestInTurn gives the earlier elements the longer work: those of one turn still run in their
// order and one at a time, next to those of other turns, and none runs after a failed one.
func TestInTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		type item struct {
			turn string
			n    int
		}
		var list []item
		for i := range 12 {
			list = append(list, item{[]string{"a", "b", ""}[i%3], i})
		}
		broken := errors.New("broken")
		for _, failing := range []int{-1, 6} {
			var mu sync.Mutex
			var running, most int
			busy := map[string]bool{}
			worked := map[string][]int{}
			err := RunEachInTurn(t.Context(), list, func(i *item) string { return i.turn }, func(_ context.Context, i *item) error {
				mu.Lock()
				if busy[i.turn] && i.turn != "" {
					t.Errorf("two of turn %s at once", i.turn)
				}
				running++
				most = max(most, running)
				busy[i.turn], worked[i.turn] = true, append(worked[i.turn], i.n)
				mu.Unlock()
				time.Sleep(time.Duration(100-i.n) * time.Millisecond)
				mu.Lock()
				running--
				busy[i.turn] = false
				mu.Unlock()
				if i.n == failing {
					return broken
				}
				return nil
			}, func(_ item, err error) error { return err })
			want := []int{0, 3, 6, 9}
			if failing > 0 {
				want = want[:3]
			}
			if !slices.Equal(worked["a"], want) || !slices.IsSorted(worked["b"]) || most < 3 || errors.Is(err, broken) != (failing > 0) {
				t.Errorf("worked on %v, %d at once: %v", worked, most, err)
			}
		}
	})
}
