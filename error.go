package schedctl

import (
	"errors"
	"fmt"
)

// Code identifies the reason why a request failed. The codes are part of the API and
// never change their meaning.
type Code string

// The codes of the API, in the order of their HTTP statuses.
const (
	InvalidJSON               Code = "INVALID_JSON"
	ValidationFailed          Code = "VALIDATION_FAILED"
	InvalidPublishAt          Code = "INVALID_PUBLISH_AT"
	ContentTooLong            Code = "CONTENT_TOO_LONG"
	InvalidSocialAccounts     Code = "INVALID_SOCIAL_ACCOUNTS"
	InvalidCursor             Code = "INVALID_CURSOR"
	InvalidIdempotencyKey     Code = "INVALID_IDEMPOTENCY_KEY"
	MediaInvalid              Code = "MEDIA_INVALID"
	AccountVerificationFailed Code = "ACCOUNT_VERIFICATION_FAILED"

	AuthenticationRequired Code = "AUTHENTICATION_REQUIRED"
	InvalidAPIKey          Code = "INVALID_API_KEY"
	APIKeyRevoked          Code = "API_KEY_REVOKED"
	APIKeyExpired          Code = "API_KEY_EXPIRED"

	InsufficientScope Code = "INSUFFICIENT_SCOPE"
	AccountNotAllowed Code = "ACCOUNT_NOT_ALLOWED"
	UploadURLInvalid  Code = "UPLOAD_URL_INVALID"

	NotFound             Code = "NOT_FOUND"
	MethodNotAllowed     Code = "METHOD_NOT_ALLOWED"
	NotAcceptable        Code = "NOT_ACCEPTABLE"
	PostNotEditable      Code = "POST_NOT_EDITABLE"
	PostNotDeletable     Code = "POST_NOT_DELETABLE"
	PostNotCancelable    Code = "POST_NOT_CANCELABLE"
	PostNotDraft         Code = "POST_NOT_DRAFT"
	PostCanceled         Code = "POST_CANCELED"
	PostNotRetryable     Code = "POST_NOT_RETRYABLE"
	PostNotOver          Code = "POST_NOT_OVER"
	PostNotScheduled     Code = "POST_NOT_SCHEDULED"
	ResultsUnavailable   Code = "RESULTS_UNAVAILABLE" // nothing can be read about the targets
	PostNotReplaceable   Code = "POST_NOT_REPLACEABLE"
	ExternalIDExists     Code = "EXTERNAL_ID_EXISTS"
	DuplicateContent     Code = "DUPLICATE_CONTENT"
	IdempotencyKeyReused Code = "IDEMPOTENCY_KEY_REUSED"
	IdempotencyRunning   Code = "IDEMPOTENCY_IN_PROGRESS"
	MediaInUse           Code = "MEDIA_IN_USE"
	MediaNotReady        Code = "MEDIA_NOT_READY"
	MediaUploaded        Code = "MEDIA_ALREADY_UPLOADED"
	VersionMismatch      Code = "VERSION_MISMATCH"
	VersionRequired      Code = "VERSION_REQUIRED"
	BodyTooLarge         Code = "BODY_TOO_LARGE"
	MediaTooLarge        Code = "MEDIA_TOO_LARGE"
	MediaQuotaExceeded   Code = "MEDIA_QUOTA_EXCEEDED"
	UnsupportedMediaType Code = "UNSUPPORTED_MEDIA_TYPE"
	MediaTypeNotAllowed  Code = "MEDIA_TYPE_NOT_ALLOWED"
	RateLimited          Code = "RATE_LIMITED"
	Internal             Code = "INTERNAL"
	Unavailable          Code = "UNAVAILABLE"
	InsufficientStorage  Code = "INSUFFICIENT_STORAGE"

	QueueFull    Code = "QUEUE_FULL"   // no free slot within [QueueHorizon]
	NoQueue      Code = "NO_QUEUE"     // the workspace has no queue
	SlotTaken    Code = "SLOT_TAKEN"   // another post has the slot
	NameTaken    Code = "NAME_TAKEN"   // another account, queue, series or calendar has the name
	InBlackout   Code = "BLACKOUT"     // the time is in a blackout
	SeriesIsOver Code = "SERIES_ENDED" // an ended series does not change

	SourceMismatch Code = "SOURCE_MISMATCH" // the collection belongs to another repository
	OlderRevision  Code = "OLDER_REVISION"  // a later commit was applied to the collection

	SourceHeldBack Code = "SOURCE_HELD"       // the source waits for a decision
	SourceNotAFeed Code = "SOURCE_NOT_A_FEED" // there is no feed at the URL
	SourceExists   Code = "SOURCE_EXISTS"     // another source has the name, or the URL and the accounts

	ApprovalMissing    Code = "APPROVAL_REQUIRED"
	ApprovalNotPending Code = "APPROVAL_NOT_PENDING" // the wrong state for a step of the review
	NotYourDraft       Code = "NOT_YOUR_DRAFT"       // the draft or the file belongs to another key
	ExistingPosts      Code = "EXISTING_POSTS"       // scheduled posts lack the approval that a new policy demands
	SelfApproval       Code = "SELF_APPROVAL"        // the requester, or the last editor, cannot decide
	KeyNotAllowed      Code = "KEY_NOT_ALLOWED"      // the key has scopes that no agent may have
)

