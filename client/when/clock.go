package when

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// clock is a time of day.
type clock struct{ hour, minute, second, nanosecond int }

// String returns the time of day on 24 hours.
func (c clock) String() string {
	if c.second == 0 {
		return fmt.Sprintf("%02d:%02d", c.hour, c.minute)
	}
	return fmt.Sprintf("%02d:%02d:%02d", c.hour, c.minute, c.second)
}

func (c clock) valid() bool {
	return c.hour < 24 && c.minute < 60 && c.second < 60
}

var (
	clock24      = lazily(`^(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?$`)
	clock12      = lazily(`^(\d{1,2})(?:[:.](\d{2}))? ?(am|pm)$`)
	clockDotted  = lazily(`^(\d{1,2})[.h](\d{2})$`)
	clockCompact = lazily(`^(\d{2})(\d{2})$`)
	clockHour    = lazily(`^(\d{1,2})h$`)
	hour         = lazily(`^\d{1,2}$`)
)

// wordClocks are the words for times of day. A note says what the last two mean.
var wordClocks = map[string]struct {
	clock
	note string
}{
	"noon":     {clock{hour: 12}, ""},
	"midday":   {clock{hour: 12}, ""},
	"midnight": {clock{}, ""},
	"eod":      {clock{hour: 17}, "eod is read as 17:00"},
}

// dayPart is a part of the day: its hours, and the time of day that it means alone.
type dayPart struct{ first, last, alone int }

var dayParts = map[string]dayPart{
	"morning":   {0, 11, 9},
	"afternoon": {12, 18, 14},
	"evening":   {17, 23, 19},
	"tonight":   {17, 23, 20},
}

// readClock reads a time of day from the first words. n is the number of words that it
// read, 0 if they are not a time of day.
func (p *phrase) readClock(words []string) (n int, err error) {
	var c clock
	note, half, known := "", false, false
	for n = min(2, len(words)); n > 0 && !known; n-- {
		c, note, half, known, err = p.clockOf(strings.Join(words[:n], " "))
		if err != nil {
			return 0, err
		}
		if known {
			break
		}
	}
	if !known {
		return 0, nil
	}
	if p.clock != nil {
		return 0, p.unreadable(fmt.Sprintf("has two times of day, %s and %s", p.clockText, strings.Join(words[:n], " ")), "try one of them; a date such as 24.12. has a dot at its end")
	}
	p.clock, p.clockNote, p.clockText, p.halfKnown = &c, note, strings.Join(words[:n], " "), half
	return n, nil
}

// clockOf returns the time of day of a text. half reports whether it says which half of
// the day it is in.
func (p *phrase) clockOf(text string) (c clock, note string, half, known bool, err error) {
	if w, found := wordClocks[text]; found {
		return w.clock, w.note, true, true, nil
	}
	if m := clock12().FindStringSubmatch(text); m != nil {
		c, err = p.onTwelve(number(m[1]), number(m[2]), m[3])
		return c, "", true, err == nil, err
	}
	if m := clock24().FindStringSubmatch(text); m != nil {
		c = clock{number(m[1]), number(m[2]), number(m[3]), number((m[4] + "000000000")[:9])}
		return c, "", len(m[1]) == 2, c.valid(), p.checkClock(c, text)
	}
	if m := clockDotted().FindStringSubmatch(text); m != nil {
		c = clock{hour: number(m[1]), minute: number(m[2])}
		dotted := strings.Contains(text, ".") && !p.afterAt && c.minute > 0 && c.minute <= 12
		if dotted && (p.noDay() || c.hour > 23 && c.hour <= 31) {
			return c, "", false, false, p.dateOrTime(text)
		}
		p.dotted = dotted
		return c, "", len(m[1]) == 2, c.valid(), p.checkClock(c, text)
	}
	if m := clockCompact().FindStringSubmatch(text); m != nil {
		c = clock{hour: number(m[1]), minute: number(m[2])}
		if (m[1] == "19" || m[1] == "20") && c.valid() && !p.dayComplete() || p.yearless && !p.afterAt && plausibleYear().MatchString(text) {
			return c, "", true, false, p.ambiguous(fmt.Sprintf("has %s, which could be a year or a time of day", text), yearAdvice(c))
		}
		return c, fmt.Sprintf("%s is read as %s", text, c), true, c.valid(), p.checkClock(c, text)
	}
	m := clockHour().FindStringSubmatch(text)
	if m == nil && !hour().MatchString(text) {
		return c, "", false, false, nil
	}
	c = clock{hour: number(strings.TrimSuffix(text, "h"))}
	if m != nil && p.noDay() {
		return c, "", false, false, nil // a duration
	}
	return c, fmt.Sprintf("%s is read as %s", text, c), false, true, nil
}

