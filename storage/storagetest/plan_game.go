package storagetest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var planGameParts = []part{{"plans/like the memory store", testPlansLikeMemory}}

// testPlansLikeMemory takes slots, cancels, moves and exchanges posts, and sweeps series,
// at random, in the engine and in a memory store. It compares all reads, and checks that
// no two posts hold a slot of an account.
func testPlansLikeMemory(f *fixture) {
	rapid.Check(f.T, func(t *rapid.T) {
		if skips(t, 2+f.halvings) {
			return
		}
		g := newPlanGame(t, f.store, NewMemory())
		defer g.clear()
		for range rapid.IntRange(1, 40).Draw(t, "changes") {
			g.change()
		}
		g.compare()
	})
}

// planGame has the records that are used in a run of testPlansLikeMemory. Its posts are
// those of the last successful puts.
type planGame struct {
	*rapid.T
	stores   []storage.Store
	ws       string
	accounts []string
	keys     []string // that make posts
	queue    schedctl.Queue
	series   []schedctl.Series
	posts    map[string]schedctl.Post
	ids      []string // of posts, in order of creation
}

func newPlanGame(t *rapid.T, stores ...storage.Store) *planGame {
	g := &planGame{T: t, stores: stores, ws: newID(schedctl.WorkspacePrefix, epoch), accounts: newAccountIDs(3), keys: []string{newID(schedctl.KeyPrefix, epoch), newID(schedctl.KeyPrefix, epoch)}, posts: map[string]schedctl.Post{}}
	g.queue = schedctl.Queue{
		ID: newID(schedctl.QueuePrefix, epoch), WorkspaceID: g.ws, Name: "q", Timezone: "Europe/Berlin",
		Times: []schedctl.QueueTime{{Days: schedctl.EveryDay, Minute: 9 * 60}, {Days: schedctl.EveryDay, Minute: 18 * 60}},
	}
	g.update(func(tx storage.Tx) error { return tx.PutQueue(g.queue) })
	for i := range 2 {
		s := schedctl.Series{
			ID: newID(schedctl.SeriesPrefix, epoch.Add(time.Duration(i)*time.Second)), WorkspaceID: g.ws, State: schedctl.SeriesActive,
			Template: schedctl.Post{WorkspaceID: g.ws, Content: schedctl.Content{Text: "every day"}}, Cursor: "2026-01-03T00:00", SweepAt: epoch, Version: 1,
		}
		for _, account := range g.accounts[i:] {
			s.Template.Targets = append(s.Template.Targets, schedctl.Target{ID: newID(schedctl.TargetPrefix, epoch), AccountID: account, Status: schedctl.Draft})
		}
		g.series = append(g.series, s)
		g.update(func(tx storage.Tx) error { return tx.PutSeries(s) })
	}
	return g
}

// update runs a transaction on both stores, which must agree about its error.
func (g *planGame) update(fn func(storage.Tx) error) bool {
	g.Helper()
	var codes []schedctl.Code
	for _, s := range g.stores {
		err := s.Update(context.Background(), fn)
		if code := schedctl.CodeOf(err); err != nil && code != schedctl.SlotTaken && code != schedctl.NotFound {
			g.Fatalf("Update: %v", err)
		}
		codes = append(codes, schedctl.CodeOf(err))
	}
	if codes[0] != codes[1] {
		g.Fatalf("the engine returned %q, and the memory store %q", codes[0], codes[1])
	}
	return codes[0] == ""
}

// put puts posts in one transaction, and remembers them if that succeeded.
func (g *planGame) put(list ...schedctl.Post) {
	g.Helper()
	ok := g.update(func(tx storage.Tx) error {
		for _, p := range list {
			if err := tx.PutPost(p); err != nil {
				return err
			}
		}
		return nil
	})
	for _, p := range list {
		if _, known := g.posts[p.ID]; !known && ok {
			g.ids = append(g.ids, p.ID)
		}
		if ok {
			g.posts[p.ID] = p.Clone()
		}
	}
}

