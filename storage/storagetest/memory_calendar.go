package storagetest

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// ulidOf returns an id without its prefix.
func ulidOf(id string) string { return id[strings.IndexByte(id, '_')+1:] }

// owned returns the records of a workspace in order of their ids.
func owned[T any](workspaceID string, records map[string]T, owner func(*T) string, clone func(*T) T) ([]T, error) {
	if err := checkIDs(schedctl.WorkspacePrefix, workspaceID); err != nil {
		return nil, err
	}
	var list []T
	for _, v := range sorted(records) {
		if owner(&v) == workspaceID {
			list = append(list, clone(&v))
		}
	}
	return list, nil
}

// ownedBy returns a record of a workspace.
func ownedBy[T any](workspaceID, kind, id string, records map[string]T, owner func(*T) string, clone func(*T) T) (v T, err error) {
	found, ok := records[id]
	if !ok || owner(&found) != workspaceID {
		return v, notFound(kind, id)
	}
	return clone(&found), nil
}

// checkOwner returns NOT_FOUND if the id is in use in a different workspace.
func checkOwner[T any](workspaceID, kind, id string, records map[string]T, owner func(*T) string) error {
	if found, ok := records[id]; ok && owner(&found) != workspaceID {
		return notFound(kind, id)
	}
	return nil
}

func queueOwner(q *schedctl.Queue) string       { return q.WorkspaceID }
func blackoutOwner(b *schedctl.Blackout) string { return b.WorkspaceID }
func seriesOwner(s *schedctl.Series) string     { return s.WorkspaceID }
func feedOwner(f *schedctl.CalendarFeed) string { return f.WorkspaceID }

func (r memoryReader) Queue(workspaceID, id string) (schedctl.Queue, error) {
	return ownedBy(workspaceID, "queue", id, r.m.queues, queueOwner, (*schedctl.Queue).Clone)
}

func (r memoryReader) Queues(workspaceID string) ([]schedctl.Queue, error) {
	return owned(workspaceID, r.m.queues, queueOwner, (*schedctl.Queue).Clone)
}

func (tx *memoryTx) PutQueue(q schedctl.Queue) error {
	if err := cmp.Or(
		checkIDs(schedctl.QueuePrefix, q.ID), checkIDs(schedctl.WorkspacePrefix, q.WorkspaceID), checkIDs(schedctl.AccountPrefix, q.AccountIDs...),
		checkOwner(q.WorkspaceID, "queue", q.ID, tx.m.queues, queueOwner),
	); err != nil {
		return err
	}
	putKey(tx, tx.m.queues, q.ID, q.Clone())
	return nil
}

func (tx *memoryTx) DeleteQueue(workspaceID, id string) error {
	if _, err := tx.Queue(workspaceID, id); err != nil {
		return err
	}
	deleteKey(tx, tx.m.queues, id)
	return nil
}

func (r memoryReader) Blackout(workspaceID, id string) (schedctl.Blackout, error) {
	return ownedBy(workspaceID, "blackout", id, r.m.blackouts, blackoutOwner, (*schedctl.Blackout).Clone)
}

func (r memoryReader) Blackouts(workspaceID string) ([]schedctl.Blackout, error) {
	return owned(workspaceID, r.m.blackouts, blackoutOwner, (*schedctl.Blackout).Clone)
}

func (r memoryReader) BlackoutsByEnd(before time.Time, limit int) (list []schedctl.Blackout, err error) {
	for _, b := range sorted(r.m.blackouts) {
		if !b.EndsAt.IsZero() && b.SettledAt.IsZero() && b.EndsAt.Before(before) {
			list = append(list, b.Clone())
		}
	}
	slices.SortStableFunc(list, func(a, b schedctl.Blackout) int { return a.EndsAt.Compare(b.EndsAt) })
	return list[:min(limit, len(list))], nil
}

func (tx *memoryTx) PutBlackout(b schedctl.Blackout) error {
	if err := cmp.Or(
		checkIDs(schedctl.BlackoutPrefix, b.ID), checkIDs(schedctl.WorkspacePrefix, b.WorkspaceID), checkIDs(schedctl.AccountPrefix, b.AccountIDs...),
		checkOwner(b.WorkspaceID, "blackout", b.ID, tx.m.blackouts, blackoutOwner),
	); err != nil {
		return err
	}
	putKey(tx, tx.m.blackouts, b.ID, b.Clone())
	return nil
}

func (tx *memoryTx) DeleteBlackout(workspaceID, id string) error {
	if _, err := tx.Blackout(workspaceID, id); err != nil {
		return err
	}
	deleteKey(tx, tx.m.blackouts, id)
	return nil
}

func (r memoryReader) Series(workspaceID, id string) (schedctl.Series, error) {
	return ownedBy(workspaceID, "series", id, r.m.series, seriesOwner, (*schedctl.Series).Clone)
}

func (r memoryReader) SeriesList(workspaceID, afterID string, limit int) ([]schedctl.Series, error) {
	if err := checkPage(schedctl.WorkspacePrefix, workspaceID, schedctl.SeriesPrefix, afterID); err != nil {
		return nil, err
	}
	list, err := owned(workspaceID, r.m.series, seriesOwner, (*schedctl.Series).Clone)
	list = slices.DeleteFunc(list, func(s schedctl.Series) bool { return afterID != "" && s.ID >= afterID })
	slices.Reverse(list)
	return list[:min(limit, len(list))], err
}

func (r memoryReader) SeriesByExternalID(workspaceID, externalID string) (schedctl.Series, error) {
	list, err := owned(workspaceID, r.m.series, seriesOwner, (*schedctl.Series).Clone)
	if err != nil {
		return schedctl.Series{}, err
	}
	for _, s := range list {
		if externalID != "" && s.ExternalID == externalID {
			return s, nil
		}
	}
	return schedctl.Series{}, notFound("series with the external id", externalID)
}

