package deliver

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/schedctl/schedctl/daemon/publish"
)

const (
	// maxMessage is the longest message of a target's error, in bytes.
	maxMessage = 500

	// minRedacted is the length of the shortest text that is redacted. A shorter one
	// reveals nothing, and would match parts of ordinary words.
	minRedacted = 8
)

// redact returns the error without the post's text and the account's secrets, in case
// the network repeated them or the publisher included them.
func redact(e *publish.Error, p publish.Publisher, r publish.Request) *publish.Error {
	hide := []string{r.Content}
	for name, value := range r.Credentials {
		// Credentials that are not listed are part of a session.
		if !slices.ContainsFunc(p.Fields(), func(f publish.Field) bool { return f.Name == name && !f.Secret }) {
			hide = append(hide, value)
		}
	}
	clean := *e
	clean.Code = clip(hideAll(e.Code, hide), maxMessage)
	clean.Message = clip(hideAll(e.Message, hide), maxMessage)
	if e.Err != nil {
		if text := e.Err.Error(); hideAll(text, hide) != text {
			clean.Err = errors.New(hideAll(text, hide))
		}
	}
	return &clean
}

func hideAll(text string, hide []string) string {
	for _, s := range hide {
		if len(s) >= minRedacted {
			text = strings.ReplaceAll(text, s, "[hidden]")
		}
	}
	return text
}

// clip cuts text to at most limit bytes, between two characters.
func clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
