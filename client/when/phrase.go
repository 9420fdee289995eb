package when

import (
	"fmt"
	"strings"
	"time"
)

// phrase collects what the words of a time name: a day, a time of day, or both, in
// any order.
type phrase struct {
	input

	day     dayFinder // a date, or a day relative to today
	dayText string
	weekday *time.Weekday // with a date or a week, it has to match
	which   string        // "this" or "next" before the weekday
	week    *date         // the Monday of a week

	clock     *clock
	clockText string
	clockNote string
	dotted    bool   // the time of day could be a date, as 5.12
	afterAt   bool   // "at" is before the word
	yearless  bool   // the day is a date that could have a year
	halfKnown bool   // the text says which half of the day
	part      string // "morning" or another part of the day
}

// dayFinder returns the day for a time of day, and a note about how it was chosen.
type dayFinder func(clock) (d date, note string, err error)

// parsePhrase reads a day and a time of day.
func parsePhrase(in input) (Result, error) {
	p := &phrase{input: in}
	for rest := in.words; len(rest) > 0; {
		n, err := p.next(rest)
		if err != nil {
			return Result{}, err
		}
		if n == 0 {
			return Result{}, in.explain(rest)
		}
		rest = rest[n:]
	}
	return p.finish()
}

// next reads the day, the time of day or the part of the day at the start of the words.
// n is the number of words that it read, 0 if they name none of these.
func (p *phrase) next(words []string) (n int, err error) {
	if _, found := dayParts[words[0]]; found && (words[0] == "tonight" || len(p.words) > 1) && p.part == "" {
		p.part = words[0]
		if p.part == "tonight" {
			return 1, p.setDay(onDay(dateOf(p.now)), "tonight")
		}
		return 1, nil
	}
	skip, day, clock := 0, true, true
	p.afterAt = false
	switch words[0] {
	case "at", "@":
		skip, day, p.afterAt = 1, false, true
	case "on":
		skip, clock = 1, false
	case "the": // "in the morning", "the 5th"
		return p.readDay(words)
	case "in":
		if len(words) > 2 && words[1] == "the" && dayParts[words[2]] != (dayPart{}) && words[2] != "tonight" && p.part == "" {
			p.part = words[2]
			return 3, nil
		}
	}
	if words = words[skip:]; len(words) == 0 {
		return 0, nil
	}
	if day {
		if n, err = p.readDay(words); n > 0 || err != nil {
			return n + skip, err
		}
	}
	if clock {
		if n, err = p.readClock(words); n > 0 {
			n += skip
		}
	}
	return n, err
}

func (p *phrase) setDay(find dayFinder, text string) error {
	if p.day != nil {
		return p.unreadable(fmt.Sprintf("names two days, %q and %q", p.dayText, text), "try one of them")
	}
	p.day, p.dayText = find, text
	return nil
}

// dayComplete reports whether a day was read.
func (p *phrase) dayComplete() bool { return p.day != nil || p.weekday != nil }

// noDay reports whether the text cannot name a day.
func (p *phrase) noDay() bool { return len(p.words) == 1 }

// finish returns the time that the phrase names.
func (p *phrase) finish() (Result, error) {
	find, err := p.findDay()
	if err != nil {
		return Result{}, err
	}
	c, note, err := p.timeOfDay(find != nil)
	if err != nil {
		return Result{}, err
	}
	if find == nil {
		return p.nextClock(c, note), nil
	}
	d, why, err := find(c)
	if err != nil {
		return Result{}, err
	}
	m := p.resolve(d, c)
	m.Note = join(why, note, m.Note)
	m.Retry = p.nextYear(d, c)
	if p.clockText == "midnight" {
		m.Note = join(m.Note, "midnight is the start of the day")
	}
	return m, nil
}

// nextClock returns the next time at which clocks show a time of day.
func (p *phrase) nextClock(c clock, note string) Result {
	m := p.resolve(dateOf(p.now), c)
	if !m.Time.After(p.now) {
		m = p.resolve(dateOf(p.now).addDays(1), c)
		note = join(note, fmt.Sprintf("%s has passed today, so this is tomorrow", c))
	}
	m.Note = join(note, m.Note)
	return m
}

