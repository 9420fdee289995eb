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

// readDay reads a day from the first words. n is the number of words that it read,
// 0 if they name no day.
func (p *phrase) readDay(words []string) (n int, err error) {
	if len(words) == 0 {
		return 0, nil
	}
	for _, read := range []func([]string) (int, error){
		p.readNamedDay, p.readSpanDay, p.readWeek, p.readWeekday, p.readOrdinal, p.readDate, p.readMonthDay, p.readDayOfMonth,
	} {
		if n, err = read(words); n > 0 || err != nil {
			return n, err
		}
	}
	return 0, nil
}

// namedDays are the days with names, by their distance from today. The longer names are
// first.
var namedDays = []struct {
	name string
	days int
}{
	{"the day after tomorrow", 2}, {"day after tomorrow", 2}, {"the day before yesterday", -2}, {"day before yesterday", -2},
	{"today", 0}, {"tomorrow", 1}, {"yesterday", -1}, {"this", 0},
}

// readNamedDay reads "today", "the day after tomorrow" and "this" before a part of the
// day that has a time of day.
func (p *phrase) readNamedDay(words []string) (n int, err error) {
	for _, d := range namedDays {
		name := strings.Fields(d.name)
		if n := len(name); len(words) >= n && slices.Equal(words[:n], name) {
			if d.name == "this" && (len(words) < 2 || dayParts[words[1]] == (dayPart{}) || words[1] == "tonight" || len(p.words) < 3) {
				return 0, nil
			}
			return n, p.setDay(onDay(dateOf(p.now).addDays(d.days)), d.name)
		}
	}
	return 0, nil
}

// readSpanDay reads "in 3 days", "a week from now" and "a week from friday", which other
// words have to complete.
func (p *phrase) readSpanDay(words []string) (n int, err error) {
	in := 0
	if words[0] == "in" {
		in = 1
	}
	n = spanWords(words[in:])
	rest := words[in+n:]
	direction := ""
	if in == 0 && len(rest) > 0 {
		direction = rest[0]
	}
	if n == 0 || in == 0 && direction != "from" && direction != "after" && direction != "ago" && direction != "before" {
		return 0, nil
	}
	s, err := readSpan(p.text, strings.Join(words[in:in+n], " "), calendarUnits)
	switch {
	case err != nil:
		return 0, err
	case s.Elapsed != 0:
		return 0, p.unreadable("counts hours or less, and has a day or a time of day", "try the one or the other, such as \"in 2h\" or \"in 3 days at 9am\"")
	case direction == "ago" || direction == "before":
		s = s.Negative()
	}
	if n += in; direction != "" {
		n++
		rest = rest[1:]
	}
	switch {
	case in == 1 || direction == "ago":
	case len(rest) > 0 && rest[0] == "now":
		n++
	default:
		from, err := p.readDay(rest)
		if from == 0 || err != nil {
			return 0, err
		}
		return n + from, p.shiftDay(s)
	}
	return n, p.setSpanDay(s)
}

// setSpanDay sets the day a span after today. Whole weeks may have a weekday, which is
// the one of that week.
func (p *phrase) setSpanDay(s Span) error {
	day, note := dateOf(p.now).addMonths(s.Months)
	day = day.addDays(s.Days)
	if s.Months == 0 && s.Days%7 == 0 && s.Days != 0 && p.namesWeekday() {
		return p.setWeek(day.monday())
	}
	return p.setDay(func(clock) (date, string, error) { return day, note, nil }, "in a number of days")
}

// namesWeekday reports whether a word is a weekday.
func (p *phrase) namesWeekday() bool {
	return slices.ContainsFunc(p.words, func(w string) bool { _, ok := weekdays[w]; return ok })
}

// shiftDay moves the day that was read by a span.
func (p *phrase) shiftDay(s Span) error {
	find, err := p.findDay()
	if err != nil {
		return err
	}
	if find == nil {
		return p.unreadable("counts from no day", "try \"a week from friday 9am\"")
	}
	p.weekday, p.which, p.week = nil, "", nil
	p.day = func(c clock) (date, string, error) {
		d, note, err := find(c)
		if err != nil {
			return d, note, err
		}
		moved, short := d.addMonths(s.Months)
		return moved.addDays(s.Days), join(note, short), nil
	}
	p.dayText = "a number of days from another"
	return nil
}

// readWeek reads "next week" and "this week", before or after a weekday.
func (p *phrase) readWeek(words []string) (n int, err error) {
	if len(words) < 2 || words[1] != "week" {
		return 0, nil
	}
	monday := dateOf(p.now).monday()
	switch words[0] {
	case "this":
		return 2, p.setWeek(monday)
	case "next":
		return 2, p.setWeek(monday.addDays(7))
	}
	return 0, nil
}

func (p *phrase) setWeek(monday date) error {
	if p.week != nil {
		return p.unreadable("names two weeks", "try one of them")
	}
	p.week = &monday
	return nil
}

// readWeekday reads "friday", "this friday" and "next friday".
func (p *phrase) readWeekday(words []string) (n int, err error) {
	which := ""
	if words[0] == "this" || words[0] == "next" {
		if which = words[0]; len(words) == 1 {
			return 0, nil
		}
		n = 1
	}
	day, ok := weekdays[words[n]]
	if !ok {
		return 0, nil
	}
	if p.weekday != nil {
		return 0, p.unreadable(fmt.Sprintf("names two days, %s and %s", p.weekday, day), "try one of them")
	}
	p.weekday, p.which = &day, which
	return n + 1, nil
}

func onDay(d date) dayFinder {
	return func(clock) (date, string, error) { return d, "", nil }
}

// weekday returns the first such weekday on which the time of day is in the future.
func weekday(in input, day time.Weekday) dayFinder {
	return func(c clock) (date, string, error) {
		today := dateOf(in.now)
		ahead := int(day-in.now.Weekday()+7) % 7
		if ahead == 0 && !in.resolve(today, c).Time.After(in.now) {
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
