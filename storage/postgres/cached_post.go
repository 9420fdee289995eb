package postgres

import (
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/schedctl/schedctl"
)

// cachedPost is the state of a post within a transaction.
type cachedPost struct {
	post      schedctl.Post  // current state; without an id when the post does not exist
	written   bool           // written by the transaction
	due       []schedctl.Due // current due entries
	dueBefore []schedctl.Due // due entries before the transaction
}

func (k *cachedPost) exists() bool { return k != nil && k.post.ID != "" }

// rows returns the rows of the existing targets, by id.
func (k *cachedPost) rows() map[string]*targetRow {
	if !k.exists() {
		return nil
	}
	rows := targetRows(&k.post)
	byID := make(map[string]*targetRow, len(rows))
	for i := range rows {
		byID[rows[i].target.ID] = &rows[i]
	}
	return byID
}

// cachePost caches a post as it was read. The state of its first read stays.
func (tx *tx) cachePost(p *schedctl.Post) {
	k := &cachedPost{post: clonePost(p), due: dueEntries(p)}
	k.dueBefore = k.due
	if before := tx.posts[p.ID]; before != nil {
		k.written, k.dueBefore = before.written, before.dueBefore
	}
	tx.posts[p.ID] = k
}

func dueEntries(p *schedctl.Post) (entries []schedctl.Due) {
	for i := range p.Targets {
		if at, waiting := p.Targets[i].Due(); waiting {
			if target, ok := schedctl.ParseID(schedctl.TargetPrefix, p.Targets[i].ID); ok {
				entries = append(entries, schedctl.Due{At: at.UnixMilli(), Target: target})
			}
		}
	}
	return entries
}

// cachedPost returns the cached post, or nil. A transaction that verifies its writes
// reads a missing one.
func (tx *tx) cachedPost(id string) (*cachedPost, error) {
	if k := tx.posts[id]; k != nil || !tx.verifyWrites {
		return k, nil
	}
	post, err := parse(schedctl.PostPrefix, id)
	if err != nil {
		return nil, err
	}
	waiting := tx.writes
	tx.writes = nil
	found, err := tx.postsByID([]pgtype.UUID{post})
	tx.writes = waiting
	if err == nil && len(found) == 0 {
		tx.posts[id] = &cachedPost{}
	}
	return tx.posts[id], err
}
