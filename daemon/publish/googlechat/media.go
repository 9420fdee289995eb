package googlechat

import (
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

const (
	maxFiles = 20
	maxAlt   = 1000 // characters; the network has no documented limit

	// widgetBytes is more than a picture adds to a message besides its alt text.
	widgetBytes = 600
)

// AddressProblem implements [publish.AddressNeeder].
func (p *Publisher) AddressProblem() string {
	if strings.HasPrefix(p.publicURL, "https://") {
		return ""
	}
	return "Google Chat fetches pictures from the daemon, which has no public https address, so only text can be published there; start the daemon with --public-url https://…"
}

// MediaRules allows pictures, which Google fetches from the daemon.
func (p *Publisher) MediaRules(schedctl.Account) publish.MediaRules {
	return publish.MediaRules{
		Refused: p.AddressProblem(), MaxFiles: maxFiles, MaxAlt: maxAlt, Fetched: true, Mixed: true,
		Classes: map[schedctl.MediaClass]publish.ClassRules{
			schedctl.MediaImage: {Types: []string{"image/jpeg", "image/png"}},
			schedctl.MediaGIF:   {Types: []string{"image/gif"}},
		},
	}
}

// cardBytes returns how many bytes of a message are reserved for its pictures.
func cardBytes(media []publish.Media) int {
	n := 0
	for i := range media {
		n += widgetBytes + 2*len(media[i].AltText) // JSON escapes some characters
	}
	return n
}

// card shows the pictures of a message
// (https://developers.google.com/workspace/chat/api/reference/rest/v1/cards).
type card struct {
	ID   string   `json:"cardId"`
	Card cardBody `json:"card"`
}

type cardBody struct {
	Sections []section `json:"sections"`
}

type section struct {
	Widgets []widget `json:"widgets"`
}

type widget struct {
	Image picture `json:"image"`
}

type picture struct {
	URL     string `json:"imageUrl"`
	AltText string `json:"altText,omitempty"`
}

// cardsOf returns a card with the files, or nil without files.
func cardsOf(files []publish.File) ([]card, error) {
	if len(files) == 0 {
		return nil, nil
	}
	if err := publish.CheckFetched(files, "Google Chat fetches pictures"); err != nil {
		return nil, err
	}
	var widgets []widget
	for _, f := range files {
		widgets = append(widgets, widget{picture{URL: f.URL, AltText: f.AltText}})
	}
	return []card{{ID: "media", Card: cardBody{[]section{{widgets}}}}}, nil
}
