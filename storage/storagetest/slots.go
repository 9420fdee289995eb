package storagetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var slotParts = []part{
	{"slot/is taken once", testSlotIsTakenOnce},
	{"slot/becomes free", testSlotBecomesFree},
	{"slot/results never conflict", testResultsNeverConflict},
	{"slot/posts exchange slots", testPostsExchangeSlots},
	{"slot/occupied times", testOccupiedTimes},
	{"slot/concurrent searches", testConcurrentSearches},
}

func compareStrings(a, b string) int { return strings.Compare(a, b) }

// slotTime returns the time of slot n.
func slotTime(n int) time.Time { return epoch.Add(time.Duration(n) * time.Hour) }

// inSlot returns a scheduled post with a slot of a queue.
func (f *fixture) inSlot(queueID string, at time.Time, accounts ...string) schedctl.Post {
	p := f.newPost(epoch, at, schedctl.Scheduled, accounts...)
	p.Booking = schedctl.Booking{QueueID: queueID, Slot: schedctl.Slot{Local: schedctl.LocalTimeOf(at), Timezone: "UTC"}}
	return p
}

func (f *fixture) wantSlotTaken(p schedctl.Post) {
	f.Helper()
	f.refuse(schedctl.SlotTaken, func(tx storage.Tx) error { return tx.PutPost(p) })
}

func testSlotIsTakenOnce(f *fixture) {
	queueID, accounts := newID(schedctl.QueuePrefix, epoch), newAccountIDs(3)
	first := f.inSlot(queueID, slotTime(1), accounts[0], accounts[1])
	f.putPosts(first)
	f.putPosts(first) // its own slot
	f.wantSlotTaken(f.inSlot(queueID, slotTime(1), accounts[1]))
	f.wantSlotTaken(f.inSlot("", slotTime(1), accounts[2], accounts[0]))
	f.putPosts(f.inSlot(queueID, slotTime(1), accounts[2]), f.inSlot(queueID, slotTime(2), accounts[0]))
	f.putPosts(f.newPost(epoch, slotTime(1), schedctl.Scheduled, accounts[0])) // with a fixed time
	moved := first.Clone()
	moved.PublishAt = slotTime(2)
	f.wantSlotTaken(moved)
	wantSame(f, "refused post", first, mustRead(f, postByID(f, first.ID)))
	f.refuse(schedctl.SlotTaken, func(tx storage.Tx) error {
		if err := tx.PutPost(f.inSlot(queueID, slotTime(5), accounts[0])); err != nil {
			return err
		}
		return tx.PutPost(f.inSlot(queueID, slotTime(5), accounts[0]))
	})
	f.putPosts(f.inSlot(queueID, slotTime(5), accounts[0]))
}

func testSlotBecomesFree(f *fixture) {
	account := newAccountIDs(1)[0]
	for n, release := range []func(*schedctl.Post){
		func(p *schedctl.Post) { p.ReleaseSlot() },
		func(p *schedctl.Post) { p.CanceledAt, p.Targets[0].Status = epoch, schedctl.Canceled },
		func(p *schedctl.Post) { p.Targets[0].Status = schedctl.Failed },
		func(p *schedctl.Post) { p.Targets = nil },
		func(p *schedctl.Post) { p.PublishAt = slotTime(100) },
	} {
		p := f.inSlot("", slotTime(n), account)
		f.putPosts(p)
		f.wantSlotTaken(f.inSlot("", slotTime(n), account))
		changed := p.Clone()
		release(&changed)
		f.putPosts(changed)
		f.putPosts(f.inSlot("", slotTime(n), account))
	}
	p := f.inSlot("", slotTime(50), account)
	f.putPosts(p)
	f.update(func(tx storage.Tx) error { return tx.DeletePost(f.ws, p.ID) })
	f.putPosts(f.inSlot("", slotTime(50), account))
}

// testResultsNeverConflict checks that results of posts that lost their slots can be
// stored after other posts took the slots.
func testResultsNeverConflict(f *fixture) {
	account := newAccountIDs(1)[0]
	canceled, failed := f.inSlot("", slotTime(1), account), f.inSlot("", slotTime(2), account)
	f.putPosts(canceled, failed)
	canceled.CanceledAt, canceled.Targets[0].Status = epoch, schedctl.Canceled
	failed.Targets[0].Status = schedctl.Failed
	f.putPosts(canceled, failed)
	f.putPosts(f.inSlot("", slotTime(1), account), f.inSlot("", slotTime(2), account))
	canceled.Targets[0].Status, canceled.Targets[0].PublishedAt = schedctl.Published, slotTime(1)
	failed.Targets[0].Status, failed.Targets[0].RetriedAt = schedctl.Publishing, slotTime(3)
	f.putPosts(canceled, failed)
	failed.Targets[0].Status, failed.Targets[0].PublishedAt = schedctl.Published, slotTime(3)
	f.putPosts(failed)
}

func testPostsExchangeSlots(f *fixture) {
	accounts := newAccountIDs(2)
	a, b := f.inSlot("", slotTime(1), accounts...), f.inSlot("", slotTime(2), accounts...)
	f.putPosts(a, b)
	moved := []schedctl.Post{a.Clone(), b.Clone()}
	moved[0].PublishAt, moved[1].PublishAt = slotTime(2), slotTime(1)
	moved[0].Slot, moved[1].Slot = b.Slot, a.Slot
	f.refuse(schedctl.SlotTaken, func(tx storage.Tx) error { return tx.PutPost(moved[0]) })
	f.update(func(tx storage.Tx) error {
		for _, p := range []schedctl.Post{a.Clone(), b.Clone()} {
			p.ReleaseSlot()
			if err := tx.PutPost(p); err != nil {
				return err
			}
		}
		for _, p := range moved {
			if err := tx.PutPost(p); err != nil {
				return err
			}
		}
		return nil
	})
	for _, p := range moved {
		wantSame(f, "moved post", p, mustRead(f, postByID(f, p.ID)))
		f.wantSlotTaken(f.inSlot("", p.PublishAt, accounts[1]))
	}
}

