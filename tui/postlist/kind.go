package postlist

import (
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/screen"
)

// kindMarks renders the signs of what a post has besides a text, and of a hold.
func (s Scene) kindMarks(p apiv1.Post) string {
	if s.Theme.Plain {
		return ""
	}
	text := ""
	if len(p.Media) > 0 {
		text += s.Theme.Glyphs.Picture
	}
	if len(p.Thread) > 0 {
		text += s.Theme.Glyphs.Thread
	}
	if p.Poll != nil {
		text += s.Theme.Glyphs.Poll
	}
	if s.isHeld(p) {
		text += s.Theme.Warn.Render(s.Theme.Glyphs.Held)
	}
	return text
}

// isHeld reports whether a pause or a blackout holds a post at its time.
func (s Scene) isHeld(p apiv1.Post) bool {
	if p.PublishAt == nil || p.Status != schedctl.Scheduled {
		return false
	}
	return slices.ContainsFunc(s.Blackouts, func(b apiv1.Blackout) bool {
		return b.Mode == schedctl.BlackoutHold && b.SettledAt == nil && Concerns(b, p) && Contains(b, p.PublishAt.Time)
	})
}

// CellMarks renders all signs of a post that tell it from a single text, without a space
// before them.
func (s Scene) CellMarks(p apiv1.Post) string {
	text := s.kindMarks(p)
	for _, sign := range []string{warningMark(s.Theme, p), repeatMark(s.Theme, p), reviewMark(s.Theme, p)} {
		text += strings.TrimPrefix(sign, " ")
	}
	return text
}

// KindWords names what a post has besides a text, and a hold.
func (s Scene) KindWords(p apiv1.Post) (words []string) {
	if n := len(p.Media); n > 0 {
		words = append(words, screen.Plural(n, "file"))
	}
	if n := len(p.Thread); n > 0 {
		words = append(words, screen.Plural(n+1, "part"))
	}
	if p.Poll != nil {
		words = append(words, "poll")
	}
	if p.SeriesID != nil {
		words = append(words, "repeats")
	}
	if word := reviewWord(p); word != "" && !IsProposal(p) {
		words = append(words, word)
	}
	if s.isHeld(p) {
		words = append(words, "held by a pause or blackout")
	}
	return words
}

// RowMark renders the start of the row of a post: whether it is selected and marked.
func (s Scene) RowMark(id string, selected bool) string {
	if !s.Marks.Has(id) || s.Theme.Plain {
		return s.Theme.Mark(selected)
	}
	start := strings.TrimSuffix(s.Theme.Mark(selected), " ")
	return start + s.Theme.Warn.Render(s.Theme.Glyphs.Marked)
}
