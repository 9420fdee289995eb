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

// PostsWithText returns the ids of the drafts and scheduled posts that the key may see and
// that show an asset with this alt text, 100 at most, and their number. Of an asset that more
// than 1,000 posts use, it reads those with the latest times.
func (c *Request) PostsWithText(r storage.Reader, assetID, text string) (ids []string, count int, err error) {
	users, err := r.MediaUsers(assetID, maxTextUsers)
	if err != nil {
		return nil, 0, err
	}
	for _, id := range users {
		p, err := r.Post(c.Key.WorkspaceID, id)
		switch {
		case schedctl.CodeOf(err) == schedctl.NotFound: // a series, or a post that was deleted
			continue
		case err != nil:
			return nil, 0, err
		case !p.NeedsMedia():
			return ids, count, nil // posts that need the file come first
		}
		if s := p.Status(); s != schedctl.Draft && s != schedctl.Scheduled || !c.MaySee(&p) || !p.ShowsAltText(assetID, text) {
			continue
		}
		if count++; count <= maxTextPosts {
			ids = append(ids, id)
		}
	}
	return ids, count, nil
}
