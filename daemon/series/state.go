package series

import (
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// CheckNotEnded returns an error with code SERIES_ENDED for a series that has ended.
func CheckNotEnded(s *schedctl.Series) error {
	if s.State == schedctl.SeriesEnded {
		return schedctl.Errorf(schedctl.SeriesIsOver, "", "the series has ended and does not change any more; create a new one")
	}
	return nil
}

// changed counts a change by a client.
func changed(s *schedctl.Series, now time.Time) {
	s.UpdatedAt = schedctl.Millis(now)
	s.Version++
}

// Skip leaves out one occurrence, and removes its post if that is scheduled or a draft.
// Without a difference, it keeps the version. Errors: SERIES_ENDED; VALIDATION_FAILED for
// a local time that is no occurrence, and for too many exdates; POST_NOT_CANCELABLE for
// an occurrence that is being published, or that is published.
func Skip(tx storage.Tx, s *schedctl.Series, local schedctl.LocalTime, sweep Sweep) error {
	if err := CheckNotEnded(s); err != nil {
		return err
	}
	_, rule, err := RuleOf(s)
	if err != nil {
		return err
	}
	if _, found := rule.Contains(local); !found {
		return schedctl.Errorf(schedctl.ValidationFailed, "occurrence", "%s is not an occurrence of this series; list them with schedctl series occurrences, or GET /api/v1/series/%s/occurrences", local, s.ID)
	}
	post, err := tx.Post(s.WorkspaceID, schedctl.OccurrencePostID(s.ID, local))
	switch {
	case schedctl.CodeOf(err) == schedctl.NotFound:
	case err != nil:
		return err
	default:
		if err := skipPost(tx, &post, sweep.Now); err != nil {
			return err
		}
	}
	if !s.AddExdate(local) {
		return nil
	}
	if err := checkExdates(s); err != nil {
		return err
	}
	changed(s, sweep.Now)
	s.NextAt = time.Time{}
	return Make(tx, s, sweep)
}

// skipPost removes the post of an occurrence that is skipped.
func skipPost(tx storage.Tx, p *schedctl.Post, now time.Time) error {
	switch status := p.Status(); status {
	case schedctl.Draft, schedctl.Scheduled:
		return remove(tx, p, now)
	case schedctl.Publishing, schedctl.Published:
		return schedctl.Errorf(schedctl.PostNotCancelable, "occurrence", "the post of this occurrence, %s, is %s; it is too late to skip it", p.ID, status)
	}
	return nil // canceled or failed: it stays, and is not made again
}

func checkExdates(s *schedctl.Series) error {
	if n := len(s.Exdates); n > schedctl.MaxExdates {
		return schedctl.Errorf(schedctl.ValidationFailed, "exdates", "the series has %d exdates; the limit is %d; change its rule instead", n, schedctl.MaxExdates)
	}
	return nil
}

// Pause stops a series and removes its scheduled posts. It keeps posts that were changed
// alone and returns their ids. Pausing a paused series changes nothing. Errors:
// SERIES_ENDED.
func Pause(tx storage.Tx, s *schedctl.Series, now time.Time) (kept []string, err error) {
	if err := CheckNotEnded(s); err != nil || s.State == schedctl.SeriesPaused {
		return nil, err
	}
	s.State = schedctl.SeriesPaused
	return stop(tx, s, now, follows)
}

// Resume continues a paused series with its next occurrence. Missed occurrences are not made.
// Resuming an active series changes nothing. Errors: SERIES_ENDED.
func Resume(tx storage.Tx, s *schedctl.Series, sweep Sweep) error {
	if err := CheckNotEnded(s); err != nil || s.State == schedctl.SeriesActive {
		return err
	}
	loc, err := schedctl.LoadZone("timezone", s.Timezone)
	if err != nil {
		return err
	}
	s.State, s.Cursor = schedctl.SeriesActive, schedctl.LastPassed(sweep.Now, loc)
	changed(s, sweep.Now)
	return Make(tx, s, sweep)
}

// End ends a series and removes its scheduled posts, also those that were changed alone.
// It returns the ids of the drafts and of posts that are being published. Ending a series
// that has ended changes nothing.
func End(tx storage.Tx, s *schedctl.Series, now time.Time) (kept []string, err error) {
	if s.State == schedctl.SeriesEnded {
		return nil, nil
	}
	s.State = schedctl.SeriesEnded
	if kept, err = stop(tx, s, now, isScheduled); err != nil {
		return nil, err
	}
	return kept, tx.AddEvents(schedctl.SeriesEvent(schedctl.EventSeriesEnded, s, nil, now))
}

// Delete deletes a series and its scheduled posts, also those that were changed alone.
func Delete(tx storage.Tx, s *schedctl.Series, now time.Time) error {
	list, err := posts(tx, s, storage.PostQuery{Statuses: []schedctl.Status{schedctl.Scheduled}})
	if err != nil {
		return err
	}
	if _, err := removeIf(tx, list, now, isScheduled); err != nil {
		return err
	}
	return tx.DeleteSeries(s.WorkspaceID, s.ID)
}

func isScheduled(p *schedctl.Post) bool { return p.Status() == schedctl.Scheduled }

// stop removes the posts of a series that makes no more of them, and stores it. It
// returns the ids of the posts that stay.
func stop(tx storage.Tx, s *schedctl.Series, now time.Time, gone func(*schedctl.Post) bool) (kept []string, err error) {
	list, err := posts(tx, s, storage.PostQuery{Statuses: []schedctl.Status{schedctl.Draft, schedctl.Scheduled, schedctl.Publishing}})
	if err != nil {
		return nil, err
	}
	if kept, err = removeIf(tx, list, now, gone); err != nil {
		return nil, err
	}
	changed(s, now)
	s.SweepAt, s.NextAt = time.Time{}, time.Time{}
	return kept, tx.PutSeries(*s)
}

// LeaveOut adds the occurrence of a post that is canceled or deleted to the exdates of its
// series, so that no sweep makes it again. It does nothing for other posts, and if the
// series was deleted. The version of the series stays, and the limit of exdates does not
// apply.
func LeaveOut(tx storage.Tx, p *schedctl.Post, now time.Time) error {
	if p.SeriesID == "" {
		return nil
	}
	s, err := tx.Series(p.WorkspaceID, p.SeriesID)
	if schedctl.CodeOf(err) == schedctl.NotFound {
		return nil
	}
	if err != nil || s.State == schedctl.SeriesEnded || !s.AddExdate(p.Occurrence) {
		return err
	}
	if s.State == schedctl.SeriesActive {
		s.NextAt, s.SweepAt = time.Time{}, schedctl.Millis(now)
	}
	return tx.PutSeries(s)
}

// Reconsider makes the active series of some accounts decide their future occurrences
// again, as after a change of the accounts' blackouts: the next sweep makes those that
// are no longer blocked. No accounts mean all of the workspace.
func Reconsider(tx storage.Tx, workspaceID string, accountIDs []string, now time.Time) error {
	after := ""
	for {
		list, err := tx.SeriesList(workspaceID, after, postPage)
		if err != nil {
			return err
		}
		for i := range list {
			if err := reconsider(tx, &list[i], accountIDs, now); err != nil {
				return err
			}
		}
		if len(list) < postPage {
			return nil
		}
		after = list[len(list)-1].ID
	}
}

func contains(list []string) func(string) bool {
	return func(s string) bool { return slices.Contains(list, s) }
}

func reconsider(tx storage.Tx, s *schedctl.Series, accountIDs []string, now time.Time) error {
	if s.State != schedctl.SeriesActive || len(accountIDs) > 0 && !slices.ContainsFunc(s.Template.AccountIDs(), contains(accountIDs)) {
		return nil
	}
	loc, err := schedctl.LoadZone("timezone", s.Timezone)
	if err != nil {
		return nil // the sweep reports it
	}
	if passed := schedctl.LastPassed(now, loc); passed < s.Cursor {
		s.Cursor = passed
	}
	s.SweepAt = schedctl.Millis(now)
	return tx.PutSeries(*s)
}
