package apiv1

import "github.com/schedctl/schedctl"

// AuditEntry tells of one write that was accepted.
type AuditEntry struct {
	ID         string  `json:"id"`
	CreatedAt  *Time   `json:"created_at"`
	APIKeyID   string  `json:"api_key_id"`
	APIKeyName string  `json:"api_key_name"`
	RemoteAddr *string `json:"remote_addr"`
	Action     string  `json:"action"`
	ResourceID *string `json:"resource_id"`
	RequestID  string  `json:"request_id"`
}

// AuditList is one page of the audit log, the youngest first.
type AuditList struct {
	Results    []AuditEntry `json:"results"`
	Count      int          `json:"count"`
	NextCursor *string      `json:"next_cursor"`
}

// NewAuditEntry returns the wire form of an audit entry.
func NewAuditEntry(e schedctl.AuditEntry) AuditEntry {
	return AuditEntry{
		ID: e.ID, CreatedAt: NewTime(e.At), APIKeyID: e.KeyID, APIKeyName: e.KeyName,
		RemoteAddr: optional(e.RemoteAddr), Action: e.Action, ResourceID: optional(e.ResourceID), RequestID: e.RequestID,
	}
}
