package files

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// postState holds the fields of a post that files control, in the canonical form whose
// digest daemons store. Later fields need omitempty: a post that does not use them keeps
// its digest.
type postState struct {
	Content   string          `json:"content"`
	Queue     string          `json:"queue,omitempty"`      // the id of the queue of a post with a slot, in place of At
	NotBefore string          `json:"not_before,omitempty"` // of a post with a slot, as the API writes it
	At        string          `json:"at,omitempty"`         // as the API writes it; empty for a draft
	Series    *seriesState    `json:"series,omitempty"`     // of a recurring post, in place of At
	Accounts  []string        `json:"accounts,omitempty"`   // ids, sorted
	Overrides []overrideState `json:"overrides,omitempty"`  // sorted by account, none empty
	Labels    []string        `json:"labels,omitempty"`     // sorted
	Media     []mediaState    `json:"media,omitempty"`      // in the order of the post

	Thread       []partState `json:"thread,omitempty"` // the parts after the first one
	FirstComment *partState  `json:"first_comment,omitempty"`
	Poll         *pollState  `json:"poll,omitempty"`
	NoPreview    bool        `json:"no_preview,omitempty"`
	Card         *cardState  `json:"card,omitempty"` // for a link
	presentation
	Title     string `json:"title,omitempty"`
	PostStyle string `json:"post_style,omitempty"`
}

type overrideState struct {
	Account string         `json:"account"`
	Content string         `json:"content,omitempty"`
	Options map[string]any `json:"options,omitempty"`

	// The account gets these instead of those of the post, unless they are nil or empty.
	Media  *[]mediaState `json:"media,omitempty"`
	Thread *[]partState  `json:"thread,omitempty"`
	Poll   *pollState    `json:"poll,omitempty"`
	presentation
}

// presentation says how networks show a post, or what one account gets instead.
type presentation struct {
	ContentWarning string `json:"content_warning,omitempty"`
	Visibility     string `json:"visibility,omitempty"`
	Language       string `json:"language,omitempty"`
}

// fields adds the fields. name is that of the account, or empty.
func (p presentation) fields(name string, add func(field, value string)) {
	shown := schedctl.Presentation(p)
	for _, f := range shown.Fields() {
		add(strings.TrimSpace(f.Name+" "+name), *f.Text)
	}
}

// mediaState is one file of a post. The digest of the post covers its bytes and its alt
// text, but not its name.
type mediaState struct {
	SHA256 string `json:"sha256"` // in hexadecimal; for an asset without known bytes, see unknownBytes
	Alt    string `json:"alt,omitempty"`

	Name string `json:"-"` // for messages
	Size int64  `json:"-"` // in bytes; 0 if it is not known
}

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

// fileState returns the state of a file of a request, or false to leave it out. Paths are
// those of the API; that of an override has the account.
type fileState func(path string, m apiv1.PostMedia) (mediaState, bool)

// newState returns the state of a request without its times.
func newState(p apiv1.CreatePost, file fileState) postState {
	p = canonical(p)
	s := postState{
		Content: p.Content, Accounts: p.SocialAccountIDs, Labels: p.Labels, Media: file.list("", p.Media), Poll: newPoll(p.Poll),
		presentation: presentation(fields.Presentation(&p)),
		Title:        cli.Deref(p.Title), PostStyle: cli.Deref(p.PostStyle),
	}
	if len(p.Thread) > 0 {
		s.Thread = file.parts("", p.Thread)
	}
	if c := p.FirstComment; c != nil {
		s.FirstComment = &partState{Content: c.Content, Media: file.list("first_comment.", c.Media)}
	}
	if preview := cli.Deref(p.LinkPreview); preview.Card != nil {
		s.Card = &cardState{URL: preview.Card.URL, Title: preview.Card.Title, Description: preview.Card.Description}
		if image := cli.Deref(preview.Card.Image); image != "" {
			if state, known := file("link_preview.image", apiv1.PostMedia{ID: image}); known {
				s.Card.Image = &state
			}
		}
	} else {
		s.NoPreview = preview.Mode == apiv1.PreviewNone
	}
	for _, o := range p.TargetOverrides {
		path := o.SocialAccountID + "."
		state := overrideState{
			Account: o.SocialAccountID, Content: cli.Deref(o.Content), Options: o.Options, Poll: newPoll(o.Poll),
			presentation: presentation(fields.Presentation(&o)),
		}
		if o.Media != nil {
			state.Media = new(file.list(path, *o.Media))
		}
		if o.Thread != nil {
			state.Thread = new(file.parts(path, *o.Thread))
		}
		s.Overrides = append(s.Overrides, state)
	}
	return s
}

