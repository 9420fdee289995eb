package when

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/schedctl/schedctl"
)

// resolve returns the instant at which the clocks of a zone show a date and a time
// of day, as [schedctl.ResolveLocal] does, with a note near a clock change.
func resolve(d date, c clock, loc *time.Location) Result {
	at, note := schedctl.ResolveLocal(time.Date(d.year, d.month, d.day, c.hour, c.minute, c.second, c.nanosecond, time.UTC), loc)
	switch note {
	case schedctl.LocalSkipped:
		return Result{Time: at, Note: fmt.Sprintf("clocks in %s skip %s on that day, so this is the first instant after the gap", zoneLabel(loc), c)}
	case schedctl.LocalRepeated:
		return Result{Time: at, Note: fmt.Sprintf("%s happens twice on that day in %s, so this is the first", c, zoneLabel(loc))}
	}
	return Result{Time: at}
}

func zoneLabel(loc *time.Location) string {
	if loc == time.Local {
		return "the local time zone"
	}
	return loc.String()
}

// abbreviations are ambiguous or unknown to the zone database.
var abbreviations = map[string]string{
	"bst": "Europe/London", "ist": "Asia/Kolkata", "cst": "America/Chicago", "cdt": "America/Chicago",
	"edt": "America/New_York", "pst": "America/Los_Angeles", "pdt": "America/Los_Angeles", "mdt": "America/Denver",
	"ast": "America/Halifax", "cest": "Europe/Berlin", "eest": "Europe/Helsinki", "west": "Europe/Lisbon",
	"jst": "Asia/Tokyo", "kst": "Asia/Seoul", "sgt": "Asia/Singapore", "hkt": "Asia/Hong_Kong",
	"aest": "Australia/Sydney", "aedt": "Australia/Sydney", "nzst": "Pacific/Auckland", "nzdt": "Pacific/Auckland",
}

// readZone returns the zone that the last words name, and the number of these
// words, 0 if the text names no zone.
func readZone(in input, words []string) (*time.Location, int, error) {
	if len(words) < 2 {
		return nil, 0, nil
	}
	zone, named, err := parseZone(in, words[len(words)-1])
	if err != nil || named {
		return zone, 1, err
	}
	for n := 1; n <= maxCityWords && n < len(words); n++ {
		if zone := cityZone(words[len(words)-n:]); zone != nil {
			return zone, n, nil
		}
	}
	return nil, 0, nil
}

// maxCityWords is the maximum number of words in a city's name, as in "Port of
// Spain".
const maxCityWords = 3

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
	for _, w := range words {
		lower := strings.ToLower(w)
		if isWord(lower) || slices.Contains(notCities, lower) || strings.ContainsFunc(w, notInCity) {
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

// parseZone returns the zone of a word. named is false for a word that cannot be a
// zone. An unknown word that looks like a zone is an error.
func parseZone(in input, word string) (zone *time.Location, named bool, err error) {
	lower := strings.ToLower(word)
	switch {
	case lower == "utc" || lower == "gmt" || lower == "z":
		return time.UTC, true, nil
	case abbreviations[lower] != "":
		return nil, false, in.ambiguous(fmt.Sprintf("has the abbreviation %s, which is not a zone name", word), fmt.Sprintf("write the zone, such as %s", abbreviations[lower]))
	case isWord(lower) || slashed().MatchString(word) || strings.ContainsAny(word, ":@"):
		return nil, false, nil
	}
	zone, err = LoadZone(word)
	switch {
	case err == nil:
		return zone, true, nil
	case strings.Contains(word, "/"):
		return nil, false, err
	}
	return nil, false, nil
}

// LoadZone returns the zone with an IANA name, such as "Europe/Berlin", or "UTC".
// Case does not matter. Unlike [time.LoadLocation] it rejects the empty name and
// "Local". The error is an [*Error] with reason [Unreadable].
func LoadZone(name string) (*time.Location, error) {
	if strings.EqualFold(name, "utc") {
		return time.UTC, nil
	}
	if name != "" && name != "Local" {
		if zone, err := time.LoadLocation(name); err == nil {
			return zone, nil
		}
	}
	hint := "zones are IANA names, such as Europe/Berlin, America/New_York or UTC"
	if fixed := titleCase(name); fixed != name && fixed != "Local" {
		if _, err := time.LoadLocation(fixed); err == nil {
			hint = "did you mean " + fixed + "?"
		}
	}
	return nil, &Error{Reason: Unreadable, Text: name, Message: fmt.Sprintf("unknown time zone %q", name), Hint: hint}
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
