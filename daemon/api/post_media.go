package api

import (
	"errors"
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
	switch field {
	case previewImage:
		return field
	case "media_asset_ids":
		return at
	}
	return join(at, "id")
}

// previewImage is the field with the image of a link card.
const previewImage = "link_preview.image"

// attacher returns media of a field with the hashes of their assets; see
// [Server.attach].
type attacher func(field string, list []schedctl.PostMedia) ([]schedctl.PostMedia, error)

func (s *Server) attacher(r storage.Reader, workspaceID string) attacher {
	return func(field string, list []schedctl.PostMedia) ([]schedctl.PostMedia, error) {
		return s.attach(r, workspaceID, field, list)
	}
}

// overrides returns overrides with the hashes of their assets.
func (attach attacher) overrides(overrides []schedctl.Override) (list []schedctl.Override, err error) {
	list = slices.Clone(overrides)
	for i := range list {
		o := &list[i]
		if o.Media, err = attach(join(overridePath(i), "media"), o.Media); err != nil {
			return nil, err
		}
		if o.Thread, err = attach.thread(join(overridePath(i), "thread"), o.Thread); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// thread returns parts with the hashes of their assets, nil for nil.
func (attach attacher) thread(field string, thread []schedctl.Part) (parts []schedctl.Part, err error) {
	parts = slices.Clone(thread)
	for i := range parts {
		if parts[i].Media, err = attach(fmt.Sprintf("%s[%d].media", field, i), parts[i].Media); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// content returns the change of a body with the hashes of its assets.
func (attach attacher) content(b contentBody) (c schedctl.ContentChange, err error) {
	c = b.ContentChange
	if c.Media != nil {
		list, err := attach(b.mediaField, *c.Media)
		if err != nil {
			return c, err
		}
		c.Media = &list
	}
	if c.Thread != nil {
		parts, err := attach.thread("thread", *c.Thread)
		if err != nil {
			return c, err
		}
		c.Thread = &parts
	}
	if c.FirstComment != nil {
		media, err := attach("first_comment.media", c.FirstComment.Media)
		if err != nil {
			return c, err
		}
		c.FirstComment = &schedctl.Part{Content: c.FirstComment.Content, Media: media}
	}
	if c.LinkPreview != nil && c.LinkPreview.Image.AssetID != "" {
		images, err := attach(previewImage, []schedctl.PostMedia{c.LinkPreview.Image})
		if err != nil {
			return c, err
		}
		c.LinkPreview = new(*c.LinkPreview)
		c.LinkPreview.Image = images[0]
	}
	return c, nil
}

// settleMedia sets the missing hashes of a post that is not a draft. Errors:
// MEDIA_NOT_READY if an upload is not confirmed.
func settleMedia(r storage.Reader, p *schedctl.Post) error {
	if p.Status() == schedctl.Draft {
		return nil
	}
	return settleAll(r, p)
}

// settleAll is settleMedia in every status. What reviewers approve includes the hashes.
func settleAll(r storage.Reader, p *schedctl.Post) error {
	image := []schedctl.PostMedia{p.LinkPreview.Image}
	if image[0].AssetID == "" {
		image = nil
	}
	err := errors.Join(settle(r, p.WorkspaceID, "media", p.Media), settleThread(r, p.WorkspaceID, "thread", p.Thread),
		settle(r, p.WorkspaceID, previewImage, image))
	if p.FirstComment != nil {
		err = errors.Join(err, settle(r, p.WorkspaceID, "first_comment.media", p.FirstComment.Media))
	}
	for i := range p.Targets {
		t := &p.Targets[i]
		err = errors.Join(err, settle(r, p.WorkspaceID, "target_overrides", t.Media), settleThread(r, p.WorkspaceID, "target_overrides", t.Thread))
	}
	if len(image) > 0 {
		p.LinkPreview.Image = image[0]
	}
	return err
}

func settleThread(r storage.Reader, workspaceID, field string, thread []schedctl.Part) (err error) {
	for i := range thread {
		err = errors.Join(err, settle(r, workspaceID, field, thread[i].Media))
	}
	return err
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