func (r memoryReader) SeriesDue(before time.Time, limit int) (list []schedctl.Series, err error) {
	for _, s := range sorted(r.m.series) {
		if !s.SweepAt.IsZero() && s.SweepAt.Before(before) {
			list = append(list, s.Clone())
		}
	}
	slices.SortStableFunc(list, func(a, b schedctl.Series) int { return a.SweepAt.Compare(b.SweepAt) })
	return list[:min(limit, len(list))], nil
}

func (tx *memoryTx) PutSeries(s schedctl.Series) error {
	if err := cmp.Or(
		checkIDs(schedctl.SeriesPrefix, s.ID), checkIDs(schedctl.WorkspacePrefix, s.WorkspaceID), checkOptional(schedctl.QueuePrefix, s.QueueID),
		checkOptional(schedctl.SeriesPrefix, s.PreviousID), checkIDs(schedctl.MediaPrefix, s.Template.AssetIDs()...),
		checkOwner(s.WorkspaceID, "series", s.ID, tx.m.series, seriesOwner),
	); err != nil {
		return err
	}
	for _, t := range s.Template.Targets {
		if err := cmp.Or(checkIDs(schedctl.TargetPrefix, t.ID), checkIDs(schedctl.AccountPrefix, t.AccountID)); err != nil {
			return err
		}
	}
	if other, err := tx.SeriesByExternalID(s.WorkspaceID, s.ExternalID); err == nil && other.ID != s.ID {
		return storage.ExternalIDExists(other.ID)
	}
	putKey(tx, tx.m.series, s.ID, s.Clone())
	return nil
}

func (tx *memoryTx) DeleteSeries(workspaceID, id string) error {
	if _, err := tx.Series(workspaceID, id); err != nil {
		return err
	}
	deleteKey(tx, tx.m.series, id)
	return nil
}

func (r memoryReader) CalendarFeeds(workspaceID string) ([]schedctl.CalendarFeed, error) {
	return owned(workspaceID, r.m.feeds, feedOwner, (*schedctl.CalendarFeed).Clone)
}

func (r memoryReader) CalendarFeedByHash(hash [32]byte) (schedctl.CalendarFeed, error) {
	for _, f := range r.m.feeds {
		if f.Hash == hash {
			return f.Clone(), nil
		}
	}
	return schedctl.CalendarFeed{}, notFound("calendar feed", "")
}

func (tx *memoryTx) PutCalendarFeed(f schedctl.CalendarFeed) error {
	if err := cmp.Or(
		checkIDs(schedctl.CalendarFeedPrefix, f.ID), checkIDs(schedctl.WorkspacePrefix, f.WorkspaceID), checkOptional(schedctl.KeyPrefix, f.KeyID),
		checkIDs(schedctl.AccountPrefix, f.AccountIDs...), checkOwner(f.WorkspaceID, "calendar feed", f.ID, tx.m.feeds, feedOwner),
	); err != nil {
		return err
	}
	putKey(tx, tx.m.feeds, f.ID, f.Clone())
	return nil
}

func (tx *memoryTx) DeleteCalendarFeed(workspaceID, id string) error {
	if _, err := ownedBy(workspaceID, "calendar feed", id, tx.m.feeds, feedOwner, (*schedctl.CalendarFeed).Clone); err != nil {
		return err
	}
	deleteKey(tx, tx.m.feeds, id)
	return nil
}

func (r memoryReader) Occupied(q storage.OccupiedQuery) (list []storage.OccupiedTime, err error) {
	if err := cmp.Or(checkIDs(schedctl.WorkspacePrefix, q.WorkspaceID), checkIDs(schedctl.AccountPrefix, q.AccountIDs...)); err != nil {
		return nil, err
	}
	for _, p := range r.m.posts {
		if p.WorkspaceID != q.WorkspaceID || p.PublishAt.Before(q.From) || !p.PublishAt.Before(q.Until) {
			continue
		}
		for i := range p.Targets {
			if t := &p.Targets[i]; t.Live() && slices.Contains(q.AccountIDs, t.AccountID) {
				list = append(list, storage.OccupiedTime{At: p.PublishAt, PostID: p.ID, AccountID: t.AccountID})
			}
		}
	}
	slices.SortFunc(list, func(a, b storage.OccupiedTime) int {
		return cmp.Or(a.At.Compare(b.At), strings.Compare(a.PostID, b.PostID), strings.Compare(a.AccountID, b.AccountID))
	})
	list = slices.Compact(list)
	return list[:min(q.Limit, len(list))], nil
}

// checkSlot returns SLOT_TAKEN if a post takes a slot that another post holds.
func (tx *memoryTx) checkSlot(old, p *schedctl.Post) error {
	for i := range p.Targets {
		t := &p.Targets[i]
		if !t.HoldsSlot(p) {
			continue
		}
		if was := old.Target(t.ID); was != nil && was.HoldsSlot(old) && old.PublishAt.Equal(p.PublishAt) {
			continue
		}
		for _, other := range tx.m.posts {
			if other.ID != p.ID && other.PublishAt.Equal(p.PublishAt) && holdsSlotOn(&other, t.AccountID) {
				return storage.SlotTaken(t.AccountID, p.PublishAt)
			}
		}
	}
	return nil
}

func holdsSlotOn(p *schedctl.Post, accountID string) bool {
	return slices.ContainsFunc(p.Targets, func(t schedctl.Target) bool { return t.AccountID == accountID && t.HoldsSlot(p) })
}
