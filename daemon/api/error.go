package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// retryAfter is the Retry-After value in seconds for responses with these codes.
var retryAfter = map[schedctl.Code]string{
	schedctl.IdempotencyRunning:  "1",
	schedctl.Unavailable:         "5",
	schedctl.InsufficientStorage: "5", // the daemon checks the disk more often
	schedctl.RateLimited:         "1", // unless the limiter has set a longer time
}

// networkRetryAfter is the value for requests that failed because the network of an
// account is unreachable. It is longer than clients wait on their own.
const networkRetryAfter = "60"

// fail writes the error response for err and logs errors that need the operator's
// attention.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	e := asError(err)
	header := w.Header()
	requestID := header.Get(requestIDHeader)
	s.logFailure(r, requestID, e)
	_, lasts := errors.AsType[*lastingError](err)
	if seconds, ok := retryAfter[e.Code]; ok && !lasts && header.Get("Retry-After") == "" {
		if network := (*publish.Error)(nil); errors.As(err, &network) {
			seconds = networkRetryAfter
		}
		header.Set("Retry-After", seconds)
	}
	status := Status(e.Code)
	if status == http.StatusUnauthorized {
		header.Set("WWW-Authenticate", "Bearer")
	}
	if location := locationOf(err, e); location != "" {
		header.Set("Location", location)
	}
	body, err := encode(apiv1.NewError(e, requestID))
	if err != nil {
		s.log.LogAttrs(r.Context(), slog.LevelError, "error response not encoded", slog.String("request", requestID), slog.Any("error", err))
	}
	response{status: status, body: body}.write(w)
}

// locationOf returns the path of the object that an error is about, or an empty text.
func locationOf(err error, e *schedctl.Error) string {
	if located, ok := errors.AsType[*locatedError](err); ok {
		return located.location
	}
	if e.Code != schedctl.ExternalIDExists || len(e.Details) == 0 {
		return ""
	}
	id := e.Details[0].Message
	if _, ok := schedctl.ParseID(schedctl.SeriesPrefix, id); ok {
		return prefix + "/series/" + id
	}
	return prefix + "/posts/" + id
}

// lastingError is an error of the code [schedctl.Unavailable] that lasts until a person
// acts. Its response has no Retry-After, so that clients do not repeat the request.
type lastingError struct{ refusal *schedctl.Error }

// lasting returns a [lastingError] with a message for the client.
func lasting(format string, args ...any) error {
	return &lastingError{schedctl.Errorf(schedctl.Unavailable, "", format, args...)}
}

// Error returns the message of the refusal.
func (e *lastingError) Error() string { return e.refusal.Error() }

// Unwrap returns the refusal.
func (e *lastingError) Unwrap() error { return e.refusal }

// asError returns the error for the client. Errors without a code are internal, and
// the text of an internal error is not sent.
func asError(err error) *schedctl.Error {
	if e, ok := errors.AsType[*schedctl.Error](err); ok && e.Code != schedctl.Internal {
		return e
	}
	return internal(err)
}

// internal wraps err in an error that hides its text from the client.
func internal(err error) *schedctl.Error {
	return &schedctl.Error{
		Code: schedctl.Internal, Err: err,
		Message: "internal error; see the daemon log for this request_id",
	}
}

func (s *Server) logFailure(r *http.Request, requestID string, e *schedctl.Error) {
	level := slog.LevelError
	switch {
	case Status(e.Code) < http.StatusInternalServerError:
		return
	case errors.Is(e, context.Canceled):
		level = slog.LevelDebug // the client disconnected
	case storage.IsFull(e):
		level = slog.LevelDebug // the store logs that it is full
	case e.Code == schedctl.Unavailable:
		level = slog.LevelWarn
	}
	s.log.LogAttrs(r.Context(), level, "request failed",
		slog.String("request", requestID), slog.String("route", r.Pattern),
		slog.String("code", string(e.Code)), slog.Any("error", e.Err))
}

// storeError converts an error of the database to an error for the client. Errors
// with a code are returned unchanged.
func storeError(err error, message string) error {
	if err == nil {
		return nil
	}
	var e *schedctl.Error
	var full *storage.FullError
	switch {
	case errors.As(err, &e):
		return err
	case errors.As(err, &full):
		return &schedctl.Error{
			Code: schedctl.InsufficientStorage, Err: err,
			Message: "this was not stored: there is no space left in " + full.Where +
				" on the daemon's machine; free space on that disk and repeat the request (no restart needed)",
		}
	}
	if trouble := storage.Explain(err); trouble != "" {
		message = trouble
	}
	if errors.Is(err, storage.ErrUnknownOutcome) {
		message = "the connection to the database broke while this was stored, and it is unknown whether it was; " +
			"check the result before you repeat the request, or send an Idempotency-Key with the next ones"
	}
	return &schedctl.Error{Code: schedctl.Unavailable, Message: message, Err: err}
}
