package outbound

import (
	"encoding/json"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

const (
	maxMessage   = 500      // bytes of a whole message
	maxErrorText = 300      // bytes of the network's own text in it
	maxTitleAt   = 64 << 10 // bytes of a page that are searched for its title

	// If the network's text repeats this many characters of the content or of a
	// credential, it is not shown. Shorter matches are ordinary words.
	minEcho = 12
)

// ErrorText returns the error message in a response, as one line of at most 300
// bytes of valid UTF-8 without control characters. It understands a JSON object with
// error, message, detail, title or error_description, nested or not, a JSON string,
// plain text, and the title of a page in HTML. It returns the empty string for other bodies, and
// for messages that repeat a part of hidden: the content, credentials and the like.
func ErrorText(response Response, hidden ...string) string {
	text := clip(oneLine(clip(bodyMessage(response.Body), 4*maxErrorText)), maxErrorText)
	for _, h := range hidden {
		if echoes(strings.ToLower(text), strings.ToLower(oneLine(h))) {
			return ""
		}
	}
	return text
}

// WithErrorText appends the network's own text to the message of an error and limits
// the message to 500 bytes.
func WithErrorText(e *publish.Error, text string) *publish.Error {
	if text != "" {
		e.Message += ": " + text
		e.Words = clip(text, maxMessage)
	}
	e.Message = clip(e.Message, maxMessage)
	return e
}

// pageTitle matches the title of a page.
var pageTitle = pattern.Lazy(`(?is)<title[^>]{0,200}>([^<]{1,300})</title`)

// bodyMessage returns the error message in a body.
func bodyMessage(body []byte) string {
	var value any
	if json.Unmarshal(body, &value) == nil {
		return nestedMessage(value, 3)
	}
	text := strings.TrimSpace(string(body))
	switch {
	case text == "" || strings.ContainsAny(text[:1], "{["):
		return ""
	case text[0] != '<':
		return text
	}
	m := pageTitle().FindStringSubmatch(clip(text, maxTitleAt))
	if m == nil {
		return ""
	}
	return html.UnescapeString(m[1])
}

// nestedMessage returns the error message in a decoded body, at most depth objects
// deep.
func nestedMessage(value any, depth int) string {
	switch v := value.(type) {
	case string:
		return v
	case map[string]any:
		if depth == 0 {
			return ""
		}
		for _, key := range []string{"error_description", "message", "error", "detail", "title"} {
			if s := nestedMessage(v[key], depth-1); s != "" {
				return s
			}
		}
	}
	return ""
}

// oneLine replaces characters that cannot be printed and joins runs of white space.
func oneLine(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// clip cuts s to at most limit bytes, at a character boundary.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	const more = "…"
	end := limit - len(more)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return strings.TrimRight(s[:end], " ") + more
}

// echoes reports whether text repeats a part of hidden.
func echoes(text, hidden string) bool {
	if utf8.RuneCountInString(hidden) <= minEcho {
		return utf8.RuneCountInString(hidden) > 3 && strings.Contains(text, hidden)
	}
	runes := []rune(text)
	for i := 0; i+minEcho <= len(runes); i++ {
		if strings.Contains(hidden, string(runes[i:i+minEcho])) {
			return true
		}
	}
	return false
}
