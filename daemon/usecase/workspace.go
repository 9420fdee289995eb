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
	Locale    *string
	Existing  schedctl.Existing
}

// EditWorkspace changes the workspace of the request. All its accounts get the new policy
// in the same transaction, so that each claim reads the one that is in force. Posts and
// series that lack an approval then are approved, or submitted.
func (c *Request) EditWorkspace(tx storage.Tx, change WorkspaceChange) (w schedctl.Workspace, err error) {
	w, sw, err := c.CheckWorkspace(tx, change)
	if err != nil {
		return w, err
	}
	for _, a := range sw.accounts { // disconnected ones too: they may be connected again
		if sw.changed {
			err = errors.Join(err, tx.PutAccount(a))
		}
	}
	if err != nil {
		return w, err
	}
	return w, errors.Join(tx.PutWorkspace(w), sw.settle(tx))
}

// CheckWorkspace returns the workspace of the request as a change makes it, and checks what
// becomes of its posts. Errors: those of policySwitch.check.
func (c *Request) CheckWorkspace(r storage.Reader, change WorkspaceChange) (schedctl.Workspace, *policySwitch, error) {
	w, err := r.Workspace(c.ID)
	if err != nil {
		return w, nil, err
	}
	was := w
	set(&w.Approvals, change.Approvals)
	set(&w.FourEyes, change.FourEyes)
	if change.Locale != nil {
		w.SetLocale(*change.Locale)
	}
	accounts, err := r.Accounts(w.ID)
	if err != nil {
		return w, nil, err
	}
	for i := range accounts {
		accounts[i].Approvals = w.Approvals
	}
	sw := c.newPolicySwitch(w.ID, accounts, w.FourEyes, change.Existing)
	sw.changed = w.Approvals != was.Approvals
	all := change.Existing != "" || w.FourEyes && !was.FourEyes
	stricter := w.Approvals == schedctl.ApprovalsAll && was.Approvals != w.Approvals || w.Approvals == schedctl.ApprovalsAgents && was.Approvals == schedctl.ApprovalsOff
	for i := range accounts {
		if all || stricter && !accounts[i].RequiresApproval() {
			sw.affected = append(sw.affected, accounts[i].ID)
		}
	}
	return w, sw, sw.check(r)
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
