package usecase

import (
	"github.com/schedctl/schedctl"
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
