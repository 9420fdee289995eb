package series

import (
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/recurrence"
	"github.com/schedctl/schedctl/storage"
)

const (
	// maxConsidered limits the occurrences that one sweep decides.
	maxConsidered = 1000

	// maxTargets limits the targets that one sweep makes, so that its transaction stays
	// short. The next sweep continues.
	maxTargets = 2000

	// resweep is when a sweep that reached maxConsidered continues.
	resweep = time.Hour

	// exdateRetention is how long an exdate is kept after its time.
	exdateRetention = 400 * 24 * time.Hour
)

const day = 24 * time.Hour

// lastLocal is after all occurrences.
const lastLocal schedctl.LocalTime = "9999-12-31T23:59"

// Sweep says how a series is swept.
type Sweep struct {
	Now time.Time

	// MaxLateness is how late an occurrence may still be published. Of older ones, and of
	// several late ones all but the latest, none is made.
	MaxLateness time.Duration
}

// Make decides the occurrences after the cursor of a series up to its days ahead, and
// makes their posts: at least one future post, and at most [schedctl.MaxAhead]. It stores
// the posts, the events, and the series with its new cursor. It ends a series after its
// last occurrence. A series that is not active only gets no further sweep. One that lacks
// an approval makes nothing.
//
// Errors: VALIDATION_FAILED for a rule or a zone that this daemon does not know.
func Make(tx storage.Tx, s *schedctl.Series, sweep Sweep) error {
	if s.State != schedctl.SeriesActive {
		s.SweepAt, s.NextAt = time.Time{}, time.Time{}
		return tx.PutSeries(*s)
	}
	loc, rule, err := RuleOf(s)
	if err != nil {
		return err
	}
	m := maker{tx: tx, s: s, sweep: sweep, loc: loc, passed: schedctl.LastPassed(sweep.Now, loc)}
	if err := m.readAccounts(); err != nil {
		return err
	}
	if s.NeedsApproval(m.accounts) && !s.Approved() {
		// An approval continues the series at once, and so does, a little later, a policy that
		// needs none. What passes before is not made.
		s.Cursor, s.NextAt, s.SweepAt = max(s.Cursor, m.passed), time.Time{}, schedctl.Millis(sweep.Now.Add(resweep))
		return tx.PutSeries(*s)
	}
	if err := m.run(rule); err != nil {
		return err
	}
	m.dropExdates()
	if err := m.plan(); err != nil {
		return err
	}
	if err := tx.AddEvents(m.events()...); err != nil {
		return err
	}
	return tx.PutSeries(*s)
}

// RuleOf returns the zone and the rule of a series.
func RuleOf(s *schedctl.Series) (*time.Location, recurrence.Rule, error) {
	loc, err := schedctl.LoadZone("timezone", s.Timezone)
	if err != nil {
		return nil, recurrence.Rule{}, err
	}
	rule, _, err := recurrence.Parse(s.Rule, s.Start, loc)
	return loc, rule, err
}

// maker is one sweep of a series.
type maker struct {
	tx     storage.Tx
	s      *schedctl.Series
	sweep  Sweep
	loc    *time.Location
	passed schedctl.LocalTime // at the time of the sweep

	made     schedctl.Series    // with the accounts that are connected
	accounts []schedctl.Account // of made, in the order of its targets
	queue    *schedctl.Queue    // or nil

	skipped []schedctl.SkippedOccurrences
	targets int                  // made by this sweep
	latest  *schedctl.Occurrence // the latest one that passed before it was decided; or nil

	ahead   int                // future occurrences that are decided
	last    time.Time          // of the last occurrence that was read
	unmade  time.Time          // of the first one that is not decided; zero if all are
	beyond  bool               // one beyond the days ahead was left out with a reason
	more    bool               // the limit of targets was reached
	gaveUp  bool               // maxConsidered was reached
	lastAt  time.Time          // of the last future post that this sweep made
	decided schedctl.LocalTime // by this sweep
}

// run decides the occurrences.
func (m *maker) run(rule recurrence.Rule) error {
	now, considered, caughtUp := m.sweep.Now, 0, false
	horizon := now.Add(time.Duration(m.s.AheadDays) * day)
	for index, local := range rule.All(min(m.s.Cursor, m.passed), lastLocal) {
		at, _ := local.In(m.loc)
		future := at.After(now)
		if local <= m.s.Cursor {
			m.last = at
			if future {
				m.ahead++
			}
			continue
		}
		o := schedctl.Occurrence{Local: local, Index: index, At: at.UTC()}
		if !future {
			m.last, m.decided = at, local
			if err := m.miss(o); err != nil {
				return err
			}
			continue
		}
		if !caughtUp {
			caughtUp = true
			if err := m.catchUp(); err != nil {
				return err
			}
		}
		enough, err := m.enough(at, horizon, &considered)
		if err != nil {
			return err
		}
		if enough {
			m.unmade = at
			return nil
		}
		m.last, m.decided = at, local
		m.ahead++
		if err := m.decide(o); err != nil {
			return err
		}
		m.beyond = at.After(horizon) && m.leftOut(local)
	}
	if caughtUp {
		return nil
	}
	return m.catchUp()
}

