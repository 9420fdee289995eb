package postfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/client/threadtext"
)

// Encode returns the post file in the format that [Parse] reads. Parse returns an equal
// document, except that Windows line endings in the content become "\n".
func (d *Document) Encode() []byte {
	var b bytes.Buffer
	b.WriteString(fence + "\n")
	writeYAML(&b, "", d.front())
	fmt.Fprintf(&b, "%s\n\n%s\n", fence, d.body())
	return b.Bytes()
}

// body returns the text of all parts.
func (d *Document) body() string {
	if len(d.Post.Thread) == 0 {
		return d.Post.Content
	}
	texts := []string{d.Post.Content}
	for _, part := range d.Post.Thread {
		texts = append(texts, part.Content)
	}
	return threadtext.Join(texts)
}

// object is an object that is being written. Empty values are left out.
type object []entry

func (o *object) add(name string, v value) {
	if v.kind != isNull {
		*o = append(*o, entry{name: name, value: v})
	}
}

func (o *object) text(name, text string) {
	if text != "" {
		o.add(name, textValue(text))
	}
}

func (o *object) optional(name string, text *string) {
	if text != nil {
		o.text(name, *text)
	}
}

func (o *object) list(name string, list []string) {
	if len(list) > 0 {
		o.add(name, listValue(list))
	}
}

func (o *object) yes(name string, v bool) {
	if v {
		o.add(name, value{kind: isBool, text: "true"})
	}
}

func textValue(text string) value { return value{kind: isText, text: text} }

func listValue(list []string) value {
	v := value{kind: isList, items: []value{}}
	for _, text := range list {
		v.items = append(v.items, textValue(text))
	}
	return v
}

func objectValue(o object) value { return value{kind: isObject, entries: o} }

// settings adds the settings that are one text: the notes for users of the client, or how
// networks show the post.
func (o *object) settings(of any, notes bool) {
	for _, t := range fields.Texts {
		if t.Note == notes {
			o.text(t.Name, t.Get(of))
		}
	}
}

// preview adds the card of a link, unless it is the usual one.
func (o *object) preview(p *apiv1.LinkPreview) {
	switch {
	case p == nil:
	case p.Card != nil:
		var card object
		card.text("url", p.Card.URL)
		card.text("title", p.Card.Title)
		card.text("description", p.Card.Description)
		card.optional("image", p.Card.Image)
		o.add("link_preview", objectValue(card))
	case p.Mode == apiv1.PreviewNone:
		o.text("link_preview", p.Mode)
	}
}

// series adds what only series have.
func (o *object) series(d *Document, block func(string) string) {
	o.text("repeat", d.Repeat)
	o.text("start", d.Start)
	o.text("name", d.Name)
	var variants []string
	for _, text := range d.Variants {
		variants = append(variants, block(text))
	}
	o.list("variants", variants)
	o.list("exdates", d.Exdates)
	if d.AheadDays != 0 {
		o.add("ahead_days", value{kind: isNumber, text: strconv.Itoa(d.AheadDays)})
	}
}

// front returns the keys of the front matter.
func (d *Document) front() (o object) {
	o.text("id", d.ID)
	o.text("at", d.At)
	o.text("tz", d.TZ)
	o.text("queue", d.Queue)
	o.text("not_before", d.NotBefore)
	o.series(d, blockText)
	o.list("to", d.To)
	o.list("labels", d.Post.Labels)
	o.settings(&d.Post, true)
	o.yes("thread", len(d.Post.Thread) > 0)
	o.settings(&d.Post, false)
	o.preview(d.Post.LinkPreview)
	if len(d.Post.Media) > 0 {
		o.add("media", filesValue(d.Post.Media))
	}
	var numbered object
	for i, part := range d.Post.Thread {
		if len(part.Media) > 0 {
			numbered.add(strconv.Itoa(i+2), filesValue(part.Media))
		}
	}
	if numbered != nil {
		o.add("part_media", objectValue(numbered))
	}
	if c := d.Post.FirstComment; c != nil {
		o.add("first_comment", filePart(*c))
	}
	if d.Post.Poll != nil {
		o.add("poll", filePoll(*d.Post.Poll))
	}
	var overrides, options object
	for _, p := range d.Post.TargetOverrides {
		if own := fileOverride(p); own.kind != isObject || own.entries != nil {
			overrides.add(p.SocialAccountID, own)
		}
		if p.Options != nil {
			options.add(p.SocialAccountID, optionsValue(p.Options))
		}
	}
	if overrides != nil {
		o.add("override", objectValue(overrides))
	}
	if options != nil {
		o.add("options", objectValue(options))
	}
	return o
}

