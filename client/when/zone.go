package when

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/schedctl/schedctl"
)

// resolve returns the instant at which the clocks of the zone show a date and a time
// of day, as [schedctl.ResolveLocal] does, with a note near a clock change. The
// abbreviation of the zone, if the text has it, decides between the two of a repeated
// time.
func (in input) resolve(d date, c clock) Result {
	wall := time.Date(d.year, d.month, d.day, c.hour, c.minute, c.second, c.nanosecond, time.UTC)
	at, note := schedctl.ResolveLocal(wall, in.loc)
	switch note {
	case schedctl.LocalSkipped:
		return Result{Time: at, Note: join(in.zoneNote, fmt.Sprintf("clocks in %s skip %s on that day, so this is the first instant after the gap", zoneLabel(in.loc), c))}
	case schedctl.LocalRepeated:
		if t, chosen := chooseRepeated(at, wall, in.abbreviation); chosen {
			return Result{Time: t}
		}
		return Result{Time: at, Note: join(in.zoneNote, fmt.Sprintf("%s happens twice on that day in %s, so this is the first", c, zoneLabel(in.loc)))}
	}
	return Result{Time: at, Note: in.zoneNote}
}

// chooseRepeated returns the instant of a repeated time at which the zone has an
// abbreviation. first is the first of them.
func chooseRepeated(first, wall time.Time, abbreviation string) (t time.Time, chosen bool) {
	_, change := first.ZoneBounds()
	_, offset := change.Zone()
	second := wall.Add(-time.Duration(offset) * time.Second).In(first.Location())
	of := func(t time.Time) string { name, _ := t.Zone(); return name }
	switch {
	case abbreviation == "" || of(first) == of(second):
		return first, false
	case of(second) == abbreviation:
		return second, true
	}
	return first, of(first) == abbreviation
}

func zoneLabel(loc *time.Location) string {
	if loc == time.Local {
		return "the local time zone"
	}
	return loc.String()
}

// namedZone is a zone that a text names.
type namedZone struct {
	loc          *time.Location
	abbreviation string // in upper case, if the name is one
	note         string
}

// readZone reads the zone that the last words name. n is the number of these words, 0
// if the text names no zone.
func (in *input) readZone(words []string) (z namedZone, n int, err error) {
	for n := min(maxZoneWords, len(words)-1); n > 0; n-- {
		name := strings.Join(words[len(words)-n:], " ")
		if n == 1 && isOffset(name) && isoTime().MatchString(strings.ToLower(strings.Join(words, " "))) {
			continue // an offset of RFC 3339
		}
		z, found, err := findZone(name, in.local())
		if found || err != nil {
			return z, n, err
		}
	}
	if last := words[len(words)-1]; len(words) > 1 && strings.Contains(last, "/") && !isPlural(last) && !slashed().MatchString(last) && !dayMonth().MatchString(last) {
		return z, 0, unknownNamed(last)
	}
	return z, 0, nil
}

// local returns the current time in the local zone.
func (in *input) local() *time.Time {
	t := in.now.In(in.loc)
	return &t
}

// findZone returns the zone that people mean by a name. local, if not nil, is the
// current time in the local zone: an abbreviation that this zone uses means it.
func findZone(name string, local *time.Time) (z namedZone, found bool, err error) {
	lower := strings.ToLower(name)
	switch zones, many := manyZones[lower]; {
	case lower == "utc" || lower == "gmt" || lower == "z":
		return namedZone{loc: time.UTC}, true, nil
	case isOffset(lower):
		loc, err := offsetZone(lower)
		return namedZone{loc: loc}, err == nil, err
	case local != nil && usesAbbreviation(*local, strings.ToUpper(name)):
		return namedZone{loc: local.Location(), abbreviation: strings.ToUpper(name)}, true, nil
	case many:
		return z, false, severalZones(name, "is the abbreviation of several time zones", zones)
	case manyPlaces[lower] != nil:
		return z, false, severalZones(name, "is the name of several places", manyPlaces[lower])
	}
	if known := namedZones[lower]; known != "" && (lower != "west" || name == "WEST") {
		z.loc, err = time.LoadLocation(known)
		if len(lower) <= 4 { // not the name of a city
			z.abbreviation, z.note = strings.ToUpper(name), fmt.Sprintf("%s is read as %s", strings.ToUpper(name), known)
		}
		return z, err == nil, err
	}
	words := strings.Fields(name)
	if len(words) == 1 && !isWord(lower) && strings.IndexFunc(name, unicode.IsLetter) == 0 && !notZone(lower) && len(name) <= maxZone {
		if z.loc, err = time.LoadLocation(name); err == nil {
			return z, true, nil
		}
	}
	if z.loc = cityZone(words); z.loc != nil {
		return z, true, nil
	}
	return countryZone(name)
}

// countryZone returns the zone of a country, and an error for one that has several.
func countryZone(name string) (z namedZone, found bool, err error) {
	zones := countries()[strings.ToLower(name)]
	switch len(zones) {
	case 0:
		return z, false, nil
	case 1:
		z.loc, err = time.LoadLocation(zones[0])
		return z, err == nil, err
	}
	return z, false, severalZones(name, "has several time zones", zones)
}

// notZone reports whether the file of that name in a zone database is not a zone that people
// mean, or counts leap seconds.
func notZone(lower string) bool {
	return slices.Contains([]string{"local", "localtime", "factory", "posixrules"}, lower) || strings.HasPrefix(lower, "right/") || strings.HasPrefix(lower, "posix/")
}