// ParseClock reads a time of day alone, such as "9:00", "9.30pm", "noon", or "9" for 9:00.
func ParseClock(text string) (hour, minute int, ok bool) {
	words := strings.Fields(strings.ToLower(text))
	p := phrase{input: input{text: text, words: []string{"", ""}}, weekday: new(time.Weekday)}
	if len(text) > maxText || len(words) == 0 {
		return 0, 0, false
	}
	n, err := p.readClock(words)
	if err != nil || n != len(words) || p.clock.hour > 23 || p.clock.second != 0 {
		return 0, 0, false
	}
	return p.clock.hour, p.clock.minute, true
}

// dateOrTime returns the error about a text such as 5.12, which could be a date, or can be
// nothing else.
func (p *phrase) dateOrTime(text string) error {
	m := clockDotted().FindStringSubmatch(text)
	c := clock{hour: number(m[1]), minute: number(m[2])}
	if c.hour > 23 {
		return p.unreadable(fmt.Sprintf("has the date %s without a dot at its end", text), fmt.Sprintf("write %q", p.withTime(text, text+".")))
	}
	if p.noDay() {
		return p.ambiguous("could be a date or a time of day", fmt.Sprintf("write %s for the time of day, or \"%s. 9am\" for the date", c, text))
	}
	day := fmt.Sprintf("%d %s", c.hour, strings.ToLower(time.Month(c.minute).String()[:3]))
	return p.ambiguous(fmt.Sprintf("has %s, which could be a date or a time of day", text), fmt.Sprintf("write %q for the date, or %q for the time of day",
		p.withTime(text, day), p.replaced(text, fmt.Sprintf("%d:%02d", c.hour, c.minute))))
}

// replaced returns the text with another word for one of its words.
func (in input) replaced(old, word string) string {
	words := slices.Clone(in.words)
	words[max(0, slices.Index(words, old))] = word
	if in.zone != "" {
		words = append(words, in.zone)
	}
	return strings.Join(words, " ")
}

// withTime returns the text with another word for one of its words, and a time of day if it
// has no other.
func (in input) withTime(old, word string) string {
	clocks := slices.ContainsFunc(in.words, func(w string) bool {
		_, named := wordClocks[w]
		return named || w == "am" || w == "pm" || clock24().MatchString(w) || clock12().MatchString(w)
	})
	if !clocks {
		word += " 9am"
	}
	return in.replaced(old, word)
}

// yearAdvice is the hint about a year that could be a time of day.
func yearAdvice(c clock) string {
	if !c.valid() {
		return "write the whole date, such as 2026-12-08 9am"
	}
	return fmt.Sprintf("write %s for the time of day", c)
}

func (in input) checkClock(c clock, text string) error {
	if c.valid() {
		return nil
	}
	return in.unreadable(fmt.Sprintf("has an invalid time of day, %s", text), "hours go from 0:00 to 23:59, and midnight starts the day")
}

func (in input) bareHour(h int) error {
	switch {
	case h == 0 || h > 12 && h < 24:
		return in.unreadable("has an hour without minutes", fmt.Sprintf("write %d:00", h))
	case h > 23:
		return in.unreadable("has no time of day", "try 9am or 21:00")
	}
	return in.ambiguous("could be in the morning or in the evening", fmt.Sprintf("write %dam or %dpm", h, h))
}

func (in input) onTwelve(h, m int, half string) (clock, error) {
	if h > 12 && h < 24 && m < 60 {
		return clock{}, in.unreadable(fmt.Sprintf("has hour %d with %s", h, half), fmt.Sprintf("write %d:%02d", h, m))
	}
	if h < 1 || h > 12 || m > 59 {
		return clock{}, in.unreadable("has an invalid time of day", "write 12am for midnight, 12pm for noon, or use 24 hours: 0:00 to 23:59")
	}
	h %= 12
	if half == "pm" {
		h += 12
	}
	return clock{hour: h, minute: m}, nil
}

// inPart moves a time of day that does not say its half of the day into a part of the
// day: "tonight at 8" is 20:00.
func (p *phrase) inPart(name string, c clock) (clock, error) {
	part := dayParts[name]
	if !p.halfKnown && c.hour < 12 && part.first >= 12 && c.hour > 0 {
		c.hour += 12
	}
	if c.hour < part.first || c.hour > part.last {
		where := "in the " + name
		if name == "tonight" {
			where = "in the evening"
			if c.hour == 0 || c.hour == 12 && p.clockText != "noon" && p.clockText != "midday" && !strings.HasSuffix(p.clockText, "pm") {
				return c, p.ambiguous("names a time that is not "+where, "write \"tomorrow 0:00\" for midnight")
			}
			return c, p.ambiguous("names a time that is not "+where, fmt.Sprintf("write \"today %s\" or \"tomorrow %s\"", *p.clock, *p.clock))
		}
		return c, p.ambiguous("names a time that is not "+where, fmt.Sprintf("leave %q out, or write a time of day between %d:00 and %d:59", name, part.first, part.last))
	}
	return c, nil
}

// number returns the value of the digits, or 0 for none. Callers pass only a few
// digits that a regular expression has matched.
func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

func join(notes ...string) string {
	var said []string
	for _, n := range notes {
		if n != "" {
			said = append(said, n)
		}
	}
	return strings.Join(said, "; ")
}
