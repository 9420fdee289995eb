package slots_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/slots"
	"github.com/schedctl/schedctl/storage"
)

// take stores a new post in the next free slot of a queue.
func (f *fixture) take(q *schedctl.Queue, notBefore time.Time, accounts ...string) (p schedctl.Post) {
	f.Helper()
	f.update(func(tx storage.Tx) error {
		taken, err := slots.Take(tx, slots.Request{WorkspaceID: f.ws, QueueID: q.ID, AccountIDs: accounts, NotBefore: notBefore}, now)
		if err != nil {
			return err
		}
		list, err := slots.Accounts(tx, f.ws, accounts)
		if err != nil {
			return err
		}
		p, _, err = schedctl.Create(schedctl.NewPost{WorkspaceID: f.ws, Content: schedctl.Content{Text: "text"}, Accounts: list, PublishAt: taken.At, Booking: taken.Booking}, now)
		if err != nil {
			return err
		}
		return tx.PutPost(p)
	})
	return p
}

// change stores a queue with other times.
func (f *fixture) change(q *schedctl.Queue, change func(*schedctl.Queue), clocks ...string) {
	f.Helper()
	fresh := f.queue(nil, clocks...)
	q.Times, q.Version = fresh.Times, q.Version+1
	if change != nil {
		change(q)
	}
	f.update(func(tx storage.Tx) error { return tx.PutQueue(*q) })
}

// apply plans moves and stores them in one transaction, and returns the times of the
// posts afterwards.
func (f *fixture) apply(plan func(storage.Tx) ([]slots.Move, error)) (moved int, err error) {
	f.Helper()
	err = f.store.Update(f.Context(), func(tx storage.Tx) error {
		moves, err := plan(tx)
		if err != nil {
			return err
		}
		moved = len(moves)
		return slots.Apply(tx, moves, schedctl.NewID(schedctl.KeyPrefix, now), now)
	})
	return moved, err
}

func (f *fixture) reflow(q *schedctl.Queue) (moved int) {
	f.Helper()
	moved, err := f.apply(func(tx storage.Tx) ([]slots.Move, error) {
		posts, err := slots.Queued(tx, f.ws, q.ID, now)
		if err != nil {
			return nil, err
		}
		return slots.Reflow(tx, q, posts, now)
	})
	if err != nil {
		f.Fatal(err)
	}
	return moved
}

// times returns the local time of each post.
func (f *fixture) times(posts ...schedctl.Post) (times []string) {
	f.Helper()
	err := f.store.View(f.Context(), func(r storage.Reader) error {
		times = nil
		for _, p := range posts {
			p, err := r.Post(f.ws, p.ID)
			if err != nil {
				return err
			}
			loc, err := time.LoadLocation("Europe/Berlin")
			if err != nil {
				return err
			}
			local := p.PublishAt.In(loc).Format("02T15:04")
			if p.Slot != (schedctl.Slot{}) && p.Slot.Timezone == "Europe/Berlin" && string(p.Slot.Local) != "2027-03-"+local {
				return fmt.Errorf("the post has the slot %s at %s", p.Slot.Local, local)
			}
			times = append(times, local)
		}
		return nil
	})
	if err != nil {
		f.Fatal(err)
	}
	return times
}

func (f *fixture) wantTimes(posts []schedctl.Post, want ...string) {
	f.Helper()
	if diff := cmp.Diff(want, f.times(posts...)); diff != "" {
		f.Errorf("-want +got:\n%s", diff)
	}
}

