package when

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

var weekdays = map[string]time.Weekday{
	"sunday": time.Sunday, "sun": time.Sunday,
	"monday": time.Monday, "mon": time.Monday,
	"tuesday": time.Tuesday, "tue": time.Tuesday, "tues": time.Tuesday,
	"wednesday": time.Wednesday, "wed": time.Wednesday,
	"thursday": time.Thursday, "thu": time.Thursday, "thur": time.Thursday, "thurs": time.Thursday,
	"friday": time.Friday, "fri": time.Friday,
	"saturday": time.Saturday, "sat": time.Saturday,
}

var months = map[string]time.Month{
	"january": time.January, "jan": time.January,
	"february": time.February, "feb": time.February,
	"march": time.March, "mar": time.March,
	"april": time.April, "apr": time.April,
	"may":  time.May,
	"june": time.June, "jun": time.June,
	"july": time.July, "jul": time.July,
	"august": time.August, "aug": time.August,
	"september": time.September, "sep": time.September, "sept": time.September,
	"october": time.October, "oct": time.October,
	"november": time.November, "nov": time.November,
	"december": time.December, "dec": time.December,
}

// parseDay reads a day and a time of day, in either order.
func parseDay(in input) (Result, bool, error) {
	n, find, err := readDay(in, in.words)
	rest := in.words[n:]
	if n == 0 && err == nil {
		n, find, err = readTrailingDay(in)
		rest = in.words[:len(in.words)-n]
	}
	if n == 0 || err != nil {
		return Result{}, false, err
	}
	if len(rest) > 0 && rest[0] == "at" {
		rest = rest[1:]
	}
	switch {
	case len(rest) == 0 && in.words[0] == "tonight":
		rest = []string{"20:00"}
	case len(rest) == 0 && in.words[0] == "yesterday":
		return Result{}, false, in.past("has no time of day, and has passed", "use a time in the future, such as \"tomorrow 9am\", or look back with \"yesterday 9am\"")
	case len(rest) == 0:
		return Result{}, false, in.unreadable("has no time of day", fmt.Sprintf("write %q", in.text+" 9am"))
	}
	c, bare, matched, err := readDayClock(in, rest)
	if !matched {
		return Result{}, false, err
	}
	d, note, err := find(c)
	if err != nil {
		return Result{}, false, err
	}
	m := resolve(d, c, in.loc)
	m.Note = join(note, bare, m.Note)
	m.Retry = in.nextYear(d, c)
	if strings.Join(rest, " ") == "midnight" {
		m.Note = join(m.Note, "midnight is the start of the day")
	}
	return m, true, nil
}

// readDayClock reads the time of day that follows a day. A bare hour is on a
// 24-hour clock, and note says so.
func readDayClock(in input, words []string) (c clock, note string, matched bool, err error) {
	if text := strings.Join(words, " "); hour().MatchString(text) && number(text) < 24 && in.words[0] != "tonight" {
		c = clock{hour: number(text)}
		return c, fmt.Sprintf("%s is read as %s", text, c), true, nil
	}
	c, matched, err = readClock(in, words)
	return c, "", matched, err
}

// nextYear returns text for the same day of the next year if the input names today
// without a year. Otherwise it returns an empty string.
func (in input) nextYear(d date, c clock) string {
	if d != dateOf(in.now) || !in.namesMonthOnly() {
		return ""
	}
	text := fmt.Sprintf("%s %d %d %s", d.month.String()[:3], d.day, d.year+1, c)
	if in.zone != "" {
		text += " " + in.zone
	}
	return text
}

// namesMonthOnly reports whether the text names a month but no year.
func (in input) namesMonthOnly() bool {
	named := false
	for _, w := range in.words {
		if _, ok := months[strings.TrimRight(w, ".,")]; ok {
			named = true
		}
		if year().MatchString(w) {
			return false
		}
	}
	return named
}

// readTrailingDay finds a day after a time of day, as in "9am tomorrow".
func readTrailingDay(in input) (n int, find dayFinder, err error) {
	for at := 1; at < len(in.words); at++ {
		if n, find, err = readDay(in, in.words[at:]); err != nil || n == len(in.words)-at {
			return n, find, err
		}
	}
	return 0, nil, nil
}

// dayFinder returns the day for a time of day, and a note about how it was chosen.
type dayFinder func(clock) (d date, note string, err error)

