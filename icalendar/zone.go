package icalendar

import (
	"fmt"
	"strings"
	"time"

	ics "github.com/arran4/golang-ical"

	"github.com/schedctl/schedctl"
)

// maxZones limits the zones that one calendar describes itself.
const maxZones = 100

// UnknownZone is the error about an event in a zone that is not known.
type UnknownZone struct{ Name string }

// Error names the zone.
func (e *UnknownZone) Error() string { return fmt.Sprintf("the zone %.80q is not known", e.Name) }

// zones finds the zones that a calendar names.
type zones struct {
	from, until int // the years for which zones of the file are needed
	defined     map[string]*ics.VTimezone
	found       map[string]*time.Location // by name; nil for an unknown one
	built       int

	other    *time.Location // of unknown zones; nil refuses them
	replaced []string       // the names for which other was taken
}

func newZones(calendar *ics.Calendar, o ReadOptions) *zones {
	z := &zones{
		from: o.From.Civil().Year() - 2, until: o.Until.Civil().Year() + 3, other: o.Unknown,
		defined: map[string]*ics.VTimezone{}, found: map[string]*time.Location{},
	}
	for _, zone := range calendar.Timezones() {
		if p := zone.GetProperty(ics.ComponentPropertyTzid); p != nil {
			z.defined[p.Value] = zone
		}
	}
	return z
}

// find returns the zone with a name, else an *UnknownZone.
func (z *zones) find(name string) (*time.Location, error) {
	loc, known := z.found[name]
	if !known {
		loc = z.load(name)
		z.found[name] = loc
		if loc == nil && z.other != nil {
			z.replaced = append(z.replaced, name)
		}
	}
	switch {
	case loc != nil:
		return loc, nil
	case z.other != nil:
		return z.other, nil
	}
	return nil, &UnknownZone{name}
}

// load returns a zone, or nil. A name of the zone database comes first, because it knows
// when rules changed. Abbreviations come last: the calendar may describe what they mean.
func (z *zones) load(name string) *time.Location {
	if strings.Contains(name, "/") {
		if loc := pathZone(name); loc != nil {
			return loc
		}
	}
	if iana := windowsZones[name]; iana != "" {
		return ianaZone(iana)
	}
	if zone := z.defined[name]; zone != nil {
		if p := zone.GetProperty("X-LIC-LOCATION"); p != nil && strings.Contains(p.Value, "/") {
			if loc := pathZone(p.Value); loc != nil {
				return loc
			}
		}
		if z.built++; z.built <= maxZones {
			if loc, err := z.build(zone); err == nil {
				return loc
			}
		}
		return nil
	}
	return ianaZone(name)
}

func ianaZone(name string) *time.Location {
	loc, err := schedctl.LoadZone("TZID", name)
	if err != nil {
		return nil
	}
	return loc
}

// pathZone returns the zone at the end of a name such as
// /mozilla.org/20050126_1/Europe/Berlin, or nil. No name of the zone database has more than
// three parts.
func pathZone(name string) *time.Location {
	parts := strings.Split(name[max(0, len(name)-64):], "/")
	for n := min(3, len(parts)); n > 1; n-- {
		if loc := ianaZone(strings.Join(parts[len(parts)-n:], "/")); loc != nil {
			return loc
		}
	}
	if strings.EqualFold(name, "tzone://Microsoft/Utc") {
		return time.UTC
	}
	return nil
}
