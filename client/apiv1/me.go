package apiv1

import "github.com/schedctl/schedctl"

// Me is the answer of GET /me: whose key it is and what it may do.
type Me struct {
	Workspace Workspace `json:"workspace"`
	APIKey    APIKey    `json:"api_key"`
}

// Workspace is a workspace as clients see it.
type Workspace struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Timezone string `json:"timezone"`
	Plan     string `json:"plan"`
}

// APIKey is the key that made the request; the secret is never shown again.
type APIKey struct {
	ID        string           `json:"id"`
	Name      string           `json:"name"`
	Scopes    []schedctl.Scope `json:"scopes"`
	ExpiresAt *Time            `json:"expires_at"`
}

// NewMe returns the wire form of a key and its workspace.
func NewMe(w schedctl.Workspace, k schedctl.APIKey) Me {
	return Me{
		Workspace: Workspace{ID: w.ID, Name: w.Name, Timezone: w.Timezone, Plan: w.Plan},
		APIKey:    APIKey{ID: k.ID, Name: k.Name, Scopes: append([]schedctl.Scope{}, k.Scopes...), ExpiresAt: NewTime(k.ExpiresAt)},
	}
}