func (file fileState) list(path string, media []apiv1.PostMedia) (states []mediaState) {
	for i, m := range media {
		if state, known := file(fmt.Sprintf("%smedia[%d]", path, i), m); known {
			states = append(states, state)
		}
	}
	return states
}

func (file fileState) parts(path string, parts []apiv1.Part) []partState {
	states := make([]partState, len(parts))
	for i, part := range parts {
		states[i] = partState{Content: part.Content, Media: file.list(fmt.Sprintf("%sthread[%d].", path, i), part.Media)}
	}
	return states
}

func newPoll(p *apiv1.Poll) *pollState {
	if p == nil {
		return nil
	}
	return &pollState{Options: append([]string{}, p.Options...), Seconds: p.ExpiresInSeconds, Multiple: p.Multiple, HideTotals: p.HideTotals}
}

// canonical returns a request with sorted accounts, labels and overrides, and without
// overrides that say nothing.
func canonical(p apiv1.CreatePost) apiv1.CreatePost {
	p.SocialAccountIDs = slices.Compact(slices.Sorted(slices.Values(p.SocialAccountIDs)))
	p.Labels = slices.Compact(slices.Sorted(slices.Values(p.Labels)))
	p.TargetOverrides = slices.DeleteFunc(slices.Clone(p.TargetOverrides), fields.IsEmpty)
	slices.SortFunc(p.TargetOverrides, func(a, b apiv1.Override) int { return cmp.Compare(a.SocialAccountID, b.SocialAccountID) })
	return p
}

// requestOf returns the content, the accounts and the notes of a post as a request.
func requestOf(p apiv1.Post) (create apiv1.CreatePost) {
	if fields.Copy(&create, p); p.LinkPreview.Card == nil && p.LinkPreview.Mode != apiv1.PreviewNone {
		create.LinkPreview = nil
	}
	return create
}

// stateOf returns the state of a post, with tidy texts.
func stateOf(p apiv1.Post) postState { return stateWith(p, stateOfAsset(p.MediaAssets)) }

func stateWith(p apiv1.Post, file fileState) postState {
	return stateFor(p, fields.Tidy(requestOf(p)), file)
}

// appliedPost returns what plan needs to know whether another client has changed a post
// since the last apply. have is its state. Daemons of earlier versions stored texts that
// were not tidy, and so did apply in its digest.
func appliedPost(p apiv1.Post, have postState, file fileState) applied {
	return applied{p.Managed, []string{have.digest(), stateFor(p, requestOf(p), file).digest()}}
}

// stateFor returns the state of a post with the content of a request.
func stateFor(p apiv1.Post, content apiv1.CreatePost, file fileState) postState {
	s := newState(content, file)
	switch {
	case p.Slot != nil:
		// The time of the slot is not part of the state: queues may move their posts.
		s.Queue = cli.FirstNonEmpty(cli.Deref(p.QueueID), deletedQueue)
		if p.NotBefore != nil {
			s.NotBefore = formatTime(p.NotBefore.Time)
		}
	case p.PublishAt != nil:
		s.At = formatTime(p.PublishAt.Time)
	case inReview(p):
		s.At = formatTime(p.ProposedAt.Time)
	}
	if plain := s.withoutNotes(); p.Managed != nil && p.Managed.Digest == plain.digest() {
		return plain
	}
	return s
}

// withoutNotes returns the state without what its file did not control when it was
// applied: an earlier version did not know it, or another client has set it.
func (s postState) withoutNotes() postState {
	s.Title, s.PostStyle = "", ""
	if s.Series != nil {
		series := *s.Series
		series.Variants, series.Exdates, series.AheadDays = nil, nil, 0
		s.Series = &series
	}
	return s
}

