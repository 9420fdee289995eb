package api

import (
	"context"
	"net/http"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// getMe handles GET /me.
func (s *Server) getMe(ctx context.Context, c *request) (response, error) {
	workspace, err := s.workspace(ctx, c)
	if err != nil {
		return response{}, err
	}
	return newResponse(http.StatusOK, apiv1.NewMe(workspace, c.Key))
}

// workspace loads the workspace of the request's key.
func (s *Server) workspace(ctx context.Context, c *request) (schedctl.Workspace, error) {
	return storage.Read(ctx, s.view, func(r storage.Reader) (schedctl.Workspace, error) { return r.Workspace(c.Key.WorkspaceID) })
}
