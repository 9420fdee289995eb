package postfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/schedctl/schedctl/client/threadtext"
)

// Encode returns the file in the format that [Parse] reads. Parse returns an equal file,
// except that Windows line endings in the content become "\n".
func (f *File) Encode() []byte {
	e := &encoder{}
	e.line(fence)
	e.scalar("id", f.ID)
	e.scalar("at", f.At)
	e.scalar("tz", f.TZ)
	e.scalar("queue", f.Queue)
	e.scalar("not_before", f.NotBefore)
	e.scalar("repeat", f.Repeat)
	e.scalar("start", f.Start)
	e.scalar("name", f.Name)
	e.list("to", f.To)
	e.list("labels", f.Labels)
	if len(f.Thread) > 0 {
		e.line("thread: true")
	}
	e.scalar("content_warning", f.ContentWarning)
	e.scalar("visibility", f.Visibility)
	e.scalar("language", f.Language)
	e.preview(f.LinkPreview)
	e.media("", "media", f.Media)
	e.partMedia(f.Thread)
	e.comment(f.FirstComment)
	e.poll("", f.Poll)
	e.overrides(f.Overrides)
	e.options(f.Overrides)
	e.line(fence + "\n")
	e.line("%s", f.body())
	return e.Bytes()
}

// body returns the text of all parts.
func (f *File) body() string {
	if len(f.Thread) == 0 {
		return f.Content.Text
	}
	texts := []string{f.Content.Text}
	for _, part := range f.Thread {
		texts = append(texts, part.Content.Text)
	}
	return threadtext.Join(texts)
}

// encoder writes the members of a front matter. Empty ones are left out.
type encoder struct{ bytes.Buffer }

func (e *encoder) line(format string, args ...any) { fmt.Fprintf(e, format+"\n", args...) }

func (e *encoder) scalar(key string, v Value) {
	if v.Text != "" {
		e.line("%s: %s", key, quoted(v.Text))
	}
}

func (e *encoder) list(key string, list []Value) {
	var texts []string
	for _, item := range list {
		texts = append(texts, quoted(item.Text))
	}
	if texts != nil {
		e.line("%s: [%s]", key, strings.Join(texts, ", "))
	}
}

// media writes a list of files. indent is the white space before the key.
func (e *encoder) media(indent, key string, media []Media) {
	if len(media) > 0 {
		e.line("%s%s:", indent, key)
	}
	for _, m := range media {
		e.line("%s  - file: %s", indent, quoted(m.File.Text))
		if m.Alt.Text != "" {
			e.line("%s    alt: %s", indent, quoted(m.Alt.Text))
		}
	}
}

// options writes the options of accounts.
func (e *encoder) options(overrides []Override) {
	written := false
	for _, o := range overrides {
		v := overrideOptions(o)
		if v == "" {
			continue
		}
		if !written {
			e.line("options:")
			written = true
		}
		e.line("  %s: %s", quoted(o.Account.Text), v)
	}
}

func overrideText(o Override) string {
	if o.Text.Line == 0 && o.Text.Text == "" {
		return ""
	}
	return quotedBlock(o.Text.Text)
}

// quotedBlock returns a text from whose end Parse removes one line break.
func quotedBlock(text string) string { return quoted(blockText(text)) }

// blockText returns a text with the line break that Parse removes.
func blockText(text string) string {
	if strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

func overrideOptions(o Override) string {
	if o.Options == nil {
		return ""
	}
	var values []string
	for _, name := range slices.Sorted(maps.Keys(o.Options)) {
		values = append(values, quoted(name)+": "+asJSON(o.Options[name]))
	}
	return "{" + strings.Join(values, ", ") + "}"
}

// plain matches texts that YAML can hold without quotes, such as times.
var plain = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/-]*$|^[0-9T:.-]+Z$`)

// quoted returns a text as a YAML scalar. Every JSON string is one.
func quoted(text string) string {
	switch strings.ToLower(text) {
	case "null", "true", "false", "yes", "no", "on", "off", "y", "n":
	default:
		if plain.MatchString(text) {
			return text
		}
	}
	return asJSON(text)
}

func asJSON(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(v) // cannot fail for texts, booleans and numbers
	return strings.TrimSuffix(b.String(), "\n")
}
