package linkedin

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/linkcard"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// article is a link card. LinkedIn makes none on its own: "Posts API does not support URL
// scraping" (https://learn.microsoft.com/linkedin/marketing/community-management/shares/posts-api).
type article struct {
	Source      string `json:"source"`
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
	Thumbnail   string `json:"thumbnail,omitempty"`
}

const (
	maxTitle       = 200 // characters of the title of a card
	maxDescription = 500 // characters
)

// CardImageRules returns the limits of pictures of cards.
func (p *Publisher) CardImageRules(schedctl.Account) publish.ClassRules {
	return publish.ClassRules{Types: []string{"image/jpeg", "image/png"}, MaxBytes: linkcard.MaxThumb}
}

// CardLink implements [publish.CardFetcher]: it returns the first link of a text without
// media.
func (p *Publisher) CardLink(c publish.Content) string {
	if p.cards == nil || c.Preview.Mode != schedctl.PreviewAuto || len(c.Media) > 0 {
		return ""
	}
	return outbound.FirstLink(c.Text)
}

// card returns the link card of a post, or nil if it has none. A page that cannot be
// fetched has none, and a picture that LinkedIn refuses is left out: the link in the text
// remains.
func (p *Publisher) card(ctx context.Context, a access, r publish.Request) (*article, error) {
	if len(r.Files) > 0 {
		return nil, nil
	}
	var shown article
	var picture *publish.File
	switch link := p.CardLink(publish.Content{Text: r.Content, Extras: r.Extras}); {
	case link != "":
		card, err := p.cards.Fetch(ctx, r.Account.WorkspaceID, link)
		if err != nil {
			return nil, nil
		}
		shown = article{Source: link, Title: card.Title, Description: card.Description}
		if card.Thumb != nil {
			f := outbound.BytesFile(card.Thumb.MIMEType, card.Thumb.Data)
			picture = &f
		}
	case r.Preview.Mode == schedctl.PreviewCard:
		shown = article{Source: r.Preview.URL, Title: cmp.Or(r.Preview.Title, r.Preview.URL), Description: r.Preview.Description}
		var err error
		if picture, err = publish.GivenCardImage(r); err != nil {
			return nil, err
		}
	default:
		return nil, nil
	}
	shown.Title, shown.Description = cut(shown.Title, maxTitle), cut(shown.Description, maxDescription)
	if picture != nil {
		if uploaded, err := p.Upload(ctx, r, *picture); err == nil {
			p.awaitPicture(ctx, r, uploaded)
			shown.Thumbnail = uploaded.ID
		}
	}
	return &shown, nil
}

// awaitPicture waits until LinkedIn has processed the picture of a card: until its ReadyAt
// for a person, and for an organization as long as LinkedIn says so, but not longer.
func (p *Publisher) awaitPicture(ctx context.Context, r publish.Request, u publish.Upload) {
	if !u.ReadyAt.IsZero() {
		p.wait(ctx, u.ReadyAt.Sub(p.now()))
		return
	}
	const pause = time.Second
	for range imageWait / pause {
		p.wait(ctx, pause)
		var err error
		if u, err = p.Processed(ctx, r, u); err != nil || u.Ready {
			return
		}
	}
}

// sleep waits for a duration, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// cut returns the first characters of a text.
func cut(text string, limit int) string {
	if runes := []rune(text); len(runes) > limit {
		return strings.TrimSpace(string(runes[:limit-1])) + "…"
	}
	return text
}

// post makes the post. If LinkedIn refuses it because of the picture of its card, the post
// is sent again without, within the same attempt.
func (p *Publisher) post(ctx context.Context, a access, r publish.Request) (outbound.Response, error) {
	body := bodyOf(a, r)
	card, err := p.card(ctx, a, r)
	if err != nil {
		return outbound.Response{}, err
	}
	if card != nil {
		body.Content = &postContent{Article: card}
	}
	response, err := p.send(ctx, a, http.MethodPost, a.endpoint("", "posts"), outbound.EncodeJSON(body), nil)
	if err != nil || card == nil || card.Thumbnail == "" || !names(response, card.Thumbnail) {
		return response, err
	}
	card.Thumbnail = ""
	return p.send(ctx, a, http.MethodPost, a.endpoint("", "posts"), outbound.EncodeJSON(body), nil)
}

// names reports whether LinkedIn refuses a post because of the file with a URN.
func names(response outbound.Response, urn string) bool {
	refused := response.Status == http.StatusBadRequest || response.Status == http.StatusUnprocessableEntity
	return refused && urn != "" && strings.Contains(string(response.Body), urn)
}