func (g *planGame) change() {
	switch rapid.SampledFrom([]string{"take", "take", "take", "sweep", "status", "cancel", "release", "propose", "propose", "move", "exchange", "delete", "skip"}).Draw(g.T, "change") {
	case "take":
		g.take()
	case "sweep":
		g.sweep(rapid.IntRange(0, 1).Draw(g.T, "series"))
	case "status":
		g.edit(func(p *schedctl.Post) {
			t := &p.Targets[rapid.IntRange(0, len(p.Targets)-1).Draw(g.T, "target")]
			t.Status = rapid.SampledFrom(schedctl.Statuses()).Draw(g.T, "status")
			t.RetriedAt = rapid.SampledFrom([]time.Time{{}, {}, epoch}).Draw(g.T, "retried")
		})
	case "cancel":
		g.edit(func(p *schedctl.Post) { p.CanceledAt = epoch })
	case "release":
		g.edit((*schedctl.Post).ReleaseSlot)
	case "propose":
		g.edit(func(p *schedctl.Post) {
			p.PublishAt, p.Booking, p.CanceledAt = time.Time{}, schedctl.Booking{}, time.Time{}
			for i := range p.Targets {
				p.Targets[i] = schedctl.Target{ID: p.Targets[i].ID, AccountID: p.Targets[i].AccountID, Status: schedctl.Draft}
			}
			p.Approval = &schedctl.Approval{State: rapid.SampledFrom(schedctl.ApprovalStates()).Draw(g.T, "approval"), RequestedAt: epoch}
			p.Proposed.At = rapid.SampledFrom([]time.Time{{}, epoch.AddDate(0, 0, 3), epoch.AddDate(0, 0, 4)}).Draw(g.T, "proposed")
		})
	case "move":
		g.edit(func(p *schedctl.Post) {
			s := rapid.SampledFrom(g.slots()).Draw(g.T, "slot")
			p.PublishAt, p.Slot = s.At, s.Slot
		})
	case "exchange":
		g.exchange()
	case "delete":
		if p, ok := g.draw(); ok && g.update(func(tx storage.Tx) error { return tx.DeletePost(g.ws, p.ID) }) {
			g.ids = slices.DeleteFunc(g.ids, func(id string) bool { return id == p.ID })
			delete(g.posts, p.ID)
		}
	case "skip":
		s := &g.series[rapid.IntRange(0, 1).Draw(g.T, "series")]
		s.Cursor, s.SweepAt, s.Version = "2026-01-03T00:00", epoch, s.Version+1
		s.AddExdate(rapid.SampledFrom([]schedctl.LocalTime{"2026-01-04T09:00", "2026-01-05T09:00"}).Draw(g.T, "exdate"))
		g.update(func(tx storage.Tx) error { return tx.PutSeries(*s) })
	}
}

// slots returns the slots of a week.
func (g *planGame) slots() []schedctl.QueueSlot {
	loc, err := schedctl.LoadZone("", g.queue.Timezone)
	if err != nil {
		g.Fatal(err)
	}
	return slices.Collect(g.queue.Slots(epoch, epoch.AddDate(0, 0, 7), loc))
}

