package files

import (
	"context"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// refusal is a change of a file that the daemon would refuse whatever the file says: the key
// may not make it, or the post lacks an approval.
type refusal struct {
	postfile.Problem
	code schedctl.Code
}

// readKey reads what the key of a client may do.
func readKey(ctx context.Context, c *client.Client) (schedctl.APIKey, error) {
	me, err := c.Me(ctx)
	k := me.APIKey
	return schedctl.APIKey{ID: k.ID, Scopes: k.Scopes, AccountIDs: k.SocialAccountIDs, Agent: k.Kind == apiv1.KeyAgent, Restricted: k.Approval != nil}, err
}

// checkKey returns the error of a key that can apply no files, or nil.
func (p *planner) checkKey() error {
	if p.key.Allows(schedctl.ScopePostsWrite) || p.key.Allows(schedctl.ScopePostsDraft) {
		return nil
	}
	return cli.NewFailure(cli.ExitAuth, schedctl.InsufficientScope, "this API key only reads; files are applied with a key that has the scope posts:write or posts:draft")
}

// maySeries refuses changes of series that the key may not make.
func (p *planner) maySeries(list []setting) {
	for i := range list {
		s := &list[i]
		if (&step{change: s.change}).does() {
			if code, message := seriesRefusal(&p.key, s.createdBy); code != "" {
				p.refuse(refusal{postfile.Problem{Path: cli.FirstNonEmpty(s.File, s.ID), Line: 1, Message: s.ID + ": " + message}, code})
			}
		}
	}
}

// seriesRefusal returns why a key may not change a series that a key created, empty for nothing.
func seriesRefusal(key *schedctl.APIKey, createdBy string) (code schedctl.Code, message string) {
	switch {
	case !key.Allows(schedctl.ScopePostsWrite):
		return schedctl.InsufficientScope, "this API key lacks the scope posts:write; use a key that has it"
	case key.OwnOnly() && createdBy != key.ID:
		return schedctl.KeyNotAllowed, "this API key may not change this; use a key that may"
	}
	return "", ""
}

// refuse adds a refusal to the problems. For lint, it is a warning: other keys apply the files.
// A key that can apply no files has one reason for all of them; see checkKey.
func (p *planner) refuse(r refusal) {
	if p.checkKey() != nil {
		return
	}
	if p.checkOnly {
		p.warnings = append(p.warnings, r.Problem)
		return
	}
	p.refusals = append(p.refusals, r)
	p.addProblems(r.Problem)
}

// report adds what the daemon says of a step to the problems and warnings.
func (p *planner) report(c checked) {
	p.addProblems(c.problems...)
	for _, r := range c.refusals {
		p.refuse(r)
	}
	p.warnings = append(p.warnings, c.warnings...)
}

// refused returns the failure of the problems. If all of them are refusals, it has the exit
// status of the first one.
func (p *planner) refused(consequence string) error {
	failure := refuseProblems(p.App, p.sorted(), consequence)
	if n := len(p.refusals); n > 0 && n == len(p.problems) {
		if status, known := cli.ExitByCode[p.refusals[0].code]; known {
			failure.Code, failure.Status = p.refusals[0].code, status
		}
	}
	return failure
}

// mayRemove refuses to cancel and delete posts and series whose files were removed, if the key
// may not.
func (p *planner) mayRemove(ctx context.Context) error {
	if !p.key.OwnOnly() {
		return nil
	}
	for i := range p.steps {
		s := &p.steps[i]
		if s.Action != doCancel {
			continue
		}
		v, err := p.client.ValidateChange(ctx, s.PostID, requestOf(s.post))
		if err != nil {
			return err
		}
		for _, r := range v.Refusals {
			if r.Code != string(schedctl.ApprovalMissing) {
				p.refuse(refusal{postfile.Problem{Path: p.managed(s, "").Path, Line: 1, Message: cli.MessageLine(r.Message)}, schedctl.Code(r.Code)})
			}
		}
	}
	return nil
}