func TestReflowKeepsTheOrder(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		a, b := f.accounts[0], f.accounts[1]
		q := f.queue(nil, "12:00", "18:00")
		posts := []schedctl.Post{f.take(q, time.Time{}, a), f.take(q, time.Time{}, a), f.take(q, time.Time{}, a), f.take(q, time.Time{}, a)}
		posts = append(posts, f.take(q, time.Time{}, b)) // shares the first slot
		late := f.take(q, day(29, 0, 0), a)
		posts = append(posts, late)
		f.wantTimes(posts, "26T12:00", "26T18:00", "27T12:00", "27T18:00", "26T12:00", "29T12:00")
		if n := f.reflow(q); n != 0 {
			t.Errorf("%d posts of an unchanged queue move", n)
		}

		f.change(q, nil, "13:00", "18:00")
		if n := f.reflow(q); n != 4 {
			t.Errorf("%d posts move, want 4", n)
		}
		// The posts at 18:00 stay, and each other post takes the first slot after the post
		// before it.
		f.wantTimes(posts, "26T13:00", "26T18:00", "27T13:00", "27T18:00", "26T13:00", "29T13:00")
		if n := f.reflow(q); n != 0 {
			t.Errorf("%d posts move again", n)
		}
	})
}

// TestReflowIntoSlotsThatBecomeFree moves posts into slots that other displaced posts have
// until then.
func TestReflowIntoSlotsThatBecomeFree(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		a := f.accounts[0]
		q := f.queue(func(q *schedctl.Queue) { q.Gap = 50 * time.Minute }, "12:00", "13:00", "14:00")
		var posts []schedctl.Post
		for range 6 {
			posts = append(posts, f.take(q, time.Time{}, a))
		}
		f.wantTimes(posts, "26T12:00", "26T13:00", "26T14:00", "27T12:00", "27T13:00", "27T14:00")
		f.change(q, func(q *schedctl.Queue) { q.Timezone = "UTC" }, "12:00", "13:00", "14:00")
		if n := f.reflow(q); n != 6 {
			t.Errorf("%d posts move, want 6", n)
		}
		f.wantTimes(posts, "26T13:00", "26T14:00", "26T15:00", "27T13:00", "27T14:00", "27T15:00")
	})
}

func TestReflowMovesDisplacedPostsOnly(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		a, b := f.accounts[0], f.accounts[1]
		q := f.queue(nil, "12:00", "18:00")
		first, second := f.take(q, time.Time{}, a), f.take(q, time.Time{}, a, b)
		limited := f.take(q, day(28, 0, 0), b)
		fixed := f.post(day(27, 8, 0), a)
		canceled := f.take(q, time.Time{}, a)
		f.update(func(tx storage.Tx) error {
			p := canceled.Clone()
			if _, err := p.Cancel(now); err != nil {
				return err
			}
			return tx.PutPost(p)
		})
		posts := []schedctl.Post{first, second, limited, fixed, canceled}
		f.wantTimes(posts, "26T12:00", "26T18:00", "28T12:00", "27T09:00", "27T12:00")

		// The queue loses an account: its post stays where it is, and takes its time.
		f.change(q, func(q *schedctl.Queue) { q.AccountIDs = []string{a} }, "09:00", "18:30")
		if n := f.reflow(q); n != 1 {
			t.Errorf("%d posts move, want 1", n)
		}
		f.wantTimes(posts, "26T18:30", "26T18:00", "28T12:00", "27T09:00", "27T12:00")
		f.change(q, func(q *schedctl.Queue) { q.AccountIDs = nil }, "09:00", "18:30")
		if n := f.reflow(q); n != 2 {
			t.Errorf("%d posts move, want 2", n)
		}
		// 27 March 9:00 has the fixed post of account a. The limit of the third post holds.
		f.wantTimes(posts, "26T18:30", "27T18:30", "28T09:00", "27T09:00", "27T12:00")
	})
}

// TestReflowNamesPostsThatItPasses moves a post that has no free slot before the one that
// stays, and two that have.
func TestReflowNamesPostsThatItPasses(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		a := f.accounts[0]
		q := f.queue(nil, "12:00", "18:00")
		first, stays, last := f.take(q, time.Time{}, a), f.take(q, time.Time{}, a), f.take(q, time.Time{}, a)
		f.change(q, nil, "18:00", "18:30")
		behind := map[string][]string{}
		_, err := f.apply(func(tx storage.Tx) ([]slots.Move, error) {
			posts, err := slots.Queued(tx, f.ws, q.ID, now)
			if err != nil {
				return nil, err
			}
			moves, err := slots.Reflow(tx, q, posts, now)
			for _, m := range moves {
				behind[m.Post.ID] = m.Behind
			}
			return moves, err
		})
		if err != nil {
			t.Fatal(err)
		}
		f.wantTimes([]schedctl.Post{first, stays, last}, "26T18:30", "26T18:00", "27T18:00")
		if diff := cmp.Diff(map[string][]string{first.ID: {stays.ID}, last.ID: nil}, behind); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}

