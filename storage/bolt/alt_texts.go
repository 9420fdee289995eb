package bolt

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	bbolt "go.etcd.io/bbolt"

	"github.com/schedctl/schedctl"
)

// copyAltTexts gives posts and series whose files follow the alt texts of their assets
// those texts, lets reviews cover titles, and lists drafts by approval with their proposed
// times. See [schedctl.Post.CopyAltTexts].
func copyAltTexts(tx *bbolt.Tx) error {
	b := buckets{bolt: tx}
	for key := []byte(nil); ; {
		ids, err := b.oldTexts(key)
		for _, id := range ids {
			if err == nil {
				err = b.copyAltTexts(id)
			}
		}
		if err != nil {
			return err
		}
		if len(ids) < altTextsBatch {
			break
		}
		key = ids[len(ids)-1]
	}
	changed := map[string]schedctl.Series{}
	err := b.in(series).ForEach(func(key, record []byte) error {
		s, err := seriesKind.read(key, record)
		if err != nil {
			return err
		}
		copied, err := s.CopyAltTexts(b.altTexts(s.WorkspaceID))
		if copied {
			changed[string(key)] = s
		}
		return err
	})
	for key, s := range changed {
		if err == nil {
			err = replaceRecord(&b, series, []byte(key), &s, seriesKind.fields)
		}
	}
	return err
}

// altTextsBatch is how many posts are read before they are changed, because a bucket
// must not change while it is read.
const altTextsBatch = 1000

// oldTexts returns the keys of the next posts after a key that may use files, or have an
// approval.
func (bs *buckets) oldTexts(after []byte) (keys [][]byte, err error) {
	c := bs.in(posts).Cursor()
	key, record := c.Seek(after)
	if bytes.Equal(key, after) && after != nil {
		key, record = c.Next()
	}
	for ; key != nil && len(keys) < altTextsBatch; key, record = c.Next() {
		var p schedctl.Post
		if err := decode(record, &p, (*coder).post); err != nil {
			return nil, fmt.Errorf("post %s: %w", id(key, schedctl.PostPrefix), err)
		}
		uses := p.Approval != nil
		for range p.AllMedia() {
			uses = true
		}
		if uses {
			keys = append(keys, slices.Clone(key))
		}
	}
	return keys, nil
}

func (bs *buckets) copyAltTexts(key []byte) error {
	var p schedctl.Post
	if err := decode(bs.in(posts).Get(key), &p, (*coder).post); err != nil {
		return err
	}
	p.ID = id(key, schedctl.PostPrefix)
	if err := bs.listProposed(&p); err != nil {
		return err
	}
	changed, err := p.CopyAltTexts(bs.altTexts(p.WorkspaceID))
	if err != nil || !changed {
		return err
	}
	return replaceRecord(bs, posts, key, &p, (*coder).post)
}

// listProposed lists a draft by approval with its proposed time instead of without a time.
func (bs *buckets) listProposed(p *schedctl.Post) error {
	timeless := *p
	timeless.Proposed = schedctl.ProposedTime{}
	was, err := entries(nil, &timeless)
	is, err2 := entries(nil, p)
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	for i := range was {
		if !holds(is, &was[i]) {
			err = errors.Join(err, bs.in(was[i].bucket).Delete(was[i].key()))
		}
	}
	for i := range is {
		if !holds(was, &is[i]) {
			err = errors.Join(err, bs.in(is[i].bucket).Put(is[i].key(), is[i].value()))
		}
	}
	return err
}

// altTexts returns the alt texts of the assets of a workspace.
func (bs *buckets) altTexts(workspaceID string) schedctl.AltTextOf {
	return func(assetID string) (string, error) {
		ws, asset, err := parse2(schedctl.WorkspacePrefix, workspaceID, schedctl.MediaPrefix, assetID)
		if err != nil {
			return "", err
		}
		key := concat(nil, ws[:], asset[:])
		record := bs.in(media).Get(key)
		if record == nil {
			return "", nil
		}
		a, err := mediaTable.read(key, record)
		return a.AltText, err
	}
}

// replaceRecord replaces a record whose index entries stay.
func replaceRecord[T any](bs *buckets, b bucket, key []byte, v *T, fields func(*coder, *T)) error {
	record, err := encode(new(coder), nil, v, fields)
	if err != nil {
		return err
	}
	return bs.in(b).Put(slices.Clone(key), record)
}
