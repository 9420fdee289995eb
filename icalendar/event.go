package icalendar

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	ics "github.com/arran4/golang-ical"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/recurrence"
)

// stamp is a date or a time of a calendar: a civil time in full minutes, and its zone.
type stamp struct {
	civil  time.Time
	zone   *time.Location
	allDay bool // a date

	until time.Time // as event.end returns it, of a period with its own; else zero
}

func (s stamp) instant() time.Time {
	at, _ := schedctl.ResolveLocal(s.civil, s.zone)
	return at
}

// in returns the stamp on the clocks of a zone.
func (s stamp) in(zone *time.Location) stamp {
	if s.allDay || s.zone == zone {
		return s
	}
	return stamp{civil: schedctl.LocalTimeOf(s.instant().In(zone)).Civil(), zone: zone}
}

// event is one VEVENT.
type event struct {
	ics      *ics.VEvent
	zones    *zones
	floating *time.Location // the zone of times without one

	uid, summary string
	canceled     bool
	revision     string // sorts revisions of an event

	// Set by read.
	start    stamp
	days     int           // of the length, on the clocks
	duration time.Duration // of the length, besides the days
}

func newEvent(of *ics.VEvent, z *zones, floating *time.Location) *event {
	e := &event{ics: of, zones: z, floating: floating}
	e.uid, e.summary = text(e.property("UID")), text(e.property("SUMMARY"))
	e.canceled = strings.EqualFold(text(e.property("STATUS")), "CANCELLED")
	sequence, _ := strconv.ParseUint(text(e.property("SEQUENCE")), 10, 32)
	e.revision = fmt.Sprintf("%010d %s", sequence, text(e.property("DTSTAMP")))
	return e
}

func (e *event) property(name ics.ComponentProperty) *ics.IANAProperty {
	return e.ics.GetProperty(name)
}

// text returns the value of a property in one line, or "".
func text(p *ics.IANAProperty) string {
	if p == nil {
		return ""
	}
	text := strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(p.Value, "\ufffd"))
	return strings.Join(strings.Fields(text), " ")
}

var errNoTime = errors.New("it has no start")

// maxLength is the longest event that is read.
const maxLength = 400 * 24 * time.Hour

// read reads the start of the event, and how long it is.
func (e *event) read() (err error) {
	if e.start, err = e.time("DTSTART"); err != nil {
		return err
	}
	end, err := e.time("DTEND")
	switch {
	case err == nil && e.start.allDay && end.allDay:
		// Some programs write the last day as the end of an event of one day.
		e.days = int(end.civil.Sub(e.start.civil) / (24 * time.Hour))
		if e.days == 0 {
			e.days = 1
		}
	case err == nil && e.start.allDay:
		e.duration = end.in(e.floating).civil.Sub(e.start.civil)
	case err == nil:
		e.duration = end.instant().Sub(e.start.instant())
	case !errors.Is(err, errNoTime):
		return err
	case e.property("DURATION") != nil:
		if e.days, e.duration, err = parseDuration(text(e.property("DURATION"))); err != nil {
			return err
		}
	case e.start.allDay:
		e.days = 1
	}
	return checkLength(e.length())
}

func checkLength(length time.Duration) error {
	if length < time.Minute || length > maxLength {
		return fmt.Errorf("it does not last between a minute and %d days", maxLength/(24*time.Hour))
	}
	return nil
}

func (e *event) length() time.Duration { return time.Duration(e.days)*24*time.Hour + e.duration }

// end returns the end of the occurrence that starts at a time: an instant, or a civil time
// for whole days. Days are those of the clocks.
func (e *event) end(start stamp) time.Time {
	if !start.until.IsZero() {
		return start.until
	}
	if start.civil = start.civil.AddDate(0, 0, e.days); start.allDay {
		return start.civil.Add(e.duration)
	}
	return start.instant().Add(e.duration)
}

// time returns the time in a property.
func (e *event) time(name ics.ComponentProperty) (stamp, error) {
	p := e.property(name)
	if p == nil {
		return stamp{}, errNoTime
	}
	return e.parse(p, p.Value)
}

// times returns the times in all properties with a name. A period has its own end.
func (e *event) times(name ics.ComponentProperty) (list []stamp, err error) {
	for _, p := range e.ics.GetProperties(name) {
		for value := range strings.SplitSeq(p.Value, ",") {
			start, end, period := strings.Cut(value, "/")
			s, err := e.parse(p, start)
			if err == nil && period {
				s.until, err = e.until(p, s, strings.ToUpper(strings.TrimSpace(end)))
			}
			if err != nil {
				return list, err
			}
			list = append(list, s)
		}
	}
	return list, nil
}

// until reads the end of a period (section 3.3.9): a time, or a duration.
func (e *event) until(p *ics.IANAProperty, start stamp, text string) (end time.Time, err error) {
	if strings.HasPrefix(strings.TrimPrefix(text, "+"), "P") {
		var of event
		of.days, of.duration, err = parseDuration(text)
		end = of.end(start)
	} else if s, wrong := e.parse(p, text); wrong != nil {
		err = wrong
	} else if end = s.civil; !start.allDay {
		end = s.instant()
	}
	if err != nil {
		return end, err
	}
	return end, checkLength(end.Sub(new(event).end(start)))
}

// parse reads a date or a time with the zone of a property.
func (e *event) parse(p *ics.IANAProperty, value string) (s stamp, err error) {
	value = strings.ToUpper(strings.TrimSpace(value))
	s.zone = e.floating
	if s.civil, err = time.Parse("20060102", value); err == nil {
		s.allDay = true
	} else if s.civil, err = time.Parse("20060102T150405Z", value); err == nil {
		s.zone = time.UTC
	} else if s.civil, err = time.Parse("20060102T150405", value); err != nil {
		return s, fmt.Errorf("%.40q is not a time", value)
	} else if names := p.ICalParameters["TZID"]; len(names) > 0 {
		if s.zone, err = e.zones.find(names[0]); err != nil {
			return s, err
		}
	}
	if y := s.civil.Year(); y < recurrence.MinYear || y > recurrence.MaxYear {
		return s, fmt.Errorf("its year is %d", y)
	}
	s.civil = s.civil.Truncate(time.Minute)
	return s, nil
}

// parseDuration reads a duration such as P1D, P1W or PT1H30M (section 3.3.6).
func parseDuration(text string) (days int, d time.Duration, err error) {
	wrong := fmt.Errorf("%.40q is not a duration", text)
	rest, found := strings.CutPrefix(strings.TrimPrefix(strings.ToUpper(text), "+"), "P")
	if !found {
		return 0, 0, wrong
	}
	const day = 24 * time.Hour
	units := map[byte]time.Duration{'W': 7 * day, 'D': day}
	for rest != "" {
		if rest[0] == 'T' {
			units, rest = map[byte]time.Duration{'H': time.Hour, 'M': time.Minute, 'S': time.Second}, rest[1:]
			continue
		}
		n := 0
		for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
			n++
		}
		if n == 0 || n > 6 || n == len(rest) || units[rest[n]] == 0 {
			return 0, 0, wrong
		}
		amount, _ := strconv.Atoi(rest[:n])
		if unit := units[rest[n]]; unit >= day {
			days += amount * int(unit/day)
		} else {
			d += time.Duration(amount) * unit
		}
		rest = rest[n+1:]
	}
	if days > int(maxLength/day)+1 {
		days = int(maxLength/day) + 1
	}
	return days, d, nil
}
