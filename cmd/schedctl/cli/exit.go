package cli

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

// The exit statuses. Their meanings never change, because scripts rely on them.
const (
	ExitOK          = 0
	ExitOther       = 1
	ExitUsage       = 2
	ExitNotFound    = 3
	ExitAuth        = 4
	ExitInvalid     = 5
	ExitConflict    = 6
	ExitUnreachable = 7
	ExitTimedOut    = 8
	ExitFailed      = 9
	ExitRateLimited = 10
	ExitInterrupted = 130
)

// ExitMeanings is the table of "schedctl help exit-codes".
var ExitMeanings = []struct {
	Status  int
	Meaning string
}{
	{ExitOK, "done"},
	{ExitOther, "another error: an unreadable file, a second daemon on the same data"},
	{ExitUsage, "the command line is wrong: an unknown flag, a time that cannot be read"},
	{ExitNotFound, "nothing has this id or name"},
	{ExitAuth, "no API key, or a key that is wrong, expired or not allowed to do this"},
	{ExitInvalid, "refused as invalid: a past time, a text or file too large, an unknown account"},
	{ExitConflict, "not possible in this state: editing a published post, a reused idempotency key"},
	{ExitUnreachable, "no daemon (or database server) responds, or it has an internal error or no space"},
	{ExitTimedOut, "the wait timed out; posts stay as they are"},
	{ExitFailed, "a target not published, part of an import or apply refused, a forecast with entries"},
	{ExitRateLimited, "too many requests; try again later"},
	{ExitInterrupted, "interrupted, or a prompt was declined"},
}

// ExitByCode has the exit status for each error code of the API.
var ExitByCode = map[schedctl.Code]int{
	schedctl.InvalidJSON:               ExitInvalid,
	schedctl.ValidationFailed:          ExitInvalid,
	schedctl.InvalidPublishAt:          ExitInvalid,
	schedctl.ContentTooLong:            ExitInvalid,
	schedctl.InvalidSocialAccounts:     ExitInvalid,
	schedctl.InvalidCursor:             ExitInvalid,
	schedctl.InvalidIdempotencyKey:     ExitInvalid,
	schedctl.MediaInvalid:              ExitInvalid,
	schedctl.AccountVerificationFailed: ExitInvalid,
	schedctl.AuthenticationRequired:    ExitAuth,
	schedctl.InvalidAPIKey:             ExitAuth,
	schedctl.APIKeyRevoked:             ExitAuth,
	schedctl.APIKeyExpired:             ExitAuth,
	schedctl.InsufficientScope:         ExitAuth,
	schedctl.AccountNotAllowed:         ExitAuth,
	schedctl.KeyNotAllowed:             ExitAuth,
	schedctl.SelfApproval:              ExitAuth,
	schedctl.NotYourDraft:              ExitAuth,
	schedctl.UploadURLInvalid:          ExitAuth,
	schedctl.NotFound:                  ExitNotFound,
	schedctl.MethodNotAllowed:          ExitOther,
	schedctl.NotAcceptable:             ExitOther,
	schedctl.PostNotEditable:           ExitConflict,
	schedctl.PostNotDeletable:          ExitConflict,
	schedctl.PostNotCancelable:         ExitConflict,
	schedctl.PostNotDraft:              ExitConflict,
	schedctl.PostCanceled:              ExitConflict,
	schedctl.PostNotRetryable:          ExitConflict,
	schedctl.ResultsUnavailable:        ExitConflict,
	schedctl.PostNotOver:               ExitConflict,
	schedctl.PostNotScheduled:          ExitConflict,
	schedctl.PostNotReplaceable:        ExitConflict,
	schedctl.ExternalIDExists:          ExitConflict,
	schedctl.DuplicateContent:          ExitConflict,
	schedctl.IdempotencyKeyReused:      ExitConflict,
	schedctl.IdempotencyRunning:        ExitConflict,
	schedctl.MediaInUse:                ExitConflict,
	schedctl.MediaNotReady:             ExitConflict,
	schedctl.MediaUploaded:             ExitConflict,
	schedctl.VersionMismatch:           ExitConflict,
	schedctl.VersionRequired:           ExitUsage,
	schedctl.QueueFull:                 ExitConflict,
	schedctl.NoQueue:                   ExitConflict,
	schedctl.InBlackout:                ExitConflict,
	schedctl.SlotTaken:                 ExitConflict,
	schedctl.NameTaken:                 ExitConflict,
	schedctl.SeriesIsOver:              ExitConflict,
	schedctl.SourceMismatch:            ExitConflict,
	schedctl.OlderRevision:             ExitConflict,
	schedctl.SourceHeldBack:            ExitConflict,
	schedctl.SourceExists:              ExitConflict,
	schedctl.SourceNotAFeed:            ExitInvalid,
	schedctl.ApprovalMissing:           ExitConflict,
	schedctl.ApprovalNotPending:        ExitConflict,
	schedctl.ExistingPosts:             ExitConflict,
	schedctl.BodyTooLarge:              ExitInvalid,
	schedctl.MediaTooLarge:             ExitInvalid,
	schedctl.MediaQuotaExceeded:        ExitInvalid,
	schedctl.MediaTypeNotAllowed:       ExitInvalid,
	schedctl.UnsupportedMediaType:      ExitOther,
	schedctl.RateLimited:               ExitRateLimited,
	schedctl.Internal:                  ExitUnreachable,
	schedctl.Unavailable:               ExitUnreachable,
	schedctl.InsufficientStorage:       ExitUnreachable,
}

