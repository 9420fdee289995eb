package connect

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

const (
	maxText = 500  // bytes of a message or name
	maxURL  = 2000 // bytes

	// minHidden is the shortest secret that is removed from messages. Shorter ones
	// would match parts of words.
	minHidden = 4
)

// cleanError returns the error with a clean message: no control characters, no
// credentials, at most 500 bytes.
func cleanError(e *publish.Error, p publish.Publisher, c publish.Credentials) *publish.Error {
	clean := *e
	for name, value := range c {
		if len(value) >= minHidden && isSecret(p, name) {
			clean.Message = strings.ReplaceAll(clean.Message, value, "…")
		}
	}
	clean.Message = clip(withoutControls(clean.Message), maxText)
	return &clean
}

// isSecret reports whether a credential must not be shown. Unlisted credentials are part
// of a session and therefore secret.
func isSecret(p publish.Publisher, name string) bool {
	return !slices.ContainsFunc(p.Fields(), func(f publish.Field) bool { return f.Name == name && !f.Secret })
}

// cleanProfile removes control characters from a profile and limits its length.
func cleanProfile(p publish.Profile) publish.Profile {
	p.Username = clip(withoutControls(p.Username), maxText)
	p.DisplayName = clip(withoutControls(p.DisplayName), maxText)
	p.URL = clip(withoutControls(p.URL), maxURL)
	p.Identity = clip(withoutControls(p.Identity), maxURL)
	return p
}

func withoutControls(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, s)
}

// clip cuts text to limit bytes between two characters.
func clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// recoverPanic calls a publisher and turns its panic into an error.
func (c *Connector) recoverPanic(platform string, fn func() error) (err error) {
	defer func() {
		if thrown := recover(); thrown != nil {
			// The value of the panic may contain a credential.
			cause := fmt.Errorf("panic with a %T", thrown)
			c.log.Error("publisher panicked", "platform", platform, "error", cause, "stack", string(debug.Stack()))
			err = &publish.Error{
				Kind: schedctl.KindPlatform, Code: "panic", Outcome: schedctl.OutcomeNotPublished, Err: cause,
				Message: "internal error during a request to the network; report it with the log of the daemon",
			}
		}
	}()
	return fn()
}
