package publish

import "github.com/schedctl/schedctl"

// CardPublisher is a publisher whose network shows the link card that a post describes.
// Others are never given the picture of a card.
type CardPublisher interface {
	// CardImageRules returns the limits of the picture. It sends no request and reads
	// only the account's limits and options.
	CardImageRules(schedctl.Account) ClassRules
}

// GivenCardImage returns the picture of the card that the post of a request describes, or
// nil if it has none.
func GivenCardImage(r Request) (*File, error) {
	if r.Preview.Image.AssetID == "" {
		return nil, nil
	}
	if r.CardImage == nil || r.CardImage.Open == nil {
		return nil, MediaError(CodeUnreadable, "the daemon cannot read the picture of the link card; upload it again, attach it and retry")
	}
	return r.CardImage, nil
}

// CardFetcher is a [CardPublisher] that fetches the page of a link for its card, because
// the network does not.
type CardFetcher interface {
	CardPublisher

	// CardLink returns the link of part 0 whose page Publish fetches, or an empty text. With
	// a given card in the preview, it fetches none. CardLink sends no request.
	CardLink(Content) string
}

// ReviewedPreview returns the link preview of part 0 of a post that is published with the
// approval of reviewers: the card that was fetched for them. For another link, it has none.
func ReviewedPreview(network Publisher, p *schedctl.Post, part schedctl.TargetPart) schedctl.LinkPreview {
	fetcher, fetches := network.(CardFetcher)
	if !fetches || p.Card == nil {
		return p.LinkPreview
	}
	switch link := fetcher.CardLink(Content{Text: part.Content, Media: make([]Media, len(part.Media)), Extras: Extras{Preview: p.LinkPreview}}); {
	case link == "":
		return p.LinkPreview
	case link == p.Card.URL && p.Card.Mode == schedctl.PreviewCard:
		return *p.Card
	}
	return schedctl.LinkPreview{Mode: schedctl.PreviewNone}
}