// timeOfDay returns the time of day, and a note about how it was chosen.
func (p *phrase) timeOfDay(hasDay bool) (c clock, note string, err error) {
	part := dayParts[p.part]
	switch {
	case p.clock == nil && p.part == "tonight":
		return clock{hour: part.alone}, fmt.Sprintf("tonight without a time of day is %d:00", part.alone), nil
	case p.clock == nil && p.part != "" && hasDay:
		c = clock{hour: part.alone}
		return c, fmt.Sprintf("%s is read as %s", p.part, c), nil
	case p.clock == nil && p.dayText == "yesterday":
		return c, "", p.past("has no time of day, and has passed", "use a time in the future, such as \"tomorrow 9am\", or look back with \"yesterday 9am\"")
	case p.clock == nil && hasDay:
		text := strings.Join(strings.Fields(p.text), " ")
		if p.zone != "" {
			text = strings.TrimSuffix(text, " "+p.zone)
			return c, "", p.unreadable("has no time of day", fmt.Sprintf("write %q", text+" 9am "+p.zone))
		}
		return c, "", p.unreadable("has no time of day", fmt.Sprintf("write %q", text+" 9am"))
	case p.clock == nil:
		return c, "", p.explain(p.words)
	}
	if p.dotted && p.weekday != nil {
		return c, "", p.dateOrTime(p.clockText)
	}
	c, note = *p.clock, p.clockNote
	bare := hour().MatchString(strings.TrimSuffix(p.clockText, "h"))
	if bare && (c.hour > 23 || !hasDay && p.part == "") {
		return c, "", p.bareHour(c.hour)
	}
	if p.part != "" {
		if c, err = p.inPart(p.part, c); err != nil {
			return c, "", err
		}
		if note = ""; c != *p.clock || bare {
			note = fmt.Sprintf("%s is read as %s", p.clockText, c)
		}
	}
	return c, note, nil
}

// findDay returns the finder of the day, nil without a day. A weekday has to match a
// date, and is the day of a week.
func (p *phrase) findDay() (dayFinder, error) {
	switch {
	case p.weekday == nil && p.week != nil:
		return nil, p.unreadable("names a week and no day of it", "write a day, such as \"monday next week 9am\"")
	case p.week != nil && p.which != "":
		return nil, p.ambiguous(fmt.Sprintf("has %q and a week", p.which+" "+strings.ToLower(p.weekday.String())), "leave one of them out")
	case p.week != nil:
		return onDay(p.week.addDays((int(*p.weekday) + 6) % 7)), nil
	case p.weekday == nil:
		return p.day, nil
	case p.day == nil && p.which == "":
		return weekday(p.input, *p.weekday), nil
	case p.day == nil:
		return relativeWeekday(p.input, p.which, *p.weekday), nil
	}
	return func(c clock) (date, string, error) {
		d, note, err := p.day(c)
		if is := d.midnight().Weekday(); err == nil && is != *p.weekday {
			return d, "", p.unreadable(fmt.Sprintf("has the wrong weekday: %s is a %s", d, is), fmt.Sprintf("leave %s out, or write another date", p.weekday))
		}
		return d, note, err
	}, nil
}

// nextYear returns text for the same day of the next year if the input names today
// without a year. Otherwise it returns an empty string.
func (p *phrase) nextYear(d date, c clock) string {
	if d != dateOf(p.now) || !p.namesMonthOnly() {
		return ""
	}
	text := fmt.Sprintf("%s %d %d %s", d.month.String()[:3], d.day, d.year+1, c)
	if p.zone != "" {
		text += " " + p.zone
	}
	return text
}

// namesMonthOnly reports whether the text names a month but no year.
func (in input) namesMonthOnly() bool {
	named := false
	for _, w := range in.words {
		if _, ok := months[w]; ok {
			named = true
		}
		if year().MatchString(w) {
			return false
		}
	}
	return named
}
