// Package when parses the times and durations that people write on a command line,
// and formats the result so that they can check it.
//
// The grammar is small and strict: the whole input must match. A text names at most one
// day and one time of day, in either order. Input that could mean two times is an error
// that suggests the possible spellings. A past time is never moved to the future unless
// no day was named.
//
//	2026-12-08T09:00:00Z    20261208T090000Z          RFC 3339 and ISO 8601, any offset
//	2026-12-08 09:00[:05]   2026-12-08T09:00          a date and a time of day
//	2026/12/08 9am   24.12.2026 18:00   24.12. 18:00  other dates that mean one day only
//	today 5pm   tonight at 8   the day after tomorrow 9:30   tomorrow morning
//	friday noon   9am on friday   next monday 21:00   monday next week 9am
//	Mar 10 9am   10 March 2027 9am   wed 2 dec 9am    a weekday has to match its date
//	the 5th at 9am   first monday of december 9am   last friday of the month 10:00
//	in 3 days at 9am   a week from friday 9am   in 2 weeks on monday 9am
//	9am   21:00   9.30pm   14h30   1430   noon   eod  the next such time
//	in 2h   +2h30m   in 1.5 hours   in 2 weeks   1 month from now
//	yesterday 9am   2h ago   -2h30m                   to look back
//	@1796720400                                       Unix seconds
//
// All forms may end in a zone: an IANA name, its city alone, a country with one zone, an
// abbreviation or an offset, as [LoadZone] reads them. An abbreviation that the local zone
// uses means this zone; others that several zones have are refused. A bare hour after a
// day is on a 24-hour clock.
//
// Hours, minutes and seconds are elapsed time. Days, weeks, months and years follow
// the calendar and keep the time of day. A time of day that a clock change skips
// becomes the first instant after the gap. One that occurs twice becomes the first
// of the two, unless the text has the abbreviation of the zone, as the times of [Format]
// have. [Result.Note] explains each of these decisions.
package when

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// maxText is far longer than any valid input.
const maxText = 200

// Result is a parsed time.
type Result struct {
	// Time is the instant. Its location is the zone in which the text was
	// interpreted.
	Time time.Time

	// Note explains the interpretation of unclear text, as a sentence without a
	// full stop. It is empty if the text was clear.
	Note string

	// Retry is a suggested replacement when the time has passed. It is set only for
	// today's date without a year, and names the same day of the next year.
	Retry string

	// FromNow reports whether the text is a span from now, such as "in 2h": read later,
	// it is another time.
	FromNow bool

	elapsed bool // the zone did not matter
}

// Check returns nil when the time is after now, and otherwise an [*Error] with
// reason [Past].
func (m Result) Check(now time.Time) error {
	if m.Time.After(now) {
		return nil
	}
	hint := "use a time in the future, such as \"in 1h\" or \"tomorrow 9am\""
	if m.Retry != "" {
		hint = fmt.Sprintf("write %q", m.Retry)
	}
	return &Error{
		Reason:  Past,
		Text:    m.Time.Format(time.RFC3339),
		Message: fmt.Sprintf("%s has passed (%s)", Format(m.Time), Relative(m.Time, now)),
		Hint:    hint,
	}
}

// Parse parses a time. loc is the zone of times that name no zone. Every error is
// an [*Error]. Parse accepts past times; use [Result.Check] to reject them.
func Parse(text string, now time.Time, loc *time.Location) (Result, error) {
	in, err := scan(text, now, loc)
	if err != nil {
		return Result{}, err
	}
	for _, form := range []func(input) (Result, bool, error){parseUnix, parseISO, parseSpan} {
		if m, matched, err := form(in); err != nil {
			return Result{}, err
		} else if matched {
			return in.finish(m)
		}
	}
	m, err := parsePhrase(in)
	if err != nil {
		return Result{}, err
	}
	return in.finish(m)
}

