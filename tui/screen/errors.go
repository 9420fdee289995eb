package screen

import (
	"context"
	"errors"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// Explain formats an error in one line.
func Explain(err error) string {
	text := err.Error()
	var refused *schedctl.Error
	if AsError(err, &refused) {
		text = strings.TrimPrefix(text, string(refused.Code)+": ") // the code is for programs
	}
	text = OneLine(apiv1.InCommands(text))
	switch code := schedctl.CodeOf(err); {
	case errors.Is(err, context.DeadlineExceeded):
		return "the daemon did not respond in time"
	case errors.Is(err, ErrUnreachable):
		return text
	case code == schedctl.RateLimited:
		return "too many requests: " + text
	case code == schedctl.ApprovalMissing:
		return "the post needs the approval of another key: A asks for the approval of a draft"
	}
	return text
}

// AsError finds a [schedctl.Error] in an error.
func AsError(err error, refused **schedctl.Error) bool { return errors.As(err, refused) }

// NoResponse reports whether the daemon may have carried out a request that failed.
func NoResponse(err error) bool {
	return errors.Is(err, ErrUnreachable) || errors.Is(err, context.DeadlineExceeded)
}

// UnlessUnknown returns nil for the errors of a daemon that has no queues yet, or of a
// key that must not see them.
func UnlessUnknown(err error) error {
	switch schedctl.CodeOf(err) {
	case schedctl.NotFound, schedctl.InsufficientScope:
		return nil
	}
	return err
}
