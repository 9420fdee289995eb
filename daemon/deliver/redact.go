package deliver

import (
	"errors"
	"strings"

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
		if publish.IsSecret(p, name) {
			hide = append(hide, value)
		}
	}
	clean := *e
	clean.Code = publish.Clip(hideAll(e.Code, hide), maxMessage)
	clean.Message = publish.Clip(hideAll(e.Message, hide), maxMessage)
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