// take puts a new post into the first slot that Occupied says is free, on both stores.
func (g *planGame) take() {
	accounts := rapid.SliceOfNDistinct(rapid.SampledFrom(g.accounts), 1, 3, rapid.ID).Draw(g.T, "accounts")
	p := schedctl.Post{ID: newID(schedctl.PostPrefix, epoch), WorkspaceID: g.ws, Content: schedctl.Content{Text: "queued"}, CreatedAt: epoch, Version: 1}
	for _, account := range accounts {
		p.Targets = append(p.Targets, schedctl.Target{ID: newID(schedctl.TargetPrefix, epoch), AccountID: account, Status: schedctl.Scheduled})
	}
	p.CreatedBy = rapid.SampledFrom([]string{"", g.keys[0], g.keys[1]}).Draw(g.T, "created by")
	if rapid.Bool().Draw(g.T, "reviewed") {
		state := rapid.SampledFrom(schedctl.ApprovalStates()).Draw(g.T, "approval")
		p.Approval = &schedctl.Approval{State: state, RequestedAt: epoch, Digest: p.ReviewDigest()}
		p.Proposed.At = epoch.AddDate(0, 0, rapid.IntRange(1, 9).Draw(g.T, "proposed day"))
	}
	taken := g.update(func(tx storage.Tx) error {
		q, err := tx.Queue(g.ws, g.queue.ID)
		if err != nil {
			return err
		}
		occupied, err := tx.Occupied(storage.OccupiedQuery{WorkspaceID: g.ws, AccountIDs: accounts, From: epoch, Until: epoch.AddDate(0, 0, 7), Limit: manyRecords})
		if err != nil {
			return err
		}
		for _, s := range g.slots() {
			if !slices.ContainsFunc(occupied, func(o storage.OccupiedTime) bool { return o.At.Equal(s.At) }) {
				p.PublishAt, p.Booking = s.At, schedctl.Booking{QueueID: q.ID, Slot: s.Slot}
				return tx.PutPost(p)
			}
		}
		return schedctl.Errorf(schedctl.SlotTaken, "", "the queue is full")
	})
	if taken {
		g.posts[p.ID], g.ids = p.Clone(), append(g.ids, p.ID)
	}
}

// sweep makes the occurrences of five days after the cursor, without those that are
// skipped or exist, as the planner does.
func (g *planGame) sweep(n int) {
	s := &g.series[n]
	made := map[string]schedctl.Post{}
	ok := g.update(func(tx storage.Tx) error {
		clear(made)
		stored, err := tx.Series(g.ws, s.ID)
		if err != nil {
			return err
		}
		for day := range 5 {
			at := time.Date(2026, 1, 3+day, 9, 0, 0, 0, time.UTC)
			local := schedctl.LocalTimeOf(at)
			if local <= stored.Cursor || stored.HasExdate(local) {
				continue
			}
			_, err := tx.Post(g.ws, schedctl.OccurrencePostID(s.ID, local))
			switch {
			case err == nil:
				continue
			case schedctl.CodeOf(err) != schedctl.NotFound:
				return err
			}
			p, _, err := schedctl.NewOccurrence(&stored, schedctl.Occurrence{Local: local, Index: day, At: at}, epoch)
			if err != nil {
				return err
			}
			made[p.ID] = p
			if err := tx.PutPost(p); err != nil {
				return err
			}
		}
		stored.Cursor, stored.SweepAt = "2026-01-07T09:00", epoch.AddDate(0, 0, 1)
		return tx.PutSeries(stored)
	})
	if !ok {
		return
	}
	s.Cursor, s.SweepAt = "2026-01-07T09:00", epoch.AddDate(0, 0, 1)
	for id, p := range made {
		if _, known := g.posts[id]; known {
			g.Fatalf("the sweep made %s again", id)
		}
		g.posts[id] = p
	}
	for _, p := range slices.SortedFunc(maps.Values(made), schedctl.CompareQueued) {
		g.ids = append(g.ids, p.ID)
	}
}

// draw returns one of the posts.
func (g *planGame) draw() (p schedctl.Post, ok bool) {
	if len(g.ids) == 0 {
		return p, false
	}
	p = g.posts[rapid.SampledFrom(g.ids).Draw(g.T, "post")]
	return p.Clone(), true
}

// edit changes a post.
func (g *planGame) edit(change func(*schedctl.Post)) {
	if p, ok := g.draw(); ok {
		change(&p)
		p.Version++
		g.put(p)
	}
}

// exchange exchanges the times of two posts: with the slots released first, or not.
func (g *planGame) exchange() {
	a, ok := g.draw()
	b, _ := g.draw()
	if !ok || a.ID == b.ID {
		return
	}
	a2, b2 := a.Clone(), b.Clone()
	a2.PublishAt, b2.PublishAt = b.PublishAt, a.PublishAt
	a2.Booking, b2.Booking = b.Booking, a.Booking
	a.ReleaseSlot()
	b.ReleaseSlot()
	if rapid.Bool().Draw(g.T, "release") {
		g.put(a, b, a2, b2)
		return
	}
	g.put(a2, b2)
}

