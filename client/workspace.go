package client

import (
	"context"
	"net/http"

	"github.com/schedctl/schedctl/client/apiv1"
)

const workspaces = "/workspaces"

// Workspaces returns all workspaces of the daemon in order of creation.
func (c *Client) Workspaces(ctx context.Context) ([]apiv1.Workspace, error) {
	out, err := get[apiv1.WorkspaceList](ctx, c, workspaces, nil)
	return out.Results, err
}

// CreateWorkspace creates a workspace and its first API key. The key's secret is in
// this response only.
func (c *Client) CreateWorkspace(ctx context.Context, w apiv1.CreateWorkspace, options ...Option) (apiv1.CreatedWorkspace, error) {
	return write[apiv1.CreatedWorkspace](ctx, c, http.MethodPost, workspaces, w, options)
}

// EditWorkspace changes which posts of a workspace need an approval, and by whom.
func (c *Client) EditWorkspace(ctx context.Context, id string, w apiv1.EditWorkspace, options ...Option) (apiv1.Workspace, error) {
	out, err := write[apiv1.WorkspaceEnvelope](ctx, c, http.MethodPatch, itemPath(workspaces, id), w, options)
	return out.Workspace, err
}
