// Package when parses the times and durations that people write on a command line,
// and formats the result so that they can check it.
//
// The grammar is small and strict: the whole input must match. Input that could
// mean two times is an error that suggests the possible spellings. A past time is
// never moved to the future unless no day was named.
//
//	2026-12-08T09:00:00Z    2026-12-08T09:00+01:00    RFC 3339, any offset
//	2026-12-08 09:00[:05]   2026-12-08T09:00          a date and a time of day
//	2026/12/08 9am   24.12.2026 18:00                 other dates that mean one day only
//	today 5pm   tonight   the day after tomorrow 9:30
//	friday noon   this friday 9am   next monday 21:00
//	Mar 10 9am   10 March 2027 9am                    the next such day without a year
//	9am   21:00   noon   midnight                     the next such time
//	in 2h   +2h30m   in half an hour   in 2 weeks   1 month from now
//	yesterday 9am   2h ago   -2h30m                   to look back
//	@1796720400                                       Unix seconds
//
// All forms except RFC 3339 may end in an IANA zone name, or in its city alone:
// "tomorrow 9am Europe/Berlin", "tomorrow 9am Berlin". A bare hour after a day is
// on a 24-hour clock.
//
// Hours, minutes and seconds are elapsed time. Days, weeks, months and years follow
// the calendar and keep the time of day. A time of day that a clock change skips
// becomes the first instant after the gap. One that occurs twice becomes the first
// of the two. [Result.Note] says so in both cases.
package when

import (
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
	for _, form := range []func(input) (Result, bool, error){
		parseUnix, parseISO, parseIn, parseDay, parseClock,
	} {
		if m, matched, err := form(in); err != nil {
			return Result{}, err
		} else if matched {
			return in.finish(m)
		}
	}
	return Result{}, in.explain()
}

// input is a text split into words, and the reference time.
type input struct {
	text  string
	words []string // lower case, without the zone
	now   time.Time
	loc   *time.Location
	zone  string // the zone named in the text, or empty
}

func scan(text string, now time.Time, loc *time.Location) (input, error) {
	in := input{text: text, now: now, loc: loc}
	switch {
	case len(text) > maxText:
		in.text = text[:maxText] + "…"
		return in, in.unreadable("is too long for a time", "")
	case strings.ContainsFunc(text, func(r rune) bool { return r == unicode.ReplacementChar || unicode.IsControl(r) && !unicode.IsSpace(r) }):
		return in, in.unreadable("contains characters that a time cannot have", "")
	}
	words := strings.Fields(text)
	if len(words) == 0 {
		return in, &Error{Reason: Unreadable, Text: text, Message: "the time is empty", Hint: "try \"tomorrow 9am\" or \"in 2h\""}
	}
	zone, n, err := readZone(in, words)
	if err != nil {
		return in, err
	}
	if n > 0 {
		in.loc, in.zone = zone, strings.Join(words[len(words)-n:], " ")
		words = words[:len(words)-n]
	}
	for _, w := range words {
		in.words = append(in.words, strings.ToLower(w))
	}
	in.now = now.In(in.loc)
	return in, nil
}

// finish rejects times that RFC 3339 cannot represent.
func (in input) finish(m Result) (Result, error) {
	if y := m.Time.UTC().Year(); y < 1 || y > 9998 {
		return Result{}, in.unreadable("is out of range", "")
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