// compare compares all reads of plans.
func (g *planGame) compare() {
	var seen [2][]any
	for i, s := range g.stores {
		see := func(v any, err error) {
			if err != nil {
				v = schedctl.CodeOf(err)
			}
			seen[i] = append(seen[i], v)
		}
		if err := s.View(context.Background(), func(r storage.Reader) error { g.read(r, see); return nil }); err != nil {
			g.Fatalf("View: %v", err)
		}
	}
	if diff := cmp.Diff(seen[1], seen[0], cmpopts.EquateEmpty()); diff != "" {
		g.Fatalf("reads (-memory +engine):\n%s", diff)
	}
	holders := map[string]string{}
	for _, p := range g.posts {
		for i := range p.Targets {
			slot := fmt.Sprint(p.Targets[i].AccountID, p.PublishAt)
			if !p.Targets[i].HoldsSlot(&p) {
				continue
			}
			if other := holders[slot]; other != "" && other != p.ID {
				g.Fatalf("%s and %s hold the slot at %s", other, p.ID, p.PublishAt)
			}
			holders[slot] = p.ID
		}
	}
}

// read passes the results of all reads to see.
func (g *planGame) read(r storage.Reader, see func(any, error)) {
	for _, id := range g.ids {
		see(r.Post(g.ws, id))
	}
	far := epoch.AddDate(0, 0, 30)
	for _, account := range g.accounts {
		see(r.Occupied(storage.OccupiedQuery{WorkspaceID: g.ws, AccountIDs: []string{account}, From: epoch, Until: far, Limit: 3}))
	}
	see(r.Occupied(storage.OccupiedQuery{WorkspaceID: g.ws, AccountIDs: g.accounts, From: epoch, Until: far, Limit: manyRecords}))
	see(r.Occupied(storage.OccupiedQuery{WorkspaceID: g.ws, AccountIDs: g.accounts, From: epoch.AddDate(0, 0, 1), Until: epoch.AddDate(0, 0, 3), Limit: 4}))
	for _, s := range g.series {
		see(r.Series(g.ws, s.ID))
	}
	see(r.SeriesList(g.ws, "", manyRecords))
	for _, q := range []storage.PostQuery{
		{QueueID: g.queue.ID}, {SeriesID: g.series[0].ID}, {SeriesID: g.series[1].ID}, {SeriesID: g.series[0].ID, QueueID: g.queue.ID},
		{SeriesID: g.series[0].ID, AccountID: g.accounts[0]}, {QueueID: g.queue.ID, Statuses: []schedctl.Status{schedctl.Scheduled}},
		{Approval: schedctl.ApprovalPending}, {Approval: schedctl.ApprovalApproved, QueueID: g.queue.ID},
		{Approval: schedctl.ApprovalPending, PublishAfter: epoch.AddDate(0, 0, 3), PublishBefore: epoch.AddDate(0, 0, 6)},
		{CreatedBy: g.keys[0]}, {CreatedBy: g.keys[1], AccountID: g.accounts[0]}, {CreatedBy: g.keys[0], QueueID: g.queue.ID},
	} {
		q.WorkspaceID, q.Limit = g.ws, manyRecords
		for _, q.Sort = range []storage.Sort{storage.OldestFirst, storage.PublishAscending} {
			see(r.Posts(q))
		}
	}
	for _, q := range []storage.PostQuery{{}, {AccountID: g.accounts[0]}, {Statuses: []schedctl.Status{schedctl.Scheduled}, PublishBefore: epoch.AddDate(0, 0, 5)}} {
		q.WorkspaceID, q.Limit, q.Proposed, q.Sort = g.ws, manyRecords, true, storage.PublishDescending
		see(r.Posts(q))
	}
}

// clear removes everything from the engine.
func (g *planGame) clear() {
	for _, id := range g.ids {
		g.update(func(tx storage.Tx) error { return tx.DeletePost(g.ws, id) })
	}
	for _, s := range g.series {
		g.update(func(tx storage.Tx) error { return tx.DeleteSeries(g.ws, s.ID) })
	}
	g.update(func(tx storage.Tx) error { return tx.DeleteQueue(g.ws, g.queue.ID) })
}
