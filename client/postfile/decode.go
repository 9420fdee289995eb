package postfile

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/schedctl/schedctl/client/apiv1"
)

// decoder fills in a document from the values of a file.
type decoder struct {
	*Document
	row      bool // of CSV or JSON Lines, and not a post file
	problems []Problem

	split     bool    // thread: true
	partMedia []entry // by the numbers of parts
	settings  listed  // of a row
	link      string  // of a row, for the end of its text
}

// listed are the keys of a row that belong to others: alt texts to files, and settings to
// a poll. Overrides have their own.
type listed struct {
	alt                  []string
	altAt                Position
	options              *[]string
	runs                 int64
	multiple, hideTotals bool
	at                   Position // of the first key of the poll
}

func (d *decoder) problem(at Position, format string, args ...any) {
	d.problems = append(d.problems, d.Problemf(at.Line, format, args...))
}

// text returns a text, empty for a missing value. Numbers and booleans of YAML are texts.
func (d *decoder) text(e entry) string {
	if e.kind > isBool || d.row && e.kind > isText {
		d.problem(e.value.at, "%q must be a text, not %s", clip(e.name), e.what())
		return ""
	}
	return e.text
}

// line returns a text without the line breaks at its end.
func (d *decoder) line(e entry) string { return strings.TrimRight(d.text(e), "\n") }

// block returns a text that can have several lines. Of a post file, one line break at its
// end is not part of the text.
func (d *decoder) block(e entry) string {
	if d.row {
		return d.text(e)
	}
	return strings.TrimSuffix(d.text(e), "\n")
}

// boolean returns true or false. A missing value is false.
func (d *decoder) boolean(e entry) bool {
	switch e.kind {
	case isNull:
	case isBool:
		return e.exact == true
	default:
		given := ""
		if d.row && e.kind == isText {
			given = ", not " + quotedName(e.text)
		}
		d.problem(e.value.at, "%q must be true or false%s", e.name, given)
	}
	return false
}

// list reads a list of texts. A single text is a list of one.
func (d *decoder) list(path string, e entry) (list []string) {
	if e.kind != isList {
		if text := d.text(e); text != "" {
			d.mark(fmt.Sprintf("%s[0]", path), e.value.at)
			list = append(list, text)
		}
		return list
	}
	for i, item := range e.items {
		text := d.text(entry{e.name, e.at, item})
		if text == "" && !d.row && len(d.problems) == 0 {
			d.problem(item.at, "%q has an empty entry", e.name)
		}
		d.mark(fmt.Sprintf("%s[%d]", path, i), item.at)
		list = append(list, text)
	}
	return list
}

// object returns the entries of a value, and adds a problem for another value.
func (d *decoder) object(e entry, example string) (entries []entry, ok bool) {
	if e.kind != isObject {
		d.problem(e.value.at, "%q must have keys and values, such as %s", e.name, example)
		return nil, false
	}
	return e.entries, true
}

// mapping returns the entries of a mapping by account. A missing value is an empty one.
func (d *decoder) mapping(e entry) []entry {
	if e.kind != isObject && e.kind != isNull {
		d.problem(e.value.at, "%s", notMapping)
	}
	return e.entries
}

// unknown adds the problem of an unknown key.
func (d *decoder) unknown(e entry, of, known string) {
	d.problem(e.at, "unknown key %q; the keys of %s are %s", clip(e.name), of, known)
}

const (
	mediaExample = `{file: images/a.png, alt: "A red door"}`
	pollExample  = "{options: [Tea, Coffee], for: 1d}"
	cardExample  = "{url: https://example.org, title: Release notes}"
)

