// Package access holds the commands for API keys, workspaces, the audit log and
// contexts.
package access