// Failure is an error of the command line itself.
type Failure struct {
	Status  int
	Code    schedctl.Code // for --json
	Message string        // one clause with the problem
	Hint    string        // what to do about it, or empty
}

// Error codes of failures that do not come from the API.
const (
	CodeUsage       schedctl.Code = "USAGE"
	CodeUnreachable schedctl.Code = "UNREACHABLE"
	CodeTimedOut    schedctl.Code = "WAIT_TIMED_OUT"
	CodeFailed      schedctl.Code = "TARGET_FAILED"
	CodeInterrupted schedctl.Code = "INTERRUPTED"
	CodeOther       schedctl.Code = "ERROR"
)

// Error returns the message and the hint.
func (f *Failure) Error() string {
	if f.Hint == "" {
		return f.Message
	}
	return f.Message + "; " + f.Hint
}

// WithHint sets the hint and returns f.
func (f *Failure) WithHint(hint string) *Failure {
	f.Hint = hint
	return f
}

// NewFailure returns a failure without a hint.
func NewFailure(status int, code schedctl.Code, format string, args ...any) *Failure {
	return &Failure{Status: status, Code: code, Message: fmt.Sprintf(format, args...)}
}

// UsageError returns an error about the command line.
func UsageError(format string, args ...any) *Failure {
	return NewFailure(ExitUsage, CodeUsage, format, args...)
}

// InvalidError returns a failure for a value that the API would refuse as well.
func InvalidError(code schedctl.Code, format string, args ...any) *Failure {
	return NewFailure(ExitInvalid, code, format, args...)
}

// OtherError returns a failure with the exit status for errors of no other kind.
func OtherError(format string, args ...any) *Failure {
	return NewFailure(ExitOther, CodeOther, format, args...)
}

// errDeclined is the error for a prompt that a person declines.
var errDeclined = &Failure{Status: ExitInterrupted, Code: CodeInterrupted, Message: "no changes were made"}

// ErrorList has the errors of a command that continued after the first error.
type ErrorList []error

// Error returns all errors.
func (s ErrorList) Error() string { return errors.Join(s...).Error() }

// ExitStatus returns the exit status for an error. For several errors it is that of
// the first.
func ExitStatus(err error) int {
	status, _ := classify(err)
	return status
}

// classify returns the exit status and the code that --json shows.
func classify(err error) (status int, code schedctl.Code) {
	var (
		all         ErrorList
		failed      *Failure
		refused     *client.Error
		unreachable *client.UnreachableError
		misread     *when.Error
	)
	switch {
	case err == nil:
		return ExitOK, ""
	case errors.As(err, &all):
		return classify(all[0])
	case errors.As(err, &failed):
		return failed.Status, failed.Code
	case errors.As(err, &refused):
		return RefusalStatus(refused), refused.API.Code
	case errors.As(err, &unreachable):
		return ExitUnreachable, CodeUnreachable
	case errors.As(err, &misread) && misread.Reason == when.Past:
		return ExitInvalid, schedctl.InvalidPublishAt
	case errors.As(err, &misread):
		return ExitUsage, CodeUsage
	case errors.Is(err, context.Canceled):
		return ExitInterrupted, CodeInterrupted
	}
	return ExitOther, CodeOther
}

// RefusalStatus returns the exit status for an error of the daemon: by its code or, if
// this version does not know the code, by the HTTP status.
func RefusalStatus(e *client.Error) int {
	if status, known := ExitByCode[e.API.Code]; known {
		return status
	}
	switch s := e.Status; {
	case s == http.StatusUnauthorized || s == http.StatusForbidden:
		return ExitAuth
	case s == http.StatusNotFound:
		return ExitNotFound
	case s == http.StatusConflict || s == http.StatusPreconditionFailed:
		return ExitConflict
	case s == http.StatusPreconditionRequired:
		return ExitUsage
	case s == http.StatusTooManyRequests:
		return ExitRateLimited
	case s >= http.StatusInternalServerError:
		return ExitUnreachable
	case s == http.StatusBadRequest || s == http.StatusRequestEntityTooLarge:
		return ExitInvalid
	}
	return ExitOther
}

// report writes an error to standard error: a line, or the envelope of the API
// with --json. The flag may not have been parsed when the error is about flags.
func (a *App) report(err error, args []string) {
	if all, ok := errors.AsType[ErrorList](err); ok {
		for _, e := range all {
			a.report(e, args)
		}
		return
	}
	_, code := classify(err)
	message := a.forAgent(err.Error())
	if errors.Is(err, context.Canceled) {
		message = "interrupted"
		if a.ErrTerminal {
			a.Messagef("") // the terminal shows ^C
		}
	}
	if !a.JSON.asked && !asksForJSON(args) {
		headline, details := describeError(err, message)
		if refused, ok := errors.AsType[*client.Error](err); ok {
			headline = a.forAgent(withHint(a.inNames(headline, args), refused.API))
			for i := range details {
				details[i] = a.inNames(details[i], args)
			}
		}
		a.Message("schedctl: " + MessageLine(headline))
		for _, line := range details {
			a.Message("  " + MessageLine(line))
		}
		return
	}
	out := apiv1.Error{Code: code, Message: message}
	if refused, ok := errors.AsType[*client.Error](err); ok {
		out = refused.API
		out.Message = message
	}
	out.Message = apiv1.InCommands(out.Message)
	var doc bytes.Buffer
	json.NewEncoder(&doc).Encode(apiv1.ErrorEnvelope{Error: out})
	if a.ErrTerminal {
		a.System.Err.Write(escapeUnprintable(doc.Bytes()))
		return
	}
	a.System.Err.Write(doc.Bytes())
}
