package screen

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/schedctl/schedctl/tui/printable"
)

// Clean removes characters that could move the cursor, color the screen or change
// the direction of text, and reveals others that do not show. It keeps line breaks.
func Clean(text string) string {
	text = printable.Reveal(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\t", "    "))
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

// OneLine joins the lines of a text.
func OneLine(text string) string { return strings.Join(strings.Fields(Clean(text)), " ") }

// Excerpt is OneLine of the start of a text, which may be much longer than a row.
func Excerpt(text string, width int) string {
	const bytesPerColumn = 16 // enough for a column, even with composed emoji
	if most := max(0, width)*bytesPerColumn + 64; len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}
	return OneLine(text)
}

// Clip shortens a text to a width and marks the cut.
func Clip(text string, width int) string {
	if width <= 0 {
		return ""
	}
	if ansi.StringWidth(text) <= width {
		return text
	}
	return ansi.Truncate(text, width, "…")
}

// PadRight makes a text exactly width columns wide.
func PadRight(text string, width int) string {
	text = Clip(text, width)
	return text + strings.Repeat(" ", max(0, width-ansi.StringWidth(text)))
}

// Wrap breaks a text into lines of at most width columns, between words if possible.
func Wrap(text string, width int) []string {
	if width <= 0 {
		return nil
	}
	return strings.Split(ansi.Wrap(Clean(text), width, ""), "\n")
}

// WrapWords is Wrap that breaks lines at spaces only, unless a word is longer than a line:
// not within dates.
func WrapWords(text string, width int) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(Clean(text)) {
		if line != "" && ansi.StringWidth(line)+1+ansi.StringWidth(word) > width {
			lines, line = append(lines, Wrap(line, width)...), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, Wrap(line, width)...)
}

// Justify puts one text at the left and one at the right end of a line. If they do
// not fit, it drops the right one.
func Justify(left, right string, width int) string {
	gap := width - ansi.StringWidth(left) - ansi.StringWidth(right)
	if gap < 1 {
		return Clip(left, width)
	}
	return left + strings.Repeat(" ", gap) + right
}

// FitLines returns exactly height lines, each at most width columns wide.
func FitLines(lines []string, width, height int) []string {
	out := make([]string, max(0, height))
	for i := range out {
		if i < len(lines) {
			out[i] = Clip(lines[i], width)
		}
	}
	return out
}

// RelativeTime formats the distance of a time from now: in seconds up to two
// minutes, in two units up to a day.
func RelativeTime(d time.Duration) string {
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

// Plural formats a count.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
