package outbound

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/schedctl/schedctl/daemon/publish"
)

const (
	maxMessage   = 500 // bytes of a whole message
	maxErrorText = 300 // bytes of what a network says in it

	// An echo of this many characters of the content, or of a credential, makes
	// words unfit to be shown. Shorter ones are the words of any language.
	minEcho = 12
)

// ErrorText returns what an answer says was wrong, in one line of at most 300 bytes
// of valid UTF-8 without control characters. It understands a JSON object with
// error, message, detail, title or error_description, nested or not, a JSON
// string, and plain text. Empty, HTML and other bodies have no words. Neither have
// those that repeat a part of hidden: the content, credentials and the like.
func ErrorText(a Response, hidden ...string) string {
	words := clip(oneLine(clip(bodyMessage(a.Body), 4*maxErrorText)), maxErrorText)
	for _, h := range hidden {
		if echoes(strings.ToLower(words), strings.ToLower(oneLine(h))) {
			return ""
		}
	}
	return words
}

// WithErrorText appends the network's words to the message of an error, which stays
// within 500 bytes.
func WithErrorText(e *publish.Error, words string) *publish.Error {
	if words != "" {
		e.Message += ": " + words
	}
	e.Message = clip(e.Message, maxMessage)
	return e
}

// bodyMessage finds the message in a body.
func bodyMessage(body []byte) string {
	var value any
	if json.Unmarshal(body, &value) == nil {
		return nestedMessage(value, 3)
	}
	text := strings.TrimSpace(string(body))
	if text == "" || strings.ContainsAny(text[:1], "<{[") {
		return ""
	}
	return text
}

// nestedMessage finds the message in a decoded body, looking a few objects deep.
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

// oneLine replaces what is not printable and joins runs of white space.
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

// clip cuts s to at most n bytes, between characters.
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

// echoes reports whether words repeat a part of hidden.
func echoes(words, hidden string) bool {
	if utf8.RuneCountInString(hidden) <= minEcho {
		return utf8.RuneCountInString(hidden) > 3 && strings.Contains(words, hidden)
	}
	runes := []rune(words)
	for i := 0; i+minEcho <= len(runes); i++ {
		if strings.Contains(hidden, string(runes[i:i+minEcho])) {
			return true
		}
	}
	return false
}
