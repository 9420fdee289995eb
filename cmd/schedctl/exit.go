package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
)

// The exit statuses. Scripts rely on them: none ever changes its meaning.
const (
	exitOK          = 0
	exitOther       = 1
	exitUsage       = 2
	exitNotFound    = 3
	exitAuth        = 4
	exitInvalid     = 5
	exitConflict    = 6
	exitUnreachable = 7
	exitTimedOut    = 8
	exitFailed      = 9
	exitRateLimited = 10
	exitInterrupted = 130
)

// exitMeanings is the table of "schedctl help exit-codes".
var exitMeanings = []struct {
	status  int
	meaning string
}{
	{exitOK, "done"},
	{exitOther, "another error: an unreadable file, a second daemon on the same data"},
	{exitUsage, "the command line is wrong: an unknown flag, a time that cannot be read"},
	{exitNotFound, "nothing has this id or name"},
	{exitAuth, "no API key, or a key that is wrong, expired or not allowed to do this"},
	{exitInvalid, "refused as invalid: a time that has passed, a text too long, an unknown account"},
	{exitConflict, "not possible in this state: editing a published post, a reused idempotency key"},
	{exitUnreachable, "no daemon (or database server) responds, or it has an internal error or no space"},
	{exitTimedOut, "the wait timed out; posts stay as they are"},
	{exitFailed, "a target was not published, or a part of an import or an apply was refused"},
	{exitRateLimited, "too many requests; try again later"},
	{exitInterrupted, "interrupted, or a prompt was declined"},
}

// exitByCode is the exit status of every refusal of the API.
var exitByCode = map[schedctl.Code]int{
	schedctl.InvalidJSON:               exitInvalid,
	schedctl.ValidationFailed:          exitInvalid,
	schedctl.InvalidPublishAt:          exitInvalid,
	schedctl.ContentTooLong:            exitInvalid,
	schedctl.InvalidSocialAccounts:     exitInvalid,
	schedctl.InvalidCursor:             exitInvalid,
	schedctl.InvalidIdempotencyKey:     exitInvalid,
	schedctl.AccountVerificationFailed: exitInvalid,
	schedctl.AuthenticationRequired:    exitAuth,
	schedctl.InvalidAPIKey:             exitAuth,
	schedctl.APIKeyRevoked:             exitAuth,
	schedctl.APIKeyExpired:             exitAuth,
	schedctl.InsufficientScope:         exitAuth,
	schedctl.AccountNotAllowed:         exitAuth,
	schedctl.NotFound:                  exitNotFound,
	schedctl.MethodNotAllowed:          exitOther,
	schedctl.NotAcceptable:             exitOther,
	schedctl.PostNotEditable:           exitConflict,
	schedctl.PostNotDeletable:          exitConflict,
	schedctl.PostNotCancelable:         exitConflict,
	schedctl.PostNotDraft:              exitConflict,
	schedctl.PostCanceled:              exitConflict,
	schedctl.PostNotRetryable:          exitConflict,
	schedctl.PostNotScheduled:          exitConflict,
	schedctl.PostNotReplaceable:        exitConflict,
	schedctl.ExternalIDExists:          exitConflict,
	schedctl.DuplicateContent:          exitConflict,
	schedctl.IdempotencyKeyReused:      exitConflict,
	schedctl.IdempotencyRunning:        exitConflict,
	schedctl.VersionMismatch:           exitConflict,
	schedctl.BodyTooLarge:              exitInvalid,
	schedctl.UnsupportedMediaType:      exitOther,
	schedctl.RateLimited:               exitRateLimited,
	schedctl.Internal:                  exitUnreachable,
	schedctl.Unavailable:               exitUnreachable,
	schedctl.InsufficientStorage:       exitUnreachable,
}

// failure is an error of the command line itself.
type failure struct {
	status  int
	code    schedctl.Code // for --json
	message string        // one clause with the problem
	hint    string        // what to do about it, or empty
}

// Codes of failures that never reach the API.
const (
	codeUsage       schedctl.Code = "USAGE"
	codeUnreachable schedctl.Code = "UNREACHABLE"
	codeTimedOut    schedctl.Code = "WAIT_TIMED_OUT"
	codeFailed      schedctl.Code = "TARGET_FAILED"
	codeInterrupted schedctl.Code = "INTERRUPTED"
	codeOther       schedctl.Code = "ERROR"
)

