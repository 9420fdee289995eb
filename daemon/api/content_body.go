package api

import (
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// contentBody has the fields of a body that change the content of a post or a series. Null
// is an empty value. The hashes of media are not set.
type contentBody struct {
	schedctl.ContentChange
	mediaField string // the name of the field that gave the media

	hasComment bool // first_comment is given and not null
	hasPoll    bool // poll is given and not null
}

// content returns the fields of a content in a body. The media are in one of two fields.
func (d *decoder) content(text *string, media *[]apiv1.PostMedia, ids *[]string, b *apiv1.ExtrasChange) contentBody {
	out := contentBody{
		hasComment: b.FirstComment != nil && !d.wasNull("first_comment"), hasPoll: b.Poll != nil && !d.wasNull("poll"),
		ContentChange: schedctl.ContentChange{Text: text, PresentationChange: schedctl.PresentationChange{ContentWarning: b.ContentWarning, Visibility: b.Visibility, Language: b.Language}},
	}
	switch {
	case ids != nil:
		out.mediaField = "media_asset_ids"
		out.Media = new(convert(*ids, func(id string) schedctl.PostMedia { return schedctl.PostMedia{AssetID: id} }))
	case media != nil:
		out.mediaField, out.Media = "media", new(convert(*media, newMedia))
	}
	if b.Thread != nil {
		out.Thread = new(convert(*b.Thread, newPart))
	}
	if b.FirstComment != nil {
		out.FirstComment = new(newPart(*b.FirstComment))
	}
	if b.Poll != nil {
		out.Poll = newPoll(b.Poll)
	}
	if b.LinkPreview != nil {
		out.LinkPreview = new(newPreview(b.LinkPreview))
	}
	return out
}

// over returns a content with the given fields. An empty comment or poll that is not null
// stays, so that the domain refuses it.
func (b *contentBody) over(c schedctl.Content) schedctl.Content {
	b.SetIn(&c)
	if b.hasComment {
		c.FirstComment = b.FirstComment
	}
	if b.hasPoll {
		c.Poll = b.Poll
	}
	return c
}

// newMedia returns one file of a post. Without an alt text, it gets that of the asset.
func newMedia(m apiv1.PostMedia) schedctl.PostMedia {
	out := schedctl.PostMedia{AssetID: m.ID, HasAltText: m.AltText != nil}
	set(&out.AltText, m.AltText)
	return out
}

func newPart(p apiv1.Part) schedctl.Part {
	out := schedctl.Part{Content: p.Content}
	if p.Media != nil {
		out.Media = convert(p.Media, newMedia)
	}
	return out
}

func newPoll(p *apiv1.Poll) *schedctl.Poll {
	return &schedctl.Poll{
		Options: p.Options, ExpiresIn: time.Duration(p.ExpiresInSeconds) * time.Second, Multiple: p.Multiple, HideTotals: p.HideTotals,
	}
}

func newPreview(l *apiv1.LinkPreview) schedctl.LinkPreview {
	switch {
	case l.Card != nil:
		out := schedctl.LinkPreview{Mode: schedctl.PreviewCard, URL: l.Card.URL, Title: l.Card.Title, Description: l.Card.Description}
		set(&out.Image.AssetID, l.Card.Image)
		out.Image.HasAltText = l.Card.Image != nil
		return out
	case l.Mode == apiv1.PreviewNone:
		return schedctl.LinkPreview{Mode: schedctl.PreviewNone}
	}
	return schedctl.LinkPreview{}
}

// newOverride returns an override. A field that is null or absent has the value that the
// account would get without the override.
func newOverride(b apiv1.Override) schedctl.Override {
	out := schedctl.Override{AccountID: b.SocialAccountID, Partial: schedctl.Partial{Options: b.Options}}
	set(&out.Text, b.Content)
	set(&out.ContentWarning, b.ContentWarning)
	set(&out.Visibility, b.Visibility)
	set(&out.Language, b.Language)
	if b.Media != nil {
		out.Media = convert(*b.Media, newMedia)
	}
	if b.Thread != nil {
		out.Thread = convert(*b.Thread, newPart)
	}
	if b.Poll != nil {
		out.Poll = newPoll(b.Poll)
	}
	return out
}

// newOverrides returns a list of overrides, nil for an absent one.
func newOverrides(list *[]apiv1.Override) *[]schedctl.Override {
	if list == nil {
		return nil
	}
	return new(convert(*list, newOverride))
}
