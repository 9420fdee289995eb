package bolt

import (
	"fmt"
	"slices"

	bbolt "go.etcd.io/bbolt"

	"github.com/schedctl/schedctl"
)

// copyAltTexts gives posts and series whose files follow the alt texts of their assets
// those texts. See [schedctl.Post.CopyAltTexts].
func copyAltTexts(tx *bbolt.Tx) error {
	b := buckets{bolt: tx}
	err := b.in(mediaUses).ForEach(func(key, value []byte) error {
		if len(key) != 41 {
			return wrongKey(mediaUses, key)
		}
		record := b.in(posts).Get(key[25:])
		if len(value) > 0 || record == nil {
			return nil
		}
		var p schedctl.Post
		if err := decode(record, &p, (*coder).post); err != nil {
			return fmt.Errorf("post %s: %w", id(key[25:], schedctl.PostPrefix), err)
		}
		changed, err := p.CopyAltTexts(b.altTexts(p.WorkspaceID))
		if err != nil || !changed {
			return err
		}
		return replaceRecord(&b, posts, key[25:], &p, (*coder).post)
	})
	if err != nil {
		return err
	}
	changed := map[string]schedctl.Series{}
	err = b.in(series).ForEach(func(key, record []byte) error {
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
