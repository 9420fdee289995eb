package usecase

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/series"
	"github.com/schedctl/schedctl/recurrence"
)

// checkClocks checks whether the clocks skip, or show twice, the local time of a post in a
// slot of a queue, or of an occurrence of a series.
func (f *forecast) checkClocks(p *schedctl.Post) error {
	local, zone := p.Slot.Local, p.Slot.Timezone
	if local == "" && p.SeriesID != "" && !p.Detached {
		s, err := f.seriesOf(p.SeriesID)
		if err != nil || s == nil {
			return err
		}
		local, zone = p.Occurrence, s.Timezone
	}
	loc := f.zone(zone)
	if local == "" || loc == nil || !f.nearChange(p.PublishAt, loc) {
		return nil
	}
	at, note := local.In(loc)
	if note == "" || !at.Equal(p.PublishAt) {
		return nil
	}
	other := at.Add(-time.Hour)
	if note == schedctl.LocalRepeated {
		other = at.Add(time.Hour)
	}
	f.add(causeKey{apiv1.ForecastClockChange, p.ID, ""}, p.PublishAt, "", p.ID, func(*finding) (string, string) {
		return clockMessage(local, zone, note, at), fmt.Sprintf("schedctl post edit %s --at %s", p.ID, timeText(other))
	})
	return nil
}

// zone returns a time zone, or nil if this daemon does not know it.
func (f *forecast) zone(name string) *time.Location {
	loc, known := f.zones[name]
	if !known {
		loc, _ = time.LoadLocation(name)
		if name == "" {
			loc = nil
		}
		f.zones[name] = loc
	}
	return loc
}

// nearChange reports whether clocks of a zone change shortly before or after a time.
func (f *forecast) nearChange(at time.Time, loc *time.Location) bool {
	return slices.ContainsFunc(f.clockChanges(loc), func(change time.Time) bool { return at.Sub(change).Abs() <= aroundChange })
}

// clockMessage says what a clock change does to a local time.
func clockMessage(local schedctl.LocalTime, zone string, note schedctl.LocalNote, at time.Time) string {
	shown := local.Civil().Format("15:04 on 2006-01-02")
	if note == schedctl.LocalRepeated {
		return fmt.Sprintf("the clocks of %s show %s twice; it is published the first time, at %s", zone, shown, timeText(at))
	}
	return fmt.Sprintf("the clocks of %s skip %s; it is published at %s", zone, shown, timeText(at))
}

// seriesOf returns a series, or nil if it was deleted.
func (f *forecast) seriesOf(id string) (*schedctl.Series, error) {
	if s, known := f.series[id]; known {
		return s, nil
	}
	s, err := f.r.Series(f.request.Key.WorkspaceID, id)
	switch {
	case err == nil:
		f.series[id] = &s
	case schedctl.CodeOf(err) == schedctl.NotFound:
		f.series[id] = nil
	default:
		return nil, err
	}
	return f.series[id], nil
}

// checkSeries checks the occurrences that are not posts yet: the series lacks an approval, or
// the clocks skip or repeat the local time.
func (f *forecast) checkSeries(ctx context.Context) error {
	after, read := "", 0
	for {
		page, err := f.r.SeriesList(f.request.Key.WorkspaceID, after, seriesPage)
		if err != nil {
			return err
		}
		for i := range page {
			s := &page[i]
			if s.State != schedctl.SeriesActive || !f.request.MaySee(&s.Template) {
				continue
			}
			f.checkOneSeries(s)
		}
		if read += len(page); len(page) < seriesPage {
			return ctx.Err()
		}
		if read >= maxForecastSeries {
			f.cut = true
			return ctx.Err()
		}
		after = page[len(page)-1].ID
	}
}

// checkOneSeries checks a series. It reads its rule only if there is something to find.
func (f *forecast) checkOneSeries(s *schedctl.Series) {
	zone := f.zone(s.Timezone)
	if zone == nil {
		return // the planner reports an unknown zone
	}
	lacks, troubled, changes := f.lacksApproval(s), f.hasTrouble(s), f.clockChanges(zone)
	if s.QueueID != "" {
		changes = nil // its slots are those of the queue
	}
	if !lacks && !troubled && len(changes) == 0 {
		return
	}
	loc, rule, err := series.RuleOf(s)
	if err != nil {
		return // the planner reports it
	}
	if lacks {
		if at, ok := f.nextOccurrence(s, &rule, loc, f.request.Now); ok {
			f.seriesNotApproved(s, at)
		}
		return
	}
	if troubled {
		f.checkSeriesAccounts(s, &rule, loc)
	}
	for _, change := range changes {
		f.checkChange(s, &rule, loc, change)
	}
}