// severalZones returns the error about a name that several zones have. It names the first
// of them.
func severalZones(name, what string, zones []string) error {
	last := len(zones) - 1
	list := strings.Join(zones[:last], ", ") + " or " + zones[last]
	if len(zones) > maxNamed {
		list = "for example " + strings.Join(zones[:maxNamed], ", ")
	}
	return &Error{Reason: Ambiguous, Text: name, Message: name + " " + what, Hint: "write the zone: " + list}
}

// maxNamed is the maximum number of zones that an error names.
const maxNamed = 4

// usesAbbreviation reports whether a zone has an abbreviation now, or from the change
// of its clocks before or after now.
func usesAbbreviation(now time.Time, name string) bool {
	if now.Location() == time.UTC || strings.HasPrefix(now.Location().String(), unknownZone) {
		return false
	}
	start, end := now.ZoneBounds()
	times := []time.Time{now}
	if !start.IsZero() {
		times = append(times, start.Add(-time.Second))
	}
	if !end.IsZero() {
		times = append(times, end)
	}
	return slices.ContainsFunc(times, func(t time.Time) bool { n, _ := t.Zone(); return n == name })
}

// maxZoneWords is the maximum number of words in the name of a zone, as in "Port of
// Spain" or of a country.
const maxZoneWords = 4

// areas are the first parts of zone names whose last part is a city.
var areas = []string{
	"Europe", "America", "Asia", "Africa", "Australia", "Pacific", "Atlantic", "Indian",
	"America/Argentina", "America/Indiana", "America/Kentucky", "America/North_Dakota",
}

// notCities are last parts of zone names that people read as holidays or compass
// points.
var notCities = []string{"easter", "christmas", "north", "south", "west", "center", "midway"}

// cityZone returns the zone of a city, such as Europe/Berlin for "berlin", or nil.
func cityZone(words []string) *time.Location {
	for i, w := range words {
		lower := strings.ToLower(w)
		if isWord(lower) && (lower != "of" || i == 0) || slices.Contains(notCities, lower) || strings.ContainsFunc(w, notInCity) || len(w) > maxZone {
			return nil
		}
	}
	city := titleCase(strings.Join(words, "_"))
	city = strings.ReplaceAll(city, "_Of_", "_of_")
	for _, area := range areas {
		if zone, err := time.LoadLocation(area + "/" + city); err == nil {
			return zone
		}
	}
	return nil
}

// notInCity reports whether a character cannot occur in a city's name.
func notInCity(r rune) bool {
	return r > unicode.MaxASCII || !unicode.IsLetter(r) && r != '-' && r != '_'
}

// LoadZone returns the zone of a name as people write it at the end of a time: an IANA
// name such as "Europe/Berlin", a city, a country with one zone, an abbreviation that
// only one zone has, or an offset such as "+05:30". It rejects the empty name and
// "Local". The error is an [*Error]. For a name that is stored, use [schedctl.LoadZone].
func LoadZone(name string) (*time.Location, error) {
	if strings.TrimSpace(name) == "" {
		return nil, unknownNamed(name)
	}
	z, found, err := findZone(strings.Join(strings.Fields(name), " "), nil)
	if err == nil && !found {
		err = unknownNamed(name)
	}
	return z.loc, err
}

// unknownNamed returns the error about an unknown zone, with a similar one.
func unknownNamed(name string) *Error {
	hint := "zones are IANA names, such as Europe/Berlin, America/New_York or UTC, cities such as Berlin, or offsets such as +05:30"
	if near := similarZone(name); near != "" {
		hint = "did you mean " + near + "?"
	}
	return &Error{Reason: Unreadable, Text: name, Message: fmt.Sprintf("unknown time zone %q", clip(name)), Hint: hint}
}

// canonicalZone returns the IANA name that differs only in the case of its letters, or the
// name itself.
func canonicalZone(name string) string {
	for line := range strings.Lines(ZoneNames) {
		if zone := strings.TrimSpace(line); strings.EqualFold(zone, name) {
			return zone
		}
	}
	return name
}

// similarZone returns the IANA name that is most like a name or a city, or an empty
// string.
func similarZone(name string) string {
	typed := strings.ToLower(strings.Join(strings.Fields(name), "_"))
	if len(typed) < 4 || len(typed) > maxZone {
		return ""
	}
	full, cities, names := []string{}, []string{}, map[string]string{}
	for line := range strings.Lines(ZoneNames) {
		zone := strings.TrimSpace(line)
		lower := strings.ToLower(zone)
		city := lower[strings.LastIndexByte(lower, '/')+1:]
		full, cities, names[lower] = append(full, lower), append(cities, city), zone
		if names[city] == "" {
			names[city] = zone
		}
	}
	candidates := cities
	if strings.Contains(typed, "/") {
		candidates = full
	}
	near := nearest(typed, candidates)
	if schedctl.EditDistance(typed, near) > 1 && !swapped(typed, near) || slices.Contains(notCities, near) {
		return ""
	}
	return names[near]
}

// swapped reports whether two words differ in the order of two neighboring letters.
func swapped(a, b string) bool {
	i := sharedPrefix(a, b)
	return len(a) == len(b) && i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

func sharedPrefix(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// titleCase returns the usual spelling of a zone name: Europe/Berlin for
// europe/berlin, America/New_York for america/new_york.
func titleCase(name string) string {
	out := []byte(strings.ToLower(name))
	for i := range out {
		first := i == 0 || strings.IndexByte("/_-", out[i-1]) >= 0
		if first && out[i] >= 'a' && out[i] <= 'z' {
			out[i] -= 'a' - 'A'
		}
	}
	return string(out)
}
