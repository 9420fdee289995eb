package repeat

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/recurrence"
)

// finish returns the repetition that the words describe.
func (p *parser) finish() (Repetition, error) {
	base, err := p.base()
	if err != nil {
		return Repetition{}, err
	}
	rule, err := p.ruleText(base)
	if err != nil {
		return Repetition{}, err
	}
	start, err := p.start(rule, base)
	if err != nil {
		return Repetition{}, err
	}
	r, hints, err := recurrence.Parse(rule, start, p.loc)
	if err != nil {
		return Repetition{}, p.invalid(err)
	}
	return Repetition{Rule: r, Start: start, Hints: hints}, nil
}

// invalid turns an error of a rule into one of this package.
func (p *parser) invalid(err error) error {
	message := err.Error()
	var known *schedctl.Error
	if errors.As(err, &known) {
		message = known.Message
	}
	what, hint, found := strings.Cut(message, "; ")
	if !found {
		hint = examples
	}
	return &when.Error{Reason: when.Unreadable, Text: p.text, Message: fmt.Sprintf("%q: %s", p.text, what), Hint: hint}
}

// base returns the first local time that can be an occurrence, as far as the date and
// the time of day tell.
func (p *parser) base() (schedctl.LocalTime, error) {
	if len(p.clocks) == 0 {
		if !strings.Contains(p.rule, "BYHOUR=") {
			return "", p.refuse("has no time of day", "add one, such as \"at 9:00\"")
		}
		p.clocks = []clock{{}}
	}
	slices.SortFunc(p.clocks, func(a, b clock) int { return (a.hour-b.hour)*60 + a.minute - b.minute })
	p.clocks = slices.Compact(p.clocks)
	first, last := p.clocks[0], p.clocks[len(p.clocks)-1]
	date := p.from
	if date.IsZero() {
		y, m, d := p.now.Date()
		date = time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
		if len(p.days)+len(p.monthDay) == 0 && p.rule == "" && last.on(date) <= schedctl.LocalTimeOf(p.now) {
			date = date.AddDate(0, 0, 1) // "weekly at 9:00", written at 10:00, starts tomorrow
		}
	}
	return first.on(date), nil
}

// on returns the local time of the clock on a date.
func (c clock) on(date time.Time) schedctl.LocalTime {
	return schedctl.LocalTimeOf(time.Date(date.Year(), date.Month(), date.Day(), c.hour, c.minute, 0, 0, time.UTC))
}

// start returns the first occurrence from the base on, and after now. It ignores the
// interval: "every 2 weeks on mon" starts on the next Monday.
func (p *parser) start(rule string, base schedctl.LocalTime) (schedctl.LocalTime, error) {
	if p.rule != "" && !p.from.IsZero() {
		return base, nil
	}
	parts := slices.DeleteFunc(strings.Split(rule, ";"), func(part string) bool { return strings.HasPrefix(part, "INTERVAL=") })
	each, _, err := recurrence.Parse(strings.Join(parts, ";"), base, p.loc)
	if err != nil {
		return "", p.invalid(err)
	}
	earliest := base
	if after := schedctl.LocalTimeOf(p.now.Add(time.Minute)); after > earliest {
		earliest = after
	}
	next := each.Next(earliest, 1)
	if len(next) == 0 {
		return "", &when.Error{Reason: when.Past, Text: p.text, Message: fmt.Sprintf("%q has no time in the future", p.text), Hint: "use a later date after until"}
	}
	return next[0], nil
}

// ruleText returns the RRULE.
func (p *parser) ruleText(base schedctl.LocalTime) (string, error) {
	if p.rule != "" {
		return p.withClocks(p.rule)
	}
	p.fillDays(base.Civil())
	rule := "FREQ=" + p.freq
	if p.interval != 1 {
		rule += fmt.Sprintf(";INTERVAL=%d", p.interval)
	}
	if p.month != 0 {
		rule += fmt.Sprintf(";BYMONTH=%d", int(p.month))
	}
	for _, part := range []struct {
		name string
		list []string
	}{{"BYMONTHDAY", p.monthDay}, {"BYDAY", p.days}} {
		if len(part.list) > 0 {
			rule += ";" + part.name + "=" + strings.Join(part.list, ",")
		}
	}
	if p.setPos != "" {
		rule += ";BYSETPOS=" + p.setPos
	}
	if p.count > 0 {
		rule += fmt.Sprintf(";COUNT=%d", p.count)
	}
	if !p.until.IsZero() {
		rule += ";UNTIL=" + p.until.Format("20060102")
	}
	if p.monthDay != nil && p.days != nil {
		return "", p.refuse("has days of the month and weekdays", "use one of them")
	}
	return p.withClocks(rule)
}

// fillDays sets the day of a weekly, monthly or yearly repetition without an on clause.
func (p *parser) fillDays(base time.Time) {
	if len(p.days)+len(p.monthDay) > 0 {
		return
	}
	switch p.freq {
	case "WEEKLY":
		p.days = []string{dayCodes[base.Weekday()]}
	case "MONTHLY":
		p.monthDay = []string{strconv.Itoa(base.Day())}
	case "YEARLY":
		p.month, p.monthDay = base.Month(), []string{strconv.Itoa(base.Day())}
	}
}

// withClocks adds the times of day to a rule if there are several.
func (p *parser) withClocks(rule string) (string, error) {
	if len(p.clocks) == 1 {
		return rule, nil
	}
	var hours, minutes []string
	for _, c := range p.clocks {
		if h := strconv.Itoa(c.hour); !slices.Contains(hours, h) {
			hours = append(hours, h)
		}
		if m := strconv.Itoa(c.minute); !slices.Contains(minutes, m) {
			minutes = append(minutes, m)
		}
	}
	if len(hours)*len(minutes) != len(p.clocks) {
		return "", p.refuse("has times of day with different minutes", "use times with the same minutes, such as 9:00 and 18:00, or one series for each time")
	}
	if strings.Contains(rule, "BYHOUR=") || strings.Contains(rule, "BYMINUTE=") {
		return "", p.refuse("has BYHOUR or BYMINUTE, and several times of day", "use one of them")
	}
	return rule + ";BYHOUR=" + strings.Join(hours, ",") + ";BYMINUTE=" + strings.Join(minutes, ","), nil
}
