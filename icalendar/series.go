package icalendar

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/recurrence"
)

// series is all events with one UID: the event, its revisions, and its changed occurrences.
type series struct {
	masters []*event // without a RECURRENCE-ID
	changes []*event // with one
}

func (s *series) add(e *event) {
	if e.property("RECURRENCE-ID") != nil {
		s.changes = append(s.changes, e)
	} else {
		s.masters = append(s.masters, e)
	}
}

// split is a change of an occurrence, or of it and all that follow.
type split struct {
	*event
	id stamp
}

// occurrences is a set of occurrences. A date names the occurrence of a day.
type occurrences struct {
	instants map[int64]bool
	dates    map[string]bool
	days     map[string]bool // of the instants, as they are written
}

func newOccurrences(list ...stamp) *occurrences {
	o := &occurrences{map[int64]bool{}, map[string]bool{}, map[string]bool{}}
	for _, s := range list {
		o.add(s)
	}
	return o
}

func (o *occurrences) add(s stamp) {
	if s.allDay {
		o.dates[s.civil.Format(time.DateOnly)] = true
		return
	}
	o.instants[s.instant().Unix()] = true
	o.days[s.civil.Format(time.DateOnly)] = true
}

func (o *occurrences) has(s stamp) bool {
	day := s.civil.Format(time.DateOnly)
	if s.allDay {
		return o.dates[day] || o.days[day]
	}
	return o.dates[day] || o.instants[s.instant().Unix()]
}

// changes is how the occurrences of an event are changed.
type changes struct {
	replaced *occurrences
	splits   []split // in order
	margin   time.Duration
}

// read adds the periods of a series.
func (c *reader) read(s *series) {
	newest := ""
	for _, e := range s.masters {
		newest = max(newest, e.revision)
	}
	masters := s.masters[:0]
	for _, e := range s.masters {
		switch {
		case e.revision != newest:
			c.leaveWanted(e, errors.New("a newer version of the event is in the calendar"))
		case e.canceled:
			c.leaveWanted(e, errors.New("canceled"))
			s.changes = nil
		default:
			masters = append(masters, e)
		}
	}
	changed := c.readChanges(s.changes)
	for _, e := range masters {
		if err := e.read(); err != nil {
			c.leave(e, err)
			continue
		}
		c.expand(e, changed)
	}
	for _, sp := range changed.splits {
		if sp.canceled {
			continue
		}
		if sp.property("RRULE") != nil {
			c.expand(sp.event, changes{replaced: changed.replaced})
		} else if len(masters) == 0 {
			c.add(sp.event, sp.start)
		}
	}
}

// leaveWanted records why an event is left out that starts in the wanted time.
func (c *reader) leaveWanted(e *event, why error) {
	start, err := e.time("DTSTART")
	if err != nil {
		return
	}
	if local := schedctl.LocalTimeOf(start.in(c.Zone).civil); local >= c.From && local < c.Until || e.property("RRULE") != nil {
		c.leave(e, why)
	}
}

// readChanges adds the periods of changed occurrences, and returns which they replace.
func (c *reader) readChanges(list []*event) changes {
	newest := map[string]split{}
	var order []string
	for _, e := range list {
		id, err := e.time("RECURRENCE-ID")
		if err != nil {
			c.leave(e, err)
			continue
		}
		key := fmt.Sprint(id.instant().Unix(), id.allDay)
		if have, found := newest[key]; !found {
			order = append(order, key)
		} else if have.revision > e.revision {
			continue
		}
		newest[key] = split{e, id}
	}
	out := changes{replaced: newOccurrences()}
	for _, key := range order {
		e := newest[key]
		if e.canceled {
			c.leaveWanted(e.event, fmt.Errorf("canceled on %s", e.id.civil.Format(time.DateOnly)))
		} else if err := e.read(); err != nil {
			c.leave(e.event, err)
			continue
		}
		ranges := e.property("RECURRENCE-ID").ICalParameters["RANGE"]
		if len(ranges) > 0 && strings.EqualFold(ranges[0], "THISANDFUTURE") {
			out.splits = append(out.splits, e)
			if !e.canceled {
				out.margin = max(out.margin, min(e.length()+e.moved().Abs(), 2*maxLength))
			}
			continue
		}
		out.replaced.add(e.id)
		if !e.canceled {
			c.add(e.event, e.start)
		}
	}
	slices.SortStableFunc(out.splits, func(a, b split) int { return a.id.instant().Compare(b.id.instant()) })
	return out
}

// expand adds the periods of the occurrences of an event that are not changed.
func (c *reader) expand(e *event, changed changes) {
	if len(c.periods) > MaxPeriods {
		return
	}
	skipped, err := e.times("EXDATE")
	if err != nil {
		c.leave(e, fmt.Errorf("its exceptions were not all read: %w", err))
	}
	if e.property("EXRULE") != nil {
		c.leave(e, errors.New("its rule of exceptions (EXRULE) was not read"))
	}
	out, splits := newOccurrences(skipped...), changed.splits
	for _, at := range c.starts(e, max(e.length(), changed.margin)+48*time.Hour) {
		if out.has(at) || changed.replaced.has(at) {
			continue
		}
		n := sort.Search(len(splits), func(i int) bool { return at.before(splits[i].id) })
		if n == 0 {
			c.add(e, at)
		} else if sp := splits[n-1]; !sp.canceled && sp.property("RRULE") == nil {
			moved := at.in(sp.start.zone)
			moved.allDay, moved.zone, moved.until = sp.start.allDay, sp.start.zone, time.Time{}
			moved.civil = moved.civil.Add(sp.moved())
			c.add(sp.event, moved)
		}
	}
}

// before reports whether an occurrence is before the one with an id, which may be a date.
func (s stamp) before(id stamp) bool {
	if s.allDay || id.allDay {
		return s.civil.Format(time.DateOnly) < id.civil.Format(time.DateOnly)
	}
	return s.instant().Before(id.instant())
}

// moved returns by how much a change moves occurrences on the clocks.
func (sp split) moved() time.Duration {
	return sp.start.civil.Sub(sp.id.in(sp.start.zone).civil)
}

// starts returns the starts of an event without a rule, and of one with a rule those that
// can be in the wanted time, with a margin.
func (c *reader) starts(e *event, margin time.Duration) []stamp {
	rules := e.ics.GetProperties("RRULE")
	var list []stamp
	if len(rules) == 0 {
		list = append(list, e.start)
	}
	first := schedctl.LocalTimeOf(c.From.Civil().Add(-margin))
	last := schedctl.LocalTimeOf(c.Until.Civil().Add(margin))
	for _, p := range rules {
		rule, _, err := recurrence.Parse(p.Value, schedctl.LocalTimeOf(e.start.civil), e.start.zone)
		if err != nil {
			if known, ok := errors.AsType[*schedctl.Error](err); ok {
				err = errors.New(known.Message)
			}
			c.leave(e, fmt.Errorf("only its first date was read: %w", err))
			list = append(list, e.start)
			continue
		}
		n := 0
		for local := range rule.From(first) {
			if local >= last {
				break
			}
			if local >= c.From {
				n++
			}
			if n > 2*MaxPeriods {
				c.leave(e, fmt.Errorf("its occurrences from %s on", local.Day()))
				break
			}
			list = append(list, stamp{civil: local.Civil(), zone: e.start.zone, allDay: e.start.allDay})
		}
	}
	more, err := e.times("RDATE")
	if err != nil {
		c.leave(e, fmt.Errorf("its additional dates were not all read: %w", err))
	}
	return append(list, more...)
}
