package postgres

import (
	"slices"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// Post implements [storage.Reader].
func (r *reader) Post(workspaceID, id string) (schedctl.Post, error) {
	if _, err := parse(schedctl.WorkspacePrefix, workspaceID); err != nil {
		return schedctl.Post{}, err
	}
	post, err := parse(schedctl.PostPrefix, id)
	if err != nil {
		return schedctl.Post{}, err
	}
	if p, ready := r.prepared.posts[id]; ready && p.WorkspaceID == workspaceID {
		return p.Clone(), nil
	}
	found, err := r.postsByID([]pgtype.UUID{post})
	switch {
	case err != nil:
		return schedctl.Post{}, err
	case len(found) == 0 || found[0].WorkspaceID != workspaceID:
		return schedctl.Post{}, notFound(schedctl.PostPrefix, id)
	}
	return found[0], nil
}

// postsByID returns the existing posts with these ids, in no order.
func (r *reader) postsByID(ids []pgtype.UUID) ([]schedctl.Post, error) {
	var heads []postRow
	var rows []targetRow
	err := r.send(
		selects(posts, &heads, "WHERE id = ANY($1)"+r.forUpdate(), ids),
		selects(targets, &rows, "WHERE post_id = ANY($1) ORDER BY post_id, place", ids),
	)
	if err != nil {
		return nil, err
	}
	found := withTargets(heads, rows)
	if r.tx != nil {
		for i := range found {
			r.tx.cachePost(&found[i])
		}
	}
	return found, nil
}

// withTargets combines posts and their targets.
func withTargets(heads []postRow, rows []targetRow) []schedctl.Post {
	found := make([]schedctl.Post, len(heads))
	place := make(map[string]int, len(heads))
	for i := range heads {
		found[i] = heads[i].post
		place[heads[i].post.ID] = i
	}
	for i := range rows {
		if at, there := place[rows[i].postID]; there {
			found[at].Targets = append(found[at].Targets, rows[i].target)
		}
	}
	return found
}

// Route implements [storage.Reader].
func (r *reader) Route(targetID string) (storage.Route, error) {
	target, err := parse(schedctl.TargetPrefix, targetID)
	if err != nil {
		return storage.Route{}, err
	}
	if route, ready := r.prepared.routes[targetID]; ready {
		if route == nil {
			return storage.Route{}, notFound(schedctl.TargetPrefix, targetID)
		}
		return *route, nil
	}
	r.lockPostOf(target)
	rows, err := query(r, targets, "WHERE id = $1", target)
	switch {
	case err != nil:
		return storage.Route{}, err
	case len(rows) == 0:
		return storage.Route{}, notFound(schedctl.TargetPrefix, targetID)
	}
	t := &rows[0]
	return storage.Route{WorkspaceID: t.workspaceID, PostID: t.postID, AccountID: t.target.AccountID}, nil
}

// lockPostOf locks the post of a target, which protects everything that belongs to the
// post.
func (r *reader) lockPostOf(target pgtype.UUID) {
	if r.tx != nil {
		r.tx.write("SELECT 1 FROM posts WHERE id = (SELECT post_id FROM targets WHERE targets.id = $1) FOR NO KEY UPDATE", target)
	}
}

// PutPost implements [storage.Tx]. It returns NOT_FOUND for the id of a post in a
// different workspace, and keeps the creation time.
func (tx *tx) PutPost(p schedctl.Post) error {
	known, err := tx.cachedPost(p.ID)
	if err != nil {
		return err
	}
	if known.exists() {
		if known.post.WorkspaceID != p.WorkspaceID {
			return notFound(schedctl.PostPrefix, p.ID)
		}
		p.CreatedAt = known.post.CreatedAt
	}
	if err := tx.checkExternalID(&p, known); err != nil {
		return err
	}
	writes, err := postWrites(&p, known)
	if err != nil {
		return err
	}
	if err := tx.checkSlots(&p); err != nil {
		return err
	}
	is := &cachedPost{post: clonePost(&p), written: true, due: dueEntries(&p)}
	if known != nil {
		is.dueBefore = known.dueBefore
	}
	tx.prepared.forgetPost(&p)
	tx.lockAccounts(&p, known)
	tx.lockMediaUses(p.AssetIDs(), known)
	tx.lockPlan(&p, known)
	tx.deleteTargets(known, &p)
	for _, w := range writes {
		w(tx)
	}
	tx.hasUnverified = tx.hasUnverified || p.Slot != schedctl.Slot{}
	tx.posts[p.ID] = is
	return nil
}

// postWrites returns the writes of a post and of its changed targets.
func postWrites(p *schedctl.Post, known *cachedPost) ([]func(*tx), error) {
	rows, was := targetRows(p), known.rows()
	writes := make([]func(*tx), 0, len(rows)+1)
	add := func(w func(*tx), err error) error {
		if w != nil {
			writes = append(writes, w)
		}
		return err
	}
	head := newPostRow(p)
	var before *postRow
	if known.exists() {
		before = newPostRow(&known.post)
	}
	written := known != nil && known.written
	if err := add(posts.writeFor(before, head, written)); err != nil {
		return nil, err
	}
	for i := range rows {
		if err := add(targets.writeFor(was[rows[i].target.ID], &rows[i], written)); err != nil {
			return nil, err
		}
	}
	return writes, nil
}

// deleteTargets deletes the targets that a post no longer has, with their attempts and results.
func (tx *tx) deleteTargets(known *cachedPost, is *schedctl.Post) {
	if !known.exists() {
		return
	}
	var gone []pgtype.UUID
	for i := range known.post.Targets {
		id := known.post.Targets[i].ID
		if target, ok := schedctl.ParseID(schedctl.TargetPrefix, id); ok && is.Target(id) == nil {
			tx.prepared.forgetAttempts(id)
			gone = append(gone, pgtype.UUID{Bytes: target, Valid: true})
		}
	}
	if len(gone) > 0 {
		tx.put("DELETE FROM targets WHERE id = ANY($1)", gone)
		tx.put("DELETE FROM attempts WHERE target_id = ANY($1)", gone)
		tx.put("DELETE FROM results WHERE id = ANY($1)", gone)
	}
}

// lockAccounts prevents other transactions from listing the posts of the accounts that
// the post has or had: they would miss this change.
func (tx *tx) lockAccounts(p *schedctl.Post, known *cachedPost) {
	for _, id := range accountsOf(p, known) {
		if account, ok := schedctl.ParseID(schedctl.AccountPrefix, id); ok {
			tx.lock(lockOf("targets", account))
		}
	}
}

// accountsOf returns the accounts that a post has or had, sorted.
func accountsOf(p *schedctl.Post, known *cachedPost) (ids []string) {
	for i := range p.Targets {
		ids = append(ids, p.Targets[i].AccountID)
	}
	if known.exists() {
		for i := range known.post.Targets {
			ids = append(ids, known.post.Targets[i].AccountID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// DeletePost implements [storage.Tx].
func (tx *tx) DeletePost(workspaceID, id string) error {
	p, err := tx.Post(workspaceID, id)
	if err != nil {
		return err
	}
	post, err := parse(schedctl.PostPrefix, id)
	if err != nil {
		return err
	}
	known := tx.posts[p.ID]
	tx.prepared.forgetPost(&p)
	tx.lockAccounts(&p, nil)
	tx.lockMediaUses(p.AssetIDs(), nil)
	tx.lockPlan(&p, nil)
	gone := &cachedPost{written: true, dueBefore: known.dueBefore}
	tx.deleteTargets(known, &schedctl.Post{})
	tx.put("DELETE FROM posts WHERE id = $1", post)
	tx.posts[p.ID] = gone
	return nil
}