// unknownBytes starts the hash of an asset whose bytes are not known: its upload is not
// confirmed, or it was deleted after publishing. The id of the asset follows.
const unknownBytes = "asset:"

// stateOfAsset returns the states of files that are assets. Alt texts have no line breaks
// at their end, as in post files.
func stateOfAsset(assets []apiv1.MediaAsset) fileState {
	return func(_ string, m apiv1.PostMedia) (mediaState, bool) {
		state := mediaState{SHA256: unknownBytes + m.ID, Name: m.ID, Alt: strings.TrimRight(cli.Deref(m.AltText), "\n")}
		if i := slices.IndexFunc(assets, func(a apiv1.MediaAsset) bool { return a.ID == m.ID }); i >= 0 {
			state.Name, state.Size = assets[i].FileName, assets[i].SizeBytes
			if sum := cli.Deref(assets[i].SHA256); sum != "" {
				state.SHA256 = sum
			}
		}
		return state, true
	}
}

// orWanted returns the states of files, and for one with unknown bytes that of the file
// at the same path of a wanted request, if there is one.
func (file fileState) orWanted(w wantedPost) fileState {
	wanted := map[string]mediaState{}
	newState(w.request, func(path string, m apiv1.PostMedia) (mediaState, bool) {
		state, known := w.files(path, m)
		if known {
			wanted[path] = state
		}
		return state, known
	})
	return func(path string, m apiv1.PostMedia) (mediaState, bool) {
		state, known := file(path, m)
		if strings.HasPrefix(state.SHA256, unknownBytes) {
			state, known = wanted[path]
		}
		return state, known
	}
}

func (s postState) digest() string { return digestOf(s) }

// form returns a state or a part of it as JSON.
func form(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // texts, numbers and booleans always have a form
	}
	return string(text)
}

func formatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return apiv1.Time{Time: t}.String()
}

// texts returns the settings that are one text, by their names.
func (s postState) texts() map[string]string {
	texts := map[string]string{"title": s.Title, "post_style": s.PostStyle}
	s.presentation.fields("", func(field, value string) { texts[field] = value })
	return texts
}

// changes returns what makes a post in one state have another one, besides its times. The
// request has the new values.
func changes(have, want postState, request apiv1.CreatePost) (edit apiv1.EditPost) {
	differ := func(a, b any) bool { return form(a) != form(b) }
	if have.Content != want.Content {
		edit.Content = &request.Content
	}
	if differ(have.Labels, want.Labels) {
		edit.Labels = new(append([]string{}, request.Labels...))
	}
	if differ(have.Media, want.Media) {
		edit.Media = new(append([]apiv1.PostMedia{}, request.Media...))
	}
	if differ(have.Thread, want.Thread) {
		edit.Thread = new(append([]apiv1.Part{}, request.Thread...))
	}
	if differ(have.FirstComment, want.FirstComment) {
		if edit.FirstComment = request.FirstComment; edit.FirstComment == nil {
			edit.FirstComment = &apiv1.Part{Media: []apiv1.PostMedia{}}
		}
	}
	if differ(have.Poll, want.Poll) {
		if edit.Poll = request.Poll; edit.Poll == nil {
			edit.Poll = &apiv1.Poll{Options: []string{}}
		}
	}
	if have.NoPreview != want.NoPreview || differ(have.Card, want.Card) {
		if edit.LinkPreview = request.LinkPreview; edit.LinkPreview == nil {
			edit.LinkPreview = &apiv1.LinkPreview{Mode: apiv1.PreviewAuto}
		}
	}
	had, texts := have.texts(), want.texts()
	for _, t := range fields.Texts {
		if text := texts[t.Name]; had[t.Name] != text {
			*t.Of(&edit) = &text
		}
	}
	moved := !slices.Equal(have.Accounts, want.Accounts)
	if moved {
		edit.SocialAccountIDs = new(append([]string{}, request.SocialAccountIDs...))
	}
	if moved || len(have.Overrides)+len(want.Overrides) > 0 && differ(have.Overrides, want.Overrides) {
		edit.TargetOverrides = new(append([]apiv1.Override{}, request.TargetOverrides...))
	}
	return edit
}
