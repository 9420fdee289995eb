package postfile

import (
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/schedctl/schedctl/client/threadtext"
)

// Part is a further part of a thread, or the first comment.
type Part struct {
	Content Value
	Media   []Media
}

// Poll is a poll. The text of the post is the question.
type Poll struct {
	Line       int // of the key
	Options    []Value
	For        Value // a duration such as 1d
	Multiple   bool  // people can choose more than one option
	HideTotals bool  // the votes are hidden until the poll ends
}

// LinkPreview is what a network shows for a link of the post.
type LinkPreview struct {
	Mode Value     // auto, none, or empty
	Card *LinkCard // nil for none of its own
}

// LinkCard is a card for a link. The URL is not empty.
type LinkCard struct {
	URL, Title, Description Value
	Image                   *Media // without an alt text; nil for none
}

// AllMedia returns the media of all parts, the picture of the card, and the media of single
// accounts. It can return a path several times.
func (f *File) AllMedia() []Media {
	list := f.Media[:len(f.Media):len(f.Media)]
	for _, part := range f.Thread {
		list = append(list, part.Media...)
	}
	if f.FirstComment != nil {
		list = append(list, f.FirstComment.Media...)
	}
	if card := f.LinkPreview.Card; card != nil && card.Image != nil {
		list = append(list, *card.Image)
	}
	for _, o := range f.Overrides {
		list = append(list, o.AllMedia()...)
	}
	return list
}

// partMedia is an entry of part_media.
type partMedia struct {
	number Value
	media  []Media
}

const (
	pollExample = "{options: [Tea, Coffee], for: 1d}"
	cardExample = "{url: https://example.org, title: Release notes}"
)

// extraKey reads a key of the parts of a post and how networks show it. It returns false
// for other keys.
func (r *yamlReader) extraKey(key Value, value ast.Node) bool {
	switch f := r.file; key.Text {
	case "thread":
		r.thread = r.boolean(key, value)
	case "part_media":
		r.partMedia = r.numberedMedia(key, value)
	case "first_comment":
		f.FirstComment = r.part(key, value)
	case "poll":
		f.Poll = r.poll(key, value)
	case "content_warning":
		f.ContentWarning = r.trimmed(key, value)
	case "visibility":
		f.Visibility = r.text(key, value)
	case "language":
		f.Language = r.text(key, value)
	case "link_preview":
		f.LinkPreview = r.linkPreview(key, value)
	default:
		return false
	}
	return true
}

// trimmed reads a text without the line breaks at its end.
func (r *yamlReader) trimmed(key Value, n ast.Node) Value {
	v := r.text(key, n)
	v.Text = strings.TrimRight(v.Text, "\n")
	return v
}

// boolean reads true or false. A missing value is false.
func (r *yamlReader) boolean(key Value, n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BoolNode:
		return n.Value
	case *ast.NullNode:
		return false
	}
	r.problem(n, "%q must be true or false", key.Text)
	return false
}

// unknown adds the problem of an unknown key.
func (r *yamlReader) unknown(key Value, of, known string) {
	r.problems = append(r.problems, r.file.Problemf(key.Line, "unknown key %q; the keys of %s are %s", clip(key.Text), of, known))
}

// isMapping returns false, and adds a problem, for a value other than keys and values.
func (r *yamlReader) isMapping(key Value, n ast.Node, example string) bool {
	if _, isMap := n.(ast.MapNode); !isMap {
		r.problem(n, "%q must have keys and values, such as %s", key.Text, example)
		return false
	}
	return true
}

// numberedMedia reads the media of the parts of a thread.
func (r *yamlReader) numberedMedia(key Value, n ast.Node) (list []partMedia) {
	const example = "{2: [" + mediaExample + "]}"
	if n.Type() == ast.NullType || !r.isMapping(key, n, example) {
		return nil
	}
	r.mapping(n, func(number Value, media ast.Node) {
		name := Value{key.Text + ": " + clip(number.Text), number.Line}
		list = append(list, partMedia{number, r.media(name, media)})
	})
	return list
}

