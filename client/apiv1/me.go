package apiv1

import "github.com/schedctl/schedctl"

// Me is the response of GET /me: the API key of the request and its workspace.
type Me struct {
	Workspace Workspace `json:"workspace" doc:"The workspace of the key."`
	APIKey    APIKey    `json:"api_key" doc:"The key of the request."`
}

// NewMe returns the wire form of a key and its workspace.
func NewMe(w schedctl.Workspace, k schedctl.APIKey) Me {
	return Me{Workspace: NewWorkspace(w), APIKey: NewAPIKey(k)}
}
