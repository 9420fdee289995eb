package api

import (
	"context"
	"net/http"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// getMe answers GET /me.
func (s *Server) getMe(ctx context.Context, c *call) (answer, error) {
	var workspace schedctl.Workspace
	err := s.view(ctx, func(r storage.Reader) (err error) {
		workspace, err = r.Workspace(c.key.WorkspaceID)
		return err
	})
	if err != nil {
		return answer{}, err
	}
	return newAnswer(http.StatusOK, apiv1.NewMe(workspace, c.key))
}
