package connect

import (
	"fmt"
	"runtime/debug"
	"strings"
	"unicode"

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
		if len(value) >= minHidden && publish.IsSecret(p, name) {
			clean.Message = strings.ReplaceAll(clean.Message, value, "…")
		}
	}
	clean.Message = publish.Clip(withoutControls(clean.Message), maxText)
	return &clean
}

// cleanProfile removes control characters from a profile and limits its length.
func cleanProfile(p publish.Profile) publish.Profile {
	p.Username = publish.Clip(withoutControls(p.Username), maxText)
	p.DisplayName = publish.Clip(withoutControls(p.DisplayName), maxText)
	p.URL = publish.Clip(withoutControls(p.URL), maxURL)
	p.Identity = publish.Clip(withoutControls(p.Identity), maxURL)
	var warnings []string
	for _, w := range p.Warnings[:min(len(p.Warnings), schedctl.MaxAccountWarnings)] {
		warnings = append(warnings, publish.Clip(withoutControls(w), maxText))
	}
	p.Warnings = warnings
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
