package files

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// partState is a further part of a thread, or the first comment.
type partState struct {
	Content string       `json:"content,omitempty"`
	Media   []mediaState `json:"media,omitempty"`
}

// pollState is a poll. In an override, a poll without options means no poll.
type pollState struct {
	Options    []string `json:"options"`
	Seconds    int64    `json:"seconds"`
	Multiple   bool     `json:"multiple,omitempty"`
	HideTotals bool     `json:"hide_totals,omitempty"`
}

// cardState is a card for a link.
type cardState struct {
	URL         string      `json:"url"`
	Title       string      `json:"title,omitempty"`
	Description string      `json:"description,omitempty"`
	Image       *mediaState `json:"image,omitempty"` // without an alt text
}

// setParts sets the fields of the state besides the first part.
func (s *postState) setParts(p apiv1.Post) {
	if len(p.Thread) > 0 {
		s.Thread = partStates(p.Thread, p.MediaAssets)
	}
	if p.FirstComment != nil {
		s.FirstComment = &partStates([]apiv1.Part{*p.FirstComment}, p.MediaAssets)[0]
	}
	s.Poll = pollStateOf(p.Poll)
	s.ContentWarning, s.Visibility, s.Language = cli.Deref(p.ContentWarning), cli.Deref(p.Visibility), cli.Deref(p.Language)
	card := p.LinkPreview.Card
	if card == nil {
		s.NoPreview = p.LinkPreview.Mode == apiv1.PreviewNone
		return
	}
	s.Card = &cardState{URL: card.URL, Title: card.Title, Description: card.Description}
	if id := cli.Deref(card.Image); id != "" {
		s.Card.Image = &mediaStates([]apiv1.PostMedia{{ID: id}}, p.MediaAssets)[0]
	}
}

// partStates returns the states of parts, never nil.
func partStates(parts []apiv1.Part, assets []apiv1.MediaAsset) []partState {
	states := make([]partState, len(parts))
	for i, part := range parts {
		states[i] = partState{Content: part.Content, Media: mediaStates(part.Media, assets)}
	}
	return states
}

func pollStateOf(p *apiv1.Poll) *pollState {
	if p == nil {
		return nil
	}
	return &pollState{Options: append([]string{}, p.Options...), Seconds: p.ExpiresInSeconds, Multiple: p.Multiple, HideTotals: p.HideTotals}
}

// api returns the poll for a request.
func (p *pollState) api() *apiv1.Poll {
	if p == nil {
		return nil
	}
	return &apiv1.Poll{Options: p.Options, ExpiresInSeconds: p.Seconds, Multiple: p.Multiple, HideTotals: p.HideTotals}
}

// allMedia returns the media of all parts, the picture of the card, and the media of single
// accounts. It can return the same bytes several times.
func (s postState) allMedia() []mediaState {
	list := slices.Clone(s.Media)
	for _, part := range s.Thread {
		list = append(list, part.Media...)
	}
	if s.FirstComment != nil {
		list = append(list, s.FirstComment.Media...)
	}
	if s.Card != nil && s.Card.Image != nil {
		list = append(list, *s.Card.Image)
	}
	for _, o := range s.Overrides {
		if o.Media != nil {
			list = append(list, *o.Media...)
		}
		for _, part := range cli.Deref(o.Thread) {
			list = append(list, part.Media...)
		}
	}
	return list
}

// withMediaOf returns the state with the media of other in the parts whose own media
// have unknown bytes.
func (s postState) withMediaOf(other postState) postState {
	known := func(own, others []mediaState) []mediaState {
		if hasUnknownBytes(own) {
			return others
		}
		return own
	}
	s.Media = known(s.Media, other.Media)
	s.Thread = slices.Clone(s.Thread)
	for i := range s.Thread[:min(len(s.Thread), len(other.Thread))] {
		s.Thread[i].Media = known(s.Thread[i].Media, other.Thread[i].Media)
	}
	if s.FirstComment != nil && other.FirstComment != nil {
		s.FirstComment = &partState{Content: s.FirstComment.Content, Media: known(s.FirstComment.Media, other.FirstComment.Media)}
	}
	s.Overrides = slices.Clone(s.Overrides)
	for i, o := range s.Overrides {
		at := slices.IndexFunc(other.Overrides, func(other overrideState) bool { return other.Account == o.Account })
		if at >= 0 {
			s.Overrides[i] = o.withMediaOf(other.Overrides[at], known)
		}
	}
	if card := s.Card; card != nil && other.Card != nil && card.Image != nil && hasUnknownBytes([]mediaState{*card.Image}) {
		s.Card = &cardState{URL: card.URL, Title: card.Title, Description: card.Description, Image: other.Card.Image}
	}
	return s
}

