package wordpress

import (
	"fmt"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

const (
	maxLineTitle = 120 // characters of a first line that is used as the title
	maxSlugWords = 60  // bytes of the title in a slug
)

// split returns the title and the text of a post. If the option title is not set, the
// first line is the title, and the rest is the text. A first line that is too long for a
// title, or has no text after it, is also part of the text.
func split(content string, o schedctl.Options) (title, text string) {
	content = strings.TrimSpace(strings.ReplaceAll(content, "\r\n", "\n"))
	if title := strings.TrimSpace(o.String(optionTitle)); title != "" {
		return title, content
	}
	line, rest, _ := strings.Cut(content, "\n")
	line, rest = strings.TrimSpace(line), strings.TrimSpace(rest)
	if utf8.RuneCountInString(line) > maxLineTitle {
		return shorten(line), content
	}
	if rest == "" {
		return line, content
	}
	return line, rest
}

// shorten cuts a line after at most maxLineTitle characters, between two words if
// possible.
func shorten(line string) string {
	runes := []rune(line)[:maxLineTitle-1]
	for i := len(runes) - 1; i > maxLineTitle/2; i-- {
		if unicode.IsSpace(runes[i]) {
			runes = runes[:i]
			break
		}
	}
	return strings.TrimSpace(string(runes)) + "…"
}

// slugOf returns the slug of a post: some words of its first line, and the key. It does
// not depend on the options, which may change between two attempts.
func slugOf(r publish.Request) string {
	line, _, _ := strings.Cut(strings.TrimSpace(r.Content), "\n")
	var b strings.Builder
	for _, c := range strings.ToLower(line) {
		switch {
		case c < utf8.RuneSelf && (unicode.IsLower(c) || unicode.IsDigit(c)):
			b.WriteRune(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= maxSlugWords {
			break
		}
	}
	words := strings.Trim(b.String(), "-")
	if words != "" {
		words += "-"
	}
	return words + strings.ToLower(r.Key)
}

// address matches the links in a text.
var address = pattern.Lazy(`https?://[^\s<>"']+`)

// escape escapes a text for HTML. It also escapes the brackets of shortcodes, which
// WordPress would otherwise execute.
func escape(text string) string {
	return strings.NewReplacer("[", "&#91;", "]", "&#93;").Replace(html.EscapeString(text))
}

// blocks returns a text as the blocks of paragraphs of WordPress's editor.
func blocks(text string) string {
	var b strings.Builder
	var lines []string
	flush := func() {
		if len(lines) > 0 {
			fmt.Fprintf(&b, "<!-- wp:paragraph -->\n<p>%s</p>\n<!-- /wp:paragraph -->\n\n", strings.Join(lines, "<br>"))
		}
		lines = nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			flush()
			continue
		}
		lines = append(lines, linkify(line))
	}
	flush()
	return b.String()
}

// linkify escapes a line and makes its addresses links.
func linkify(line string) string {
	var b strings.Builder
	at := 0
	for _, found := range address().FindAllStringIndex(line, -1) {
		link := trimLink(line[found[0]:found[1]])
		b.WriteString(escape(line[at:found[0]]))
		fmt.Fprintf(&b, `<a href="%s">%[1]s</a>`, escape(link))
		at = found[0] + len(link)
	}
	b.WriteString(escape(line[at:]))
	return b.String()
}

// trimLink removes punctuation that ends the sentence and not the link.
func trimLink(link string) string {
	for {
		trimmed := strings.TrimRight(link, ".,;:!?…")
		if strings.HasSuffix(trimmed, ")") && !strings.Contains(trimmed, "(") {
			trimmed = strings.TrimSuffix(trimmed, ")")
		}
		if trimmed == link {
			return link
		}
		link = trimmed
	}
}
