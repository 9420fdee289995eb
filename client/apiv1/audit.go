package apiv1

import (
	"slices"

	"github.com/schedctl/schedctl"
)

// AuditEntry is one accepted write.
type AuditEntry struct {
	ID         string  `json:"id" doc:"Starts with aud_."`
	CreatedAt  *Time   `json:"created_at" doc:"When the request was accepted." nullable:"false"`
	APIKeyID   string  `json:"api_key_id" doc:"The key of the request."`
	APIKeyName string  `json:"api_key_name" doc:"The name of that key."`
	RemoteAddr *string `json:"remote_addr" doc:"The client's address; unix for a Unix socket. Behind a proxy that the daemon does not trust (--trusted-proxy), it is the address of the proxy."`
	Action     string  `json:"action" doc:"The operationId, such as createPost."`
	ResourceID *string `json:"resource_id" doc:"The object that was created or changed; null when it has no id."`
	Detail     *string `json:"detail" doc:"Of a decision about an approval: the key that asked for it, or the address of the pull request that was the review; null otherwise."`
	RequestID  string  `json:"request_id" doc:"The X-Request-Id of the response."`
}

// AuditList is one page of the audit log, the youngest first.
type AuditList struct {
	Results    []AuditEntry `json:"results" doc:"The newest first."`
	Count      int          `json:"count" doc:"The number of results on this page."`
	NextCursor *string      `json:"next_cursor" doc:"The cursor of the next page; null on the last page."`
}

// NewAuditEntry returns the wire form of an audit entry.
func NewAuditEntry(e schedctl.AuditEntry) AuditEntry {
	return AuditEntry{
		ID: e.ID, CreatedAt: NewTime(e.At), APIKeyID: e.KeyID, APIKeyName: e.KeyName,
		RemoteAddr: optional(e.RemoteAddr), Action: e.Action, ResourceID: optional(e.ResourceID), RequestID: e.RequestID, Detail: optional(e.Detail),
	}
}

// Writes are the operations of the API that change something, sorted by name: the values of
// AuditEntry.Action. A later daemon may have more.
func Writes() []string { return slices.Clone(writes) }

var writes = []string{
	"addPostNote", "addSocialAccount", "adoptCollection", "applyCollection", "approvePost", "approveSeries", "archivePost",
	"cancelPost", "confirmUpload", "createAPIKey", "createBlackout", "createCalendarFeed", "createMedia", "createMediaFromURL",
	"createNotification", "createPost", "createQueue", "createSeries", "createShare", "createSource", "createUpload",
	"createUploadLink", "createWebhook", "createWorkspace", "deleteAccountGroup", "deleteBlackout", "deleteCalendarFeed",
	"deleteCollection", "deleteMedia", "deleteNotification", "deletePost", "deleteQueue", "deleteSeries", "deleteSnippet",
	"deleteSource", "deleteWebhook", "editBlackout", "editMedia", "editNotification", "editPost", "editQueue", "editSeries",
	"editSocialAccount", "editSource", "editWebhook", "editWorkspace", "endSeries", "failUpload", "fetchSource", "orderQueue",
	"pauseSeries", "pauseSource", "postSourceItem", "previewSeries", "previewSource", "publishPostNow", "putUpload", "putUploadLink",
	"reflowQueue", "refreshResults", "releaseSource", "removeSocialAccount", "replayWebhook", "replayWebhookDelivery",
	"reportResults", "requestPostChanges", "requestSeriesChanges", "resendPost", "resumeSeries", "resumeSource", "retryPost",
	"revokeAPIKey", "revokeShare", "rotateWebhookSecret", "schedulePost", "sendSourceItem", "setAccountGroup", "setSnippet",
	"skipOccurrence", "skipSourceItem", "submitPost", "submitSeries", "testNotification", "testWebhook", "unarchivePost",
	"unschedulePost", "validatePost", "verifySocialAccount", "withdrawPost", "withdrawSeries",
}