func testOccupiedTimes(f *fixture) {
	accounts := newAccountIDs(3)
	post := func(n int, status schedctl.Status, accounts ...string) schedctl.Post {
		p := f.newPost(epoch, slotTime(n), status, accounts...)
		f.putPosts(p)
		return p
	}
	scheduled := post(1, schedctl.Scheduled, accounts[0], accounts[1])
	queued := f.inSlot("", slotTime(2), accounts[0])
	f.putPosts(queued)
	publishing, published := post(3, schedctl.Publishing, accounts[0]), post(4, schedctl.Published, accounts[1])
	post(1, schedctl.Failed, accounts[0])
	post(1, schedctl.Canceled, accounts[1])
	post(1, schedctl.Draft, accounts[0])
	post(1, schedctl.Scheduled, accounts[2])
	mixed := f.newPost(epoch, slotTime(5), schedctl.Failed, accounts[0], accounts[1])
	mixed.Targets[1].Status, mixed.Targets[1].PublishedAt = schedctl.Published, slotTime(5)
	f.putPosts(mixed)
	canceled := f.newPost(epoch, slotTime(6), schedctl.Canceled, accounts[0], accounts[1])
	canceled.Targets[0].Status, canceled.Targets[0].PublishedAt = schedctl.Published, slotTime(6)
	f.putPosts(canceled)

	at := func(p schedctl.Post, account string) storage.OccupiedTime {
		return storage.OccupiedTime{At: p.PublishAt, PostID: p.ID, AccountID: account}
	}
	both := []storage.OccupiedTime{at(scheduled, accounts[0]), at(scheduled, accounts[1])}
	slices.SortFunc(both, func(a, b storage.OccupiedTime) int { return compareStrings(a.AccountID, b.AccountID) })
	want := append(both, at(queued, accounts[0]), at(publishing, accounts[0]), at(published, accounts[1]), at(mixed, accounts[1]), at(canceled, accounts[0]))
	read := func(from, until time.Time, limit int, accounts ...string) []storage.OccupiedTime {
		return mustRead(f, func(r storage.Reader) ([]storage.OccupiedTime, error) {
			return r.Occupied(storage.OccupiedQuery{WorkspaceID: f.ws, AccountIDs: accounts, From: from, Until: until, Limit: limit})
		})
	}
	wantSame(f, "all", want, read(epoch, slotTime(9), manyRecords, accounts[:2]...))
	wantSame(f, "the first", want[:3], read(epoch, slotTime(9), 3, accounts[:2]...))
	wantSame(f, "between two times", want[2:4], read(slotTime(2), slotTime(4), manyRecords, accounts[:2]...))
	wantSame(f, "of one account", []storage.OccupiedTime{at(published, accounts[1]), at(mixed, accounts[1])}, read(slotTime(2), slotTime(9), manyRecords, accounts[1]))
	wantSame(f, "of no account", []storage.OccupiedTime(nil), read(epoch, slotTime(9), manyRecords))
	for _, bad := range malformedIDs(schedctl.AccountPrefix) {
		wantNotFound(f, "account "+bad, func(r storage.Reader) ([]storage.OccupiedTime, error) {
			return r.Occupied(storage.OccupiedQuery{WorkspaceID: f.ws, AccountIDs: []string{bad}, From: epoch, Until: slotTime(9), Limit: 1})
		})
	}
}

// testConcurrentSearches checks that transactions that search and take a slot run one
// after the other, also for posts with several accounts.
func testConcurrentSearches(f *fixture) {
	const posts = 24
	accounts := newAccountIDs(3)
	var wg sync.WaitGroup
	errs := make([]error, posts)
	for i := range posts {
		mine := []string{accounts[i%3], accounts[(i+1)%3]}
		wg.Go(func() { errs[i] = f.takeFirstSlot(mine) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			f.Error(err)
		}
	}
	for _, account := range accounts {
		times := mustRead(f, func(r storage.Reader) ([]storage.OccupiedTime, error) {
			return r.Occupied(storage.OccupiedQuery{WorkspaceID: f.ws, AccountIDs: []string{account}, From: epoch, Until: slotTime(1000), Limit: manyRecords})
		})
		seen := map[time.Time]bool{}
		for _, o := range times {
			if seen[o.At] {
				f.Errorf("account %s has two posts at %s", account, o.At)
			}
			seen[o.At] = true
		}
		if len(times) != posts*2/3 {
			f.Errorf("account %s has %d posts, want %d", account, len(times), posts*2/3)
		}
	}
}

// takeFirstSlot puts a post into the first slot that is free for all accounts.
func (f *fixture) takeFirstSlot(accounts []string) error {
	return f.store.Update(context.Background(), func(tx storage.Tx) error {
		sorted := slices.Sorted(slices.Values(accounts))
		taken, err := tx.Occupied(storage.OccupiedQuery{WorkspaceID: f.ws, AccountIDs: sorted, From: epoch, Until: slotTime(1000), Limit: manyRecords})
		if err != nil {
			return err
		}
		for n := range 1000 {
			at := slotTime(n)
			if !slices.ContainsFunc(taken, func(o storage.OccupiedTime) bool { return o.At.Equal(at) }) {
				return tx.PutPost(f.inSlot("", at, accounts...))
			}
		}
		return fmt.Errorf("no slot is free")
	})
}
