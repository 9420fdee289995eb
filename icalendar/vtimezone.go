package icalendar

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	ics "github.com/arran4/golang-ical"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/recurrence"
)

// Limits of a zone that a calendar describes.
const (
	maxObservances = 100
	maxChanges     = 1024
	maxOffset      = 16 * 60 * 60 // seconds
)

var errZone = errors.New("the description of the zone cannot be read")

// change is a clock change. Offsets are seconds east of UTC.
type change struct {
	at       int64 // Unix seconds
	from, to int
}

// build returns the zone that a VTIMEZONE describes (section 3.6.5), with its changes in
// the years that are needed.
func (z *zones) build(zone *ics.VTimezone) (*time.Location, error) {
	var changes []change
	parts := zone.SubComponents()
	if len(parts) > maxObservances {
		return nil, errZone
	}
	for _, part := range parts {
		var of ics.ComponentBase
		switch part := part.(type) {
		case *ics.Standard:
			of = part.ComponentBase
		case *ics.Daylight:
			of = part.ComponentBase
		default:
			continue
		}
		more, err := z.observed(&of, maxChanges-len(changes))
		if err != nil {
			return nil, err
		}
		changes = append(changes, more...)
	}
	if len(changes) == 0 {
		return nil, errZone
	}
	slices.SortStableFunc(changes, func(a, b change) int { return int(max(-1, min(1, a.at-b.at))) })
	return location(text(zone.GetProperty(ics.ComponentPropertyTzid)), changes)
}

// observed returns the changes to standard or daylight saving time, most at the most.
func (z *zones) observed(of *ics.ComponentBase, most int) (list []change, err error) {
	from, err1 := parseOffset(text(of.GetProperty("TZOFFSETFROM")))
	to, err2 := parseOffset(text(of.GetProperty("TZOFFSETTO")))
	start, err3 := time.Parse("20060102T150405", text(of.GetProperty(ics.ComponentPropertyDtStart)))
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	add := func(civil time.Time) error {
		if list = append(list, change{civil.Unix() - int64(from), from, to}); len(list) > most {
			return errZone
		}
		return nil
	}
	if err := add(start); err != nil {
		return nil, err
	}
	for _, p := range of.GetProperties(ics.ComponentPropertyRdate) {
		for value := range strings.SplitSeq(p.Value, ",") {
			civil, err := time.Parse("20060102T150405", strings.TrimSpace(value))
			if err == nil {
				err = add(civil)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	for _, p := range of.GetProperties(ics.ComponentPropertyRrule) {
		if start.Year() < recurrence.MinYear { // Outlook starts in 1601
			start = start.AddDate(recurrence.MinYear-start.Year(), 0, 0)
		}
		rule, _, err := recurrence.Parse(p.Value, schedctl.LocalTimeOf(start), time.FixedZone("", from))
		if err != nil && strings.Contains(strings.ToUpper(p.Value), "UNTIL=19") {
			continue // it ended before the years of rules
		}
		if err != nil {
			return nil, err
		}
		since := schedctl.LocalTimeOf(start)
		if ends := strings.ToUpper(p.Value); !strings.Contains(ends, "UNTIL=") && !strings.Contains(ends, "COUNT=") {
			since = max(since, schedctl.LocalTime(fmt.Sprintf("%04d-01-01T00:00", z.from)))
		}
		for local := range rule.From(since) {
			if local.Civil().Year() > z.until {
				break
			}
			if err := add(local.Civil()); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// parseOffset reads an offset such as +0100 or -043000 in seconds.
func parseOffset(text string) (int, error) {
	if len(text) != 5 && len(text) != 7 || text[0] != '+' && text[0] != '-' {
		return 0, errZone
	}
	total := 0
	for i, unit := range []int{3600, 60, 1}[:len(text)/2] {
		high, low := text[1+2*i]-'0', text[2+2*i]-'0'
		if high > 9 || low > 9 {
			return 0, errZone
		}
		total += unit * (10*int(high) + int(low))
	}
	if total > maxOffset {
		return 0, errZone
	}
	if text[0] == '-' {
		total = -total
	}
	return total, nil
}

// location returns a zone with changes in order. It writes them as TZif (RFC 9636), the
// only way to make a zone with changes.
func location(name string, changes []change) (*time.Location, error) {
	offsets := []int{changes[0].from} // the first is in force before all changes
	var times, types []byte
	for _, c := range changes {
		index := slices.Index(offsets[1:], c.to) + 1
		if index == 0 {
			index, offsets = len(offsets), append(offsets, c.to)
		}
		times = binary.BigEndian.AppendUint64(times, uint64(c.at))
		types = append(types, byte(index))
	}
	header := func(changes, offsets int) []byte {
		b := append([]byte("TZif2"), make([]byte, 15)...)
		for _, n := range []int{0, 0, 0, changes, offsets, 1} {
			b = binary.BigEndian.AppendUint32(b, uint32(n))
		}
		return b
	}
	data := append(header(0, 1), make([]byte, 6+1)...) // for readers of version 1: one offset, and its empty name
	data = append(data, header(len(changes), len(offsets))...)
	data = append(append(data, times...), types...)
	for _, offset := range offsets {
		data = binary.BigEndian.AppendUint32(data, uint32(int32(offset)))
		data = append(data, 0, 0) // standard time, and the name at 0
	}
	return time.LoadLocationFromTZData(name, append(data, 0, '\n', '\n'))
}
