package deliver

import (
	"cmp"
	"context"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// showsCardImage reports whether the network shows a link card whose picture the post gives.
func (c *publisherCall) showsCardImage() bool {
	_, shows := c.publisher.(publish.CardPublisher)
	return shows && c.extras.Preview.Mode == schedctl.PreviewCard && c.extras.Preview.Image.AssetID != ""
}

// preview returns the link preview of part 0. An approved post has the card that its
// reviewers saw, instead of one that is fetched now.
func (c *publisherCall) preview(p *schedctl.Post) schedctl.LinkPreview {
	if !p.Approved() {
		return p.LinkPreview
	}
	return publish.ReviewedPreview(c.publisher, p, c.part)
}

// prepareCard makes the picture of the link card fit that the post describes, if its
// network shows such cards. release must be called after the request.
func (d *Deliverer) prepareCard(ctx context.Context, c *publisherCall) (release func(), failure *publish.Error) {
	release = func() {}
	if !c.showsCardImage() {
		return release, nil
	}
	shows := c.publisher.(publish.CardPublisher)
	fitted, url, failure := d.fitCard(ctx, c, shows.CardImageRules(c.accountWithOptions()))
	if failure != nil {
		e := *failure
		e.Message = "the picture of the link card: " + e.Message
		return release, &e
	}
	c.cardImage = &publish.File{Media: fitted.Media, Open: fitted.Open, URL: url}
	return fitted.release, nil
}

// fitCard returns the picture of the link card within the limits, and its URL if the
// network fetches files.
func (d *Deliverer) fitCard(ctx context.Context, c *publisherCall, limits publish.ClassRules) (fitted FittedFile, url string, failure *publish.Error) {
	image := c.extras.Preview.Image
	alt := image.AltText
	// The title of the card describes its picture.
	image.AltText = cmp.Or(alt, c.extras.Preview.Title, c.extras.Preview.URL)
	asset, failure := d.readAsset(ctx, c.forPart(schedctl.TargetPart{Media: []schedctl.PostMedia{image}}), 0)
	if failure != nil {
		return fitted, "", failure
	}
	if p, ok := c.publisher.(publish.MediaPublisher); ok && p.MediaRules(c.accountWithOptions()).Fetched {
		var err error
		if url, err = d.cfg.Media.Link(ctx, asset, ""); err != nil {
			return fitted, "", sourceError(1, err)
		}
	}
	fitted, err := d.cfg.Media.Fit(ctx, asset, limits)
	if err != nil {
		return fitted, "", sourceError(1, err)
	}
	fitted.AssetID, fitted.FileName, fitted.AltText = asset.ID, asset.FileName, alt
	if url != "" {
		fitted.release() // only its facts are needed
	}
	return fitted, url, nil
}
