package source

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/source/feed"
	"github.com/schedctl/schedctl/daemon/source/fetch"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/storage"
)

const (
	// pictureTime is how long the picture of an item may take, with its page.
	pictureTime = 20 * time.Second

	// pictureTries is how many pictures of an item are fetched until one can be used.
	pictureTries = 3

	// minSide is the smallest side of a picture, in pixels.
	minSide = 200
)

// picture is the picture of a post.
type picture struct {
	assetID string // empty for none
	note    string // for people: why it is missing, or that its alt text was made up
}

// picture fetches and stores the picture of an item. An item without a usable one gets none.
// Errors: VALIDATION_FAILED if the source requires one, and that of ctx.
func (j *job) picture(ctx context.Context, item *schedctl.SourceItem, c content) (p picture, err error) {
	if j.source.Image == schedctl.ImageNone {
		return p, nil
	}
	limited, cancel := context.WithTimeout(ctx, pictureTime)
	defer cancel()
	if j.key.Agent {
		limited = publish.FetchPublic(limited)
	}
	var failure error
	for _, image := range c.Images[:min(pictureTries, len(c.Images))] {
		if p, failure = j.storePicture(limited, image, item.Title); failure == nil {
			return p, nil
		}
	}
	if j.source.Image == schedctl.ImagePage && item.Link != "" {
		var image feed.Image
		if image, failure = j.pagePicture(limited, item.Link); failure == nil && image.URL != "" {
			p, failure = j.storePicture(limited, image, item.Title)
		}
	}
	switch {
	case p.assetID != "" || ctx.Err() != nil:
		return p, ctx.Err()
	case j.source.ImageRequired && failure == nil:
		return p, schedctl.Errorf(schedctl.ValidationFailed, "", "the item has no picture, and the source requires one")
	case j.source.ImageRequired:
		return p, schedctl.Errorf(schedctl.ValidationFailed, "", "the picture of the item cannot be used, and the source requires one: %s", pictureFailure(limited, failure))
	case failure != nil:
		p.note = "The picture of the item cannot be used: " + pictureFailure(limited, failure)
	}
	return p, nil
}

// pictureFailure says for people why a picture cannot be used.
func pictureFailure(limited context.Context, failure error) string {
	if limited.Err() != nil {
		return fmt.Sprintf("it could not be fetched within %d seconds", pictureTime/time.Second)
	}
	return messageOf(failure)
}

// pagePicture returns the picture that the page of an item names, or the zero value.
func (j *job) pagePicture(ctx context.Context, link string) (feed.Image, error) {
	page, err := j.cfg.Fetcher.Fetch(ctx, fetch.Request{URL: link})
	if err != nil {
		return feed.Image{}, err
	}
	return feed.Image{URL: feed.PagePicture(page.Body, page.ContentType, page.URL)}, nil
}

// storePicture fetches a picture with the limits and checks of uploads, and stores its asset.
// An asset that no post uses is deleted after [media.UnusedLife].
func (j *job) storePicture(ctx context.Context, image feed.Image, title string) (p picture, err error) {
	files := j.cfg.Files
	if files == nil {
		return p, schedctl.Errorf(schedctl.ValidationFailed, "", "this daemon stores no media")
	}
	in, err := files.Admit(media.Origin{WorkspaceID: j.key.WorkspaceID, KeyID: j.key.ID})
	if err != nil {
		return p, err
	}
	defer in.Close()
	err = in.Count(media.Free{}, 0, func() (int64, error) {
		return storage.Read(ctx, j.cfg.Store.View, func(r storage.Reader) (int64, error) { return r.MediaSize(j.key.WorkspaceID) })
	})
	if err != nil {
		return p, err
	}
	f, err := files.Fetch(ctx, image.URL, in)
	if err != nil {
		return p, err
	}
	defer f.Close()
	switch {
	case schedctl.MediaClassOf(f.Facts.MIMEType) != schedctl.MediaImage:
		return p, schedctl.Errorf(schedctl.MediaInvalid, "", "the file is not a picture (%s)", f.Facts.MIMEType)
	case f.Facts.Width < minSide || f.Facts.Height < minSide:
		return p, schedctl.Errorf(schedctl.MediaInvalid, "", "the picture has %d x %d pixels, and the least is %d x %d", f.Facts.Width, f.Facts.Height, minSide, minSide)
	}
	alt := image.Alt
	if alt == "" {
		alt, p.note = "Picture of the article: "+cmp.Or(title, "no title"), "The alt text of the picture was made up from the title of the item; write a better one"
	}
	if err := files.Store(ctx, f); err != nil {
		return picture{}, err
	}
	var asset schedctl.MediaAsset
	known := false
	err = j.cfg.Store.Update(ctx, func(tx storage.Tx) (err error) {
		request := usecase.Request{Key: j.key, Now: j.cfg.Now()}
		asset, known, err = request.PutFile(tx, files, f, alt)
		return err
	})
	if err != nil {
		return picture{}, err
	}
	if !known {
		in.Landed(f.Size)
	}
	p.assetID = asset.ID
	return p, nil
}
