package usecase

import (
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/storage"
)

// maxSameBytes is how many assets with the same bytes an upload is compared with.
const maxSameBytes = 100

// KnownFile returns the asset that an upload of known bytes stands for. With an alt text it is
// one that has it, if possible of the key. Without one it is an asset of the key, or else one
// without an alt text: never the words of another key. A key that is limited to accounts only
// gets assets of its own, because it may not see others.
func (c *Request) KnownFile(r storage.Reader, sha256 [32]byte, altText string) (known schedctl.MediaAsset, found bool, err error) {
	list, err := r.MediaByHash(c.Key.WorkspaceID, sha256, maxSameBytes)
	for _, a := range list {
		own := a.UploadedBy == c.Key.ID
		switch {
		case !own && len(c.Key.AccountIDs) > 0, a.AltText != altText && (altText != "" || !own):
		case own:
			return a, true, err
		case !found:
			known, found = a, true
		}
	}
	return known, found, err
}

// PutFile stores the asset of a file whose bytes are stored, or lets a known one live longer.
// Errors: MEDIA_QUOTA_EXCEEDED.
func (c *Request) PutFile(tx storage.Tx, files *media.Service, f *media.File, altText string) (asset schedctl.MediaAsset, known bool, err error) {
	asset, known, err = c.KnownFile(tx, f.Key, altText)
	if err != nil {
		return asset, known, err
	}
	if known {
		asset.ExpiresAt = Expiry(&asset, c.Now, media.UnusedLife)
		return asset, true, tx.PutMediaAsset(asset)
	}
	if err := c.CheckQuota(tx, files, f.Size); err != nil {
		return asset, false, err
	}
	now := schedctl.Millis(c.Now)
	asset = f.Asset()
	asset.ID, asset.WorkspaceID = schedctl.NewID(schedctl.MediaPrefix, now), c.Key.WorkspaceID
	asset.FileName, asset.AltText, asset.Status, asset.UploadedBy = f.Name, altText, schedctl.MediaReady, c.Key.ID
	asset.CreatedAt, asset.UpdatedAt, asset.ExpiresAt = now, now, now.Add(media.UnusedLife)
	return asset, false, tx.PutMediaAsset(asset)
}

// CheckQuota returns MEDIA_QUOTA_EXCEEDED if the workspace cannot store a file of this size.
func (c *Request) CheckQuota(r storage.Reader, files *media.Service, size int64) error {
	used, err := r.MediaSize(c.Key.WorkspaceID)
	if err != nil {
		return err
	}
	return files.CheckQuota(used, size)
}

// Expiry returns the time for a new expiry of an asset, which is never earlier than the
// current one.
func Expiry(a *schedctl.MediaAsset, now time.Time, life time.Duration) time.Time {
	if at := schedctl.Millis(now.Add(life)); at.After(a.ExpiresAt) {
		return at
	}
	return a.ExpiresAt
}

const (
	maxTextUsers = 1000 // posts with a file that are read to find those with an alt text
	maxTextPosts = 100  // of those, how many are named
)

// OldText are posts or series with a file that has a certain alt text.
type OldText struct {
	IDs   []string // 100 at most
	Count int
}

func (o *OldText) add(id string) {
	if o.Count++; o.Count <= maxTextPosts {
		o.IDs = append(o.IDs, id)
	}
}

// WithText returns the drafts and scheduled posts, and the series that have not ended, that
// the key may see and that show an asset with this alt text. Of an asset that more than 1,000
// of them use, it reads the series, and the posts with the latest times.
func (c *Request) WithText(r storage.Reader, assetID, text string) (posts, plans OldText, err error) {
	posts, plans = OldText{IDs: []string{}}, OldText{IDs: []string{}}
	users, err := r.MediaUsers(assetID, maxTextUsers)
	if err != nil {
		return posts, plans, err
	}
	for _, id := range users {
		if _, isSeries := schedctl.ParseID(schedctl.SeriesPrefix, id); isSeries {
			s, err := r.Series(c.Key.WorkspaceID, id)
			switch {
			case err != nil && schedctl.CodeOf(err) != schedctl.NotFound:
				return posts, plans, err
			case err == nil && c.MaySee(&s.Template) && s.Template.ShowsAltText(assetID, text):
				plans.add(id)
			}
			continue
		}
		p, err := r.Post(c.Key.WorkspaceID, id)
		switch {
		case schedctl.CodeOf(err) == schedctl.NotFound: // it was deleted
			continue
		case err != nil:
			return posts, plans, err
		case !p.NeedsMedia():
			return posts, plans, nil // posts that need the file come first
		}
		if s := p.Status(); (s == schedctl.Draft || s == schedctl.Scheduled) && c.MaySee(&p) && p.ShowsAltText(assetID, text) {
			posts.add(id)
		}
	}
	return posts, plans, nil
}
