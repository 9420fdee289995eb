package icalendar

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	ics "github.com/arran4/golang-ical"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/recurrence"
)

// Limits of a calendar that is read.
const (
	MaxBytes   = 4 << 20
	MaxPeriods = 2000 // with each occurrence of an event that repeats
)

// Period is an event of a calendar, or one occurrence of it.
type Period struct {
	UID     string
	Summary string
	From    schedctl.LocalTime
	To      schedctl.LocalTime // exclusive
}

// ReadPeriods reads the events of a calendar (RFC 5545) as periods on the clocks of a
// zone: those that end after from and start before until, in order of time. An event
// for whole days has these days in the zone. Canceled events are left out. unread has a
// line for each event that could not be read. The error is about the whole calendar.
func ReadPeriods(r io.Reader, loc *time.Location, from, until schedctl.LocalTime) (periods []Period, unread []string, err error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, nil, err
	}
	if err := check(text); err != nil {
		return nil, nil, err
	}
	calendar, err := ics.ParseCalendar(bytes.NewReader(text))
	if err != nil {
		return nil, nil, fmt.Errorf("not a calendar: %w", err)
	}
	for _, e := range calendar.Events() {
		event := reader{event: e, loc: loc}
		found, err := event.periods(from, until)
		if err != nil {
			unread = append(unread, fmt.Sprintf("%q: %v", event.text(ics.ComponentPropertySummary), err))
		}
		if periods = append(periods, found...); len(periods) > MaxPeriods {
			return nil, nil, fmt.Errorf("the calendar has more than %d events in this time", MaxPeriods)
		}
	}
	slices.SortStableFunc(periods, func(a, b Period) int {
		return cmp.Or(strings.Compare(string(a.From), string(b.From)), strings.Compare(string(a.To), string(b.To)), strings.Compare(a.UID, b.UID))
	})
	return slices.Compact(periods), unread, nil
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

// reader reads one event.
type reader struct {
	event *ics.VEvent
	loc   *time.Location
}

