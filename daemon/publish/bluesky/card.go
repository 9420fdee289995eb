package bluesky

import (
	"bytes"
	"context"
	"crypto/sha256"
	"net/url"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/linkcard"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// external is a link card (the lexicon app.bsky.embed.external). Bluesky fetches nothing:
// the card is what the client sends.
type external struct {
	URI         string `json:"uri"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Thumb       *blob  `json:"thumb,omitempty"`
}

// cardLink returns the link whose page is fetched for a card, or the empty string.
func (p *Publisher) cardLink(r publish.Request) string {
	if p.cards == nil || r.Part > 0 || r.Preview.Mode != schedctl.PreviewAuto || len(r.Files) > 0 {
		return ""
	}
	for _, f := range facets(r.Content) {
		if link := f.Features[0]; link.Type == typeLink {
			return link.URI
		}
	}
	return ""
}

// card returns the link card of a request, or nil if it has none. A page that cannot be
// fetched has none: the link in the text remains.
func (p *Publisher) card(ctx context.Context, u *url.URL, r publish.Request) (*embed, error) {
	var shown external
	var thumb *linkcard.Thumb
	if link := p.cardLink(r); link != "" {
		card, err := p.cards.Fetch(ctx, link)
		if err != nil {
			return nil, nil
		}
		shown, thumb = external{URI: link, Title: card.Title, Description: card.Description}, card.Thumb
	} else if r.Part == 0 && r.Preview.Mode == schedctl.PreviewCard {
		shown = external{URI: r.Preview.URL, Title: r.Preview.Title, Description: r.Preview.Description}
		var err error
		if thumb, err = p.givenThumb(ctx, r); err != nil {
			return nil, err
		}
	} else {
		return nil, nil
	}
	e := &embed{Type: "app.bsky.embed.external", External: &shown}
	if thumb == nil {
		return e, nil
	}
	uploaded, err := p.uploadThumb(ctx, u, r, thumb)
	switch {
	case err == nil:
		shown.Thumb = uploaded
	case r.Preview.Mode == schedctl.PreviewCard || publish.AsError(err).Kind != schedctl.KindMedia:
		return nil, err
	}
	return e, nil
}

// givenThumb returns the picture of a card that the post describes.
func (p *Publisher) givenThumb(ctx context.Context, r publish.Request) (*linkcard.Thumb, error) {
	if r.Preview.Image.AssetID == "" {
		return nil, nil
	}
	if r.CardImage == nil || r.CardImage.Open == nil || p.cards == nil {
		return nil, publish.MediaError(publish.CodeUnreadable, "the daemon cannot read the picture of the link card; upload it again, attach it and retry")
	}
	data, err := r.CardImage.Open(ctx)
	if err != nil {
		return nil, publish.MediaError(publish.CodeUnreadable, "the daemon cannot read the picture of the link card; upload it again, attach it and retry")
	}
	defer data.Close()
	thumb, err := p.cards.Fit(ctx, data)
	if err != nil {
		return nil, publish.MediaError("card_image", "the picture of the link card cannot be used; give a JPEG, PNG or WebP picture of at most 16 megapixels and 5 MB")
	}
	return thumb, nil
}

// uploadThumb uploads the picture of a card.
func (p *Publisher) uploadThumb(ctx context.Context, u *url.URL, r publish.Request, thumb *linkcard.Thumb) (*blob, error) {
	f := publish.File{Media: publish.Media{MIMEType: thumb.MIMEType, Size: int64(len(thumb.Data)), SHA256: sha256.Sum256(thumb.Data)}}
	f.Open = outbound.BytesBody(thumb.MIMEType, bytes.Clone(thumb.Data)).Open
	var err error
	if f.Upload, err = p.Upload(ctx, r, f); err != nil {
		return nil, err
	}
	uploaded, _, ok := blobOf(f)
	if !ok {
		return nil, publish.MediaError("card_image", "the server did not accept the picture of the link card")
	}
	return &uploaded, nil
}
