package api

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/usecase"
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
func (s *Server) createWorkspace(ctx context.Context, c *request, b apiv1.CreateWorkspace) (response, error) {
	now := schedctl.Millis(c.Now)
	w := schedctl.Workspace{
		ID: schedctl.NewID(schedctl.WorkspacePrefix, now), Name: b.Name,
		Timezone: "UTC", Plan: "self-hosted", CreatedAt: now,
	}
	set(&w.Timezone, b.Timezone)
	if b.Locale != nil {
		w.SetLocale(*b.Locale)
	}
	secret, hash := schedctl.NewKeySecret()
	key := schedctl.APIKey{
		ID: schedctl.NewID(schedctl.KeyPrefix, now), WorkspaceID: w.ID, Name: "admin",
		Hash: hash, Scopes: workspaceScopes(), CreatedAt: now, ExpiresAt: c.Key.ExpiresAt,
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

// workspaceScopes are those of the first key of the daemon, except the one that creates
// workspaces. Only keys of the daemon's first workspace can have that scope.
func workspaceScopes() []schedctl.Scope {
	return slices.DeleteFunc(schedctl.FirstScopes(), func(s schedctl.Scope) bool { return s == schedctl.ScopeWorkspacesWrite })
}

// editWorkspace handles PATCH /workspaces/{id}.
func (s *Server) editWorkspace(ctx context.Context, c *request, change usecase.WorkspaceChange) (response, error) {
	if err := c.MayEditWorkspace(); err != nil {
		return response{}, err
	}
	err := s.scan(ctx, c, func(r storage.Reader) error { _, _, err := c.CheckWorkspace(r, change); return err })
	if err != nil {
		return response{}, err
	}
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		w, err := c.EditWorkspace(tx, change)
		if err != nil {
			return response{}, err
		}
		return newResponse(http.StatusOK, apiv1.WorkspaceEnvelope{Workspace: apiv1.NewWorkspace(w)})
	})
}

// readEditWorkspace reads the body of PATCH /workspaces/{id}.
func readEditWorkspace(d *decoder) usecase.WorkspaceChange {
	in := read[apiv1.EditWorkspace](d)
	change := usecase.WorkspaceChange{FourEyes: in.FourEyes, Locale: in.Locale, Existing: schedctl.Existing(in.Existing)}
	if in.Approvals != nil {
		change.Approvals = new(schedctl.ApprovalsOff)
		if *in.Approvals != apiv1.FormatPolicy(schedctl.ApprovalsOff) {
			*change.Approvals = schedctl.ApprovalPolicy(*in.Approvals)
		}
	}
	return change
}
