package bluesky

import (
	"context"

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
	if r.Part > 0 {
		return ""
	}
	return p.CardLink(publish.Content{Text: r.Content, Media: make([]publish.Media, len(r.Files)), Extras: r.Extras})
}

// CardLink implements [publish.CardFetcher]: it returns the first link of a text without
// media.
func (p *Publisher) CardLink(c publish.Content) string {
	if p.cards == nil || c.Preview.Mode != schedctl.PreviewAuto || len(c.Media) > 0 {
		return ""
	}
	for _, f := range facets(c.Text) {
		if link := f.Features[0]; link.Type == typeLink {
			return link.URI
		}
	}
	return ""
}

// card returns the link card of a request, or nil if it has none. A page that cannot be
// fetched has none: the link in the text remains.
func (p *Publisher) card(ctx context.Context, r publish.Request) (*embed, error) {
	var shown external
	var thumb *publish.File
	if link := p.cardLink(r); link != "" {
		card, err := p.cards.Fetch(ctx, r.Account.WorkspaceID, link)
		if err != nil {
			return nil, nil
		}
		shown, thumb = external{URI: link, Title: card.Title, Description: card.Description}, thumbFile(card.Thumb)
	} else if r.Part == 0 && r.Preview.Mode == schedctl.PreviewCard {
		shown = external{URI: r.Preview.URL, Title: r.Preview.Title, Description: r.Preview.Description}
		var err error
		if thumb, err = publish.GivenCardImage(r); err != nil {
			return nil, err
		}
	} else {
		return nil, nil
	}
	e := &embed{Type: "app.bsky.embed.external", External: &shown}
	if thumb == nil {
		return e, nil
	}
	uploaded, err := p.uploadThumb(ctx, r, *thumb)
	switch {
	case err == nil:
		shown.Thumb = uploaded
	case r.Preview.Mode == schedctl.PreviewCard || publish.AsError(err).Kind != schedctl.KindMedia:
		return nil, err
	}
	return e, nil
}

// CardImageRules returns the limits of the schema.
func (p *Publisher) CardImageRules(schedctl.Account) publish.ClassRules {
	return publish.ClassRules{Types: []string{"image/jpeg", "image/png", "image/webp"}, MaxBytes: linkcard.MaxThumb}
}

// uploadThumb uploads the picture of a card.
func (p *Publisher) uploadThumb(ctx context.Context, r publish.Request, f publish.File) (*blob, error) {
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

// thumbFile returns the fetched picture of a card, or nil if it has none.
func thumbFile(t *linkcard.Thumb) *publish.File {
	if t == nil {
		return nil
	}
	f := outbound.BytesFile(t.MIMEType, t.Data)
	return &f
}
