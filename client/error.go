package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path"
	"strings"
	"syscall"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// Error is an error response of the daemon. [schedctl.CodeOf] returns its code.
type Error struct {
	API        apiv1.Error   // as sent by the daemon; Code is never empty
	Status     int           // of the HTTP response
	RetryAfter time.Duration // how long the daemon asks to wait, or 0
	Location   string        // the path of an existing object, or empty
}

// Error returns the message, and the details when there are several.
func (e *Error) Error() string {
	if len(e.API.Details) < 2 {
		return e.API.Message
	}
	details := make([]string, len(e.API.Details))
	for i, d := range e.API.Details {
		details[i] = strings.TrimPrefix(d.Field+": ", ": ") + d.Message
	}
	return e.API.Message + " (" + strings.Join(details, "; ") + ")"
}

// Unwrap returns the error as a [schedctl.Error].
func (e *Error) Unwrap() error { return &schedctl.Error{Code: e.API.Code, Message: e.API.Message} }

// CreatedBefore returns the id of the object that the first request with an
// idempotency key created, when err rejects a different request with the same key.
// It is empty when the daemon does not report an id.
func CreatedBefore(err error) (id string) {
	return namedObject(err, schedctl.IdempotencyKeyReused)
}

// ExistingPost returns the id of the post that already has the external id of a
// request, when err is the daemon's error for that. It is empty when the key of the
// request may not see that post.
func ExistingPost(err error) (id string) {
	return namedObject(err, schedctl.ExternalIDExists)
}

// namedObject returns the id of the object that an error response with a code names.
func namedObject(err error, code schedctl.Code) (id string) {
	refused, ok := errors.AsType[*Error](err)
	if !ok || refused.API.Code != code || refused.Location == "" {
		return ""
	}
	return path.Base(refused.Location)
}

// ErrNotModified is the error of [Client.PostIfChanged] for a post that has not
// changed.
var ErrNotModified = errors.New("the post has not changed")

// UnreachableError means that no response arrived. The request may or may not have
// taken effect. Repeat it with the same idempotency key to apply it only once.
type UnreachableError struct {
	URL string
	Err error
}

// Error says what was tried, why it did not work and what to do.
func (e *UnreachableError) Error() string {
	var dns *net.DNSError
	switch {
	case errors.Is(e.Err, errRedirect):
		return fmt.Sprintf("%s: %v", e.URL, e.Err)
	case errors.Is(e.Err, ErrUnproven):
		return fmt.Sprintf("the process at %s is not the announced daemon, so no API key was sent: is the daemon running? start it with: schedctl daemon start", e.URL)
	case errors.Is(e.Err, os.ErrPermission):
		return fmt.Sprintf("no permission to connect to %s: the daemon belongs to another user", e.URL)
	case errors.Is(e.Err, syscall.ECONNREFUSED) || errors.Is(e.Err, os.ErrNotExist):
		return fmt.Sprintf("cannot connect to %s: is the daemon running? start it with: schedctl daemon start", e.URL)
	case errors.Is(e.Err, context.DeadlineExceeded):
		return fmt.Sprintf("%s did not respond in time: is it a schedctl daemon? check its log, or wait longer with --timeout", e.URL)
	case errors.Is(e.Err, io.EOF) || errors.Is(e.Err, io.ErrUnexpectedEOF) || errors.Is(e.Err, syscall.ECONNRESET):
		return fmt.Sprintf("the connection to %s was cut before the response was complete: is it a schedctl daemon? check its log, and the limits of a proxy in front of it", e.URL)
	case errors.Is(e.Err, syscall.EPIPE):
		return fmt.Sprintf("the connection to %s was closed while the request was sent: does a proxy in front of the daemon limit the size of requests?", e.URL)
	case errors.As(e.Err, &dns):
		return fmt.Sprintf("the host of %s is not known: check the URL", e.URL)
	}
	return fmt.Sprintf("the daemon at %s cannot be reached: %v", e.URL, rootCause(e.Err))
}

// Unwrap returns the cause.
func (e *UnreachableError) Unwrap() error { return e.Err }

// rootCause strips the wrapping that repeats the URL.
func rootCause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}
