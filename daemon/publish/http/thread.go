package httppost

import (
	"encoding/json"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// ThreadRules says that one request has all parts of a thread.
func (p *Publisher) ThreadRules(schedctl.Account) publish.ThreadRules {
	return publish.ThreadRules{Whole: true}
}

// PollRules allows every poll: a receiver has no limits.
func (p *Publisher) PollRules(schedctl.Account) publish.PollRules {
	return publish.PollRules{WithMedia: true}
}

// CardImageRules allows every picture.
func (p *Publisher) CardImageRules(schedctl.Account) publish.ClassRules { return publish.ClassRules{} }

// part is a further part of a thread, or the first comment.
type part struct {
	Content string  `json:"content"`
	Media   []media `json:"media,omitempty"`
}

type poll struct {
	Options    []string `json:"options"`
	ExpiresIn  int64    `json:"expires_in_seconds"`
	Multiple   bool     `json:"multiple"`
	HideTotals bool     `json:"hide_totals"`
}

// card is a link card that the post describes.
type card struct {
	URL         string `json:"url"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Image       *media `json:"image"` // null for none
}

// messageOf returns the request body.
func messageOf(r publish.Request) (message, error) {
	if r.Part > 0 {
		return message{}, publish.Contentf("thread", "an http receiver gets all parts of a thread in one request, and this one was already sent without this part; schedule a new post")
	}
	files, err := describe(r.Files)
	if err != nil {
		return message{}, err
	}
	m := message{
		ID: r.TargetID, PostID: r.PostID, Content: r.Content, PublishAt: r.PublishAt.UTC(), Attempt: r.Attempt,
		Account: account{ID: r.Account.ID, Name: r.Account.Name}, Media: files,
		presentation: presentation(r.Presentation),
	}
	for _, rest := range r.Rest {
		if files, err = describe(rest.Files); err != nil {
			return message{}, err
		}
		further := part{Content: rest.Content, Media: files}
		if rest.Kind == schedctl.PartComment {
			m.FirstComment = &further
		} else {
			m.Thread = append(m.Thread, further)
		}
	}
	if r.Poll != nil {
		m.Poll = &poll{r.Poll.Options, int64(r.Poll.ExpiresIn / time.Second), r.Poll.Multiple, r.Poll.HideTotals}
	}
	m.LinkPreview, err = previewOf(r)
	return m, err
}

// previewOf returns the link preview of a request, or nil for the default.
func previewOf(r publish.Request) (any, error) {
	switch r.Preview.Mode {
	case schedctl.PreviewNone:
		return schedctl.PreviewNone, nil
	case schedctl.PreviewCard:
	default:
		return nil, nil
	}
	c := card{URL: r.Preview.URL, Title: r.Preview.Title, Description: r.Preview.Description}
	if r.Preview.Image.AssetID == "" {
		return c, nil
	}
	if r.CardImage == nil {
		return nil, publish.MediaError(publish.CodeUnreadable, "the daemon cannot read the picture of the link card; upload it again, attach it and retry")
	}
	image, err := describe([]publish.File{*r.CardImage})
	if err != nil {
		return nil, err
	}
	c.Image = &image[0]
	return c, nil
}

// receiptOf returns the receipt of a request that the receiver accepted. The response may
// name the further parts.
func receiptOf(a outbound.Response, r publish.Request) schedctl.Receipt {
	receipt := outbound.Receipt(a)
	if len(r.Rest) == 0 {
		return receipt
	}
	var body struct {
		Parts []json.RawMessage `json:"parts"`
	}
	if a.Cut || json.Unmarshal(a.Body, &body) != nil {
		body.Parts = nil
	}
	receipt.Rest = make([]schedctl.Receipt, len(r.Rest))
	for i := range min(len(body.Parts), len(r.Rest)) {
		receipt.Rest[i] = outbound.Receipt(outbound.Response{Body: body.Parts[i]})
	}
	return receipt
}