// leftOut reports whether an occurrence was left out with a reason.
func (m *maker) leftOut(local schedctl.LocalTime) bool {
	return slices.ContainsFunc(m.skipped, func(s schedctl.SkippedOccurrences) bool { return s.Last == local })
}

// enough reports whether the sweep ends before the future occurrence at a time.
func (m *maker) enough(at, horizon time.Time, considered *int) (bool, error) {
	*considered++
	switch {
	case m.ahead >= schedctl.MaxAhead:
		return true, nil
	case m.targets >= maxTargets:
		m.more = true
		return true, nil
	case *considered > maxConsidered:
		m.gaveUp = true
		return true, nil
	case !at.After(horizon):
		return false, nil
	case m.beyond:
		return true, nil
	}
	return m.hasFuture(at)
}

// hasFuture reports whether the series has a scheduled post in the future that is not
// after the time of an occurrence.
func (m *maker) hasFuture(at time.Time) (bool, error) {
	if !m.lastAt.IsZero() || m.s.NextAt.After(m.sweep.Now) && !m.s.NextAt.After(at) {
		return true, nil
	}
	next, err := m.post(storage.PublishAscending)
	return !next.IsZero() && !next.After(at), err
}

// post returns the time of the first or the last scheduled post in the future.
func (m *maker) post(sort storage.Sort) (time.Time, error) {
	page, err := m.tx.Posts(storage.PostQuery{
		WorkspaceID: m.s.WorkspaceID, SeriesID: m.s.ID, Statuses: []schedctl.Status{schedctl.Scheduled},
		PublishAfter: schedctl.Millis(m.sweep.Now).Add(time.Millisecond), Sort: sort, Limit: 1,
	})
	if err != nil || len(page.Posts) == 0 {
		return time.Time{}, err
	}
	return page.Posts[0].PublishAt, nil
}

// dropExdates drops exdates that no sweep reads again.
func (m *maker) dropExdates() {
	old := schedctl.LocalTimeOf(m.sweep.Now.Add(-exdateRetention).In(m.loc))
	for len(m.s.Exdates) > 0 && m.s.Exdates[0] < old {
		m.s.Exdates = m.s.Exdates[1:]
	}
}

// plan sets the cursor and the time of the next sweep, and ends the series after its last
// occurrence.
func (m *maker) plan() (err error) {
	s, now := m.s, m.sweep.Now
	s.Cursor = max(s.Cursor, m.decided)
	if s.NextAt, err = m.post(storage.PublishAscending); err != nil {
		return err
	}
	if m.more {
		s.SweepAt = schedctl.Millis(now)
		return nil
	}
	if m.unmade.IsZero() && !m.last.After(now) && s.NextAt.IsZero() {
		s.State, s.SweepAt = schedctl.SeriesEnded, time.Time{}
		return nil
	}
	lastPost := m.lastAt
	if lastPost.IsZero() && !s.NextAt.IsZero() {
		if lastPost, err = m.post(storage.PublishDescending); err != nil {
			return err
		}
	}
	if m.unmade.IsZero() {
		s.SweepAt = schedctl.Millis(later(m.last, lastPost))
		return nil
	}
	s.SweepAt = m.unmade.Add(-time.Duration(s.AheadDays) * day)
	if !lastPost.IsZero() && lastPost.Before(s.SweepAt) {
		s.SweepAt = lastPost
	}
	if m.ahead >= schedctl.MaxAhead && !s.SweepAt.After(now) {
		s.SweepAt = s.NextAt
	}
	if m.gaveUp || !s.SweepAt.After(now) {
		s.SweepAt = now.Add(resweep)
	}
	s.SweepAt = schedctl.Millis(s.SweepAt)
	return nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// events returns the events of the sweep about the series.
func (m *maker) events() (events []schedctl.Event) {
	for i := range m.skipped {
		events = append(events, schedctl.SeriesEvent(schedctl.EventSeriesSkipped, m.s, &m.skipped[i], m.sweep.Now))
	}
	if m.s.State == schedctl.SeriesEnded {
		events = append(events, schedctl.SeriesEvent(schedctl.EventSeriesEnded, m.s, nil, m.sweep.Now))
	}
	return events
}
