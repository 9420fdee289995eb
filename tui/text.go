package tui

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// clean takes out what could move the cursor, colour the screen or turn the
// direction of text. Line breaks stay.
func clean(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\t", "    ")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\u200d': // the latter joins emoji
			return r
		case unicode.IsControl(r), unicode.In(r, unicode.Cf), r == unicode.ReplacementChar, r == '\u2028', r == '\u2029':
			return '\ufffd'
		}
		return r
	}, text)
}

// oneLine returns the text with its lines one after the other.
func oneLine(text string) string { return strings.Join(strings.Fields(clean(text)), " ") }

// excerpt is oneLine of the beginning, for rows: a text may be far longer than a
// screen is wide.
func excerpt(text string, width int) string {
	const bytesPerColumn = 16 // more than a column needs, emoji with their parts included
	if most := max(0, width)*bytesPerColumn + 64; len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}
	return oneLine(text)
}

// clip shortens a text to a width.
func clip(text string, width int) string {
	if width <= 0 {
		return ""
	}
	if ansi.StringWidth(text) <= width {
		return text
	}
	return ansi.Truncate(text, width, "…")
}

// pad makes a text exactly as wide as it is told.
func pad(text string, width int) string {
	text = clip(text, width)
	return text + strings.Repeat(" ", max(0, width-ansi.StringWidth(text)))
}

// wrap breaks a text into lines of at most a width, a word at a time where that
// goes.
func wrap(text string, width int) []string {
	if width <= 0 {
		return nil
	}
	return strings.Split(ansi.Wrap(clean(text), width, ""), "\n")
}

// justify puts one text at the left and one at the right end of a line. When there
// is no room for both, the left one stays.
func justify(left, right string, width int) string {
	gap := width - ansi.StringWidth(left) - ansi.StringWidth(right)
	if gap < 1 {
		return clip(left, width)
	}
	return left + strings.Repeat(" ", gap) + right
}

// fitLines makes a screen of exactly height lines, none wider than width.
func fitLines(lines []string, width, height int) []string {
	out := make([]string, max(0, height))
	for i := range out {
		if i < len(lines) {
			out[i] = clip(lines[i], width)
		}
	}
	return out
}

// relativeTime says how far away an instant is: in two units when it is within a
// day, in seconds when it is within two minutes.
func relativeTime(d time.Duration) string {
	const day = 24 * time.Hour
	away, text := d.Abs().Round(time.Second), ""
	switch {
	case away == 0:
		return "now"
	case away < 2*time.Minute:
		text = fmt.Sprintf("%ds", away/time.Second)
	case away < time.Hour:
		text = fmt.Sprintf("%dm", away/time.Minute)
	case away < day:
		text = fmt.Sprintf("%dh%02dm", away/time.Hour, away%time.Hour/time.Minute)
	default:
		text = fmt.Sprintf("%dd", away/day)
	}
	if d < 0 {
		return text + " ago"
	}
	return "in " + text
}

// plural counts things.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
