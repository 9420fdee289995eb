package storagetest

import (
	"cmp"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var sourceParts = []part{
	{"source/keeps every field", sourceKind.testKeepsEveryField},
	{"source/is listed", sourceKind.testIsListed},
	{"source/malformed ids", sourceKind.testMalformedIDs},
	{"source/is put once", sourceKind.testIsPutOnce},
	{"source/due", testSourcesDue},
	{"source item/keeps every field", itemKind.testKeepsEveryField},
	{"source item/malformed ids", itemKind.testMalformedIDs},
	{"source item/lists", testSourceItemLists},
	{"source item/by key", testSourceItemsByKey},
}

var sourceKind = ownedKind[schedctl.Source]{
	prefix: schedctl.SourcePrefix,
	ids:    func(s *schedctl.Source) (id, ws *string) { return &s.ID, &s.WorkspaceID },
	get:    storage.Reader.Source, list: storage.Reader.Sources, put: storage.Tx.PutSource, remove: storage.Tx.DeleteSource,
}

var itemKind = ownedKind[schedctl.SourceItem]{
	prefix: schedctl.SourceItemPrefix,
	ids:    func(i *schedctl.SourceItem) (id, ws *string) { return &i.ID, &i.WorkspaceID },
	get:    storage.Reader.SourceItem,
	list: func(r storage.Reader, ws string) ([]schedctl.SourceItem, error) {
		return r.SourceItemsList(ws, "", manyRecords)
	},
	put: storage.Tx.PutSourceItem, remove: storage.Tx.DeleteSourceItem,
}

func itemsAfter(ws, after string, limit int) func(storage.Reader) ([]schedctl.SourceItem, error) {
	return func(r storage.Reader) ([]schedctl.SourceItem, error) { return r.SourceItemsList(ws, after, limit) }
}

func itemsOf(q storage.SourceItemQuery) func(storage.Reader) ([]schedctl.SourceItem, error) {
	return func(r storage.Reader) ([]schedctl.SourceItem, error) { return r.SourceItems(q) }
}

func itemsByKey(ws string, keys ...string) func(storage.Reader) ([]schedctl.SourceItem, error) {
	return func(r storage.Reader) ([]schedctl.SourceItem, error) { return r.SourceItemsByKey(ws, keys) }
}

func testSourcesDue(f *fixture) {
	var all []schedctl.Source
	for i := range 5 {
		s := sourceKind.new(f, epoch)
		s.WakeAt = epoch.Add(time.Duration(i) * time.Hour)
		all = append(all, s)
	}
	all[2].WorkspaceID = newID(schedctl.WorkspacePrefix, epoch)
	asleep := sourceKind.new(f, epoch)
	asleep.Sleeps()
	sourceKind.putAll(f, all[4], all[0], asleep, all[2], all[1], all[3])
	due := func(before time.Time, limit int) []schedctl.Source {
		return mustRead(f, func(r storage.Reader) ([]schedctl.Source, error) { return r.SourcesDue(before, limit) })
	}
	never := epoch.Add(1000 * time.Hour)
	wantSame(f, "all", all, due(never, manyRecords))
	wantSame(f, "the first", all[:2], due(never, 2))
	wantSame(f, "before a time", all[:3], due(all[3].WakeAt, manyRecords))
	all[0].WakeAt = epoch.Add(90 * time.Minute)
	all[3].Sleeps()
	sourceKind.putAll(f, all[0], all[3])
	wantSame(f, "after changes", []schedctl.Source{all[1], all[0], all[2], all[4]}, due(never, manyRecords))
	f.update(func(tx storage.Tx) error { return tx.DeleteSource(f.ws, all[1].ID) })
	wantSame(f, "after a deletion", []schedctl.Source{all[0], all[2], all[4]}, due(never, manyRecords))
}

func testSourceItemLists(f *fixture) {
	source, other := newID(schedctl.SourcePrefix, epoch), newID(schedctl.SourcePrefix, epoch)
	var all, posted []schedctl.SourceItem
	for i := range 6 {
		item := itemKind.new(f, epoch.Add(time.Duration(i)*time.Second))
		item.SourceID, item.State = source, schedctl.ItemPosted
		if i%2 == 1 {
			item.State = schedctl.ItemWaiting
		}
		all = append(all, item)
	}
	foreign := itemKind.new(f, epoch)
	foreign.SourceID, foreign.State = other, schedctl.ItemPosted
	itemKind.putAll(f, append(slices.Clone(all[3:]), foreign)...)
	itemKind.putAll(f, all[:3]...)
	slices.Reverse(all)
	for _, item := range all {
		if item.State == schedctl.ItemPosted {
			posted = append(posted, item)
		}
	}
	q := storage.SourceItemQuery{WorkspaceID: f.ws, SourceID: source, Limit: manyRecords}
	wantSame(f, "all", all, mustRead(f, itemsOf(q)))
	q.Limit, q.AfterID = 2, all[1].ID
	wantSame(f, "a page", all[2:4], mustRead(f, itemsOf(q)))
	q = storage.SourceItemQuery{WorkspaceID: f.ws, SourceID: source, State: schedctl.ItemPosted, Limit: manyRecords}
	wantSame(f, "posted", posted, mustRead(f, itemsOf(q)))
	q.AfterID = posted[0].ID
	wantSame(f, "posted after the first", posted[1:], mustRead(f, itemsOf(q)))
	all[1].State = schedctl.ItemSkipped
	itemKind.putAll(f, all[1])
	wantSame(f, "posted after a change", posted[1:], mustRead(f, itemsOf(q)))
	f.update(func(tx storage.Tx) error { return tx.DeleteSourceItem(f.ws, all[5].ID) })
	q = storage.SourceItemQuery{WorkspaceID: f.ws, SourceID: source, Limit: manyRecords}
	wantSame(f, "after a deletion", all[:5], mustRead(f, itemsOf(q)))
	for _, bad := range malformedIDs(schedctl.SourcePrefix) {
		wantNotFound(f, "items of "+bad, itemsOf(storage.SourceItemQuery{WorkspaceID: f.ws, SourceID: bad, Limit: 1}))
	}
	wantNotFound(f, "items after no id", itemsOf(storage.SourceItemQuery{WorkspaceID: f.ws, SourceID: source, AfterID: "x", Limit: 1}))
}

func testSourceItemsByKey(f *fixture) {
	one, two := itemKind.new(f, epoch), itemKind.new(f, epoch.Add(time.Second))
	one.Keys, two.Keys = []string{"g1", "l1"}, []string{"g2", "l1", "g2"}
	itemKind.putAll(f, one, two)
	wantSame(f, "one key", []schedctl.SourceItem{one}, mustRead(f, itemsByKey(f.ws, "g1")))
	wantSame(f, "a key of both", []schedctl.SourceItem{two, one}, mustRead(f, itemsByKey(f.ws, "l1")))
	wantSame(f, "several keys", []schedctl.SourceItem{two, one}, mustRead(f, itemsByKey(f.ws, "g2", "none", "g1", "l1")))
	wantSame(f, "no key", []schedctl.SourceItem(nil), mustRead(f, itemsByKey(f.ws)))
	one.Keys = []string{"l1"}
	itemKind.putAll(f, one)
	wantSame(f, "a key that was removed", []schedctl.SourceItem(nil), mustRead(f, itemsByKey(f.ws, "g1")))
	f.update(func(tx storage.Tx) error { return tx.DeleteSourceItem(f.ws, two.ID) })
	wantSame(f, "after a deletion", []schedctl.SourceItem{one}, mustRead(f, itemsByKey(f.ws, "l1", "g2")))
}

func sourceOwner(s *schedctl.Source) string { return s.WorkspaceID }

func itemOwner(i *schedctl.SourceItem) string { return i.WorkspaceID }

func (r memoryReader) Source(workspaceID, id string) (schedctl.Source, error) {
	if err := checkIDs(schedctl.SourcePrefix, id); err != nil {
		return schedctl.Source{}, err
	}
	return ownedBy(workspaceID, "source", id, r.m.sources, sourceOwner, (*schedctl.Source).Clone)
}

func (r memoryReader) Sources(workspaceID string) ([]schedctl.Source, error) {
	return owned(workspaceID, r.m.sources, sourceOwner, (*schedctl.Source).Clone)
}

func (r memoryReader) SourcesDue(before time.Time, limit int) (list []schedctl.Source, err error) {
	for _, s := range sorted(r.m.sources) {
		if !s.WakeAt.IsZero() && s.WakeAt.Before(before) {
			list = append(list, s.Clone())
		}
	}
	slices.SortStableFunc(list, func(a, b schedctl.Source) int { return a.WakeAt.Compare(b.WakeAt) })
	return list[:min(limit, len(list))], nil
}

func (r memoryReader) SourceItem(workspaceID, id string) (schedctl.SourceItem, error) {
	if err := checkIDs(schedctl.SourceItemPrefix, id); err != nil {
		return schedctl.SourceItem{}, err
	}
	return ownedBy(workspaceID, "item of a source", id, r.m.items, itemOwner, (*schedctl.SourceItem).Clone)
}

func (r memoryReader) SourceItems(q storage.SourceItemQuery) ([]schedctl.SourceItem, error) {
	if err := checkIDs(schedctl.SourcePrefix, q.SourceID); err != nil {
		return nil, err
	}
	return r.items(q.WorkspaceID, q.AfterID, q.Limit, func(i *schedctl.SourceItem) bool {
		return i.SourceID == q.SourceID && (q.State == "" || i.State == q.State)
	})
}

func (r memoryReader) SourceItemsList(workspaceID, afterID string, limit int) ([]schedctl.SourceItem, error) {
	return r.items(workspaceID, afterID, limit, func(*schedctl.SourceItem) bool { return true })
}

func (r memoryReader) SourceItemsByKey(workspaceID string, keys []string) ([]schedctl.SourceItem, error) {
	return r.items(workspaceID, "", manyRecords, func(i *schedctl.SourceItem) bool {
		return slices.ContainsFunc(i.Keys, func(k string) bool { return slices.Contains(keys, k) })
	})
}

// items returns the items of a workspace that fit, newest first.
func (r memoryReader) items(workspaceID, afterID string, limit int, fits func(*schedctl.SourceItem) bool) (list []schedctl.SourceItem, err error) {
	if err := checkIDs(schedctl.WorkspacePrefix, workspaceID); err != nil {
		return nil, err
	}
	if err := checkOptional(schedctl.SourceItemPrefix, afterID); err != nil {
		return nil, err
	}
	for _, v := range slices.Backward(sorted(r.m.items)) {
		if v.WorkspaceID == workspaceID && (afterID == "" || v.ID < afterID) && fits(&v) && len(list) < limit {
			list = append(list, v.Clone())
		}
	}
	return list, nil
}

func (tx *memoryTx) PutSource(s schedctl.Source) error {
	accounts := slices.Clone(s.AccountIDs)
	for _, o := range s.Overrides {
		accounts = append(accounts, o.AccountID)
	}
	if err := cmp.Or(
		checkIDs(schedctl.SourcePrefix, s.ID), checkIDs(schedctl.WorkspacePrefix, s.WorkspaceID), checkOptional(schedctl.KeyPrefix, s.KeyID),
		checkOptional(schedctl.QueuePrefix, s.QueueID), checkIDs(schedctl.AccountPrefix, accounts...), checkIDs(schedctl.SourcePrefix, s.Inherits...),
		checkOwner(s.WorkspaceID, "source", s.ID, tx.m.sources, sourceOwner),
	); err != nil {
		return err
	}
	putKey(tx, tx.m.sources, s.ID, s.Clone())
	return nil
}

func (tx *memoryTx) DeleteSource(workspaceID, id string) error {
	if _, err := tx.Source(workspaceID, id); err != nil {
		return err
	}
	deleteKey(tx, tx.m.sources, id)
	return nil
}

func (tx *memoryTx) PutSourceItem(i schedctl.SourceItem) error {
	if err := cmp.Or(
		checkIDs(schedctl.SourceItemPrefix, i.ID), checkIDs(schedctl.WorkspacePrefix, i.WorkspaceID), checkOptional(schedctl.SourcePrefix, i.SourceID),
		checkOptional(schedctl.PostPrefix, i.PostID), checkOwner(i.WorkspaceID, "item of a source", i.ID, tx.m.items, itemOwner),
	); err != nil {
		return err
	}
	putKey(tx, tx.m.items, i.ID, i.Clone())
	return nil
}

func (tx *memoryTx) DeleteSourceItem(workspaceID, id string) error {
	if _, err := tx.SourceItem(workspaceID, id); err != nil {
		return err
	}
	deleteKey(tx, tx.m.items, id)
	return nil
}
