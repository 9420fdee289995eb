package apiv1

import "github.com/schedctl/schedctl"

// Workspace is a workspace as clients see it.
type Workspace struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Timezone string `json:"timezone"`
	Plan     string `json:"plan"`
}

// CreateWorkspace is the body of POST /workspaces.
type CreateWorkspace struct {
	Name     string  `json:"name"`
	Timezone *string `json:"timezone,omitempty"` // IANA name; UTC when absent
}

// CreatedWorkspace is the answer of POST /workspaces: the workspace and its first
// key, the only time with the secret.
type CreatedWorkspace struct {
	Workspace Workspace `json:"workspace"`
	APIKey    APIKey    `json:"api_key"`
	Secret    string    `json:"secret"`
}

// WorkspaceList is all workspaces in order of creation.
type WorkspaceList struct {
	Results []Workspace `json:"results"`
	Count   int         `json:"count"`
}

// NewWorkspace returns the wire form of a workspace.
func NewWorkspace(w schedctl.Workspace) Workspace {
	return Workspace{ID: w.ID, Name: w.Name, Timezone: w.Timezone, Plan: w.Plan}
}
