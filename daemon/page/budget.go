package page

import (
	"html/template"
	"strings"
	"unicode/utf8"

	"github.com/schedctl/schedctl/daemon/page/worddiff"
)

// Bytes of the parts of a page that is not shown whole. Together with forms and frame they
// stay below 60 KB.
const (
	groupsBytes  = 30 << 10
	changesBytes = 9 << 10
	notesBytes   = 9 << 10
	factsBytes   = 4 << 10
)

// Upper bounds of the markup of one element, without its texts.
const (
	itemBytes = 160 // an account, a part, a fact or a note
	fileBytes = 300
	markBytes = 90
	linkBytes = 80
)

// budget is how many bytes a part of a page still may have. A nil budget has no limit.
type budget struct {
	left int
	cut  bool // something did not fit

	words calendarWords // for numbers
}

// add gives a budget what another one has left.
func (b *budget) add(other *budget) {
	if b != nil {
		b.left += other.left
		other.left = 0
	}
}

// full reports whether something did not fit.
func (b *budget) full() bool { return b != nil && b.cut }

// take takes n bytes, if the budget has them. After the first thing that does not fit nothing
// else does, so that a page has no gaps.
func (b *budget) take(n int) bool {
	if b == nil {
		return true
	}
	if b.cut || n > b.left {
		b.cut = true
		return false
	}
	b.left -= n
	return true
}

// text returns a text, or as many of its words as fit with the number of the characters that
// do not. times is how often the page has the text.
func (b *budget) text(text string, times int) string {
	if b == nil || text == "" || b.take(times*weight(text)) {
		return text
	}
	start := text
	for start != "" && times*weight(start) > b.left {
		start = start[:len(start)*3/4]
		for !utf8.ValidString(start) && utf8.ValidString(text) {
			start = start[:len(start)-1]
		}
	}
	if i := strings.LastIndexAny(start, " \n"); i > 0 {
		start = start[:i] // no part of a word
	}
	if parts := segments(start); len(parts) > 0 { // a part of a link would lead elsewhere
		start = strings.TrimSuffix(start, parts[len(parts)-1].Link)
	}
	b.left -= times * weight(start)
	return start + " … and " + b.words.count(utf8.RuneCountInString(text)-utf8.RuneCountInString(start), "more character")
}

// weight returns an upper bound of the bytes of a text on a page, with its marks and links.
func weight(text string) (n int) {
	for _, s := range segments(text) {
		switch {
		case s.Mark != "":
			n += markBytes
		case s.Link != "":
			n += linkBytes + 5*escaped(s.Link)
		default:
			n += escaped(s.Text)
		}
	}
	return n
}

func escaped(text string) int {
	return len(template.HTMLEscapeString(text)) + len("&#43;")*strings.Count(text, "+")
}

// fit returns the first elements of a list that fit. take charges one, and shortens its texts.
func fit[T any](list []T, take func(*T) bool) []T {
	for i := range list {
		if !take(&list[i]) {
			return list[:i]
		}
	}
	return list
}

func (b *budget) facts(list []fact) []fact {
	return fit(list, func(f *fact) bool {
		if !b.take(itemBytes) {
			return false
		}
		f.Value = b.text(f.Value, 1)
		return b.take(weight(f.When.Before) + escaped(f.When.Time) + weight(f.When.After))
	})
}

func (b *budget) groups(list []group) []group {
	return fit(list, func(g *group) bool {
		if !b.take(2 * itemBytes) {
			return false
		}
		g.Accounts = fit(g.Accounts, func(a *account) bool {
			return b.take(itemBytes + weight(a.Name) + escaped(a.Length+a.Status) + 5*escaped(a.URL))
		})
		g.Facts = b.facts(g.Facts)
		g.Parts = fit(g.Parts, b.part)
		if g.Poll != nil {
			g.Poll.Options = fit(g.Poll.Options, func(option *string) bool { *option = b.text(*option, 1); return b.take(itemBytes) })
		}
		if c := g.Card; c != nil {
			if !b.take(itemBytes+10*escaped(c.URL)) || c.Image != nil && !b.file(c.Image) {
				g.Card = nil
				return true
			}
			c.Title, c.Description = b.text(c.Title, 1), b.text(c.Description, 1)
		}
		return true
	})
}

func (b *budget) part(p *part) bool {
	if !b.take(itemBytes) {
		return false
	}
	p.Text = b.text(p.Text, 1)
	p.Files = fit(p.Files, b.file)
	return true
}

func (b *budget) file(f *file) bool {
	if !b.take(fileBytes + 2*escaped(f.URL) + weight(f.Name)) {
		return false
	}
	f.Alt = b.text(f.Alt, 2)
	return true
}

// change charges a change, and shortens its texts. It reports whether the change fits.
func (b *budget) change(c *change) bool {
	if !b.take(itemBytes + weight(c.Name)) {
		return false
	}
	c.Pieces = fit(c.Pieces, func(p *worddiff.Piece) bool {
		if !b.take(len("<del></del><ins></ins>")) {
			return false
		}
		p.Same, p.Deleted, p.Inserted = b.text(p.Same, 1), b.text(p.Deleted, 1), b.text(p.Inserted, 1)
		return true
	})
	return true
}

// notes returns the last notes that fit, and how many are before them.
func (b *budget) notes(list []note) ([]note, int) {
	for i := len(list) - 1; i >= 0; i-- {
		n := &list[i]
		if !b.take(itemBytes + weight(n.By)) {
			return list[i+1:], i + 1
		}
		n.Text = b.text(n.Text, 1)
	}
	return list, 0
}