// readDay reads a day from the first words. n is the number of words that it read,
// 0 if they name no day.
func readDay(in input, words []string) (n int, find dayFinder, err error) {
	today := dateOf(in.now)
	switch words[0] {
	case "today":
		return 1, onDay(today), nil
	case "tomorrow":
		return 1, onDay(today.addDays(1)), nil
	case "yesterday":
		return 1, onDay(today.addDays(-1)), nil
	case "tonight":
		return 1, tonight(in, today, len(in.words) == 1), nil
	case "the", "day":
		for _, phrase := range dayAfterTomorrow {
			if len(words) >= len(phrase) && slices.Equal(words[:len(phrase)], phrase) {
				return len(phrase), onDay(today.addDays(2)), nil
			}
		}
		return 0, nil, nil
	case "this", "next":
		if len(words) > 1 {
			if day, ok := weekdays[words[1]]; ok {
				return 2, relativeWeekday(in, words[0], day), nil
			}
		}
		return 0, nil, nil
	}
	if day, ok := weekdays[words[0]]; ok {
		return 1, weekday(in, day), nil
	}
	if m := isoDate().FindStringSubmatch(words[0]); m != nil {
		d, err := in.dateFrom(m)
		return 1, onDay(d), err
	}
	if m := slashed().FindStringSubmatch(words[0]); m != nil {
		d, err := in.readSlashed(m, strings.Contains(words[0], "."))
		return 1, onDay(d), err
	}
	return readMonthDay(in, words)
}

// dayAfterTomorrow are the spellings of "the day after tomorrow".
var dayAfterTomorrow = [][]string{{"day", "after", "tomorrow"}, {"the", "day", "after", "tomorrow"}}

// tonight is this evening, from 17:00 to midnight. Without a time of day it is
// 20:00.
func tonight(in input, today date, alone bool) dayFinder {
	return func(c clock) (date, string, error) {
		switch {
		case alone:
			return today, "tonight without a time of day is 20:00", nil
		case c.hour < 17:
			return date{}, "", in.ambiguous("names a time that is not in the evening", fmt.Sprintf("write \"today %s\" or \"tomorrow %s\"", c, c))
		}
		return today, "", nil
	}
}

func onDay(d date) dayFinder {
	return func(clock) (date, string, error) { return d, "", nil }
}

// weekday returns the first such weekday on which the time of day is in the future.
func weekday(in input, day time.Weekday) dayFinder {
	return func(c clock) (date, string, error) {
		today := dateOf(in.now)
		ahead := int(day-in.now.Weekday()+7) % 7
		if ahead == 0 && !resolve(today, c, in.loc).Time.After(in.now) {
			return today.addDays(7), fmt.Sprintf("%s has passed today, so this is in a week", c), nil
		}
		return today.addDays(ahead), "", nil
	}
}

// relativeWeekday returns the day for "this friday" or "next friday".
func relativeWeekday(in input, word string, day time.Weekday) dayFinder {
	if word == "next" {
		return nextWeekday(in, day)
	}
	return onDay(dateOf(in.now).addDays(int(day-in.now.Weekday()+7) % 7))
}

// nextWeekday returns the first such weekday after today. People disagree whether
// "next friday" on a Monday is in four days or in eleven, so the note names the
// chosen day.
func nextWeekday(in input, day time.Weekday) dayFinder {
	return func(clock) (date, string, error) {
		today := dateOf(in.now)
		ahead := int(day-in.now.Weekday()+7) % 7
		if ahead == 0 {
			return today.addDays(7), "", nil
		}
		return today.addDays(ahead), fmt.Sprintf("\"next %s\" is the first %s after today", strings.ToLower(day.String()), day), nil
	}
}

var (
	monthDay = lazily(`^(\d{1,2})(?:st|nd|rd|th)?,?$`)
	year     = lazily(`^\d{4}$`)
)

// readMonthDay reads "mar 10", "10 march", "mar 10, 2027".
func readMonthDay(in input, words []string) (n int, find dayFinder, err error) {
	if len(words) < 2 {
		return 0, nil, nil
	}
	name, day := strings.TrimSuffix(words[0], "."), words[1]
	month, ok := months[name]
	if !ok {
		day, name = words[0], strings.TrimSuffix(strings.TrimSuffix(words[1], ","), ".")
		month, ok = months[name]
	}
	m := monthDay().FindStringSubmatch(day)
	if !ok || m == nil {
		return 0, nil, nil
	}
	if len(words) > 2 && year().MatchString(words[2]) {
		d := date{number(words[2]), month, number(m[1])}
		return 3, onDay(d), in.checkDate(d)
	}
	d, err := in.nextDate(month, number(m[1]))
	return 2, onDay(d), err
}

// nextDate returns the first such date from today on.
func (in input) nextDate(month time.Month, day int) (date, error) {
	today := dateOf(in.now)
	d := date{today.year, month, day}
	if d.before(today) {
		d.year++
	}
	return d, in.checkDate(d)
}

func (in input) checkDate(d date) error {
	if d.month >= 1 && d.month <= 12 && d.valid() {
		return nil
	}
	if d.month < 1 || d.month > 12 {
		return in.unreadable(fmt.Sprintf("has a month %d", int(d.month)), "dates are year-month-day, such as 2026-12-08")
	}
	last := date{d.year, d.month + 1, 1}.addDays(-1)
	return in.unreadable(fmt.Sprintf("names a day that does not exist: %s %d has %d days", d.month, d.year, last.day), "check the day of the month")
}
