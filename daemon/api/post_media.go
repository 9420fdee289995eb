package api

import (
	"fmt"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/storage"
)

// assetsOf returns the assets that posts use. Missing ones are left out. The assets of a
// published post expire some time after its publication.
func (s *Server) assetsOf(r storage.Reader, posts ...*schedctl.Post) ([]schedctl.MediaAsset, error) {
	var assets []schedctl.MediaAsset
	seen, keep := map[string]bool{}, s.mediaLimits().Keep
	for _, p := range posts {
		for _, id := range p.AssetIDs() {
			if seen[id] {
				continue
			}
			seen[id] = true
			a, err := r.MediaAsset(p.WorkspaceID, id)
			if schedctl.CodeOf(err) == schedctl.NotFound {
				continue
			}
			if err != nil {
				return nil, err
			}
			for i := range p.Targets {
				if until := p.Targets[i].PublishedAt.Add(keep); until.After(a.ExpiresAt) {
					a.ExpiresAt = until
				}
			}
			assets = append(assets, a)
		}
	}
	return assets, nil
}

// attach returns media of a request with the hashes of their assets. Errors:
// VALIDATION_FAILED with the field of an unknown asset or of too many, MEDIA_NOT_READY
// for a failed upload. It returns nil for nil.
func (s *Server) attach(r storage.Reader, workspaceID, field string, list []schedctl.PostMedia) ([]schedctl.PostMedia, error) {
	if list == nil {
		return nil, nil
	}
	if limit := s.mediaLimits().PerPost; len(list) > limit {
		return nil, schedctl.Errorf(schedctl.ValidationFailed, field, "the post has %d files; the limit of this daemon is %d", len(list), limit)
	}
	list = slices.Clone(list)
	for i := range list {
		a, err := visibleAsset(r, workspaceID, list[i].AssetID)
		at := mediaPath(field, i)
		switch {
		case schedctl.CodeOf(err) == schedctl.NotFound:
			return nil, schedctl.Errorf(schedctl.ValidationFailed, at, "this workspace has no media asset %s; upload the file again", list[i].AssetID)
		case err != nil:
			return nil, err
		case a.Status == schedctl.MediaFailed:
			return nil, schedctl.Errorf(schedctl.MediaNotReady, at, "the upload of %s failed; upload the file again", a.ID)
		case a.Status == schedctl.MediaReady:
			list[i].SHA256 = a.SHA256
		}
	}
	return list, nil
}

// mediaPath returns the path of the id of a file in a request.
func mediaPath(field string, i int) string {
	at := fmt.Sprintf("%s[%d]", field, i)
	if field == "media_asset_ids" {
		return at
	}
	return join(at, "id")
}

// attachOverrides returns overrides with the hashes of their assets.
func (s *Server) attachOverrides(r storage.Reader, workspaceID string, overrides []schedctl.Override) ([]schedctl.Override, error) {
	overrides = slices.Clone(overrides)
	for i := range overrides {
		list, err := s.attach(r, workspaceID, join(overridePath(i), "media"), overrides[i].Media)
		if err != nil {
			return nil, err
		}
		overrides[i].Media = list
	}
	return overrides, nil
}

// usesMedia reports whether a new post or one of its overrides has media.
func usesMedia(list []schedctl.PostMedia, overrides []schedctl.Override) bool {
	return len(list) > 0 || slices.ContainsFunc(overrides, func(o schedctl.Override) bool { return len(o.Media) > 0 })
}

// settleMedia sets the missing hashes of a post that is not a draft. Errors:
// MEDIA_NOT_READY if an upload is not confirmed.
func settleMedia(r storage.Reader, p *schedctl.Post) error {
	if p.Status() == schedctl.Draft {
		return nil
	}
	if err := settle(r, p.WorkspaceID, "media", p.Media); err != nil {
		return err
	}
	for i := range p.Targets {
		if err := settle(r, p.WorkspaceID, "target_overrides", p.Targets[i].Media); err != nil {
			return err
		}
	}
	return nil
}

// settle sets missing hashes in place.
func settle(r storage.Reader, workspaceID, field string, list []schedctl.PostMedia) error {
	for i := range list {
		if list[i].SHA256 != [32]byte{} {
			continue
		}
		a, err := r.MediaAsset(workspaceID, list[i].AssetID)
		switch {
		case schedctl.CodeOf(err) == schedctl.NotFound, err == nil && a.Status != schedctl.MediaReady:
			return notReady(field, list[i].AssetID)
		case err != nil:
			return err
		}
		list[i].SHA256 = a.SHA256
	}
	return nil
}

func notReady(field, assetID string) error {
	return schedctl.Errorf(schedctl.MediaNotReady, field, "the upload of %s is not confirmed; upload the file and confirm it, then schedule the post", assetID)
}

// mediaLimits returns the limits of the daemon.
func (s *Server) mediaLimits() media.Limits {
	if s.media == nil {
		return media.DefaultLimits
	}
	return s.media.Limits()
}

// visibleAsset returns an asset that clients see.
func visibleAsset(r storage.Reader, workspaceID, id string) (schedctl.MediaAsset, error) {
	if _, ok := schedctl.ParseID(schedctl.MediaPrefix, id); !ok {
		return schedctl.MediaAsset{}, errNoAsset
	}
	a, err := r.MediaAsset(workspaceID, id)
	if schedctl.CodeOf(err) == schedctl.NotFound || err == nil && a.Status == schedctl.MediaDeleted {
		return schedctl.MediaAsset{}, errNoAsset
	}
	return a, err
}

var errNoAsset = schedctl.Errorf(schedctl.NotFound, "", "this workspace has no media asset with this id")

// expiry returns the time for a new expiry of an asset, which is never earlier than
// the current one.
func expiry(a *schedctl.MediaAsset, now time.Time, life time.Duration) time.Time {
	if at := schedctl.Millis(now.Add(life)); at.After(a.ExpiresAt) {
		return at
	}
	return a.ExpiresAt
}
