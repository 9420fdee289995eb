package series

import (
	"errors"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/duplicate"
	"github.com/schedctl/schedctl/recurrence"
	"github.com/schedctl/schedctl/storage"
)

// Edit replaces a series by next, which has the same id, and changes its scheduled posts
// in the future: in place if they are still occurrences for the same accounts and the
// same queue, or else it removes them and makes others. It keeps posts that were changed
// alone, or that are no longer scheduled, and returns their ids. It makes no occurrence on
// a local day on which the series already has one that may have been published.
//
// Errors: SERIES_ENDED; VALIDATION_FAILED for too many exdates.
func Edit(tx storage.Tx, s, next *schedctl.Series, sweep Sweep) (kept []string, err error) {
	if err := CheckNotEnded(s); err != nil {
		return nil, err
	}
	loc, rule, err := RuleOf(next)
	if err != nil {
		return nil, err
	}
	if !sameTimes(s, next) {
		if err := avoidPublished(tx, s, next, rule, loc, sweep.Now); err != nil {
			return nil, err
		}
	}
	if err := checkExdates(next); err != nil {
		return nil, err
	}
	e := editing{tx: tx, series: next, sweep: sweep, inPlace: sameAccounts(s, next) && s.QueueID == next.QueueID && s.Timezone == next.Timezone}
	if e.inPlace && !next.Approved() { // the posts of a series that waits for an approval are removed
		accounts, err := accountsOf(tx, next.WorkspaceID, next.Template.AccountIDs())
		if err != nil {
			return nil, err
		}
		e.inPlace = !next.NeedsApproval(accounts)
	}
	if kept, err = e.run(rule, loc, s); err != nil {
		return nil, err
	}
	changed(next, sweep.Now)
	next.Cursor, next.NextAt = schedctl.LastPassed(sweep.Now, loc), time.Time{}
	return kept, Make(tx, next, sweep)
}

// sameTimes reports whether two series have the same occurrences, except for exdates.
func sameTimes(a, b *schedctl.Series) bool {
	return a.Timezone == b.Timezone && a.Start == b.Start && a.Rule == b.Rule
}

func sameAccounts(a, b *schedctl.Series) bool {
	return slices.Equal(slices.Sorted(slices.Values(a.Template.AccountIDs())), slices.Sorted(slices.Values(b.Template.AccountIDs())))
}

// editing changes the future posts of a series.
type editing struct {
	tx      storage.Tx
	series  *schedctl.Series // as it is after the edit
	sweep   Sweep
	inPlace bool // posts of occurrences that stay can be changed in place
	skipped schedctl.SkippedOccurrences
}

func (e *editing) run(rule recurrence.Rule, loc *time.Location, old *schedctl.Series) (kept []string, err error) {
	list, err := future(e.tx, old, e.sweep.Now)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	indexes := e.indexes(rule, loc, list)
	for i := range list {
		p := &list[i]
		index, stays := indexes[p.Occurrence]
		switch {
		case !follows(p):
			kept = append(kept, p.ID)
		case stays && e.inPlace && !e.series.HasExdate(p.Occurrence):
			err = e.change(p, index)
		default:
			err = remove(e.tx, p, e.sweep.Now)
		}
		if err != nil {
			return nil, err
		}
	}
	if e.skipped.Count == 0 {
		return kept, nil
	}
	return kept, e.tx.AddEvents(schedctl.SeriesEvent(schedctl.EventSeriesSkipped, e.series, &e.skipped, e.sweep.Now))
}

// indexes returns the occurrences of the rule up to the last of the posts, by local time.
func (e *editing) indexes(rule recurrence.Rule, loc *time.Location, list []schedctl.Post) map[schedctl.LocalTime]int {
	last := schedctl.LocalTime("")
	for i := range list {
		last = max(last, list[i].Occurrence)
	}
	indexes := map[schedctl.LocalTime]int{}
	for index, local := range rule.All(schedctl.LastPassed(e.sweep.Now, loc), lastLocal) {
		if local > last {
			break
		}
		indexes[local] = index
	}
	return indexes
}

