package bolt

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// planEntries appends the entries of a post in the lists of its queue, of its series and
// of its approval. In that of its approval, a draft has its proposed time.
func (l *listed) planEntries(dst []entry, p *schedctl.Post) ([]entry, error) {
	if p.QueueID != "" {
		queue, err := parse(schedctl.QueuePrefix, p.QueueID)
		if err != nil {
			return nil, err
		}
		dst = l.entries(dst, queue)
	}
	if p.SeriesID != "" {
		series, err := parse(schedctl.SeriesPrefix, p.SeriesID)
		if err != nil {
			return nil, err
		}
		dst = l.entries(dst, series)
	}
	if p.Approval != nil {
		planned := *l
		appendTime(planned.time[:0], publishKey(p.PlannedAt()))
		dst = planned.entries(dst, approvalKey(p.Approval.State))
	}
	return dst, nil
}

// slotEntry appends the entry of a target in the index of slots.
func slotEntry(dst []entry, p *schedctl.Post, t *schedctl.Target, account ulid, l *listed) []entry {
	if !t.HoldsSlot(p) || p.PublishAt.IsZero() {
		return dst
	}
	e := entry{bucket: slots}
	e.setKey(account[:], l.time[:])
	e.setValue(l.post[:])
	if holds(dst, &e) {
		return dst // the post has the account twice
	}
	return append(dst, e)
}

// checkSlots returns SLOT_TAKEN if another post holds one of the slots in tx.after.
func (tx *tx) checkSlots(p *schedctl.Post, post ulid) error {
	if p.Slot == (schedctl.Slot{}) {
		return nil
	}
	for i := range tx.after {
		e := &tx.after[i]
		if e.bucket != slots {
			continue
		}
		if holder := tx.in(slots).Get(e.key()); holder != nil && !bytes.Equal(holder, post[:]) {
			return storage.SlotTaken(id(e.key()[:16], schedctl.AccountPrefix), p.PublishAt)
		}
	}
	return nil
}

// Occupied implements [storage.Reader]. It reads the posts of the accounts from the list
// index by time.
func (r *reader) Occupied(q storage.OccupiedQuery) (found []storage.OccupiedTime, err error) {
	ws, err := parse(schedctl.WorkspacePrefix, q.WorkspaceID)
	if err != nil {
		return nil, err
	}
	posts := map[ulid]schedctl.Post{}
	for _, accountID := range q.AccountIDs {
		account, err := parse(schedctl.AccountPrefix, accountID)
		if err != nil {
			return nil, err
		}
		l := listing{reader: r, index: postsByTime, codes: codesOf(&storage.PostQuery{})}
		concat(l.prefix[:0], ws[:], account[:])
		if found, err = l.occupied(found, accountID, q, posts); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(found, func(a, b storage.OccupiedTime) int {
		return cmp.Or(a.At.Compare(b.At), strings.Compare(a.PostID, b.PostID), strings.Compare(a.AccountID, b.AccountID))
	})
	found = slices.Compact(found)
	return found[:min(q.Limit, len(found))], nil
}

// occupied appends up to q.Limit live targets of one account. posts has the posts that
// were read for other accounts.
func (l *listing) occupied(dst []storage.OccupiedTime, accountID string, q storage.OccupiedQuery, posts map[ulid]schedctl.Post) ([]storage.OccupiedTime, error) {
	bound := func(t time.Time) []byte { return appendTime(nil, timeKey(schedctl.Millis(t).UnixMilli())) }
	most := len(dst) + q.Limit
	m := newMerge(l, span{from: bound(q.From), to: bound(q.Until)})
	for suffix := m.next(); suffix != nil && len(dst) < most; suffix = m.next() {
		at, err := readPosition(suffix, l.index)
		if err != nil {
			return nil, err
		}
		p, read := posts[at.post]
		if !read {
			found := false
			if p, found, err = l.post(at.post); err != nil || !found {
				return nil, l.orMissing(at, err)
			}
			posts[at.post] = p
		}
		if slices.ContainsFunc(p.Targets, func(t schedctl.Target) bool { return t.AccountID == accountID && t.Live() }) {
			dst = append(dst, storage.OccupiedTime{At: p.PublishAt, PostID: p.ID, AccountID: accountID})
		}
	}
	return dst, nil
}
