package when

import (
	"fmt"
	"strings"
)

// ordinals are the words for positions in a month, from its end if they are negative.
var ordinals = map[string]int{
	"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "last": -1,
	"1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "5th": 5,
}

// namedMonth is a month that a text names.
type namedMonth struct {
	month date // its first day
	words int  // the number of words that name it
	fixed bool // the text says the year, or which month from now
}

// readMonth reads "of december", "of december 2027", "of the month" and "of next month".
func (p *phrase) readMonth(words []string) (m namedMonth) {
	today := dateOf(p.now)
	m.month = date{today.year, today.month, 1}
	if len(words) < 2 || words[0] != "of" && words[0] != "in" {
		return m
	}
	if name, ok := months[words[1]]; ok {
		if m.month.month = name; len(words) > 2 && year().MatchString(words[2]) {
			m.month.year = number(words[2])
			m.words, m.fixed = 3, true
			return m
		}
		m.words = 2
		return m
	}
	if len(words) < 3 || words[2] != "month" {
		return m
	}
	switch words[1] {
	case "the":
		m.words = 3
	case "this":
		m.words, m.fixed = 3, true
	case "next":
		m.words, m.fixed = 3, true
		m.month, _ = m.month.addMonths(1)
	}
	return m
}

// readOrdinal reads "first monday of december", "last friday of the month" and "the last
// day of next month".
func (p *phrase) readOrdinal(words []string) (n int, err error) {
	text := words
	if words[0] == "the" {
		words, n = words[1:], 1
	}
	if len(words) < 4 {
		return 0, nil
	}
	nth, ok := ordinals[words[0]]
	day, isWeekday := weekdays[words[1]]
	if !ok || !isWeekday && (words[1] != "day" || nth > 1) {
		return 0, nil
	}
	m := p.readMonth(words[2:])
	if m.words == 0 {
		return 0, nil
	}
	n += 2 + m.words
	p.yearless = !m.fixed
	of := func(month date) (date, bool) {
		switch {
		case isWeekday:
			return month.nth(nth, day)
		case nth < 0:
			return date{month.year, month.month + 1, 1}.addDays(-1), true
		}
		return month, true
	}
	return n, p.setDay(func(c clock) (date, string, error) { return p.inMonth(m, of, c, words[2+m.words-1]) }, strings.Join(text[:n], " "))
}

// inMonth returns a day of a month. If it has passed, and the text leaves the year or the
// month open, it is the one of the next.
func (p *phrase) inMonth(m namedMonth, of func(date) (date, bool), c clock, unit string) (date, string, error) {
	months, note := 12, ""
	if unit == "month" {
		months = 1
	}
	d, found := of(m.month)
	if !m.fixed && (!found && months == 1 || found && !p.resolve(d, c).Time.After(p.now)) {
		next, _ := m.month.addMonths(months)
		switch {
		case found && (months == 1 || dateOf(p.now).addDays(-60).before(d)):
			note = fmt.Sprintf("%s has passed, so this is in %s %d", d, next.month, next.year)
		case !found:
			note = fmt.Sprintf("%s has none, so this is in %s", m.month.month, next.month)
		}
		m.month = next
		if d, found = of(next); !found && months == 1 { // no two months in a row are that short
			m.month, _ = next.addMonths(1)
			d, found = of(m.month)
			note = fmt.Sprintf("%s has none, so this is in %s", next.month, m.month.month)
		}
	}
	if !found {
		return d, "", p.unreadable(fmt.Sprintf("names a day that %s %d does not have", m.month.month, m.month.year), "write the date, such as 2026-12-08")
	}
	return d, note, nil
}
