package bolt

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// Post implements [storage.Reader].
func (r *reader) Post(workspaceID, id string) (schedctl.Post, error) {
	post, err := parse(schedctl.PostPrefix, id)
	if err != nil {
		return schedctl.Post{}, err
	}
	p, found, err := r.post(post)
	if err == nil && (!found || p.WorkspaceID != workspaceID) {
		return schedctl.Post{}, notFound(schedctl.PostPrefix, id)
	}
	return p, err
}

// post returns the post with this id, in any workspace.
func (r *reader) post(id ulid) (p schedctl.Post, found bool, err error) {
	record := r.in(posts).Get(append(r.scratch[:0], id[:]...))
	if record == nil {
		return p, false, nil
	}
	if err := decode(record, &p, (*coder).post); err != nil {
		return p, false, fmt.Errorf("post %s: %w", id.ID(schedctl.PostPrefix), err)
	}
	p.ID = id.ID(schedctl.PostPrefix)
	return p, true, nil
}

// postHead returns a post without the id and without the targets, which are most of a
// record.
func (r *reader) postHead(id ulid) (p schedctl.Post, found bool, err error) {
	record := r.in(posts).Get(append(r.scratch[:0], id[:]...))
	if record == nil {
		return p, false, nil
	}
	if err := decodeHead(record, &p, (*coder).postHead); err != nil {
		return p, false, fmt.Errorf("post %s: %w", id.ID(schedctl.PostPrefix), err)
	}
	return p, true, nil
}

// Route implements [storage.Reader].
func (r *reader) Route(targetID string) (storage.Route, error) {
	target, err := parse(schedctl.TargetPrefix, targetID)
	if err != nil {
		return storage.Route{}, err
	}
	v := r.in(targets).Get(append(r.scratch[:0], target[:]...))
	if v == nil {
		return storage.Route{}, notFound(schedctl.TargetPrefix, targetID)
	}
	if len(v) != 48 {
		return storage.Route{}, fmt.Errorf("target %s: %w: its entry has %d bytes", targetID, storage.ErrCorrupt, len(v))
	}
	return storage.Route{
		WorkspaceID: id(v[:16], schedctl.WorkspacePrefix),
		PostID:      id(v[16:32], schedctl.PostPrefix),
		AccountID:   id(v[32:], schedctl.AccountPrefix),
	}, nil
}

// Due implements [storage.Reader].
func (r *reader) Due(from schedctl.Due, fn func(schedctl.Due) bool) error {
	c := r.in(due).Cursor()
	for k, _ := c.Seek(appendDue(r.scratch[:0], from)); k != nil; k, _ = c.Next() {
		if len(k) != 24 {
			return wrongKey(due, k)
		}
		if !fn(readDue(k)) {
			return nil
		}
	}
	return nil
}

// PutPost implements [storage.Tx]. It returns NOT_FOUND if the id belongs to a post in a
// different workspace. It keeps the time of creation of an existing post.
func (tx *tx) PutPost(p schedctl.Post) (err error) {
	if tx.after, err = entries(tx.after[:0], &p); err != nil {
		return err
	}
	post, err := parse(schedctl.PostPrefix, p.ID)
	if err != nil {
		return err
	}
	tx.before = tx.before[:0]
	if !tx.youngest(posts, post) {
		if err := tx.replace(post, &p); err != nil {
			return err
		}
	}
	if err := tx.checkExternalID(&p, post); err != nil {
		return err
	}
	if err := tx.checkSlots(&p, post); err != nil {
		return err
	}
	if err := putRecord(tx, posts, append(tx.scratch[:0], post[:]...), &p, (*coder).post); err != nil {
		return err
	}
	return tx.reindex(tx.before, tx.after)
}

// replace prepares the put of a post that may exist. It keeps the time of creation and
// stores the index entries of the old post in tx.before.
func (tx *tx) replace(id ulid, p *schedctl.Post) error {
	old, existed, err := tx.post(id)
	if err != nil || !existed {
		return err
	}
	if old.WorkspaceID != p.WorkspaceID {
		return notFound(schedctl.PostPrefix, p.ID)
	}
	p.CreatedAt = old.CreatedAt
	if tx.before, err = entries(tx.before, &old); err != nil {
		return err
	}
	return tx.dropTargets(&old, p)
}

// DeletePost implements [storage.Tx].
func (tx *tx) DeletePost(workspaceID, id string) error {
	p, err := tx.Post(workspaceID, id)
	if err != nil {
		return err
	}
	if tx.before, err = entries(tx.before[:0], &p); err != nil {
		return err
	}
	if err := tx.dropTargets(&p, &schedctl.Post{}); err != nil {
		return err
	}
	post, err := parse(schedctl.PostPrefix, id)
	if err != nil {
		return err
	}
	if err := tx.delete(posts, post[:]); err != nil {
		return err
	}
	return tx.reindex(tx.before, nil)
}

// dropTargets removes the attempts and results of the targets that a post no longer has.
func (tx *tx) dropTargets(was, is *schedctl.Post) error {
	for i := range was.Targets {
		t := &was.Targets[i]
		if i < len(is.Targets) && is.Targets[i].ID == t.ID || is.Target(t.ID) != nil {
			continue
		}
		target, err := parse(schedctl.TargetPrefix, t.ID)
		if err != nil {
			return err
		}
		if err := tx.dropResults(was.WorkspaceID, t.ID); err != nil {
			return err
		}
		for _, b := range []bucket{attempts, running} {
			for _, key := range tx.under(b, target[:]) {
				if err := tx.delete(b, key); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// under returns copies of all keys with the prefix.
func (r *reader) under(b bucket, prefix []byte) (keys [][]byte) {
	c := r.in(b).Cursor()
	for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, _ = c.Next() {
		keys = append(keys, slices.Clone(k))
	}
	return keys
}
