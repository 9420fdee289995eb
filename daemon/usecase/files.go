package usecase

import (
	"fmt"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// AssetsOf returns the assets that posts use. Missing ones are left out. The assets of a
// published post expire some time after its publication.
func (s *Service) AssetsOf(r storage.Reader, posts ...*schedctl.Post) ([]schedctl.MediaAsset, error) {
	var assets []schedctl.MediaAsset
	seen := map[string]bool{}
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
				if until := p.Targets[i].PublishedAt.Add(s.Limits.Keep); until.After(a.ExpiresAt) {
					a.ExpiresAt = until
				}
			}
			assets = append(assets, a)
		}
	}
	return assets, nil
}

// Asset returns an asset that clients of the key see. Errors: NOT_FOUND.
func (c *Request) Asset(r storage.Reader, id string) (schedctl.MediaAsset, error) {
	if _, ok := schedctl.ParseID(schedctl.MediaPrefix, id); !ok {
		return schedctl.MediaAsset{}, errNoAsset
	}
	a, err := r.MediaAsset(c.Key.WorkspaceID, id)
	if schedctl.CodeOf(err) == schedctl.NotFound || err == nil && a.Status == schedctl.MediaDeleted {
		return schedctl.MediaAsset{}, errNoAsset
	}
	if err != nil {
		return a, err
	}
	seen, err := c.MaySeeFile(r, &a)
	if err == nil && !seen {
		return schedctl.MediaAsset{}, errNoAsset
	}
	return a, err
}

var errNoAsset = schedctl.Errorf(schedctl.NotFound, "", "this workspace has no media asset with this id")

// attacher returns a function that sets the hashes of media of a request, and copies the alt
// texts that it does not give. A file that has not arrived may get its text with the bytes: a
// draft has it from settleFiles. Its errors:
// VALIDATION_FAILED with the field of an unknown asset or of too many, MEDIA_NOT_READY for a
// failed upload.
func (d *Decision) attacher(r storage.Reader) schedctl.MediaVisitor {
	return func(field string, list *[]schedctl.PostMedia) error {
		if limit := d.service.Limits.PerPost; len(*list) > limit {
			return schedctl.Errorf(schedctl.ValidationFailed, field, "the post has %d files; the limit of this daemon is %d", len(*list), limit)
		}
		for i := range *list {
			m := &(*list)[i]
			at := mediaPath(field, i)
			a, err := d.request.assetIn(r, at, m.AssetID)
			switch {
			case err != nil:
				return err
			case a.Status == schedctl.MediaFailed:
				return schedctl.Errorf(schedctl.MediaNotReady, at, "the upload of %s failed; upload the file again", a.ID)
			case a.Status == schedctl.MediaReady:
				m.SHA256 = a.SHA256
			}
			if a.Status == schedctl.MediaReady || a.AltText != "" {
				m.CopyAltText(&a)
			}
			d.keepAsset(a)
		}
		return nil
	}
}

// assetIn is [Request.Asset] for a field of a request. Errors: VALIDATION_FAILED.
func (c *Request) assetIn(r storage.Reader, field, id string) (schedctl.MediaAsset, error) {
	a, err := c.Asset(r, id)
	if schedctl.CodeOf(err) == schedctl.NotFound {
		err = schedctl.Errorf(schedctl.ValidationFailed, field, "this workspace has no media asset %s; upload the file again", id)
	}
	return a, err
}

// mediaPath returns the path of the id of a file in a request.
func mediaPath(field string, i int) string {
	switch field {
	case "link_preview.image":
		return field
	case "media_asset_ids":
		return fmt.Sprintf("%s[%d]", field, i)
	}
	return fmt.Sprintf("%s[%d].id", field, i)
}

// attach attaches the media of a change of a content and of overrides. field is the name
// of the field with the media of part 0.
func attach(visit schedctl.MediaVisitor, field string, content *schedctl.ContentChange, overrides []schedctl.Override) error {
	for i := range overrides {
		if err := overrides[i].EachMedia(overridePath(i), visit); err != nil {
			return err
		}
	}
	return content.EachMedia(field, visit)
}

// keepAsset keeps an asset for the checks.
func (d *Decision) keepAsset(a schedctl.MediaAsset) {
	if d.asset(a.ID) == nil {
		d.assets = append(d.assets, a)
	}
}

// asset returns an asset that was read, or nil.
func (d *Decision) asset(id string) *schedctl.MediaAsset {
	i := slices.IndexFunc(d.assets, func(a schedctl.MediaAsset) bool { return a.ID == id })
	if i < 0 {
		return nil
	}
	return &d.assets[i]
}

// readAssets reads the assets of a post that were not read before.
func (d *Decision) readAssets(p *schedctl.Post) error {
	ids := slices.DeleteFunc(p.AssetIDs(), func(id string) bool { return d.asset(id) != nil })
	if len(ids) == 0 {
		return nil
	}
	return d.view(func(r storage.Reader) error {
		for _, id := range ids {
			a, err := r.MediaAsset(p.WorkspaceID, id)
			switch {
			case err == nil:
				d.keepAsset(a)
			case schedctl.CodeOf(err) != schedctl.NotFound:
				return err
			}
		}
		return nil
	})
}

func notReady(assetID string) error {
	return schedctl.Errorf(schedctl.MediaNotReady, "media", "the upload of %s is not confirmed; upload the file and confirm it, then schedule the post", assetID)
}
