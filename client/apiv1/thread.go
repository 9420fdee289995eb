package apiv1

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/schedctl/schedctl"
)

// Part is one further part of a thread, or the first comment.
type Part struct {
	Content string      `json:"content" doc:"At most 5000 characters, not only white space. It may be empty or absent if there are media." maxLength:"5000" required:"false"`
	Media   []PostMedia `json:"media" doc:"The files of the part, in the order in which they are shown." maxItems:"100" required:"false"`
}

// Poll is a question with options. The text of the post is the question.
type Poll struct {
	Options          []string `json:"options" doc:"2 to 10 different options of at most 300 characters. In an override, an empty list means no poll." maxItems:"10" maxLength:"300"`
	ExpiresInSeconds int64    `json:"expires_in_seconds" doc:"How long the poll runs after the publication: 300 (5 minutes) to 2592000 (30 days)." maximum:"2592000" required:"false"`
	Multiple         bool     `json:"multiple" doc:"Whether people can choose more than one option." required:"false"`
	HideTotals       bool     `json:"hide_totals" doc:"Whether the votes are hidden until the poll ends." required:"false"`
}

// The texts that a link preview can be instead of a card.
const (
	PreviewAuto = "auto"
	PreviewNone = "none"
)

// LinkPreview says which card a network shows for a link of the post. On the wire it is
// one of the texts [PreviewAuto] and [PreviewNone], or a card.
type LinkPreview struct {
	Mode string    `json:"-"` // ignored if there is a card; empty for PreviewAuto
	Card *LinkCard `json:"card"`
}

// LinkCard is a card for a link.
type LinkCard struct {
	URL         string  `json:"url" doc:"The http or https URL of the link." minLength:"1" maxLength:"2048"`
	Title       string  `json:"title" doc:"The title of the card; may be empty." maxLength:"300" required:"false"`
	Description string  `json:"description" doc:"The text of the card; may be empty." maxLength:"1000" required:"false"`
	Image       *string `json:"image" doc:"The id of a media asset that is a picture; null for none." nullable:"true" required:"false"`
}

// MarshalJSON returns the wire form.
func (l LinkPreview) MarshalJSON() ([]byte, error) {
	switch {
	case l.Card != nil:
		return json.Marshal(l.Card)
	case l.Mode == "":
		return json.Marshal(PreviewAuto)
	}
	return json.Marshal(l.Mode)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (l *LinkPreview) UnmarshalJSON(b []byte) error {
	*l = LinkPreview{}
	if bytes.HasPrefix(bytes.TrimSpace(b), []byte("{")) {
		l.Card = new(LinkCard)
		return json.Unmarshal(b, l.Card)
	}
	return json.Unmarshal(b, &l.Mode)
}

// TargetPart is one part of a target with its progress.
type TargetPart struct {
	Index           int               `json:"index" doc:"0 for the post."`
	Kind            schedctl.PartKind `json:"kind" doc:"post for the first part, reply for the others of a thread, comment for the first comment."`
	Status          schedctl.Status   `json:"status" doc:"Parts are published in order. Those after a failed one stay scheduled."`
	PlatformPostID  *string           `json:"platform_post_id" doc:"The network's id of the published part; null before."`
	PlatformPostURL *string           `json:"platform_post_url" doc:"The public URL of the published part; null before."`
	PublishedAt     *Time             `json:"published_at" doc:"When the network published it; null before."`
	Attempts        int               `json:"attempts" doc:"The number of attempts so far."`
	Error           *TargetError      `json:"error" doc:"The error of the last attempt; null otherwise. On a published part, with kind degraded: the changes that the network made."`
}

// PublishedPart is a part of a target that its network has, in events.
type PublishedPart struct {
	Index           int          `json:"index" doc:"0 for the post."`
	PlatformPostID  string       `json:"platform_post_id,omitempty" doc:"The network's id of the part."`
	PlatformPostURL string       `json:"platform_post_url,omitempty" doc:"The public URL of the part."`
	PublishedAt     *Time        `json:"published_at,omitempty" doc:"When the network published it."`
	Error           *TargetError `json:"error,omitempty" doc:"With kind degraded: the changes that the network made."`
}

func newParts(list []schedctl.Part) []Part {
	out := make([]Part, len(list))
	for i := range list {
		out[i] = Part{Content: list[i].Content, Media: postMedia(list[i].Media)}
	}
	return out
}

func newPart(part *schedctl.Part) *Part {
	if part == nil {
		return nil
	}
	return &Part{Content: part.Content, Media: postMedia(part.Media)}
}

func newPoll(p *schedctl.Poll) *Poll {
	if p == nil {
		return nil
	}
	return &Poll{
		Options: append([]string{}, p.Options...), ExpiresInSeconds: int64(p.ExpiresIn / time.Second),
		Multiple: p.Multiple, HideTotals: p.HideTotals,
	}
}

func newLinkPreview(l schedctl.LinkPreview) LinkPreview {
	switch l.Mode {
	case schedctl.PreviewNone:
		return LinkPreview{Mode: PreviewNone}
	case schedctl.PreviewCard:
		return LinkPreview{Card: &LinkCard{URL: l.URL, Title: l.Title, Description: l.Description, Image: optional(l.Image.AssetID)}}
	}
	return LinkPreview{Mode: PreviewAuto}
}

func newTargetParts(p *schedctl.Post, t *schedctl.Target) []TargetPart {
	states := p.PartStates(t)
	out := make([]TargetPart, len(states))
	for i, s := range states {
		out[i] = TargetPart{
			Index: s.Index, Kind: s.Kind, Status: s.Status, PlatformPostID: optional(s.ID), PlatformPostURL: optional(s.URL),
			PublishedAt: NewTime(s.PublishedAt), Attempts: s.Attempts, Error: NewTargetError(s.Error),
		}
	}
	return out
}

func newPublishedParts(list []schedctl.PublishedPart) []PublishedPart {
	var out []PublishedPart
	for i, d := range list {
		out = append(out, PublishedPart{
			Index: i, PlatformPostID: d.ID, PlatformPostURL: d.URL, PublishedAt: NewTime(d.PublishedAt), Error: NewTargetError(d.Error),
		})
	}
	return out
}
