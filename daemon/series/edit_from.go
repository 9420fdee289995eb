package series

import (
	"errors"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// Continue returns the series that continues another one from a future occurrence on, for
// [EditFrom]: with a new id, the same content, the rest of the rule, and the variants
// turned so that their order stays. Errors: SERIES_ENDED; VALIDATION_FAILED on the field
// from for a local time that is no future occurrence.
func Continue(s *schedctl.Series, from schedctl.LocalTime, now time.Time) (next schedctl.Series, err error) {
	if err := CheckNotEnded(s); err != nil {
		return next, err
	}
	loc, rule, err := RuleOf(s)
	if err != nil {
		return next, err
	}
	index, found := rule.Contains(from)
	if !found {
		return next, schedctl.Errorf(schedctl.ValidationFailed, "from", "%s is not an occurrence of this series; list them with schedctl series occurrences, or GET /api/v1/series/%s/occurrences", from, s.ID)
	}
	if at, _ := from.In(loc); !at.After(now) {
		return next, schedctl.Errorf(schedctl.ValidationFailed, "from", "%s has passed; give an occurrence in the future", from)
	}
	now = schedctl.Millis(now)
	next = s.Clone()
	next.ID, next.PreviousID = schedctl.NewID(schedctl.SeriesPrefix, now), s.ID
	next.CreatedAt, next.UpdatedAt, next.Version = now, now, 1
	next.Start, next.Rule, next.NextAt = from, rule.Rest(index), time.Time{}
	next.Exdates = slices.DeleteFunc(next.Exdates, func(l schedctl.LocalTime) bool { return l < from })
	if n := len(next.Variants); n > 0 {
		turn := index % n
		next.Variants = slices.Concat(s.Variants[turn:], s.Variants[:turn])
	}
	return next, nil
}

// EditFrom ends a series before one of its future occurrences, and starts next, a new
// series that continues it. It removes the scheduled posts of the old series from the
// occurrence on, except those that were changed alone, and returns the ids of the posts
// that stay. next leaves out their occurrences, and those that were published or canceled.
// It takes over the external id and the file of the old series.
//
// Errors: SERIES_ENDED; VALIDATION_FAILED for a start that is not after the occurrences
// that stay in the old series, and for too many exdates.
func EditFrom(tx storage.Tx, s, next *schedctl.Series, from schedctl.LocalTime, sweep Sweep) (kept []string, err error) {
	if err := CheckNotEnded(s); err != nil {
		return nil, err
	}
	if err := checkStartsAfter(s, next, from); err != nil {
		return nil, err
	}
	nextLoc, nextRule, err := RuleOf(next)
	if err != nil {
		return nil, err
	}
	list, err := future(tx, s, sweep.Now)
	if err != nil {
		return nil, err
	}
	following := slices.DeleteFunc(list, func(p schedctl.Post) bool { return p.Occurrence < from })
	if kept, err = removeIf(tx, following, sweep.Now, follows); err != nil {
		return nil, err
	}
	for i := range following {
		if p := &following[i]; slices.Contains(kept, p.ID) {
			next.AddExdate(p.Occurrence)
		}
	}
	if err := avoidPublished(tx, s, next, nextRule, nextLoc, sweep.Now); err != nil {
		return nil, err
	}
	if err := checkExdates(next); err != nil {
		return nil, err
	}
	if err := endBefore(tx, s, from, sweep); err != nil {
		return nil, err
	}
	next.Cursor = schedctl.LastPassed(sweep.Now, nextLoc)
	return kept, Make(tx, next, sweep)
}

// checkStartsAfter returns an error if next starts while s still has occurrences.
func checkStartsAfter(s, next *schedctl.Series, from schedctl.LocalTime) error {
	_, rule, err := RuleOf(s)
	if err != nil {
		return err
	}
	for _, local := range rule.All(max(s.Start, next.Start), from) {
		return schedctl.Errorf(schedctl.ValidationFailed, "start",
			"the new series starts at %s, and this one has an occurrence at %s, before %s; give a start after the occurrences that stay", next.Start, local, from)
	}
	return nil
}

// endBefore gives a series an end before one of its occurrences.
func endBefore(tx storage.Tx, s *schedctl.Series, from schedctl.LocalTime, sweep Sweep) error {
	loc, rule, err := RuleOf(s)
	if err != nil {
		return err
	}
	changed(s, sweep.Now)
	s.NextAt, s.ExternalID, s.Managed = time.Time{}, "", nil
	s.Exdates = slices.DeleteFunc(slices.Clone(s.Exdates), func(l schedctl.LocalTime) bool { return l >= from })
	cut, found := rule.Before(from)
	if found {
		s.SetRule(cut)
	}
	left := rule.Next(nextMinute(schedctl.LastPassed(sweep.Now, loc)), 1)
	if found && len(left) > 0 && left[0] < from {
		return Make(tx, s, sweep)
	}
	s.State, s.SweepAt = schedctl.SeriesEnded, time.Time{}
	return errors.Join(tx.PutSeries(*s), tx.AddEvents(schedctl.SeriesEvent(schedctl.EventSeriesEnded, s, nil, sweep.Now)))
}
