package icalendar

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	ics "github.com/arran4/golang-ical"

	"github.com/schedctl/schedctl"
)

// Limits of a calendar that is read.
const (
	MaxBytes   = 4 << 20
	MaxPeriods = 2000 // with each occurrence of an event that repeats
	maxLeftOut = 100  // lines about what is left out
)

// Period is an event of a calendar, or one occurrence of it.
type Period struct {
	UID     string
	Summary string
	From    schedctl.LocalTime
	To      schedctl.LocalTime // exclusive
	UTC     bool               // From and To are in UTC: the clocks of the zone show one twice
}

// ReadOptions says which periods are read.
type ReadOptions struct {
	Zone        *time.Location     // of the periods, and of events without a zone
	From, Until schedctl.LocalTime // periods end after From and start before Until

	// Unknown is used for events in zones that neither the zone database nor the calendar
	// describes. Without it, such an event refuses the calendar.
	Unknown *time.Location
}

// Reading is what was read from a calendar.
type Reading struct {
	Periods  []Period // in order of time
	LeftOut  []string // a line for each event or part of an event that was not read
	Replaced []string // the names of zones for which ReadOptions.Unknown was used
}

// ReadPeriods reads the events of a calendar (RFC 5545) as periods on the clocks of a
// zone. An event for whole days has these days in the zone. Events with one UID are one
// event with its revisions and its changed occurrences; canceled ones are left out. The
// error is about the whole calendar.
func ReadPeriods(r io.Reader, o ReadOptions) (Reading, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return Reading{}, err
	}
	if err := check(text); err != nil {
		return Reading{}, err
	}
	calendar, err := ics.ParseCalendar(bytes.NewReader(text))
	if err != nil {
		return Reading{}, fmt.Errorf("not a calendar: %w", err)
	}
	c := &reader{ReadOptions: o, zones: newZones(calendar, o)}
	for _, s := range c.group(calendar) {
		c.read(s)
		switch {
		case c.unknown != nil:
			return Reading{}, c.unknown
		case len(c.periods) > MaxPeriods:
			return Reading{}, fmt.Errorf("the calendar has more than %d events in this time", MaxPeriods)
		}
	}
	slices.SortStableFunc(c.periods, func(a, b Period) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.UID, b.UID), cmp.Compare(a.Summary, b.Summary))
	})
	if n := len(c.leftOut) - maxLeftOut; n > 0 {
		c.leftOut = append(c.leftOut[:maxLeftOut], fmt.Sprintf("and %d more", n))
	}
	return Reading{Periods: slices.Compact(c.periods), LeftOut: c.leftOut, Replaced: c.zones.replaced}, nil
}

// maxTextLine is longer than any line of a calendar: they are folded at 75 bytes. The
// parser is slow with very long lines.
const maxTextLine = 64 << 10

// check refuses what is not a calendar, or is too large.
func check(text []byte) error {
	if len(text) > MaxBytes {
		return fmt.Errorf("the calendar is larger than %d MiB", MaxBytes>>20)
	}
	if !bytes.Contains(bytes.ToUpper(text), []byte("BEGIN:VCALENDAR")) {
		return errors.New("not a calendar: BEGIN:VCALENDAR is missing")
	}
	for line := range bytes.Lines(text) {
		if len(line) > maxTextLine {
			return fmt.Errorf("the calendar has a line of more than %d KiB", maxTextLine>>10)
		}
	}
	return nil
}

// reader reads the events of one calendar.
type reader struct {
	ReadOptions
	zones   *zones
	periods []Period
	leftOut []string
	unknown error // the first zone that is not known
}

// group returns the events by their UID, in the order of the calendar.
func (c *reader) group(calendar *ics.Calendar) (list []*series) {
	byUID := map[string]*series{}
	method := slices.ContainsFunc(calendar.CalendarProperties, func(p ics.CalendarProperty) bool {
		return strings.EqualFold(p.IANAToken, "METHOD") && strings.EqualFold(strings.TrimSpace(p.Value), "CANCEL")
	})
	others := 0
	for _, part := range calendar.Components {
		switch part := part.(type) {
		case *ics.VEvent:
			e := newEvent(part, c.zones, c.Zone)
			e.canceled = e.canceled || method
			s := byUID[e.uid]
			if s == nil || e.uid == "" {
				s = &series{}
				byUID[e.uid], list = s, append(list, s)
			}
			s.add(e)
		case *ics.VTodo, *ics.VJournal, *ics.VBusy:
			others++
		}
	}
	if others > 0 {
		c.leftOut = append(c.leftOut, fmt.Sprintf("%d entries that are not events, such as tasks", others))
	}
	return list
}

// leave records why an event, or a part of it, is left out.
func (c *reader) leave(e *event, err error) {
	if zone, ok := errors.AsType[*UnknownZone](err); ok {
		if c.unknown == nil {
			c.unknown = fmt.Errorf("%.80q: %w", e.summary, zone)
		}
		return
	}
	c.leftOut = append(c.leftOut, fmt.Sprintf("%q: %v", e.summary, err))
}

// add adds the period of an event from a start on, if it is wanted.
func (c *reader) add(e *event, start stamp) {
	p := Period{UID: e.uid, Summary: e.summary}
	from, to := start.civil, e.end(start)
	if !start.allDay {
		from, to = start.instant().In(c.Zone), to.In(c.Zone)
	}
	p.From, p.To = schedctl.LocalTimeOf(from), schedctl.LocalTimeOf(to)
	if p.From >= c.Until || p.To <= c.From {
		return
	}
	if !start.allDay {
		var zone *time.Location
		p.From, p.To, zone = schedctl.LocalPeriod(from, to, c.Zone)
		p.UTC = zone != c.Zone
	}
	c.periods = append(c.periods, p)
}