func TestReflowIsBounded(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(g *fixture) {
		q := g.queue(nil, "00:00", "03:00", "06:00", "09:00", "12:00", "15:00", "18:00", "21:00")
		for range slots.MaxMoves + 10 {
			g.take(q, time.Time{}, g.accounts[0])
		}
		g.change(q, nil, "00:30", "03:30", "06:30", "09:30", "12:30", "15:30", "18:30", "21:30")
		if n := g.reflow(q); n != slots.MaxMoves {
			g.Errorf("%d posts move, want %d", n, slots.MaxMoves)
		}
		if n := g.reflow(q); n != 10 {
			g.Errorf("%d posts move then, want 10", n)
		}
	})
}

func TestOrder(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		a, b := f.accounts[0], f.accounts[1]
		q := f.queue(func(q *schedctl.Queue) { q.Gap = time.Hour }, "12:00", "18:00")
		one, two, both := f.take(q, time.Time{}, a), f.take(q, time.Time{}, a), f.take(q, time.Time{}, a, b)
		posts := []schedctl.Post{one, two, both}
		order := func(posts ...schedctl.Post) (int, error) {
			return f.apply(func(tx storage.Tx) ([]slots.Move, error) {
				stored := slices.Clone(posts)
				for i := range stored {
					p, err := tx.Post(f.ws, stored[i].ID)
					if err != nil {
						return nil, err
					}
					stored[i] = p
				}
				return slots.Order(tx, q, stored)
			})
		}
		must := func(want int, posts ...schedctl.Post) {
			t.Helper()
			if n, err := order(posts...); err != nil || n != want {
				t.Errorf("%d moves and %v, want %d", n, err, want)
			}
		}
		f.wantTimes(posts, "26T12:00", "26T18:00", "27T12:00")
		must(2, two, one)
		f.wantTimes(posts, "26T18:00", "26T12:00", "27T12:00")
		must(0, two, one)
		must(3, both, two, one)
		f.wantTimes(posts, "27T12:00", "26T18:00", "26T12:00")
		must(3, two, one, both)
		f.wantTimes(posts, "26T18:00", "26T12:00", "27T12:00")

		f.post(day(26, 11, 59), b) // nearer than the gap to 26T12:00
		_, err := order(both, two)
		wantCode(t, err, schedctl.SlotTaken)
		f.wantTimes(posts, "26T18:00", "26T12:00", "27T12:00")

		shared := f.take(q, time.Time{}, b) // at 26T18:00, with one
		f.wantTimes([]schedctl.Post{shared}, "26T18:00")
		_, err = order(both, one) // account b would have two posts at 26T18:00
		wantCode(t, err, schedctl.SlotTaken)

		limited := f.take(q, day(28, 0, 0), a)
		_, err = order(limited, one)
		wantCode(t, err, schedctl.ValidationFailed)
	})
}

func TestDigest(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(f *fixture) {
		q := f.queue(nil, "12:00", "18:00")
		digest := func() (text string) {
			err := f.store.View(f.Context(), func(r storage.Reader) error {
				posts, err := slots.Queued(r, f.ws, q.ID, now)
				text = slots.Digest(q, posts)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
		seen := []string{digest()}
		for _, change := range []func(){
			func() { f.take(q, time.Time{}, f.accounts[0]) },
			func() { f.take(q, time.Time{}, f.accounts[0]) },
			func() { f.change(q, nil, "13:00") },
			func() { f.reflow(q) },
		} {
			change()
			text := digest()
			if slices.Contains(seen, text) {
				t.Error("the digest does not change with the queue")
			}
			seen = append(seen, text)
		}
		f.post(day(27, 0, 0), f.accounts[0])
		if text := digest(); text != seen[len(seen)-1] {
			t.Error("a post with a fixed time changes the digest")
		}
	})
}
