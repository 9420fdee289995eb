package series

import (
	"errors"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// Approve approves a series and continues it with its next occurrence. Its scheduled posts
// that follow it are approved too. Errors: those of [schedctl.Series.Decide].
func Approve(tx storage.Tx, s *schedctl.Series, d schedctl.Decision, sweep Sweep) error {
	if err := s.Decide(schedctl.ApprovalApproved, d, sweep.Now); err != nil {
		return err
	}
	loc, err := schedctl.LoadZone("timezone", s.Timezone)
	if err != nil {
		return err
	}
	list, err := future(tx, s, sweep.Now)
	if err != nil {
		return err
	}
	for i := range list {
		p := &list[i]
		if !follows(p) || p.Approved() {
			continue
		}
		events := p.ApproveWithSeries(s, sweep.Now)
		if err := errors.Join(tx.PutPost(*p), tx.AddEvents(events...)); err != nil {
			return err
		}
	}
	s.Cursor = max(s.Cursor, schedctl.LastPassed(sweep.Now, loc))
	return Make(tx, s, sweep)
}

// EndApproval stores a series whose approval was taken back. If it needs one, it removes
// the scheduled posts that follow the series: the next approval makes them again.
func EndApproval(tx storage.Tx, s *schedctl.Series, sweep Sweep) error {
	accounts, err := accountsOf(tx, s.WorkspaceID, s.Template.AccountIDs())
	if err != nil || !s.NeedsApproval(accounts) {
		return errors.Join(err, tx.PutSeries(*s))
	}
	list, err := future(tx, s, sweep.Now)
	if err != nil {
		return err
	}
	for i := range list {
		if p := &list[i]; follows(p) {
			if err := remove(tx, p, sweep.Now); err != nil {
				return err
			}
		}
	}
	loc, err := schedctl.LoadZone("timezone", s.Timezone)
	if err != nil {
		return err
	}
	s.Cursor = schedctl.LastPassed(sweep.Now, loc)
	return Make(tx, s, sweep)
}
