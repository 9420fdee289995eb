package feed

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	xhtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/text/unicode/norm"
)

// dropped are the elements whose content is no text of an article.
var dropped = []atom.Atom{
	atom.Script, atom.Style, atom.Nav, atom.Footer, atom.Noscript, atom.Template, atom.Title, atom.Iframe, atom.Object, atom.Svg,
	atom.Math, atom.Form, atom.Button, atom.Select, atom.Textarea, atom.Audio, atom.Video, atom.Canvas,
}

// lines are the elements that start a line of their own.
var lines = []atom.Atom{
	atom.P, atom.Div, atom.Br, atom.Hr, atom.Li, atom.Ul, atom.Ol, atom.Dl, atom.Dt, atom.Dd, atom.Tr, atom.Table, atom.Blockquote, atom.Pre,
	atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Section, atom.Article, atom.Header, atom.Aside, atom.Figure, atom.Figcaption, atom.Main,
}

// maxHTML is how much of a text is read, in bytes. What follows is rarely a summary.
const maxHTML = 512 << 10

// Text returns the text of HTML as lines: one for each paragraph, heading and item of a list.
// Tags are left out, and scripts, style sheets, menus, footers and hidden elements with all
// they contain. Entities are decoded once. The text has [MaxText] characters at most.
func Text(source string) string {
	w := walker{z: xhtml.NewTokenizer(strings.NewReader(clip(source, maxHTML)))}
	w.walk()
	return shorten(withoutFooter(tidyLines(w.out.String())), MaxText)
}

// PlainText returns a text that is no HTML, with the rules of [Text].
func PlainText(source string) string {
	return shorten(withoutFooter(tidyLines(clip(source, maxHTML))), MaxText)
}

// walker writes the text of HTML.
type walker struct {
	z    *xhtml.Tokenizer
	out  strings.Builder
	skip atom.Atom // the element that is being left out; 0 for none
	deep int       // elements of the same name that are open in it, with itself

	bullet bool // the next text starts an item of a list
}

func (w *walker) walk() {
	for w.out.Len() < 4*MaxText*utf8.UTFMax {
		switch kind := w.z.Next(); kind {
		case xhtml.ErrorToken:
			return
		case xhtml.TextToken:
			if w.skip == 0 {
				w.text(foldLines(string(w.z.Text())))
			}
		case xhtml.StartTagToken, xhtml.SelfClosingTagToken:
			w.start(kind == xhtml.SelfClosingTagToken)
		case xhtml.EndTagToken:
			name, _ := w.z.TagName()
			w.end(atom.Lookup(name))
		}
	}
}

// foldLines returns a text of HTML, in which an end of line is a space.
func foldLines(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, text)
}

// text writes a text, after a dash if it starts an item of a list.
func (w *walker) text(text string) {
	if w.bullet && strings.TrimSpace(text) != "" {
		w.out.WriteString("- ")
		w.bullet = false
	}
	w.out.WriteString(text)
}

func (w *walker) start(closed bool) {
	name, more := w.z.TagName()
	tag := atom.Lookup(name)
	hidden := false
	for more {
		var key, value []byte
		key, value, more = w.z.TagAttr()
		hidden = hidden || hides(string(key), string(value))
	}
	switch {
	case w.skip != 0:
		if tag == w.skip && !closed {
			w.deep++
		}
	case (hidden && tag != 0 || slices.Contains(dropped, tag)) && !isVoid(tag):
		w.out.WriteByte(' ')
		if !closed || tag == atom.Script || tag == atom.Style {
			w.skip, w.deep = tag, 1
		}
	case slices.Contains(lines, tag):
		w.out.WriteByte('\n')
		w.bullet = w.bullet || tag == atom.Li
	case tag == atom.Td || tag == atom.Th:
		w.out.WriteByte(' ')
	}
}

func (w *walker) end(tag atom.Atom) {
	switch {
	case w.skip != 0:
		if tag == w.skip {
			if w.deep--; w.deep == 0 {
				w.skip = 0
			}
		}
	case slices.Contains(lines, tag):
		w.out.WriteByte('\n')
		w.bullet = w.bullet && tag != atom.Li && tag != atom.Ul && tag != atom.Ol
	}
}

