package bolt

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// collectionKey returns the key part that replaces the account in the list indexes, for
// the posts of a collection. It has 128 bits of a hash, so it differs from the ids of
// accounts.
func collectionKey(name string) ulid {
	sum := sha256.Sum256([]byte("collection\x00" + name))
	return ulid(sum[:16])
}

// approvalKey is [collectionKey] for the posts whose approval has a state.
func approvalKey(state schedctl.ApprovalState) ulid {
	sum := sha256.Sum256([]byte("approval\x00" + string(state)))
	return ulid(sum[:16])
}

// externalIDKey returns the key of an external id.
func externalIDKey(ws ulid, externalID string) []byte {
	sum := sha256.Sum256([]byte(externalID))
	return concat(nil, ws[:], sum[:])
}

func externalIDEntry(dst []entry, p *schedctl.Post, ws, post ulid) []entry {
	if p.ExternalID == "" {
		return dst
	}
	e := entry{bucket: externalIDs}
	e.setKey(externalIDKey(ws, p.ExternalID))
	e.setValue(post[:])
	return append(dst, e)
}

// externalID returns the post of a workspace that has an external id.
func (r *reader) externalID(ws ulid, externalID string) (post ulid, found bool, err error) {
	v := r.in(externalIDs).Get(externalIDKey(ws, externalID))
	if v == nil {
		return post, false, nil
	}
	if len(v) != len(post) {
		return post, false, fmt.Errorf("%q: %w: an entry has %d bytes", externalIDs, storage.ErrCorrupt, len(v))
	}
	return ulid(v), true, nil
}

// PostByExternalID implements [storage.Reader].
func (r *reader) PostByExternalID(workspaceID, externalID string) (schedctl.Post, error) {
	ws, err := parse(schedctl.WorkspacePrefix, workspaceID)
	if err != nil {
		return schedctl.Post{}, err
	}
	post, found, err := r.externalID(ws, externalID)
	if err != nil {
		return schedctl.Post{}, err
	}
	if !found {
		return schedctl.Post{}, schedctl.Errorf(schedctl.NotFound, "", "there is no post with this external id")
	}
	return r.Post(workspaceID, post.ID(schedctl.PostPrefix))
}

// visitExternalID adds the post with the external id to the page, if the query
// selects it.
func (l *listing) visitExternalID() error {
	post, found, err := l.externalID(l.ws, l.query.ExternalID)
	if err != nil || !found {
		return err
	}
	p, found, err := l.post(post)
	at := position{time: publishKey(p.PublishAt), post: post}
	if err != nil || !found {
		return l.orMissing(at, err)
	}
	suffix := at.suffix(l.index)
	within := slices.ContainsFunc(l.spans, func(s span) bool { return s.holds(suffix) })
	if !within || !slices.Contains(l.codes, listCode(&p)) || !l.ownedBy(&p) {
		return nil
	}
	_, err = l.visit(at)
	return err
}

// ownedBy reports whether a post has the account, the collection, the queue and the series
// of the query.
func (l *listing) ownedBy(p *schedctl.Post) bool {
	q := &l.query
	return (q.AccountID == "" || slices.Contains(p.AccountIDs(), q.AccountID)) && l.isIn(p)
}

// checkExternalID returns EXTERNAL_ID_EXISTS if another post of the workspace has the
// external id of p.
func (tx *tx) checkExternalID(p *schedctl.Post, post ulid) error {
	if p.ExternalID == "" {
		return nil
	}
	ws, err := parse(schedctl.WorkspacePrefix, p.WorkspaceID)
	if err != nil {
		return err
	}
	other, found, err := tx.externalID(ws, p.ExternalID)
	if err == nil && found && other != post {
		err = storage.ExternalIDExists(other.ID(schedctl.PostPrefix))
	}
	return err
}