func (r *reader) text(name ics.ComponentProperty) string {
	p := r.event.GetProperty(name)
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

// periods returns the periods of the event between two times.
func (r *reader) periods(from, until schedctl.LocalTime) (list []Period, err error) {
	if strings.EqualFold(r.text(ics.ComponentPropertyStatus), "CANCELLED") {
		return nil, nil
	}
	start, allDay, err := r.time(ics.ComponentPropertyDtStart)
	if err != nil {
		return nil, err
	}
	length, err := r.length(start, allDay)
	if err != nil {
		return nil, err
	}
	starts, err := r.starts(start, length, from, until)
	for _, s := range starts {
		p := Period{
			UID: r.text(ics.ComponentPropertyUniqueId), Summary: r.text(ics.ComponentPropertySummary),
			From: schedctl.LocalTimeOf(s), To: schedctl.LocalTimeOf(s.Add(length)),
		}
		if p.From < until && p.To > from {
			list = append(list, p)
		}
	}
	return list, err
}

var errNoTime = errors.New("it has no start")

// time returns a date or a time of the event as civil time in the zone of the reader.
func (r *reader) time(name ics.ComponentProperty) (civil time.Time, allDay bool, err error) {
	p := r.event.GetProperty(name)
	if p == nil {
		return civil, false, errNoTime
	}
	value := strings.ToUpper(strings.TrimSpace(p.Value))
	zone := r.loc
	if names := p.ICalParameters["TZID"]; len(names) > 0 {
		if loc, err := schedctl.LoadZone("TZID", names[0]); err == nil {
			zone = loc
		}
	}
	return r.parse(value, zone)
}

func (r *reader) parse(value string, zone *time.Location) (civil time.Time, allDay bool, err error) {
	if t, err := time.Parse("20060102", value); err == nil {
		return checkYear(t, true)
	}
	if t, err := time.Parse("20060102T150405", value); err == nil {
		at, _ := schedctl.ResolveLocal(t, zone)
		return checkYear(asCivil(at, r.loc), false)
	}
	t, err := time.Parse("20060102T150405Z", value)
	if err != nil {
		return civil, false, fmt.Errorf("%.40q is not a time", value)
	}
	return checkYear(asCivil(t, r.loc), false)
}

func checkYear(t time.Time, allDay bool) (time.Time, bool, error) {
	if y := t.Year(); y < recurrence.MinYear || y > recurrence.MaxYear {
		return t, allDay, fmt.Errorf("its year is %d", y)
	}
	return t, allDay, nil
}

// asCivil returns what the clocks of a zone show, as a time in UTC, without seconds.
func asCivil(t time.Time, loc *time.Location) time.Time {
	return schedctl.LocalTimeOf(t.In(loc)).Civil()
}

// maxLength is the longest event that is read.
const maxLength = 400 * 24 * time.Hour

// length returns how long the event is.
func (r *reader) length(start time.Time, allDay bool) (length time.Duration, err error) {
	switch end, _, endErr := r.time(ics.ComponentPropertyDtEnd); {
	case endErr == nil:
		length = end.Sub(start)
	case !errors.Is(endErr, errNoTime):
		return 0, endErr
	case r.event.GetProperty(ics.ComponentPropertyDuration) != nil:
		if length, err = parseDuration(r.text(ics.ComponentPropertyDuration)); err != nil {
			return 0, err
		}
	case allDay:
		length = 24 * time.Hour
	}
	if length < time.Minute || length > maxLength {
		return 0, fmt.Errorf("it does not last between a minute and %d days", maxLength/(24*time.Hour))
	}
	return length, nil
}

// parseDuration reads a duration such as P1D, P1W or PT1H30M (section 3.3.6).
func parseDuration(text string) (d time.Duration, err error) {
	wrong := fmt.Errorf("%.40q is not a duration", text)
	rest, found := strings.CutPrefix(strings.TrimPrefix(strings.ToUpper(text), "+"), "P")
	if !found {
		return 0, wrong
	}
	units := map[byte]time.Duration{'W': 7 * 24 * time.Hour, 'D': 24 * time.Hour}
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
			return 0, wrong
		}
		amount, _ := strconv.Atoi(rest[:n])
		d += time.Duration(amount) * units[rest[n]]
		rest = rest[n+1:]
	}
	return d, nil
}

// starts returns when the event and its occurrences start.
func (r *reader) starts(start time.Time, length time.Duration, from, until schedctl.LocalTime) (list []time.Time, err error) {
	rule := r.event.GetProperty(ics.ComponentPropertyRrule)
	if rule == nil {
		return []time.Time{start}, nil
	}
	expansion, _, err := recurrence.Parse(rule.Value, schedctl.LocalTimeOf(start), r.loc)
	if err != nil {
		var known *schedctl.Error
		if errors.As(err, &known) {
			err = errors.New(known.Message)
		}
		return []time.Time{start}, fmt.Errorf("only its first date was read: %w", err)
	}
	skipped := r.exdates()
	earliest := schedctl.LocalTimeOf(from.Civil().Add(-length))
	for _, local := range expansion.All(earliest, until) {
		if !slices.Contains(skipped, local) {
			list = append(list, local.Civil())
		}
		if len(list) > MaxPeriods {
			break
		}
	}
	return list, nil
}

// exdates returns the occurrences that the event leaves out.
func (r *reader) exdates() (list []schedctl.LocalTime) {
	for _, p := range r.event.GetProperties(ics.ComponentPropertyExdate) {
		for value := range strings.SplitSeq(strings.ToUpper(p.Value), ",") {
			if t, _, err := r.parse(strings.TrimSpace(value), r.loc); err == nil {
				list = append(list, schedctl.LocalTimeOf(t))
			}
		}
	}
	return list
}
