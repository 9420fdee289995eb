package when

import (
	"fmt"
	"strings"
	"time"
)

var (
	monthDay = lazily(`^(\d{1,2})(?:st|nd|rd|th)?$`)
	ordinal  = lazily(`^(\d{1,2})(?:st|nd|rd|th)$`)
	year     = lazily(`^(?:19|20|21)\d{2}$`)

	plausibleYear = lazily(`^20[2-9]\d$`)
)

// readDate reads a date in digits.
func (p *phrase) readDate(words []string) (n int, err error) {
	if m := isoDate().FindStringSubmatch(words[0]); m != nil {
		d, err := p.dateFrom(m)
		if err != nil {
			return 0, err
		}
		return 1, p.setDay(onDay(d), words[0])
	}
	if m := slashed().FindStringSubmatch(words[0]); m != nil {
		d, err := p.readSlashed(m, strings.Contains(words[0], "."))
		if err != nil {
			return 0, err
		}
		return 1, p.setDay(onDay(d), words[0])
	}
	m := dayMonth().FindStringSubmatch(words[0])
	switch {
	case m == nil || !strings.HasSuffix(words[0], ".") && !strings.Contains(words[0], "/"):
		return 0, nil
	case strings.Contains(words[0], "/"):
		return 0, p.unreadable(fmt.Sprintf("has the date %s without a year", words[0]), "write year-month-day, such as 2026-12-08")
	}
	if len(words) > 1 && plausibleYear().MatchString(words[1]) {
		d := date{number(words[1]), time.Month(number(m[2])), number(m[1])}
		if err := p.checkDate(d); err != nil {
			return 0, err
		}
		return 2, p.setDay(onDay(d), words[0]+" "+words[1])
	}
	return 1, p.setNextDate(time.Month(number(m[2])), number(m[1]), words[0])
}

// readMonthDay reads "mar 10", "10 march", "10th of march", "mar 10 2027".
func (p *phrase) readMonthDay(words []string) (n int, err error) {
	text := words
	if words[0] == "the" {
		words, n = words[1:], 1
	}
	if len(words) < 2 {
		return 0, nil
	}
	month, ok := months[words[0]]
	day, used := words[1], 2
	if !ok {
		day = words[0]
		name := words[1]
		if name == "of" && len(words) > 2 {
			name, used = words[2], 3
		}
		if month, ok = months[name]; !ok {
			return 0, nil
		}
	}
	m := monthDay().FindStringSubmatch(day)
	if m == nil {
		return 0, nil
	}
	if n += used; len(text) > n && year().MatchString(text[n]) {
		d := date{number(text[n]), month, number(m[1])}
		if err := p.checkDate(d); err != nil {
			return 0, err
		}
		n++
		return n, p.setDay(onDay(d), strings.Join(text[:n], " "))
	}
	return n, p.setNextDate(month, number(m[1]), strings.Join(text[:n], " "))
}

// setNextDate sets the first such date from today on.
func (p *phrase) setNextDate(month time.Month, day int, text string) error {
	today := dateOf(p.now)
	d, note := date{today.year, month, day}, ""
	if d.before(today) {
		if d.year++; today.addDays(300).before(d) {
			note = fmt.Sprintf("%d %s has passed this year, so this is %d", day, month, d.year)
		}
	}
	if err := p.checkDate(d); err != nil {
		return err
	}
	p.yearless = true
	return p.setDay(func(clock) (date, string, error) { return d, note, nil }, text)
}

// readDayOfMonth reads "the 5th" and "5th": the next such day.
func (p *phrase) readDayOfMonth(words []string) (n int, err error) {
	if words[0] == "the" {
		words, n = words[1:], 1
	}
	if len(words) == 0 {
		return 0, nil
	}
	m := ordinal().FindStringSubmatch(words[0])
	if m == nil {
		return 0, nil
	}
	day, month, used := number(m[1]), dateOf(p.now), p.readMonth(words[1:])
	if day < 1 || day > 31 {
		return 0, p.checkDate(date{month.year, time.January, day})
	}
	p.yearless = !used.fixed
	if used.words > 0 {
		of := func(month date) (date, bool) {
			d := date{month.year, month.month, day}
			return d, d.valid()
		}
		return n + 1 + used.words, p.setDay(func(c clock) (date, string, error) { return p.inMonth(used, of, c, words[used.words]) }, words[0])
	}
	return n + 1, p.setDay(func(c clock) (date, string, error) {
		for first := (date{month.year, month.month, 1}); ; first, _ = first.addMonths(1) {
			d := date{first.year, first.month, day}
			if d.valid() && p.resolve(d, c).Time.After(p.now) {
				note := ""
				if first.month != month.month && day == month.day {
					note = fmt.Sprintf("%s has passed today, so this is in %s", c, first.month)
				}
				return d, note, nil
			}
		}
	}, words[0])
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
