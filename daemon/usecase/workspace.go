package usecase

import (
	"errors"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// WorkspaceChange is what a request sets on a workspace. Nil fields stay.
type WorkspaceChange struct {
	Approvals *schedctl.ApprovalPolicy
	FourEyes  *bool
}

// EditWorkspace changes the workspace of the request. All its accounts get the new policy
// in the same transaction, so that each claim reads the one that is in force.
func (c *Request) EditWorkspace(tx storage.Tx, change WorkspaceChange) (schedctl.Workspace, error) {
	w, err := tx.Workspace(c.ID)
	if err != nil {
		return w, err
	}
	was := w
	set(&w.Approvals, change.Approvals)
	set(&w.FourEyes, change.FourEyes)
	if w.Approvals != was.Approvals {
		if err := setPolicy(tx, w); err != nil {
			return w, err
		}
	}
	if w == was {
		return w, nil
	}
	return w, tx.PutWorkspace(w)
}

// MayEditWorkspace returns nil if the key may change the workspace of the request. Errors:
// NOT_FOUND, ACCOUNT_NOT_ALLOWED.
func (c *Request) MayEditWorkspace() error {
	if c.ID != c.Key.WorkspaceID && !c.Key.Allows(schedctl.ScopeWorkspacesWrite) {
		return schedctl.Errorf(schedctl.NotFound, "", "there is no workspace with this id, or this API key may not change it")
	}
	if c.Limited() {
		return schedctl.Errorf(schedctl.AccountNotAllowed, "approvals", "this API key is limited to accounts, and the policy is about all of them; use another key")
	}
	return nil
}

// setPolicy gives the accounts of a workspace a copy of its policy.
func setPolicy(tx storage.Tx, w schedctl.Workspace) error {
	accounts, err := tx.Accounts(w.ID)
	if err != nil {
		return err
	}
	for _, a := range accounts { // disconnected ones too: they may be connected again
		a.Approvals = w.Approvals
		err = errors.Join(err, tx.PutAccount(a))
	}
	return err
}
