package series

import (
	"errors"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// Approve approves a series and continues it with its next occurrence. Its scheduled posts
// that follow it are approved too. Errors: those of [schedctl.Series.Decide].
func Approve(tx storage.Tx, s *schedctl.Series, d schedctl.Decision, sweep Sweep) error {
	event, err := s.Decide(schedctl.ApprovalApproved, d, sweep.Now)
	if err != nil {
		return err
	}
	if err := tx.AddEvents(event); err != nil {
		return err
	}
	return continueApproved(tx, s, sweep)
}

// Settle approves an active series, or makes it wait for an approval and removes the posts
// that follow it, until it has one. Errors: those of [schedctl.Series.Settle].
func Settle(tx storage.Tx, s *schedctl.Series, by schedctl.Settlement, sweep Sweep) error {
	event, err := s.Settle(by, sweep.Now)
	if err != nil {
		return err
	}
	if err := tx.AddEvents(event); err != nil {
		return err
	}
	if by.Existing == schedctl.ExistingApprove {
		return continueApproved(tx, s, sweep)
	}
	return EndApproval(tx, s, sweep)
}

// continueApproved approves the posts of an approved series, and makes the next ones.
func continueApproved(tx storage.Tx, s *schedctl.Series, sweep Sweep) error {
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