// hasTrouble reports whether an account of a series may not get all its occurrences.
func (f *forecast) hasTrouble(s *schedctl.Series) bool {
	return slices.ContainsFunc(s.Template.Targets, func(t schedctl.Target) bool {
		a := f.accounts[t.AccountID]
		return a == nil || a.Status != schedctl.AccountConnected || endsBefore(a, f.until, f.request.Now) ||
			len(f.service.preventing(a, mostFiles(&s.Template, &t))) > 0
	})
}

// checkSeriesAccounts checks the accounts of a series for its occurrences that are not posts
// yet.
func (f *forecast) checkSeriesAccounts(s *schedctl.Series, rule *recurrence.Rule, loc *time.Location) {
	now := f.request.Now
	next, ok := f.nextOccurrence(s, rule, loc, now)
	if !ok {
		return
	}
	for i := range s.Template.Targets {
		t := &s.Template.Targets[i]
		id := t.AccountID
		d, a := due{at: next, seriesID: s.ID}, f.accounts[id]
		if a != nil {
			f.checkWarnings(a, mostFiles(&s.Template, t), d)
		}
		switch {
		case a == nil, a.Status == schedctl.AccountDisconnected:
			f.accountRemoved(id, a, d)
		case a.Status == schedctl.AccountError && accountWaits(a, now) == nil:
			f.accountRefused(a, d)
		case a.Status == schedctl.AccountConnected && endsBefore(a, f.until, now):
			if d.at, ok = f.nextOccurrence(s, rule, loc, a.Expiry.At); ok {
				f.tokenEnds(a, d)
			}
		}
	}
}

// nextOccurrence returns the first occurrence of a series at or after a time that is not a
// post yet, if it is before the end of the forecast.
func (f *forecast) nextOccurrence(s *schedctl.Series, rule *recurrence.Rule, loc *time.Location, from time.Time) (at time.Time, ok bool) {
	for local := range rule.From(max(schedctl.LocalTimeOf(from.In(loc)), s.Cursor)) {
		at, _ := local.In(loc)
		switch {
		case !at.Before(f.until):
			return time.Time{}, false
		case local > s.Cursor && !at.Before(from) && !s.HasExdate(local):
			return at.UTC(), true
		}
	}
	return time.Time{}, false
}

// lacksApproval reports whether a series makes no posts because it is not approved.
func (f *forecast) lacksApproval(s *schedctl.Series) bool {
	if s.Approved() {
		return false
	}
	var accounts []schedctl.Account
	for _, id := range s.Template.AccountIDs() {
		if a := f.accounts[id]; a != nil && a.Status != schedctl.AccountDisconnected {
			accounts = append(accounts, *a)
		}
	}
	return s.NeedsApproval(accounts)
}

func (f *forecast) seriesNotApproved(s *schedctl.Series, at time.Time) {
	f.add(causeKey{apiv1.ForecastApprovalMissing, s.ID, ""}, at, "", "", func(*finding) (string, string) {
		message := fmt.Sprintf("the series %q needs an approval and has none, so it makes no posts", s.Name)
		if a := s.Template.Approval; a != nil && a.State == schedctl.ApprovalPending {
			return message, "schedctl series approve " + s.ID
		}
		return message, "schedctl series submit " + s.ID
	})
}

// clockChanges returns when clocks of a zone change from shortly before the forecast until
// shortly after it.
func (f *forecast) clockChanges(loc *time.Location) []time.Time {
	if known, ok := f.changes[loc.String()]; ok {
		return known
	}
	var changes []time.Time
	t := f.request.Now.Add(-aroundChange).In(loc)
	for end := schedctl.ZoneEnd(t); !end.IsZero() && end.Before(f.until.Add(aroundChange)); end = schedctl.ZoneEnd(t) {
		_, before := t.Zone()
		if _, offset := end.Zone(); offset != before {
			changes = append(changes, end)
		}
		t = end
	}
	f.changes[loc.String()] = changes
	return changes
}

const (
	aroundChange = 26 * time.Hour // no change moves clocks by more
	maxAround    = 200            // occurrences that are read around a clock change
)

// checkChange checks the occurrences around a clock change that are not posts yet.
func (f *forecast) checkChange(s *schedctl.Series, rule *recurrence.Rule, loc *time.Location, change time.Time) {
	last, read := schedctl.LocalTimeOf(change.Add(aroundChange).In(loc)), 0
	for local := range rule.From(schedctl.LocalTimeOf(change.Add(-aroundChange).In(loc))) {
		if read++; local > last || read > maxAround {
			return
		}
		at, note := local.In(loc)
		if note == "" || local <= s.Cursor || s.HasExdate(local) || !at.After(f.request.Now) || !at.Before(f.until) {
			continue
		}
		f.add(causeKey{apiv1.ForecastClockChange, s.ID, string(local)}, at.UTC(), "", "", func(*finding) (string, string) {
			return fmt.Sprintf("series %q: %s", s.Name, clockMessage(local, s.Timezone, note, at)), fmt.Sprintf("schedctl series skip %s %s", s.ID, local)
		})
	}
}
