package schedctl

import "time"

// AuditEntry tells of one write that was accepted: who did what, when, and with
// which key. It is stored in the transaction of the write.
type AuditEntry struct {
	ID          string
	WorkspaceID string
	At          time.Time
	KeyID       string
	KeyName     string // as it was then
	RemoteAddr  string // the address the request came from, without port; "unix" for a socket
	Action      string // the operationId of the API, such as createPost
	ResourceID  string // what was created or changed; empty when it has no id
	RequestID   string
}
