package api

import (
	"net/http"

	"github.com/schedctl/schedctl"
)

// statuses maps error codes to HTTP statuses.
var statuses = map[schedctl.Code]int{
	schedctl.InvalidJSON:               http.StatusBadRequest,
	schedctl.ValidationFailed:          http.StatusBadRequest,
	schedctl.InvalidPublishAt:          http.StatusBadRequest,
	schedctl.ContentTooLong:            http.StatusBadRequest,
	schedctl.InvalidSocialAccounts:     http.StatusBadRequest,
	schedctl.InvalidCursor:             http.StatusBadRequest,
	schedctl.InvalidIdempotencyKey:     http.StatusBadRequest,
	schedctl.MediaInvalid:              http.StatusBadRequest,
	schedctl.AccountVerificationFailed: http.StatusBadRequest,
	schedctl.SourceNotAFeed:            http.StatusBadRequest,

	schedctl.AuthenticationRequired: http.StatusUnauthorized,
	schedctl.InvalidAPIKey:          http.StatusUnauthorized,
	schedctl.APIKeyRevoked:          http.StatusUnauthorized,
	schedctl.APIKeyExpired:          http.StatusUnauthorized,

	schedctl.InsufficientScope: http.StatusForbidden,
	schedctl.AccountNotAllowed: http.StatusForbidden,
	schedctl.UploadURLInvalid:  http.StatusForbidden,
	schedctl.SelfApproval:      http.StatusForbidden,
	schedctl.NotYourDraft:      http.StatusForbidden,
	schedctl.KeyNotAllowed:     http.StatusForbidden,

	schedctl.NotFound:             http.StatusNotFound,
	schedctl.MethodNotAllowed:     http.StatusMethodNotAllowed,
	schedctl.NotAcceptable:        http.StatusNotAcceptable,
	schedctl.PostNotEditable:      http.StatusConflict,
	schedctl.PostNotDeletable:     http.StatusConflict,
	schedctl.PostNotCancelable:    http.StatusConflict,
	schedctl.PostNotDraft:         http.StatusConflict,
	schedctl.PostCanceled:         http.StatusConflict,
	schedctl.ResultsUnavailable:   http.StatusConflict,
	schedctl.PostNotRetryable:     http.StatusConflict,
	schedctl.PostNotOver:          http.StatusConflict,
	schedctl.PostNotScheduled:     http.StatusConflict,
	schedctl.PostNotReplaceable:   http.StatusConflict,
	schedctl.ExternalIDExists:     http.StatusConflict,
	schedctl.DuplicateContent:     http.StatusConflict,
	schedctl.IdempotencyKeyReused: http.StatusConflict,
	schedctl.IdempotencyRunning:   http.StatusConflict,
	schedctl.MediaInUse:           http.StatusConflict,
	schedctl.MediaNotReady:        http.StatusConflict,
	schedctl.MediaUploaded:        http.StatusConflict,
	schedctl.QueueFull:            http.StatusConflict,
	schedctl.NoQueue:              http.StatusConflict,
	schedctl.SlotTaken:            http.StatusConflict,
	schedctl.NameTaken:            http.StatusConflict,
	schedctl.InBlackout:           http.StatusConflict,
	schedctl.SeriesIsOver:         http.StatusConflict,
	schedctl.SourceMismatch:       http.StatusConflict,
	schedctl.OlderRevision:        http.StatusConflict,
	schedctl.SourceHeldBack:       http.StatusConflict,
	schedctl.SourceExists:         http.StatusConflict,
	schedctl.ApprovalMissing:      http.StatusConflict,
	schedctl.ApprovalNotPending:   http.StatusConflict,
	schedctl.ExistingPosts:        http.StatusConflict,
	schedctl.VersionMismatch:      http.StatusPreconditionFailed,
	schedctl.VersionRequired:      http.StatusPreconditionRequired,
	schedctl.BodyTooLarge:         http.StatusRequestEntityTooLarge,
	schedctl.MediaTooLarge:        http.StatusRequestEntityTooLarge,
	schedctl.MediaQuotaExceeded:   http.StatusRequestEntityTooLarge,
	schedctl.UnsupportedMediaType: http.StatusUnsupportedMediaType,
	schedctl.MediaTypeNotAllowed:  http.StatusUnsupportedMediaType,
	schedctl.RateLimited:          http.StatusTooManyRequests,
	schedctl.Internal:             http.StatusInternalServerError,
	schedctl.Unavailable:          http.StatusServiceUnavailable,
	schedctl.InsufficientStorage:  http.StatusInsufficientStorage,
}

// Status returns the HTTP status of an error code, 500 for codes that are not in
// [schedctl.Codes].
func Status(code schedctl.Code) int {
	if status, ok := statuses[code]; ok {
		return status
	}
	return http.StatusInternalServerError
}
