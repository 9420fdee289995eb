package postfile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/schedctl/schedctl/client/apiv1"
)

// Document is a post or a series as a file describes it. The caller interprets the times,
// and the names of accounts and queues.
type Document struct {
	Path  string // of a post file: relative to the directory, with slashes; empty for a line
	First int    // the line of a post file's text, or the first line of a row

	ID         string
	To         []string
	At, TZ     string
	Queue      string // in place of At
	NotBefore  string // with Queue
	ProposedAt string // of a draft, in place of At

	Repeat    string // of a series, in place of At
	Start     string // with Repeat, as the following
	Name      string
	Variants  []string
	Exdates   []string
	AheadDays int // 0 for the default

	Notes string // of a row: a note for the people who work on the post

	// Post has what needs no interpretation: Content, Media, the extras, TargetOverrides,
	// Labels, Title and PostStyle. The id of a file is its path, as it is written, or the id
	// of an asset. The id of an account is its name, as it is written. Nil fields, and nil
	// alt texts, are not in the file.
	Post apiv1.CreatePost

	// Faults are the problems of values that other problems do not follow from, such as a
	// duration that cannot be read.
	Faults []Problem

	where map[string]Position
}

// Problemf returns a problem in the file.
func (d *Document) Problemf(line int, format string, args ...any) Problem {
	return Problem{Path: d.Path, Line: max(line, 1), Message: fmt.Sprintf(format, args...)}
}

// Where returns the position of a field by its path, as the API names it: for example
// "thread[0].media[1]". If the file does not have the field, it is the position of the
// value around it. Other paths are the names of keys.
func (d *Document) Where(path string) Position {
	for {
		if at, known := d.where[path]; known {
			return at
		}
		cut := strings.LastIndexAny(path, ".[")
		if cut < 0 {
			return Position{}
		}
		path = path[:cut]
	}
}

// Line returns the line of a field, or else that of the text.
func (d *Document) Line(path string) int { return cmp.Or(d.Where(path).Line, d.First) }

// LineFor returns the line of a field as the n-th override has it: that of the override,
// of the post, or of the account.
func (d *Document) LineFor(n int, path string) int {
	own := fmt.Sprintf("target_overrides[%d]", n)
	root, _, _ := strings.Cut(strings.ReplaceAll(path, "[", "."), ".")
	if _, has := d.where[own+"."+root]; has {
		return d.Line(own + "." + path)
	}
	return cmp.Or(d.Where(path).Line, d.Line(own))
}

func (d *Document) mark(path string, at Position) {
	if d.where == nil {
		d.where = map[string]Position{}
	}
	d.where[path] = at
}

// Media returns all files, with their paths as Where reads them. It can return a file
// several times.
func (d *Document) Media() (list []apiv1.PostMedia, paths []string) {
	MapMedia(d.Post, func(path string, m apiv1.PostMedia) (apiv1.PostMedia, bool) {
		list, paths = append(list, m), append(paths, path)
		return m, true
	})
	return list, paths
}

// MapMedia returns a request with other files: change returns the file for one of the
// request, or false to leave it out. The request itself does not change. Paths are those
// of the API.
func MapMedia(p apiv1.CreatePost, change func(path string, m apiv1.PostMedia) (apiv1.PostMedia, bool)) apiv1.CreatePost {
	list := func(path string, media []apiv1.PostMedia) []apiv1.PostMedia {
		out := []apiv1.PostMedia{}
		for i, m := range media {
			if m, kept := change(fmt.Sprintf("%smedia[%d]", path, i), m); kept {
				out = append(out, m)
			}
		}
		return out
	}
	parts := func(path string, thread []apiv1.Part) []apiv1.Part {
		out := make([]apiv1.Part, len(thread))
		for i, part := range thread {
			out[i] = apiv1.Part{Content: part.Content, Media: list(fmt.Sprintf("%sthread[%d].", path, i), part.Media)}
		}
		return out
	}
	p.Media = list("", p.Media)
	if p.Thread != nil {
		p.Thread = parts("", p.Thread)
	}
	if c := p.FirstComment; c != nil {
		p.FirstComment = &apiv1.Part{Content: c.Content, Media: list("first_comment.", c.Media)}
	}
	if p.LinkPreview != nil && p.LinkPreview.Card != nil {
		card := *p.LinkPreview.Card
		if image := card.Image; image != nil {
			card.Image = nil
			if m, kept := change("link_preview.image", apiv1.PostMedia{ID: *image}); kept {
				card.Image = &m.ID
			}
		}
		p.LinkPreview = &apiv1.LinkPreview{Card: &card}
	}
	p.TargetOverrides = slices.Clone(p.TargetOverrides)
	for i := range p.TargetOverrides {
		o, path := &p.TargetOverrides[i], fmt.Sprintf("target_overrides[%d].", i)
		if o.Media != nil {
			o.Media = new(list(path, *o.Media))
		}
		if o.Thread != nil {
			o.Thread = new(parts(path, *o.Thread))
		}
	}
	return p
}