// hides reports whether an attribute hides its element from readers.
func hides(key, value string) bool {
	value = strings.ToLower(strings.ReplaceAll(value, " ", ""))
	switch key {
	case "hidden":
		return true
	case "aria-hidden":
		return value == "true"
	case "style":
		return strings.Contains(value, "display:none") || strings.Contains(value, "visibility:hidden")
	}
	return false
}

// isVoid reports whether an element has no content and no end tag.
func isVoid(tag atom.Atom) bool {
	switch tag {
	case atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link, atom.Meta, atom.Source, atom.Track, atom.Wbr:
		return true
	}
	return false
}

// inlineTag matches the tags that titles have.
var inlineTag = regexp.MustCompile(`(?i)<(/?)(a|abbr|b|big|br|cite|code|del|div|em|font|h[1-6]|i|img|ins|mark|p|q|s|small|span|strike|strong|sub|sup|tt|u|wbr)(\s[^<>]*)?/?>`)

// entity matches an entity with its semicolon. Without one it may be a part of an address.
var entity = regexp.MustCompile(`&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});`)

// Title returns a title as one line of [MaxTitle] characters at most. Many feeds write titles
// as HTML although they are plain text. So tags of formatted text are left out if they are
// closed, and entities that still show are decoded. A title such as "The <script> element"
// stays.
func Title(source string) string {
	source = clip(source, 8*MaxTitle)
	closed := map[string]bool{"br": true, "img": true, "wbr": true}
	for _, tag := range inlineTag.FindAllStringSubmatch(source, -1) {
		if tag[1] != "" {
			closed[strings.ToLower(tag[2])] = true
		}
	}
	source = inlineTag.ReplaceAllStringFunc(source, func(tag string) string {
		if name := strings.ToLower(inlineTag.FindStringSubmatch(tag)[2]); closed[name] {
			return map[bool]string{true: " "}[name == "br"]
		}
		return tag
	})
	source = entity.ReplaceAllStringFunc(source, func(e string) string {
		if text := html.UnescapeString(e); text == ";" || !strings.HasSuffix(text, ";") {
			return text
		}
		return e // no entity: only its start is one
	})
	return shorten(oneLine(source), MaxTitle)
}

// oneLine returns a text as one line.
func oneLine(text string) string { return strings.Join(strings.Fields(tidy(text)), " ") }

// tidyLines returns a text without blank lines, and without spaces at the ends of lines.
func tidyLines(text string) string {
	var kept []string
	for line := range strings.Lines(tidy(text)) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// tidy returns a text in the form NFC, without control characters, characters that change the
// direction of writing, and others that do not show. Joiners of emoji and of letters stay.
func tidy(text string) string {
	return norm.NFC.String(strings.Map(func(r rune) rune {
		switch {
		case r == '\r', r == '\u2028', r == '\u2029', r == '\u0085':
			return '\n'
		case r == '\n', r == '\t':
			return r
		case unicode.IsControl(r), r == utf8.RuneError, r == '\u00AD', r == '\u200B', r == '\u2060', r == '\uFEFF':
			return -1
		case r == '\u061C', r == '\u200E', r == '\u200F', r >= '\u202A' && r <= '\u202E', r >= '\u2066' && r <= '\u2069':
			return -1
		}
		return r
	}, text))
}

// appearedFirst matches the last line that WordPress adds to texts, in some of its languages.
var appearedFirst = regexp.MustCompile(`^(?:The post .+ (?:appeared first|first appeared) on .+|Der Beitrag .+ erschien zuerst auf .+|` +
	`L[’']article .+ est apparu en premier sur .+|La entrada .+ (?:se publicó primero|aparece primero) en .+|` +
	`L[’']articolo .+ (?:proviene da|sembra essere il primo su) .+|Het bericht .+ verscheen eerst op .+)$`)

// withoutFooter returns a text without the line in which WordPress names the page.
func withoutFooter(text string) string {
	start := strings.LastIndexByte(text, '\n') + 1
	if len(text)-start < 2000 && appearedFirst.MatchString(text[start:]) {
		return strings.TrimRight(text[:start], "\n")
	}
	return text
}

// shorten returns a text of a number of characters at most. A longer one ends with "…".
func shorten(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return strings.TrimSpace(string([]rune(text)[:most-1])) + "…"
}

// clip returns a text of a number of bytes at most.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