// ParseBound parses a time as [Parse] does, and also a day alone, which means its start.
// day reports whether the text is a day alone.
func ParseBound(text string, now time.Time, loc *time.Location) (m Result, day bool, err error) {
	if m, err = Parse(text, now, loc); err == nil {
		return m, false, nil
	}
	begin, noDay := Parse(text+" 0:00", now, loc)
	if noDay != nil {
		return m, false, cmp.Or(CheckZone(loc), err)
	}
	return begin, true, nil
}

// input is a text split into words, and the reference time.
type input struct {
	text  string
	words []string // lower case, without the zone
	now   time.Time
	loc   *time.Location
	zone  string // the zone named in the text, or empty

	abbreviation string // the zone, if the text has its abbreviation
	zoneNote     string // which zone the abbreviation means
}

func scan(text string, now time.Time, loc *time.Location) (input, error) {
	in := input{text: text, now: now, loc: loc}
	switch {
	case len(text) > maxText:
		in.text = strings.ToValidUTF8(text[:maxText], "") + "…"
		return in, in.unreadable("is too long for a time", "")
	case strings.ContainsFunc(text, func(r rune) bool { return r == unicode.ReplacementChar || unicode.IsControl(r) && !unicode.IsSpace(r) }):
		return in, in.unreadable("contains characters that a time cannot have", "")
	}
	words := splitWords(text)
	if len(words) == 0 {
		return in, &Error{Reason: Unreadable, Text: text, Message: "the time is empty", Hint: "try \"tomorrow 9am\" or \"in 2h\""}
	}
	zone, n, err := in.readZone(words)
	if err != nil {
		return in, err
	}
	if n > 0 {
		in.loc, in.zone = zone.loc, strings.Join(words[len(words)-n:], " ")
		in.abbreviation, in.zoneNote = zone.abbreviation, zone.note
		words = words[:len(words)-n]
	}
	for _, w := range words {
		in.words = append(in.words, strings.ToLower(w))
	}
	in.now = now.In(in.loc)
	return in, nil
}

// splitWords splits a text into words. Commas separate words, except in a number. A
// month or a weekday has no dot at its end, and "a.m." is "am".
func splitWords(text string) (words []string) {
	for _, w := range strings.FieldsFunc(comma().ReplaceAllString(text, " $1"), unicode.IsSpace) {
		if lower := strings.ToLower(w); strings.HasSuffix(lower, "a.m.") || strings.HasSuffix(lower, "p.m.") || strings.HasSuffix(lower, "a.m") || strings.HasSuffix(lower, "p.m") {
			w = strings.ReplaceAll(strings.TrimSuffix(lower, "."), ".m", "m")
		} else if isName(strings.TrimSuffix(lower, ".")) {
			w = strings.TrimSuffix(w, ".")
		}
		words = append(words, w)
	}
	return words
}

var comma = lazily(`,(\D|$)`)

// finish rejects times that RFC 3339 cannot represent, and local times in an unknown
// zone.
func (in input) finish(m Result) (Result, error) {
	if y := m.Time.UTC().Year(); y < 1 || y > 9998 {
		return Result{}, in.unreadable("is out of range", "")
	}
	if err := CheckZone(in.loc); err != nil && !m.elapsed {
		return Result{}, err
	}
	return m, nil
}

func (in input) unreadable(what, hint string) *Error {
	if hint == "" {
		hint = "try \"tomorrow 9am\", \"2026-12-08 09:00\" or \"in 2h\""
	}
	return &Error{Reason: Unreadable, Text: in.text, Message: fmt.Sprintf("%q %s", in.text, what), Hint: hint}
}

func (in input) past(what, hint string) *Error {
	return &Error{Reason: Past, Text: in.text, Message: fmt.Sprintf("%q %s", in.text, what), Hint: hint}
}

func (in input) ambiguous(what, hint string) *Error {
	return &Error{Reason: Ambiguous, Text: in.text, Message: fmt.Sprintf("%q %s", in.text, what), Hint: hint}
}