// change gives a post the content that the series has now. A post that is now a
// duplicate is removed.
func (e *editing) change(p *schedctl.Post, index int) error {
	before := p.Version
	events, err := p.Edit(editOf(e.series, p, index), e.sweep.Now)
	if err != nil || p.Version == before {
		return err
	}
	p.FollowApproval(e.series)
	accounts, err := accountsOf(e.tx, p.WorkspaceID, p.AccountIDs())
	if err != nil {
		return err
	}
	err = duplicate.Refuse(e.tx, p, accounts)
	if schedctl.CodeOf(err) == schedctl.DuplicateContent {
		if e.skipped.Count == 0 {
			e.skipped.Reason, e.skipped.First = schedctl.SkipDuplicate, p.Occurrence
		}
		e.skipped.Count++
		e.skipped.Last = p.Occurrence
		e.series.AddExdate(p.Occurrence)
		return remove(e.tx, p, e.sweep.Now)
	}
	if err != nil {
		return err
	}
	return errors.Join(e.tx.PutPost(*p), e.tx.AddEvents(events...))
}

// accountsOf reads accounts.
func accountsOf(tx storage.Tx, workspaceID string, ids []string) ([]schedctl.Account, error) {
	accounts := make([]schedctl.Account, len(ids))
	for i, id := range ids {
		var err error
		if accounts[i], err = tx.Account(workspaceID, id); err != nil {
			return nil, err
		}
	}
	return accounts, nil
}

// editOf returns the edit that makes a post the occurrence with an index. The post may
// lack accounts of the series that were disconnected.
func editOf(s *schedctl.Series, p *schedctl.Post, index int) schedctl.Edit {
	t := s.Template.Clone()
	accounts := p.AccountIDs()
	overrides := slices.DeleteFunc(t.Overrides(), func(o schedctl.Override) bool { return !slices.Contains(accounts, o.AccountID) })
	t.Text = s.ContentOf(index)
	return schedctl.Edit{
		ContentChange: t.ChangeTo(), Overrides: &overrides, Annotation: schedctl.Annotation{Labels: &t.Labels}, BySeries: true,
	}
}

// publishedWindow is how long before now posts are searched for that were published
// before their time: posts are made at most that long ahead.
const publishedWindow = (schedctl.MaxAheadDays + 2) * day

// avoidPublished adds to the exdates of next those of its occurrences that s has already
// dealt with: occurrences that the rule of s lacks, on local days on which s has one that
// is being published or may have been; and, if next is another series, occurrences whose
// posts are no longer scheduled.
func avoidPublished(tx storage.Tx, s, next *schedctl.Series, rule recurrence.Rule, loc *time.Location, now time.Time) error {
	list, err := posts(tx, s, storage.PostQuery{
		Statuses:     []schedctl.Status{schedctl.Scheduled, schedctl.Publishing, schedctl.Published, schedctl.Failed, schedctl.Canceled},
		PublishAfter: now.Add(-publishedWindow),
	})
	list = slices.DeleteFunc(list, func(p schedctl.Post) bool { return p.Status() == schedctl.Scheduled && p.PublishAt.After(now) })
	if err != nil || len(list) == 0 {
		return err
	}
	days, done, last := map[string]bool{}, map[schedctl.LocalTime]bool{}, ""
	for i := range list {
		p := &list[i]
		done[p.Occurrence], last = s.ID != next.ID, max(last, p.Occurrence.Day())
		if !slices.ContainsFunc(p.Targets, mayBePublished) {
			continue
		}
		for _, d := range []string{p.Occurrence.Day(), schedctl.LocalTimeOf(p.PublishAt.In(loc)).Day()} {
			days[d], last = true, max(last, d)
		}
	}
	passed := schedctl.LastPassed(now, loc)
	old := map[schedctl.LocalTime]bool{}
	if _, was, err := RuleOf(s); err == nil && s.Timezone == next.Timezone {
		for _, local := range was.All(passed, schedctl.LocalTime(last+"T24")) {
			old[local] = true
		}
	}
	for _, local := range rule.All(passed, schedctl.LocalTime(last+"T24")) {
		if done[local] || days[local.Day()] && !old[local] {
			next.AddExdate(local)
		}
	}
	return nil
}

// mayBePublished reports whether the network may have the post of a target, or get it. The
// post is not scheduled for later; it can be scheduled while its account is held.
func mayBePublished(t schedctl.Target) bool {
	return t.Status == schedctl.Scheduled || t.Status == schedctl.Publishing || t.Status == schedctl.Published ||
		t.Attempts > 0 && t.Error != nil && t.Error.Outcome == schedctl.OutcomeUnknown
}