// media reads a list of files. In a row an entry is a path.
func (d *decoder) media(path string, e entry) (list []apiv1.PostMedia) {
	switch {
	case e.kind == isNull:
		return nil
	case d.row:
		for _, ref := range d.list(path, e) {
			list = append(list, apiv1.PostMedia{ID: ref})
		}
		return list
	case e.kind != isList:
		d.problem(e.value.at, "%q must be a list of files, such as [%s]", e.name, mediaExample)
		return nil
	}
	paths := map[string]bool{}
	for _, item := range e.items {
		if item.kind != isObject {
			d.problem(item.at, "%q has an entry that is not a file, such as %s", e.name, mediaExample)
			continue
		}
		m, at, good := d.file(item, fmt.Sprintf("%s[%d]", path, len(list)))
		switch {
		case !good:
		case paths[d.MediaPath(m.ID)]:
			d.problem(at, "the file %q is listed twice; a post can show a file once", clip(m.ID))
		default:
			paths[d.MediaPath(m.ID)] = true
			d.mark(path, cmpPosition(d.where[path], at))
			list = append(list, m)
		}
	}
	return list
}

func cmpPosition(first, other Position) Position {
	if first != (Position{}) {
		return first
	}
	return other
}

// file reads one file of a list, and marks its positions.
func (d *decoder) file(item value, path string) (m apiv1.PostMedia, at Position, good bool) {
	before := len(d.problems)
	for _, e := range item.entries {
		switch e.name {
		case "file":
			m.ID, at = d.text(e), e.value.at
			d.mark(path, at)
		case "alt":
			m.AltText = new(d.line(e))
			d.mark(path+".alt_text", e.value.at)
		default:
			d.unknown(e, "a file", "file and alt")
		}
	}
	if len(d.problems) > before {
		return m, at, false
	}
	if m.ID == "" {
		d.problem(item.at, "the entry names no file; write it as %s", mediaExample)
		return m, at, false
	}
	return m, at, d.isInside(m.ID, at)
}

// isInside adds a problem for a path that leads out of the directory of post files.
func (d *decoder) isInside(file string, at Position) bool {
	fault := pathFault(d.Path, file)
	if fault != "" {
		d.problem(at, "the file %q %s", clip(file), fault)
	}
	return fault == ""
}