// Error returns the message and the hint.
func (f *failure) Error() string {
	if f.hint == "" {
		return f.message
	}
	return f.message + "; " + f.hint
}

// usage returns a failure of how the program was called.
func usage(format string, args ...any) *failure {
	return &failure{status: exitUsage, code: codeUsage, message: fmt.Sprintf(format, args...)}
}

// invalid returns a failure for a value that the API would refuse as well.
func invalid(code schedctl.Code, format string, args ...any) *failure {
	return &failure{status: exitInvalid, code: code, message: fmt.Sprintf(format, args...)}
}

// declined is the error for a prompt that a person declines.
var declined = &failure{status: exitInterrupted, code: codeInterrupted, message: "no changes were made"}

// several are the errors of a command that continued after the first.
type several []error

// Error returns all errors.
func (s several) Error() string { return errors.Join(s...).Error() }

// exitStatus returns the exit status for an error; of several, the first counts.
func exitStatus(err error) int {
	status, _ := classify(err)
	return status
}

// classify returns the exit status and the code that --json shows.
func classify(err error) (status int, code schedctl.Code) {
	var (
		all         several
		failed      *failure
		refused     *client.Error
		unreachable *client.UnreachableError
		misread     *when.Error
	)
	switch {
	case err == nil:
		return exitOK, ""
	case errors.As(err, &all):
		return classify(all[0])
	case errors.As(err, &failed):
		return failed.status, failed.code
	case errors.As(err, &refused):
		return refusalStatus(refused), refused.API.Code
	case errors.As(err, &unreachable):
		return exitUnreachable, codeUnreachable
	case errors.As(err, &misread) && misread.Reason == when.Past:
		return exitInvalid, schedctl.InvalidPublishAt
	case errors.As(err, &misread):
		return exitUsage, codeUsage
	case errors.Is(err, context.Canceled):
		return exitInterrupted, codeInterrupted
	}
	return exitOther, codeOther
}

// refusalStatus goes by the code and, for codes that this version does not
// know, by the HTTP status.
func refusalStatus(e *client.Error) int {
	if status, known := exitByCode[e.API.Code]; known {
		return status
	}
	switch s := e.Status; {
	case s == http.StatusUnauthorized || s == http.StatusForbidden:
		return exitAuth
	case s == http.StatusNotFound:
		return exitNotFound
	case s == http.StatusConflict || s == http.StatusPreconditionFailed:
		return exitConflict
	case s == http.StatusTooManyRequests:
		return exitRateLimited
	case s >= http.StatusInternalServerError:
		return exitUnreachable
	case s == http.StatusBadRequest || s == http.StatusRequestEntityTooLarge:
		return exitInvalid
	}
	return exitOther
}

// report writes an error to standard error: a line, or the envelope of the API
// with --json. The flag may not have been parsed when the error is about flags.
func (a *app) report(err error, args []string) {
	var all several
	if errors.As(err, &all) {
		for _, e := range all {
			a.report(e, args)
		}
		return
	}
	_, code := classify(err)
	message := err.Error()
	if errors.Is(err, context.Canceled) {
		message = "interrupted"
		if a.errTerminal {
			a.tell("") // the terminal shows ^C
		}
	}
	if !a.json.asked && !asksForJSON(args) {
		headline, details := explain(err, message)
		var refused *client.Error
		if errors.As(err, &refused) {
			headline = withHint(headline, refused.API)
		}
		fmt.Fprintln(a.err, "schedctl: "+oneLine(headline))
		for _, line := range details {
			fmt.Fprintln(a.err, "  "+oneLine(line))
		}
		return
	}
	out := apiv1.Error{Code: code, Message: message}
	var refused *client.Error
	if errors.As(err, &refused) {
		out = refused.API
		out.Message = message
	}
	var doc bytes.Buffer
	json.NewEncoder(&doc).Encode(apiv1.ErrorEnvelope{Error: out})
	if a.errTerminal {
		a.err.Write(escapeUnprintable(doc.Bytes()))
		return
	}
	a.err.Write(doc.Bytes())
}
