package postfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Encode returns the file in the format that [Parse] reads. Windows line endings in
// a text are read back as "
// ".
func (f *File) Encode() []byte {
	var b bytes.Buffer
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line(fence)
	for _, v := range []struct{ key, text string }{{"id", f.ID.Text}, {"at", f.At.Text}, {"tz", f.TZ.Text}} {
		if v.text != "" {
			line("%s: %s", v.key, quoted(v.text))
		}
	}
	for _, v := range []struct {
		key  string
		list []Value
	}{{"to", f.To}, {"labels", f.Labels}} {
		var texts []string
		for _, item := range v.list {
			texts = append(texts, quoted(item.Text))
		}
		if texts != nil {
			line("%s: [%s]", v.key, strings.Join(texts, ", "))
		}
	}
	for i, m := range f.Media {
		if i == 0 {
			line("media:")
		}
		line("  - file: %s", quoted(m.File.Text))
		if m.Alt.Text != "" {
			line("    alt: %s", quoted(m.Alt.Text))
		}
	}
	section := func(key string, value func(Override) string) {
		for _, o := range f.Overrides {
			if v := value(o); v != "" {
				line("%s  %s: %s", key, quoted(o.Account.Text), v)
				key = ""
			}
		}
	}
	section("override:\n", func(o Override) string {
		if o.Text.Line == 0 && o.Text.Text == "" {
			return ""
		}
		text := o.Text.Text
		if strings.HasSuffix(text, "\n") {
			text += "\n" // Parse removes one line break
		}
		return quoted(text)
	})
	section("options:\n", func(o Override) string {
		if o.Options == nil {
			return ""
		}
		var values []string
		for _, name := range slices.Sorted(maps.Keys(o.Options)) {
			values = append(values, quoted(name)+": "+asJSON(o.Options[name]))
		}
		return "{" + strings.Join(values, ", ") + "}"
	})
	line(fence + "\n")
	line("%s", f.Content.Text)
	return b.Bytes()
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
