package printable

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"strings"
	"sync"
)

// introducer starts a control sequence. A style is an introducer, numbers and an m.
const introducer = "\x1b["

// mark is at the end of the numbers of each style that is our own.
var mark = sync.OnceValue(func() string {
	var b [8]byte
	rand.Read(b[:]) // never fails
	at := func(i int) uint16 { return binary.NativeEndian.Uint16(b[i:]) }
	return fmt.Sprintf(";%d;%d;%d;%d", at(0), at(2), at(4), at(6))
})

// Paint returns a text with a style, which is given by its SGR parameters. The text may
// contain other styles. The result is for [Finish], and its width is that of the text.
func Paint(sgr, text string) string {
	return introducer + sgr + mark() + "m" + text + introducer + "0" + mark() + "m"
}

// Own marks all styles of a text as styles of the program. The text must not contain
// anything else that is not printable: see [Scrub].
func Own(text string) string {
	return mapStyles(text, func(numbers string, own bool) string {
		if own {
			return introducer + numbers + "m"
		}
		return introducer + numbers + mark() + "m"
	}, keep)
}

// Scrub is [Clean] that keeps the styles of the program.
func Scrub(text string) string {
	return mapStyles(text, func(numbers string, own bool) string {
		if own {
			return introducer + numbers + "m"
		}
		return Clean(introducer + numbers + "m")
	}, Clean)
}

// Finish returns a text as it is sent to a terminal: it is [Scrub], and removes the marks
// of the styles.
func Finish(text string) string {
	return strings.ReplaceAll(Scrub(text), mark()+"m", "m")
}

func keep(text string) string { return text }

// mapStyles replaces each style of a text by the result of style, and the text around the
// styles by the result of other. own is whether a style has the mark.
func mapStyles(text string, style func(numbers string, own bool) string, other func(string) string) string {
	if !strings.Contains(text, introducer) {
		return other(text)
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, introducer)
		b.WriteString(other(before))
		if !found {
			return b.String()
		}
		length := strings.IndexFunc(after, func(r rune) bool { return r != ';' && (r < '0' || r > '9') })
		if length < 0 || after[length] != 'm' {
			b.WriteString(other(introducer))
			text = after
			continue
		}
		b.WriteString(style(after[:length], strings.HasSuffix(after[:length], mark())))
		text = after[length+1:]
	}
}