// filesValue returns files with their alt texts.
func filesValue(media []apiv1.PostMedia) value {
	v := value{kind: isList, items: []value{}}
	for _, m := range media {
		var file object
		file.text("file", m.ID)
		file.optional("alt", m.AltText)
		v.items = append(v.items, objectValue(file))
	}
	return v
}

func filePart(part apiv1.Part) value {
	if len(part.Media) == 0 {
		return textValue(blockText(part.Content))
	}
	var o object
	o.text("content", blockText(part.Content))
	o.add("media", filesValue(part.Media))
	return objectValue(o)
}

func filePoll(p apiv1.Poll) value {
	var o object
	o.add("options", listValue(p.Options))
	o.text("for", fields.PollTime(p))
	o.yes("multiple", p.Multiple)
	o.yes("hide_totals", p.HideTotals)
	return objectValue(o)
}

// fileOverride returns the text of an account, or what else it gets.
func fileOverride(p apiv1.Override) value {
	var o object
	if p.Media != nil {
		o.add("media", filesValue(*p.Media))
	}
	if p.Thread != nil {
		v := value{kind: isList}
		for _, part := range *p.Thread {
			v.items = append(v.items, filePart(part))
		}
		o.add("thread", v)
	}
	switch {
	case p.Poll != nil && len(p.Poll.Options) == 0:
		o.text("poll", noPoll)
	case p.Poll != nil:
		o.add("poll", filePoll(*p.Poll))
	}
	o.settings(&p, false)
	if p.Content == nil {
		return objectValue(o)
	}
	text := textValue(blockText(*p.Content))
	if o == nil {
		return text
	}
	return objectValue(append(object{{name: "content", value: text}}, o...))
}

// optionsValue returns options with their types, in one line.
func optionsValue(options map[string]any) value {
	v := value{kind: isObject, flow: true}
	for _, name := range slices.Sorted(maps.Keys(options)) {
		v.entries = append(v.entries, entry{name: name, value: value{kind: isNumber, text: asJSON(options[name]), exact: options[name]}})
	}
	return v
}

// blockText returns a text with the line break that Parse removes from its end.
func blockText(text string) string {
	if strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

// writeYAML writes a mapping: lists of texts and options in one line, others in blocks.
func writeYAML(b *bytes.Buffer, indent string, entries []entry) {
	for _, e := range entries {
		name := quoted(e.name)
		switch {
		case e.kind == isList && slices.ContainsFunc(e.items, func(v value) bool { return v.kind == isObject }):
			fmt.Fprintf(b, "%s%s:\n", indent, name)
			for _, item := range e.items {
				if item.kind != isObject {
					fmt.Fprintf(b, "%s  - %s\n", indent, flowYAML(item))
					continue
				}
				var block bytes.Buffer
				writeYAML(&block, indent+"    ", item.entries)
				fmt.Fprintf(b, "%s  - %s", indent, block.Bytes()[len(indent)+4:])
			}
		case e.kind == isObject && !e.flow:
			fmt.Fprintf(b, "%s%s:\n", indent, name)
			writeYAML(b, indent+"  ", e.entries)
		default:
			fmt.Fprintf(b, "%s%s: %s\n", indent, name, flowYAML(e.value))
		}
	}
}

// flowYAML returns a value as YAML in one line.
func flowYAML(v value) string { return inline(v, quoted, " ") }

// inline returns a value in one line, with texts and names that quote has quoted, and with
// space after commas and colons.
func inline(v value, quote func(string) string, space string) string {
	var items []string
	switch v.kind {
	case isText:
		return quote(v.text)
	case isList:
		for _, item := range v.items {
			items = append(items, inline(item, quote, space))
		}
		return "[" + strings.Join(items, ","+space) + "]"
	case isObject:
		for _, e := range v.entries {
			items = append(items, quote(e.name)+":"+space+inline(e.value, quote, space))
		}
		return "{" + strings.Join(items, ","+space) + "}"
	}
	return v.text
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
