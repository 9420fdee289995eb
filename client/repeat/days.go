package repeat

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// dayCodes are the codes of weekdays in rules, by [time.Weekday].
var dayCodes = [7]string{"SU", "MO", "TU", "WE", "TH", "FR", "SA"}

var weekdayCodes = map[string]string{}

var monthNumbers = map[string]time.Month{"sept": time.September}

func init() {
	for d := time.Sunday; d <= time.Saturday; d++ {
		name := strings.ToLower(d.String())
		for _, word := range []string{name, name + "s", name[:3]} {
			weekdayCodes[word] = dayCodes[d]
		}
	}
	for word, code := range map[string]string{"tues": "TU", "thur": "TH", "thurs": "TH"} {
		weekdayCodes[word] = code
	}
	for m := time.January; m <= time.December; m++ {
		name := strings.ToLower(m.String())
		monthNumbers[name], monthNumbers[name[:3]] = m, m
	}
}

var (
	workdays = []string{"MO", "TU", "WE", "TH", "FR"}
	weekend  = []string{"SA", "SU"}
)

var ordinals = map[string]int{"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "last": -1}

var units = map[string]string{
	"day": "DAILY", "days": "DAILY", "week": "WEEKLY", "weeks": "WEEKLY", "month": "MONTHLY", "months": "MONTHLY", "year": "YEARLY", "years": "YEARLY",
}

var errNotNumber = errors.New("not a number")

// wholeNumber reads up to five digits.
func wholeNumber(word string) (int, error) {
	if word == "" || len(word) > 5 || strings.Trim(word, "0123456789") != "" {
		return 0, errNotNumber
	}
	return strconv.Atoi(word)
}

// ordinal reads "1st", "15th", "second" or "last".
func ordinal(word string) (n int, ok bool) {
	if n, ok := ordinals[word]; ok {
		return n, true
	}
	for _, suffix := range []string{"st", "nd", "rd", "th"} {
		if digits, found := strings.CutSuffix(word, suffix); found {
			n, err := wholeNumber(digits)
			return n, err == nil
		}
	}
	return 0, false
}

// readHead reads how often the repetition is.
func (p *parser) readHead() error {
	first := p.peek()
	switch {
	case strings.HasPrefix(first, "freq=") || strings.HasPrefix(first, "rrule:"):
		return p.readRule()
	case p.accept("daily"):
		p.freq = "DAILY"
	case p.accept("weekly"):
		p.freq = "WEEKLY"
	case p.accept("monthly"):
		p.freq = "MONTHLY"
	case p.accept("quarterly"):
		p.freq, p.interval = "MONTHLY", 3
	case p.accept("yearly", "annually"):
		p.freq = "YEARLY"
	case p.accept("weekdays"):
		p.freq, p.days, p.seen["on"] = "WEEKLY", workdays, true
	case p.accept("weekends"):
		p.freq, p.days, p.seen["on"] = "WEEKLY", weekend, true
	case p.accept("every", "each"):
		return p.readEvery()
	case isWeekdays(first):
		p.freq, p.seen["on"] = "WEEKLY", true
		return p.readWeekdays()
	case p.isMonthDay():
		return p.readDayOfEachMonth()
	default:
		return p.wrongWord("daily, weekly, monthly, yearly or every", p.suggestion([]string{"daily", "weekly", "monthly", "yearly", "every", "weekdays"}))
	}
	return nil
}

// readRule reads an RRULE. Its commas were split off.
func (p *parser) readRule() error {
	var rule strings.Builder
	for p.at < len(p.words) && (strings.Contains(p.words[p.at], "=") || p.words[p.at] == "," || strings.HasSuffix(rule.String(), ",")) {
		rule.WriteString(p.words[p.at])
		p.at++
	}
	p.rule = strings.ToUpper(strings.TrimRight(rule.String(), ","))
	p.seen["on"], p.seen["until"], p.seen["times"] = true, true, true
	return nil
}

// readEvery reads what follows "every".
func (p *parser) readEvery() error {
	p.interval = 1
	if n, err := wholeNumber(p.peek()); err == nil {
		p.interval = n
		p.at++
	} else if !p.isMonthDay() && p.accept("other", "second") {
		p.interval = 2
	}
	if p.isMonthDay() {
		return p.readDayOfEachMonth()
	}
	if n, ok := ordinal(p.peek()); ok && n > 1 && p.at+1 < len(p.words) && weekdayCodes[p.words[p.at+1]] != "" {
		p.interval = n // "every 2nd tuesday" is every other one
		p.at++
	}
	word := p.peek()
	switch {
	case units[word] != "":
		p.freq = units[word]
		p.at++
		return nil
	case p.accept("weekday", "weekdays"):
		p.freq, p.days, p.seen["on"] = "WEEKLY", workdays, true
		return nil
	case p.accept("weekend", "weekends"):
		p.freq, p.days, p.seen["on"] = "WEEKLY", weekend, true
		return nil
	case isWeekdays(word):
		p.freq, p.seen["on"] = "WEEKLY", true
		return p.readWeekdays()
	}
	return p.wrongWord("day, week, month, year or a weekday", p.suggestion([]string{"day", "week", "weeks", "month", "year", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}))
}

// isMonthDay reports whether the next words are a day of each month, such as "first monday
// of the month".
func (p *parser) isMonthDay() bool {
	words := p.words[p.at:]
	if len(words) > 0 && words[0] == "the" {
		words = words[1:]
	}
	if len(words) < 4 {
		return false
	}
	_, ok := ordinal(words[0])
	if words[1] != "of" {
		words = words[1:]
	}
	return ok && len(words) > 2 && words[1] == "of" && (words[2] == "month" || len(words) > 3 && words[3] == "month")
}

// readDayOfEachMonth reads "first monday of the month" and "last day of each month".
func (p *parser) readDayOfEachMonth() error {
	p.freq, p.seen["on"] = "MONTHLY", true
	if err := p.readMonthDay(); err != nil {
		return err
	}
	if !p.accept("of") || !p.accept("the", "each", "every", "a") && p.peek() != "month" || !p.accept("month") {
		return p.wrongWord("\"of the month\"", "")
	}
	return nil
}

// readOn reads the days of an on clause.
func (p *parser) readOn() error {
	switch p.freq {
	case "WEEKLY", "DAILY":
		return p.readWeekdays()
	case "MONTHLY":
		return p.readMonthDays()
	}
	return p.readYearDay()
}

// readWeekdays reads a list of weekdays.
func (p *parser) readWeekdays() error {
	begin := p.at
	for {
		word := p.peek()
		switch {
		case weekdayCodes[word] != "":
			p.addDay(weekdayCodes[word])
		case word == "weekdays":
			p.days = append(p.days, workdays...)
		case word == "weekends":
			p.days = append(p.days, weekend...)
		case isWeekdays(word):
			p.addDays(word)
		case p.at > begin:
			return nil
		default:
			return p.wrongWord("a weekday", p.suggestion(weekdayWords()))
		}
		p.at++
		// A comma, or "and", continues the list only before another weekday.
		next := p.at
		for next < len(p.words) && (p.words[next] == "," || p.words[next] == "and") {
			next++
		}
		if next == p.at {
			return nil
		}
		if next < len(p.words) && (isWeekdays(p.words[next]) || p.words[next] == "weekends" || p.words[next] == "weekdays") {
			p.at = next
			continue
		}
		if next < len(p.words) && !isClause(p.words[next]) {
			p.at = next
			return p.wrongWord("a weekday", p.suggestion(weekdayWords()))
		}
		return nil
	}
}

func isClause(word string) bool {
	_, err := wholeNumber(word)
	return err == nil || slices.Contains([]string{"on", "at", "from", "starting", "until", "for"}, word)
}

func weekdayWords() (words []string) {
	for w := range weekdayCodes {
		words = append(words, w)
	}
	slices.Sort(words)
	return words
}

func (p *parser) addDay(code string) {
	if !slices.Contains(p.days, code) {
		p.days = append(p.days, code)
	}
}

// readMonthDays reads "the last day", "the 1st and 15th", "the 2nd tuesday".
func (p *parser) readMonthDays() error {
	for {
		if err := p.readMonthDay(); err != nil {
			return err
		}
		next := p.at
		for next < len(p.words) && (p.words[next] == "," || p.words[next] == "and") {
			next++
		}
		if next == p.at || next >= len(p.words) || next+1 < len(p.words) && strings.HasPrefix(p.words[next+1], "time") {
			return nil
		}
		if _, number := ordinal(p.words[next]); !number && p.words[next] != "the" && p.words[next] != "day" {
			if _, err := wholeNumber(p.words[next]); err != nil {
				return nil
			}
		}
		p.at = next
	}
}

// readMonthDay reads one day of a month.
func (p *parser) readMonthDay() error {
	p.accept("the")
	if p.accept("day") {
		return p.readDayNumber()
	}
	n, isOrdinal := ordinal(p.peek())
	if !isOrdinal {
		return p.readDayNumber()
	}
	p.at++
	switch word := p.peek(); {
	case weekdayCodes[word] != "":
		if n < -1 || n == 0 || n > 5 {
			return p.refuse(fmt.Sprintf("has weekday number %d", n), "a month has at most 5 of each weekday; use the 1st to the 4th, or the last")
		}
		p.at++
		p.addDay(strconv.Itoa(n) + weekdayCodes[word])
		return nil
	case word == "weekday":
		p.at++
		p.days, p.setPos = workdays, strconv.Itoa(n)
		return nil
	case n == -1:
		if !p.accept("day") {
			return p.wrongWord("\"day\" or a weekday", "write \"the last day\" or \"the last friday\"")
		}
	default:
		p.accept("day")
	}
	return p.addMonthDay(n)
}

func (p *parser) readDayNumber() error {
	n, err := wholeNumber(p.peek())
	if err != nil {
		return p.wrongWord("a day of the month", `write for example "the 15th", "the last day" or "the 2nd tuesday"`)
	}
	p.at++
	return p.addMonthDay(n)
}

func (p *parser) addMonthDay(n int) error {
	if n == 0 || n > 31 {
		return p.refuse(fmt.Sprintf("has day %d of the month", n), "days of the month go from 1 to 31; for the last one write \"the last day\"")
	}
	p.monthDay = append(p.monthDay, strconv.Itoa(n))
	return nil
}

// readYearDay reads "dec 24", "24 december", "the 4th thursday of november".
func (p *parser) readYearDay() error {
	if p.month = monthNumbers[p.peek()]; p.month != 0 {
		p.at++
		return p.readMonthDay()
	}
	if err := p.readMonthDay(); err != nil {
		return err
	}
	p.accept("of")
	if p.month = monthNumbers[p.peek()]; p.month == 0 {
		return p.wrongWord("a month", `write for example "dec 24" or "the 4th thursday of november"`)
	}
	p.at++
	return nil
}

// suggestion returns a hint with the word of a list that is most like the next word, or
// an empty string.
func (p *parser) suggestion(known []string) string {
	word := p.peek()
	best, most := "", 0
	for _, k := range known {
		if n := sharedPrefix(word, k); n > most && n >= 2 {
			best, most = k, n
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("did you mean %q?", best)
}

func sharedPrefix(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
