package schedctl

import "time"

// AuditEntry records one accepted write: the action, its time, and the API key. It is
// stored in the transaction of the write.
type AuditEntry struct {
	ID          string
	WorkspaceID string
	At          time.Time
	KeyID       string
	KeyName     string // at that time
	RemoteAddr  string // the address the request came from, without port; "unix" for a socket
	Action      string // the operationId of the API, such as createPost
	ResourceID  string // the id of the created or changed object; may be empty
	RequestID   string
	Detail      string // the address of the pull request that approved a post; may be empty
}
