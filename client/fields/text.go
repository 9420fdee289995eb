// Package fields describes the fields of posts once: the names, labels and flags of
// settings, how the values of the API are copied into each other, and when two values are
// the same. Commands, files and the terminal UI range over its tables. [Texts] are the
// settings that are one text, [Copy] copies content between values of the API, [Apply]
// and [Changes] go from a change to a post and back.
//
// A new setting that is one text is a line in [Texts]; any other new field of a post is a
// name in the list of [Copy] and a line in [Changes].
package fields

import (
	"reflect"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// Text is a setting of a post that is one text.
type Text struct {
	Name   string   // in the API and in files, such as content_warning
	Label  string   // for people
	Flag   string   // the flag that sets it, without dashes
	Usage  string   // of the flag, with the name of the value in backquotes
	Unset  string   // what removing the setting means: the usage of the flag --no-FLAG
	Values []string // all values; nil if it is any text
	Note   bool     // for the users of the client alone: no network gets it, and series have none

	field string // in the structs of apiv1
}

// Texts are the settings that are one text, in the order in which they are shown.
var Texts = []Text{
	{
		Name: "title", Label: "Title", Flag: "title", Note: true, field: "Title",
		Usage: "a `title` for you and for programs; no network gets it", Unset: "remove the title",
	},
	{
		Name: "post_style", Label: "Post style", Flag: "post-style", Note: true, field: "PostStyle", Values: styles(),
		Usage: "what the first part consists of, a `choice` of text, text_media, media_only, video_only", Unset: "remove the style",
	},
	{
		Name: "content_warning", Label: "Content warning", Flag: "content-warning", field: "ContentWarning",
		Usage: "a `text` that readers see before they open the post", Unset: "remove the content warning",
	},
	{
		Name: "visibility", Label: "Visibility", Flag: "visibility", field: "Visibility", Values: schedctl.Visibilities(),
		Usage: "who sees the post, a `choice` of public, unlisted, followers, direct (default: as the account's options say)",
		Unset: "use the visibility of the accounts",
	},
	{
		Name: "language", Label: "Language", Flag: "language", field: "Language",
		Usage: "the `language` of the text, such as en or pt-BR", Unset: "use the language of the accounts",
	},
}

func styles() (list []string) {
	for _, s := range schedctl.PostStyles() {
		list = append(list, string(s))
	}
	return list
}

// Of returns the setting in a pointer to a struct of apiv1, such as [apiv1.Post],
// [apiv1.EditPost] or [apiv1.Override]. It returns nil if the struct has no such setting.
func (t *Text) Of(of any) **string {
	f := reflect.ValueOf(of).Elem().FieldByName(t.field)
	if !f.IsValid() {
		return nil
	}
	return f.Addr().Interface().(**string)
}

// Get returns the value of the setting, empty if it is not set.
func (t *Text) Get(of any) string {
	if p := t.Of(of); p != nil && *p != nil {
		return **p
	}
	return ""
}

// Presentation returns how networks show a post, or what an account gets instead, from the
// settings in a pointer to a struct of apiv1.
func Presentation(of any) (p schedctl.Presentation) {
	for _, f := range p.Fields() {
		*f.Text = Texts[slices.IndexFunc(Texts, func(t Text) bool { return t.Name == f.Name })].Get(of)
	}
	return p
}

// PresentationNames are the names of the fields of a presentation.
func PresentationNames() (names []string) {
	for _, f := range new(schedctl.Presentation).Fields() {
		names = append(names, f.Name)
	}
	return names
}

// Accepts reports whether a value is one of those that the setting may have.
func (t *Text) Accepts(value string) bool { return t.Values == nil || slices.Contains(t.Values, value) }

// Line is a field of a post with its value in one line.
type Line struct{ Name, Label, Value string }

// Lines returns the settings of a post that are set, in the order of [Texts], its link
// preview, and the link card that reviewers see.
func Lines(p apiv1.Post) (lines []Line) {
	for _, t := range Texts {
		lines = append(lines, Line{t.Name, t.Label, t.Get(&p)})
	}
	card := func(c *apiv1.LinkCard, whole, part, label, partLabel string) {
		lines = append(lines, Line{whole, label, joined(c.URL, c.Title)},
			Line{part + "_description", partLabel + " description", c.Description}, Line{part + "_image", partLabel + " image", deref(c.Image)})
	}
	if p.Approval != nil && p.Approval.Card != nil {
		card(p.Approval.Card, "link_card", "card", "Link card", "Card")
	}
	if c := p.LinkPreview.Card; c != nil {
		card(c, "link_preview", "preview", "Link preview", "Preview")
	} else if p.LinkPreview.Mode == apiv1.PreviewNone {
		lines = append(lines, Line{"link_preview", "Link preview", apiv1.PreviewNone})
	}
	return slices.DeleteFunc(lines, func(l Line) bool { return l.Value == "" })
}

func joined(a, b string) string {
	if b == "" {
		return a
	}
	return a + " " + b
}

func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
