package client

import (
	"context"
	"net/http"

	"github.com/schedctl/schedctl/client/apiv1"
)

const workspaces = "/workspaces"

// Workspaces returns all workspaces of the daemon in order of creation.
func (c *Client) Workspaces(ctx context.Context) ([]apiv1.Workspace, error) {
	var out apiv1.WorkspaceList
	err := c.get(ctx, workspaces, nil, &out)
	return out.Results, err
}

// CreateWorkspace creates a workspace and its first API key. The key's secret is in
// this response only.
func (c *Client) CreateWorkspace(ctx context.Context, w apiv1.CreateWorkspace, options ...Option) (apiv1.CreatedWorkspace, error) {
	var out apiv1.CreatedWorkspace
	err := c.write(ctx, http.MethodPost, workspaces, w, &out, options)
	return out, err
}
