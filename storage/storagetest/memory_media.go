package storagetest

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
)

func (r memoryReader) MediaAsset(workspaceID, id string) (schedctl.MediaAsset, error) {
	a, ok := r.m.media[ownedKey{workspaceID, id}]
	if !ok {
		return a, notFound("media asset", id)
	}
	return a, nil
}

func (r memoryReader) MediaAssets(workspaceID, afterID string, limit int) ([]schedctl.MediaAsset, error) {
	if err := checkPage(schedctl.WorkspacePrefix, workspaceID, schedctl.MediaPrefix, afterID); err != nil {
		return nil, err
	}
	found := r.mediaAssets(func(a schedctl.MediaAsset) bool {
		return a.WorkspaceID == workspaceID && (afterID == "" || a.ID < afterID)
	})
	slices.Reverse(found)
	return found[:min(limit, len(found))], nil
}

// mediaAssets returns the assets that keep accepts, in order of their ids.
func (r memoryReader) mediaAssets(keep func(schedctl.MediaAsset) bool) (found []schedctl.MediaAsset) {
	for _, a := range r.m.media {
		if keep(a) {
			found = append(found, a)
		}
	}
	slices.SortFunc(found, func(a, b schedctl.MediaAsset) int {
		return cmp.Or(strings.Compare(a.ID, b.ID), strings.Compare(a.WorkspaceID, b.WorkspaceID))
	})
	return found
}

func (r memoryReader) MediaByHash(workspaceID string, sha256 [32]byte, limit int) ([]schedctl.MediaAsset, error) {
	if err := checkIDs(schedctl.WorkspacePrefix, workspaceID); err != nil {
		return nil, err
	}
	ready := r.mediaAssets(func(a schedctl.MediaAsset) bool {
		return a.WorkspaceID == workspaceID && a.SHA256 == sha256 && a.Status == schedctl.MediaReady && sha256 != [32]byte{}
	})
	return ready[:min(limit, len(ready))], nil
}

func (r memoryReader) MediaSize(workspaceID string) (size int64, err error) {
	for _, a := range r.m.media {
		if a.WorkspaceID == workspaceID && (a.Status == schedctl.MediaPending || a.Status == schedctl.MediaReady) {
			size += a.Size
		}
	}
	return size, checkIDs(schedctl.WorkspacePrefix, workspaceID)
}

func (r memoryReader) MediaUsers(assetID string, limit int) (ids []string, err error) {
	if err := checkIDs(schedctl.MediaPrefix, assetID); err != nil {
		return nil, err
	}
	var users []schedctl.Post
	for _, p := range r.m.posts {
		if slices.Contains(p.AssetIDs(), assetID) {
			users = append(users, p)
		}
	}
	for _, s := range r.m.series {
		if s.State != schedctl.SeriesEnded && slices.Contains(s.Template.AssetIDs(), assetID) {
			template := s.Template
			template.ID = s.ID
			users = append(users, template)
		}
	}
	slices.SortFunc(users, func(a, b schedctl.Post) int {
		return cmp.Or(needed(b)-needed(a), timelessLast(b.PublishAt, a.PublishAt), b.PublishAt.Compare(a.PublishAt), strings.Compare(ulidOf(b.ID), ulidOf(a.ID)))
	})
	for _, p := range users[:min(limit, len(users))] {
		ids = append(ids, p.ID)
	}
	return ids, nil
}

// needed returns 1 if a post may still have to publish its media, and 0 otherwise.
func needed(p schedctl.Post) int {
	if p.NeedsMedia() {
		return 1
	}
	return 0
}

func (r memoryReader) HasMedia(sha256 [32]byte) (bool, error) {
	for _, a := range r.m.media {
		if a.SHA256 == sha256 && sha256 != [32]byte{} {
			return true, nil
		}
	}
	return false, nil
}

func (r memoryReader) ExpiredMedia(before time.Time, limit int) ([]schedctl.MediaAsset, error) {
	expired := r.mediaAssets(func(a schedctl.MediaAsset) bool { return !a.ExpiresAt.IsZero() && a.ExpiresAt.Before(before) })
	slices.SortStableFunc(expired, func(a, b schedctl.MediaAsset) int { return a.ExpiresAt.Compare(b.ExpiresAt) })
	return expired[:min(limit, len(expired))], nil
}

func (tx *memoryTx) PutMediaAsset(a schedctl.MediaAsset) error {
	if err := cmp.Or(checkIDs(schedctl.MediaPrefix, a.ID), checkIDs(schedctl.WorkspacePrefix, a.WorkspaceID)); err != nil {
		return err
	}
	putKey(tx, tx.m.media, ownedKey{a.WorkspaceID, a.ID}, a)
	return nil
}

func (tx *memoryTx) DeleteMediaAsset(workspaceID, id string) error {
	if _, err := tx.MediaAsset(workspaceID, id); err != nil {
		return err
	}
	deleteKey(tx, tx.m.media, ownedKey{workspaceID, id})
	return nil
}
