package files

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// difference is a field that changes.
type difference struct {
	// Field is at, queue, not_before, name, repeat, variants, exdates, ahead_days, to, labels, title, post_style,
	// content, media, first_comment, poll, link_preview or one of a presentation; "part" with
	// a number; "media" with a part or an account; or "override", "options" or another field
	// with an account.
	Field  string `json:"field"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// shownFiles has the files of two states by their hashes, for the names in differences.
type shownFiles map[string]mediaState

func (f shownFiles) add(s postState) {
	list := slices.Clone(s.Media)
	parts := slices.Clone(s.Thread)
	if s.FirstComment != nil {
		parts = append(parts, *s.FirstComment)
	}
	for _, o := range s.Overrides {
		list = append(list, cli.Deref(o.Media)...)
		parts = append(parts, cli.Deref(o.Thread)...)
	}
	for _, part := range parts {
		list = append(list, part.Media...)
	}
	if s.Card != nil && s.Card.Image != nil {
		list = append(list, *s.Card.Image)
	}
	for _, m := range list {
		f[m.SHA256] = m
	}
}

// differencesBetween returns the fields that differ between two states.
func differencesBetween(before, after postState, names AccountRefs) []difference {
	files := shownFiles{}
	files.add(before)
	files.add(after)
	list := before.fields(names, files)
	for i, d := range list {
		list[i] = difference{Field: d.Field, Before: d.After}
	}
	for _, d := range after.fields(names, files) {
		if i := slices.IndexFunc(list, func(b difference) bool { return b.Field == d.Field }); i >= 0 {
			list[i].After = d.After
			continue
		}
		list = append(list, d)
	}
	return slices.DeleteFunc(list, func(d difference) bool { return d.Before == d.After })
}

// fields returns all fields of a state as differences from an empty state.
func (s postState) fields(names AccountRefs, files shownFiles) (list []difference) {
	add := func(field, value string) { list = append(list, difference{Field: field, After: value}) }
	add("at", s.At)
	add("queue", queueText(s.Queue, names))
	add("not_before", s.NotBefore)
	s.Series.fields(add)
	add("to", strings.Join(names.Names(s.Accounts), ", "))
	add("labels", strings.Join(s.Labels, ", "))
	add("title", s.Title)
	add("post_style", s.PostStyle)
	add("content", s.Content)
	add("media", files.text(s.Media))
	for i, part := range s.Thread {
		name := fmt.Sprintf("part %d", i+2)
		add(name, part.Content)
		add("media "+name, files.text(part.Media))
	}
	if s.FirstComment != nil {
		add("first_comment", s.FirstComment.Content)
		add("media first_comment", files.text(s.FirstComment.Media))
	}
	add("poll", s.Poll.text())
	add("link_preview", s.previewText(files))
	s.presentation.fields("", add)
	for _, o := range s.Overrides {
		o.fields(cli.FirstNonEmpty(names[o.Account], o.Account), files, add)
	}
	return list
}

// fields adds what an account gets instead of what the post says. name is that of the
// account.
func (o overrideState) fields(name string, files shownFiles, add func(field, value string)) {
	add("override "+name, o.Content)
	if len(o.Options) > 0 {
		add("options "+name, form(o.Options))
	}
	if o.Media != nil {
		add("media "+name, cli.FirstNonEmpty(files.text(*o.Media), "no files"))
	}
	if o.Thread != nil && len(*o.Thread) == 0 {
		add("thread "+name, "no further parts")
	}
	for i, part := range cli.Deref(o.Thread) {
		number := fmt.Sprintf("part %d", i+2)
		add("override "+name+" "+number, part.Content)
		if media := files.text(part.Media); media != "" {
			add("media "+name+" "+number, media)
		}
	}
	add("poll "+name, o.Poll.text())
	o.presentation.fields(name, add)
}

// text returns media for a diff, a line for each file.
func (f shownFiles) text(list []mediaState) string {
	var lines []string
	for _, m := range list {
		if same, ok := f[m.SHA256]; ok {
			m.Name, m.Size = same.Name, same.Size
		}
		line := m.Name
		if m.Size > 0 {
			line += ", " + cli.SizeText(m.Size)
		}
		if m.Alt == "" {
			line += ", no alt text"
		} else {
			line += ", alt: " + cli.OneLine(m.Alt)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// text describes a poll in one line, for a diff. Polls that differ have other texts.
func (p *pollState) text() string {
	if p == nil {
		return ""
	}
	if len(p.Options) == 0 {
		return "no poll"
	}
	text := strings.Join(cli.Map(p.Options, quotedText), ", ") + ", for " + fields.PollTime(apiv1.Poll{ExpiresInSeconds: p.Seconds})
	if p.Multiple {
		text += ", several options"
	}
	if p.HideTotals {
		text += ", votes hidden until the end"
	}
	return text
}

func (s postState) previewText(files shownFiles) string {
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

// isText reports whether a field holds the text of a post.
func (d difference) isText() bool {
	return d.Field == "content" || d.Field == "first_comment" || strings.HasPrefix(d.Field, "part ") || strings.HasPrefix(d.Field, "override ")
}

// isSetting reports whether a field is the poll, or how networks show a post.
func (d difference) isSetting() bool {
	return d.Field == "poll" || d.Field == "link_preview" || slices.Contains(fields.PresentationNames(), d.Field)
}

// isNote reports whether a field is for the users of the workspace. It can change in every
// status.
func (d difference) isNote() bool {
	return d.Field == "labels" || d.Field == "title" || d.Field == "post_style"
}

// isMedia reports whether a field holds media, a line for each file.
func (d difference) isMedia() bool { return d.Field == "media" || strings.HasPrefix(d.Field, "media ") }
