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
func (s *Server) createWorkspace(ctx context.Context, c *request, b apiv1.CreateWorkspace) (response, error) {
	now := schedctl.Millis(c.Now)
	w := schedctl.Workspace{
		ID: schedctl.NewID(schedctl.WorkspacePrefix, now), Name: b.Name,
		Timezone: "UTC", Plan: "self-hosted", CreatedAt: now,
	}
	set(&w.Timezone, b.Timezone)
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

// editWorkspace handles PATCH /workspaces/{id}. All accounts of the workspace get the
// new policy in the same transaction, so that each claim reads the one that is in force.
func (s *Server) editWorkspace(ctx context.Context, c *request, b apiv1.EditWorkspace) (response, error) {
	if c.ID != c.Key.WorkspaceID && !c.Key.Allows(schedctl.ScopeWorkspacesWrite) {
		return response{}, schedctl.Errorf(schedctl.NotFound, "", "there is no workspace with this id, or this API key may not change it")
	}
	if c.Limited() {
		return response{}, schedctl.Errorf(schedctl.AccountNotAllowed, "approvals", "this API key is limited to accounts, and the policy is about all of them; use another key")
	}
	policy := schedctl.ApprovalsOff
	if b.Approvals != apiv1.FormatPolicy(policy) {
		policy = schedctl.ApprovalPolicy(b.Approvals)
	}
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		w, err := tx.Workspace(c.ID)
		if err != nil {
			return response{}, err
		}
		if w.Approvals != policy {
			w.Approvals = policy
			if err := setPolicy(tx, w); err != nil {
				return response{}, err
			}
		}
		return newResponse(http.StatusOK, apiv1.WorkspaceEnvelope{Workspace: apiv1.NewWorkspace(w)})
	})
}

// setPolicy stores a workspace, and gives its accounts a copy of its policy.
func setPolicy(tx storage.Tx, w schedctl.Workspace) error {
	accounts, err := tx.Accounts(w.ID)
	if err != nil {
		return err
	}
	for _, a := range accounts { // disconnected ones too: they may be connected again
		a.Approvals = w.Approvals
		if err := tx.PutAccount(a); err != nil {
			return err
		}
	}
	return tx.PutWorkspace(w)
}
