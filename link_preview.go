package schedctl

import (
	"net/url"
	"unicode/utf8"
)

// Limits of link cards.
const (
	MaxCardURL         = 2048 // bytes
	MaxCardTitle       = 300  // Unicode code points
	MaxCardDescription = 1000 // Unicode code points
)

// PreviewMode says which card a network shows for a link of the post.
type PreviewMode string

// The modes of link previews.
const (
	PreviewAuto PreviewMode = ""     // the card of the first link, or what the network does on its own
	PreviewNone PreviewMode = "none" // no card
	PreviewCard PreviewMode = "card" // the card in the LinkPreview
)

// LinkPreview is the card that part 0 shows for a link. The zero value is [PreviewAuto].
// The other fields belong to [PreviewCard].
type LinkPreview struct {
	Mode        PreviewMode
	URL         string
	Title       string    // may be empty
	Description string    // may be empty
	Image       PostMedia // an empty AssetID means no picture
}

// CheckLinkPreview returns a [ValidationFailed] error for a card that cannot be shown. Its
// fields start with link_preview.
func CheckLinkPreview(l LinkPreview) error { return l.check() }

// check returns a [ValidationFailed] error for a card that cannot be shown.
func (l LinkPreview) check() error {
	switch l.Mode {
	case PreviewAuto, PreviewNone:
		if l != (LinkPreview{Mode: l.Mode}) {
			return Errorf(ValidationFailed, "link_preview", "only a card has a url, a title, a description and an image")
		}
		return nil
	case PreviewCard:
		return l.checkCard()
	}
	return Errorf(ValidationFailed, "link_preview", `link_preview must be "auto", "none" or a card`)
}

func (l LinkPreview) checkCard() error {
	const prefix = "link_preview."
	if u, err := url.Parse(l.URL); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || len(l.URL) > MaxCardURL {
		return Errorf(ValidationFailed, prefix+"url", "the url of the card must be an http or https URL of at most %d bytes", MaxCardURL)
	}
	if err := checkShortText(prefix+"title", "title", l.Title, MaxCardTitle); err != nil {
		return err
	}
	return checkShortText(prefix+"description", "description", l.Description, MaxCardDescription)
}

func checkShortText(field, name, text string, limit int) error {
	switch n := utf8.RuneCountInString(text); {
	case !plainText(text):
		return Errorf(ValidationFailed, field, "the %s contains a NUL character or invalid UTF-8", name)
	case n > limit:
		return Errorf(ValidationFailed, field, "the %s has %d characters; the limit is %d", name, n, limit)
	}
	return nil
}
