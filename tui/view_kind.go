package tui

import (
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// glyphs are the signs of the screen.
type glyphs struct {
	picture, thread, poll, held string
	shade, hold, moving, marked string
}

var unicodeGlyphs = glyphs{picture: "▣", thread: "≡", poll: "☑", held: "‖", shade: "░", hold: "▒", moving: "»", marked: "◆"}

// kindMarks renders the signs of what a post has besides a text, and of a hold.
func (s drawContext) kindMarks(p apiv1.Post) string {
	if s.Theme.plain {
		return ""
	}
	text := ""
	if len(p.Media) > 0 {
		text += s.Theme.glyphs.picture
	}
	if len(p.Thread) > 0 {
		text += s.Theme.glyphs.thread
	}
	if p.Poll != nil {
		text += s.Theme.glyphs.poll
	}
	if s.isHeld(p) {
		text += s.Theme.warn.Render(s.Theme.glyphs.held)
	}
	return text
}

// isHeld reports whether a pause or a blackout holds a post at its time.
func (s drawContext) isHeld(p apiv1.Post) bool {
	if p.PublishAt == nil || p.Status != schedctl.Scheduled {
		return false
	}
	return slices.ContainsFunc(s.blackouts, func(b apiv1.Blackout) bool {
		return b.Mode == schedctl.BlackoutHold && b.SettledAt == nil && concerns(b, p) && contains(b, p.PublishAt.Time)
	})
}

// cellMarks renders all signs of a post that tell it from a single text, without a space
// before them.
func (s drawContext) cellMarks(p apiv1.Post) string {
	text := s.kindMarks(p)
	for _, sign := range []string{s.Theme.warningMark(p), s.Theme.repeatMark(p), s.Theme.reviewMark(p)} {
		text += strings.TrimPrefix(sign, " ")
	}
	return text
}

// kindWords names what a post has besides a text, and a hold.
func (s drawContext) kindWords(p apiv1.Post) (words []string) {
	if n := len(p.Media); n > 0 {
		words = append(words, plural(n, "file"))
	}
	if n := len(p.Thread); n > 0 {
		words = append(words, plural(n+1, "part"))
	}
	if p.Poll != nil {
		words = append(words, "poll")
	}
	if p.SeriesID != nil {
		words = append(words, "repeats")
	}
	if word := reviewWord(p); word != "" && !isProposal(p) {
		words = append(words, word)
	}
	if s.isHeld(p) {
		words = append(words, "held by a pause or blackout")
	}
	return words
}

// rowMark renders the start of the row of a post: whether it is selected and marked.
func (s drawContext) rowMark(id string, selected bool) string {
	if !s.marks.has(id) || s.Theme.plain {
		return s.Theme.mark(selected)
	}
	start := strings.TrimSuffix(s.Theme.mark(selected), " ")
	return start + s.Theme.warn.Render(s.Theme.glyphs.marked)
}
