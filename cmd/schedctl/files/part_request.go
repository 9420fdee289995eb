package files

import (
	"slices"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// partRequests returns parts for a request, with the media that the workspace has, never
// nil.
func (p *planner) partRequests(list []partState) []apiv1.Part {
	parts := make([]apiv1.Part, len(list))
	for i, part := range list {
		parts[i] = apiv1.Part{Content: part.Content, Media: p.mediaRequests(part.Media)}
	}
	return parts
}

// overrideRequests returns the overrides of a state for a request, with the media that the
// workspace has, never nil.
func (p *planner) overrideRequests(s postState) []apiv1.Override {
	list := []apiv1.Override{}
	for _, o := range s.Overrides {
		wire := apiv1.Override{SocialAccountID: o.Account, Options: o.Options, Poll: o.Poll.api()}
		if o.Media != nil {
			wire.Media = new(p.mediaRequests(*o.Media))
		}
		if o.Thread != nil {
			wire.Thread = new(p.partRequests(*o.Thread))
		}
		for _, field := range []struct {
			value string
			to    **string
		}{{o.Content, &wire.Content}, {o.ContentWarning, &wire.ContentWarning}, {o.Visibility, &wire.Visibility}, {o.Language, &wire.Language}} {
			if field.value != "" {
				*field.to = &field.value
			}
		}
		list = append(list, wire)
	}
	return list
}

// commentRequest returns the first comment of a state for a request, or nil.
func (p *planner) commentRequest(s postState) *apiv1.Part {
	if s.FirstComment == nil {
		return nil
	}
	return &p.partRequests([]partState{*s.FirstComment})[0]
}

// previewRequest returns the link preview of a state for a request.
func (p *planner) previewRequest(s postState) *apiv1.LinkPreview {
	card := s.Card
	switch {
	case s.NoPreview:
		return &apiv1.LinkPreview{Mode: apiv1.PreviewNone}
	case card == nil:
		return &apiv1.LinkPreview{Mode: apiv1.PreviewAuto}
	}
	wire := &apiv1.LinkCard{URL: card.URL, Title: card.Title, Description: card.Description}
	if card.Image != nil {
		if id := p.assets.id(card.Image.SHA256); id != "" {
			wire.Image = &id
		}
	}
	return &apiv1.LinkPreview{Card: wire}
}

// addParts adds what a post has besides its first part.
func (p *planner) addParts(create *apiv1.CreatePost, s postState) {
	if len(s.Thread) > 0 {
		create.Thread = p.partRequests(s.Thread)
	}
	create.FirstComment, create.Poll = p.commentRequest(s), s.Poll.api()
	if s.NoPreview || s.Card != nil {
		create.LinkPreview = p.previewRequest(s)
	}
	for _, field := range []struct {
		value string
		to    **string
	}{{s.ContentWarning, &create.ContentWarning}, {s.Visibility, &create.Visibility}, {s.Language, &create.Language}} {
		if field.value != "" {
			*field.to = &field.value
		}
	}
}

// changeParts adds to a request what differs between two states besides the first part.
func (p *planner) changeParts(edit *apiv1.EditPost, have, want postState) {
	samePart := func(a, b partState) bool {
		return a.Content == b.Content && slices.EqualFunc(a.Media, b.Media, sameMedia)
	}
	if !slices.EqualFunc(have.Thread, want.Thread, samePart) {
		edit.Thread = new(p.partRequests(want.Thread))
	}
	switch h, w := have.FirstComment, want.FirstComment; {
	case h == nil && w == nil, h != nil && w != nil && samePart(*h, *w):
	case w == nil:
		edit.FirstComment = &apiv1.Part{Media: []apiv1.PostMedia{}}
	default:
		edit.FirstComment = p.commentRequest(want)
	}
	if have.Poll.text() != want.Poll.text() {
		if edit.Poll = want.Poll.api(); edit.Poll == nil {
			edit.Poll = &apiv1.Poll{Options: []string{}}
		}
	}
	if !samePreview(have, want) {
		edit.LinkPreview = p.previewRequest(want)
	}
	for _, field := range []struct {
		have, want string
		to         **string
	}{
		{have.ContentWarning, want.ContentWarning, &edit.ContentWarning}, {have.Visibility, want.Visibility, &edit.Visibility}, {have.Language, want.Language, &edit.Language},
	} {
		if field.have != field.want {
			*field.to = &field.want
		}
	}
}

// samePreview reports whether two states have the same link preview.
func samePreview(a, b postState) bool {
	if a.NoPreview != b.NoPreview || (a.Card == nil) != (b.Card == nil) {
		return false
	}
	if a.Card == nil {
		return true
	}
	x, y := *a.Card, *b.Card
	image := func(m *mediaState) string { return cli.Deref(m).SHA256 }
	sameImage := image(x.Image) == image(y.Image)
	x.Image, y.Image = nil, nil
	return sameImage && x == y
}