// splitThread splits the text at its separators, and gives the parts their media.
func (r *yamlReader) splitThread() {
	f := r.file
	if r.thread {
		texts, starts := threadtext.SplitLines(f.Content.Text)
		first := f.Content.Line
		f.Content.Text = texts[0]
		for i, text := range texts[1:] {
			f.Thread = append(f.Thread, Part{Content: Value{text, first + starts[i+1]}})
		}
	}
	for _, m := range r.partMedia {
		fault := ""
		n, err := strconv.Atoi(m.number.Text)
		switch {
		case err != nil || n < 1 || strconv.Itoa(n) != m.number.Text:
			fault = "is not the number of a part; write 2 for the second part"
		case n == 1:
			fault = `is the post; list its files in "media"`
		case !r.thread:
			fault = "does not exist; add thread: true, and a line --- between the parts of the text"
		case n > len(f.Thread)+1:
			fault = "does not exist; a line --- in the text starts the next part"
		default:
			f.Thread[n-2].Media = m.media
			continue
		}
		r.problems = append(r.problems, f.Problemf(m.number.Line, "part_media: part %s %s", clip(m.number.Text), fault))
	}
}

// part reads a text, or a text and media.
func (r *yamlReader) part(key Value, n ast.Node) *Part {
	if _, isMap := n.(ast.MapNode); !isMap {
		text := r.block(key, n)
		if text.Text == "" {
			return nil
		}
		return &Part{Content: text}
	}
	before := len(r.problems)
	part := &Part{Content: Value{Line: key.Line}}
	r.mapping(n, func(name Value, value ast.Node) {
		switch name.Text {
		case "content":
			part.Content = r.block(name, value)
		case "media":
			part.Media = r.media(name, value)
		default:
			r.unknown(name, key.Text, "content and media")
		}
	})
	if part.Content.Text == "" && len(part.Media) == 0 && len(r.problems) == before {
		r.problem(n, "%q has no content and no media; give one of them", key.Text)
	}
	return part
}

// block reads a text that can have several lines. One line break at its end is not part
// of the text.
func (r *yamlReader) block(key Value, n ast.Node) Value {
	v := r.text(key, n)
	v.Text = strings.TrimSuffix(v.Text, "\n")
	return v
}

func (r *yamlReader) poll(key Value, n ast.Node) *Poll {
	if n.Type() == ast.NullType || !r.isMapping(key, n, pollExample) {
		return nil
	}
	p := &Poll{Line: key.Line}
	r.mapping(n, func(name Value, value ast.Node) {
		switch name.Text {
		case "options":
			p.Options = r.list(name, value)
		case "for":
			p.For = r.text(name, value)
		case "multiple":
			p.Multiple = r.boolean(name, value)
		case "hide_totals":
			p.HideTotals = r.boolean(name, value)
		default:
			r.unknown(name, key.Text, "options, for, multiple and hide_totals")
		}
	})
	return p
}

func (r *yamlReader) linkPreview(key Value, n ast.Node) (p LinkPreview) {
	if _, isMap := n.(ast.MapNode); !isMap {
		mode, isText := scalar(n)
		if !isText || mode != "" && mode != "auto" && mode != "none" {
			r.problem(n, "%q must be auto, none, or a card such as %s", key.Text, cardExample)
			return p
		}
		return LinkPreview{Mode: Value{mode, r.line(n.GetToken())}}
	}
	before := len(r.problems)
	card := &LinkCard{}
	r.mapping(n, func(name Value, value ast.Node) {
		switch name.Text {
		case "url":
			card.URL = r.text(name, value)
		case "title":
			card.Title = r.trimmed(name, value)
		case "description":
			card.Description = r.trimmed(name, value)
		case "image":
			card.Image = r.image(name, value)
		default:
			r.unknown(name, key.Text, "url, title, description and image")
		}
	})
	if card.URL.Text == "" && len(r.problems) == before {
		r.problem(n, "%q has no url; write it as %s", key.Text, cardExample)
	}
	return LinkPreview{Card: card}
}

// image reads the path of a picture.
func (r *yamlReader) image(key Value, n ast.Node) *Media {
	m := Media{File: r.text(key, n)}
	if m.File.Text == "" {
		return nil
	}
	var fault string
	if m.Path, fault = mediaPath(r.file.Path, m.File.Text); fault != "" {
		r.problems = append(r.problems, r.file.Problemf(m.File.Line, "the file %q %s", clip(m.File.Text), fault))
	}
	return &m
}