// pathFault returns why the path of a file cannot be used. The file may not exist.
func pathFault(post, file string) string {
	const outside = "must be inside the directory of the post files; copy the file there, and write its path relative to this file"
	name := path.Join(path.Dir(post), file)
	switch {
	case strings.ContainsRune(file, 0):
		return "has a NUL character in its name"
	case strings.Contains(file, `\`):
		return "has a backslash in its path; separate directories with /"
	case strings.HasPrefix(file, "/"), len(file) > 1 && file[1] == ':':
		return outside
	case strings.HasSuffix(file, "/"):
		return "is a directory; name one file"
	case name == ".." || strings.HasPrefix(name, "../"):
		return outside
	case name == ".":
		return "is a directory; name one file"
	}
	return ""
}

// MediaPath returns the path of a file below the directory of the post files, with slashes.
func (d *Document) MediaPath(file string) string { return path.Join(path.Dir(d.Path), file) }

// part reads a text, or a text and files: a further part of a thread, or the first comment.
func (d *decoder) part(path string, e entry) *apiv1.Part {
	part := &apiv1.Part{Media: []apiv1.PostMedia{}}
	if e.kind != isObject {
		d.mark(path, e.value.at)
		if part.Content = d.block(e); part.Content == "" {
			return nil
		}
		return part
	}
	before, own := len(d.problems), listed{}
	d.mark(path, e.at)
	for _, k := range e.entries {
		switch {
		case k.name == "content":
			part.Content = d.block(k)
			d.mark(path, k.value.at)
		case k.name == "media":
			part.Media = append(part.Media, d.media(path+".media", k)...)
		case k.name == "alt" && d.row:
			own.alt, own.altAt = d.list(path+".alt", k), k.value.at
		case d.row:
			d.unknown(k, e.name, "content, media and alt")
		default:
			d.unknown(k, e.name, "content and media")
		}
	}
	d.setAlts(part.Media, own, e.name)
	if part.Content == "" && len(part.Media) == 0 && len(d.problems) == before && !d.row {
		d.problem(e.value.at, "%q has no content and no media; give one of them", e.name)
	}
	return part
}

// setAlts gives files the alt texts of their row. An empty one, or one of spaces alone, is
// that of the asset: in CSV a cell of spaces is an empty cell.
func (d *decoder) setAlts(media []apiv1.PostMedia, of listed, name string) {
	if len(of.alt) > len(media) {
		d.problem(of.altAt, "%s has %s and %s; write \\; for a semicolon in a text", name, plural(len(of.alt), "alt text"), plural(len(media), "file"))
		return
	}
	for i, alt := range of.alt {
		if strings.TrimSpace(alt) != "" {
			media[i].AltText = &alt
		}
	}
}

func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// parts reads a list of parts, each a text, or a text and media.
func (d *decoder) parts(path string, e entry) []apiv1.Part {
	if e.kind != isList {
		d.problem(e.value.at, "%q must be a list of the parts after the first one, such as [Second part, {content: Third part, media: [%s]}]", e.name, mediaExample)
		return nil
	}
	list := []apiv1.Part{}
	for _, item := range e.items {
		before := len(d.problems)
		part := d.part(fmt.Sprintf("%s[%d]", path, len(list)), entry{e.name, item.at, item})
		switch {
		case part != nil:
			list = append(list, *part)
		case d.row:
			list = append(list, apiv1.Part{Media: []apiv1.PostMedia{}})
		case len(d.problems) == before:
			d.problem(item.at, "%q has an empty part", e.name)
		}
	}
	return list
}

func (d *decoder) linkPreview(e entry) *apiv1.LinkPreview {
	d.mark("link_preview", e.value.at)
	if e.kind != isObject {
		mode := e.text
		if e.kind > isBool || mode != "" && mode != apiv1.PreviewAuto && mode != apiv1.PreviewNone {
			d.problem(e.value.at, "%q must be auto, none, or a card such as %s", e.name, cardExample)
		} else if mode != "" {
			return &apiv1.LinkPreview{Mode: mode}
		}
		return nil
	}
	before := len(d.problems)
	card := &apiv1.LinkCard{}
	for _, k := range e.entries {
		d.mark("link_preview."+k.name, k.value.at)
		switch k.name {
		case "url":
			card.URL = d.text(k)
			d.mark("link_preview", k.value.at)
		case "title":
			card.Title = d.line(k)
		case "description":
			card.Description = d.line(k)
		case "image":
			if image := d.text(k); image != "" && (d.row || d.isInside(image, k.value.at)) {
				card.Image = &image
			}
		default:
			d.unknown(k, e.name, "url, title, description and image")
		}
	}
	if card.URL == "" && len(d.problems) == before {
		d.problem(e.value.at, "%q has no url; write it as %s", e.name, cardExample)
	}
	return &apiv1.LinkPreview{Card: card}
}

// option reads the value of an option with its type.
func (d *decoder) option(e entry) any {
	switch {
	case e.kind < isList:
		return e.exact
	case e.kind != isList:
		return d.text(e)
	}
	list := []any{}
	for _, item := range e.items {
		if item.kind == isList {
			d.problem(item.at, "%q must not be a list of lists", clip(e.name))
			break
		}
		list = append(list, d.option(entry{e.name, e.at, item}))
	}
	return list
}

// days reads a number of days.
func (d *decoder) days(e entry) int {
	n, err := strconv.Atoi(e.text)
	if e.kind != isNull && (err != nil || n < 1 || e.kind > isBool) {
		d.problem(e.value.at, "%q must be a number of days, such as 14", e.name)
	}
	return n
}

// optional returns a pointer to a text, nil for an empty one.
func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// in reports whether a form has a key.
func (k key) in(f form) bool { return k.forms&f != 0 }

// names returns the keys of a form.
func names(f form) (list []string) {
	for _, k := range keys {
		if k.in(f) {
			list = append(list, k.name)
		}
	}
	return list
}

// enumerate joins names for a sentence.
func enumerate(list []string) string {
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}

// keyOf returns a key of a form by its name or, in rows, by another name of it.
func keyOf(name string, f form) *key {
	if f != inFile {
		name = canonicalName(name)
	}
	i := slices.IndexFunc(keys, func(k key) bool { return k.name == name && k.in(f) })
	if i < 0 {
		return nil
	}
	return &keys[i]
}