// withMediaOf returns the override with the media that known chooses: for each part, its
// own media or those of other.
func (o overrideState) withMediaOf(other overrideState, known func(own, others []mediaState) []mediaState) overrideState {
	if o.Media != nil && other.Media != nil {
		o.Media = new(known(*o.Media, *other.Media))
	}
	if o.Thread != nil && other.Thread != nil {
		parts := slices.Clone(*o.Thread)
		for i := range parts[:min(len(parts), len(*other.Thread))] {
			parts[i].Media = known(parts[i].Media, (*other.Thread)[i].Media)
		}
		o.Thread = &parts
	}
	return o
}

// partFields returns the fields of a state besides those of the first part.
func (s postState) partFields(files map[string]mediaState) (list []difference) {
	add := func(field, value string) { list = append(list, difference{Field: field, After: value}) }
	for i, part := range s.Thread {
		name := fmt.Sprintf("part %d", i+2)
		add(name, part.Content)
		add("media "+name, mediaText(part.Media, files))
	}
	if s.FirstComment != nil {
		add("first_comment", s.FirstComment.Content)
		add("media first_comment", mediaText(s.FirstComment.Media, files))
	}
	add("poll", s.Poll.text())
	add("link_preview", s.previewText(files))
	add("content_warning", s.ContentWarning)
	add("visibility", s.Visibility)
	add("language", s.Language)
	return list
}

// partFields returns what an account gets instead of what the post says, besides text,
// media and options. name is that of the account.
func (o overrideState) partFields(name string, files map[string]mediaState) (list []difference) {
	if o.Thread != nil {
		if len(*o.Thread) == 0 {
			list = append(list, difference{Field: "thread " + name, After: "no further parts"})
		}
		for i, part := range *o.Thread {
			number := fmt.Sprintf("part %d", i+2)
			list = append(list, difference{Field: "override " + name + " " + number, After: part.Content})
			if media := mediaText(part.Media, files); media != "" {
				list = append(list, difference{Field: "media " + name + " " + number, After: media})
			}
		}
	}
	for _, field := range []difference{
		{Field: "poll", After: o.Poll.text()}, {Field: "content_warning", After: o.ContentWarning},
		{Field: "visibility", After: o.Visibility}, {Field: "language", After: o.Language},
	} {
		field.Field += " " + name
		list = append(list, field)
	}
	return list
}

// text describes a poll in one line, for a diff. Polls that differ have other texts.
func (p *pollState) text() string {
	if p == nil {
		return ""
	}
	if len(p.Options) == 0 {
		return "no poll"
	}
	text := strings.Join(cli.Map(p.Options, quotedText), ", ") + ", for " + fields.PollTime(*p.api())
	if p.Multiple {
		text += ", several options"
	}
	if p.HideTotals {
		text += ", votes hidden until the end"
	}
	return text
}

func (s postState) previewText(files map[string]mediaState) string {
	card := s.Card
	switch {
	case s.NoPreview:
		return "no card"
	case card == nil:
		return ""
	}
	text := card.URL
	if card.Title != "" {
		text += ", title: " + quotedText(card.Title)
	}
	if card.Description != "" {
		text += ", description: " + quotedText(card.Description)
	}
	if card.Image != nil {
		text += ", image: " + cli.FirstNonEmpty(files[card.Image.SHA256].Name, card.Image.Name)
	}
	return text
}

// quotedText returns a text in quotes, which separate it from the text after it.
func quotedText(text string) string { return fmt.Sprintf("%q", text) }
