package postgres

import (
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/schedctl/schedctl"
)

// knownPost is what a transaction knows of a post.
type knownPost struct {
	post      schedctl.Post  // as it is; without an id when there is no such post
	written   bool           // by the transaction
	due       []schedctl.Due // its entries as they are
	dueBefore []schedctl.Due // and as the transaction found them
}

func (k *knownPost) there() bool { return k != nil && k.post.ID != "" }

// rows returns the rows of the targets that are there, by id.
func (k *knownPost) rows() map[string]*targetRow {
	if !k.there() {
		return nil
	}
	rows := targetRows(&k.post)
	byID := make(map[string]*targetRow, len(rows))
	for i := range rows {
		byID[rows[i].target.ID] = &rows[i]
	}
	return byID
}

// know remembers a post as it was read. What was remembered of it when the
// transaction first read it stays.
func (tx *tx) know(p *schedctl.Post) {
	k := &knownPost{post: clonePost(p), due: dueEntries(p)}
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

// knownPost returns what is known of a post, or nil. A careful transaction
// always knows.
func (tx *tx) knownPost(id string) (*knownPost, error) {
	if k := tx.posts[id]; k != nil || !tx.careful {
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
		tx.posts[id] = &knownPost{}
	}
	return tx.posts[id], err
}
