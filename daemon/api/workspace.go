package api

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// listWorkspaces handles GET /workspaces.
func (s *Server) listWorkspaces(ctx context.Context, c *request) (response, error) {
	if q := parseQuery(c.query, nil, nil); q.err != nil {
		return response{}, q.err
	}
	var all []schedctl.Workspace
	err := s.scan(ctx, c, func(r storage.Reader) (err error) {
		all, err = r.Workspaces()
		return err
	})
	if err != nil {
		return response{}, err
	}
	return newResponse(http.StatusOK, apiv1.WorkspaceList{Results: convert(all, apiv1.NewWorkspace), Count: len(all)})
}

// createWorkspace handles POST /workspaces. The response contains a key with all
// scopes of the new workspace. It lasts as long as the creating key.
func (s *Server) createWorkspace(ctx context.Context, c *request, b createWorkspace) (response, error) {
	now := schedctl.Millis(c.now)
	w := schedctl.Workspace{
		ID: schedctl.NewID(schedctl.WorkspacePrefix, now), Name: b.name,
		Timezone: b.timezone, Plan: "self-hosted", CreatedAt: now,
	}
	secret, hash := schedctl.NewKeySecret()
	key := schedctl.APIKey{
		ID: schedctl.NewID(schedctl.KeyPrefix, now), WorkspaceID: w.ID, Name: "admin",
		Hash: hash, Scopes: workspaceScopes(), CreatedAt: now, ExpiresAt: c.key.ExpiresAt,
	}
	created, err := newResponse(http.StatusCreated, apiv1.CreatedWorkspace{
		Workspace: apiv1.NewWorkspace(w), APIKey: apiv1.NewAPIKey(key), Secret: secret,
	})
	if err != nil {
		return response{}, err
	}
	created.secret, created.created = true, w.ID
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		return created, errors.Join(tx.PutWorkspace(w), tx.PutKey(key))
	})
}

// workspaceScopes are all scopes except the one that creates workspaces. Only keys
// of the daemon's first workspace can have that scope.
func workspaceScopes() []schedctl.Scope {
	return slices.DeleteFunc(schedctl.Scopes(), func(s schedctl.Scope) bool { return s == schedctl.ScopeWorkspacesWrite })
}