// Codes lists every code, so that tables over codes can be tested for gaps.
func Codes() []Code {
	return []Code{
		InvalidJSON, ValidationFailed, InvalidPublishAt, ContentTooLong, InvalidSocialAccounts,
		InvalidCursor, InvalidIdempotencyKey, MediaInvalid, AccountVerificationFailed,
		AuthenticationRequired, InvalidAPIKey, APIKeyRevoked, APIKeyExpired,
		InsufficientScope, AccountNotAllowed, UploadURLInvalid, NotFound, MethodNotAllowed, NotAcceptable,
		PostNotEditable, PostNotDeletable, PostNotCancelable, PostNotDraft, PostCanceled,
		PostNotRetryable, PostNotOver, PostNotScheduled, ResultsUnavailable, PostNotReplaceable, ExternalIDExists, DuplicateContent, IdempotencyKeyReused, IdempotencyRunning,
		MediaInUse, MediaNotReady, MediaUploaded,
		VersionMismatch, VersionRequired, BodyTooLarge, MediaTooLarge, MediaQuotaExceeded, UnsupportedMediaType, MediaTypeNotAllowed, RateLimited, Internal, Unavailable,
		InsufficientStorage, QueueFull, NoQueue, SlotTaken, NameTaken, InBlackout, SeriesIsOver, SourceMismatch, OlderRevision,
		SourceHeldBack, SourceNotAFeed, SourceExists,
		ApprovalMissing, ApprovalNotPending, ExistingPosts, SelfApproval, NotYourDraft, KeyNotAllowed,
	}
}

// Error is an error that the caller can act on. Its message says what is wrong and
// what to do next, and is safe to show to the caller. Err is only for the log.
type Error struct {
	Code    Code
	Message string
	Field   string       // the field of the request, or empty
	Details []FieldError // one for each of several errors, or nil
	Err     error        // the cause, never shown to a caller, or nil
}

// FieldError is an error in one field of a request. If it is about a rule of an
// account's network, it has the account, and the length of a text that is too long.
type FieldError struct {
	Field   string
	Code    Code
	Message string

	AccountID string // or empty
	Length    int    // in Unit; 0 for none
	Limit     int    // in Unit; 0 for none
	Unit      string // "characters", "graphemes" or "bytes"; empty without a length
}

// Errorf returns an [*Error] with a formatted message. A %w verb sets Err.
func Errorf(code Code, field, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: err.Error(), Field: field, Err: errors.Unwrap(err)}
}

// Error returns the code and the message.
func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// CodeOf returns the code of the first [*Error] in err's chain, [Internal] for
// any other error, and the empty code for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return Internal
}
