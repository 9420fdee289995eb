package apiv1

import (
	"cmp"

	"github.com/schedctl/schedctl"
)

// Workspace is a workspace as clients see it.
type Workspace struct {
	ID        string `json:"id" doc:"Starts with ws_."`
	Name      string `json:"name" doc:"Chosen when the workspace was created."`
	Timezone  string `json:"timezone" doc:"IANA name of the time zone in which clients show times. The API itself uses UTC."`
	Plan      string `json:"plan" doc:"The plan of the workspace."`
	Approvals string `json:"approvals" doc:"Which posts need an approval before they are published: off, agents (those that an agent wrote or starts), or all." enum:"off,agents,all"`
	FourEyes  bool   `json:"four_eyes" doc:"Whether each text needs two people: an approver who has edited it cannot approve it."`
	Locale    string `json:"locale" doc:"The language in which pages of shares show dates." enum:"en,de,es,fr,it,nl,pt,sv"`
}

// CreateWorkspace is the body of POST /workspaces.
type CreateWorkspace struct {
	Name     string  `json:"name" doc:"1 to 80 characters that say whose posts it is for." minLength:"1" maxLength:"80"`
	Timezone *string `json:"timezone,omitempty" doc:"IANA name of the time zone in which clients show times, such as Europe/Rome. Default: UTC."`
	Locale   *string `json:"locale,omitempty" doc:"The language in which pages of shares show dates. Default: en." enum:"en,de,es,fr,it,nl,pt,sv"`
}

// CreatedWorkspace is the response of POST /workspaces: the workspace and its first
// API key, the only response with its secret.
type CreatedWorkspace struct {
	Workspace Workspace `json:"workspace" doc:"The workspace."`
	APIKey    APIKey    `json:"api_key" doc:"A key with all scopes in the workspace."`
	Secret    string    `json:"secret" doc:"The secret of the key. Store it: it is not shown again."`
}

// WorkspaceEnvelope is the response of PATCH /workspaces/{id}.
type WorkspaceEnvelope struct {
	Workspace Workspace `json:"workspace" doc:"The workspace."`
}

// WorkspaceList is all workspaces in order of creation.
type WorkspaceList struct {
	Results []Workspace `json:"results" doc:"The workspaces in order of creation."`
	Count   int         `json:"count" doc:"The number of results."`
}

// NewWorkspace returns the wire form of a workspace.
func NewWorkspace(w schedctl.Workspace) Workspace {
	return Workspace{
		ID: w.ID, Name: w.Name, Timezone: w.Timezone, Plan: w.Plan, Approvals: FormatPolicy(w.Approvals), FourEyes: w.FourEyes,
		Locale: cmp.Or(w.Locale, schedctl.Locales()[0]),
	}
}
