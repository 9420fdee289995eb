package recurrence

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/teambition/rrule-go"

	"github.com/schedctl/schedctl"
)

// parts are the parts of a rule.
type parts struct {
	freq       rrule.Frequency
	interval   int    // 1 or more
	count      int    // 0 for none
	until      string // as given; empty for none
	byMonth    []int
	byWeekNo   []int
	byYearDay  []int
	byMonthDay []int
	byDay      []day
	byHour     []int
	byMinute   []int
	bySetPos   []int
	wkst       time.Weekday
}

// day is an element of BYDAY: a weekday, and which one of the month or the year; n is 0
// for all of them.
type day struct {
	weekday time.Weekday
	n       int
}

func refuse(format string, args ...any) error {
	return schedctl.Errorf(schedctl.ValidationFailed, "rule", format, args...)
}

var frequencies = map[string]rrule.Frequency{
	"DAILY": rrule.DAILY, "WEEKLY": rrule.WEEKLY, "MONTHLY": rrule.MONTHLY, "YEARLY": rrule.YEARLY,
}

// dayNames are the names of weekdays in rules, by [time.Weekday].
var dayNames = [7]string{"SU", "MO", "TU", "WE", "TH", "FR", "SA"}

// readParts reads the parts of a rule, and checks each of them alone.
func readParts(text string) (p parts, err error) {
	if len(text) > schedctl.MaxRule {
		return p, refuse("the rule has %d bytes; the limit is %d", len(text), schedctl.MaxRule)
	}
	upper := strings.TrimSuffix(strings.TrimPrefix(strings.ToUpper(strings.TrimSpace(text)), "RRULE:"), ";")
	p.interval, p.wkst = 1, time.Monday
	seen := map[string]bool{}
	for field := range strings.SplitSeq(upper, ";") {
		name, value, found := strings.Cut(field, "=")
		switch {
		case !found:
			return p, refuse("%q is not a part of a rule; parts look like FREQ=WEEKLY, with semicolons between them", clip(field))
		case seen[name]:
			return p, refuse("%s is given twice", clip(name))
		}
		seen[name] = true
		if err := p.set(name, value); err != nil {
			return p, err
		}
	}
	if !seen["FREQ"] {
		return p, refuse("FREQ is missing; a rule starts with FREQ=DAILY, WEEKLY, MONTHLY or YEARLY")
	}
	return p, nil
}

func clip(s string) string {
	const most = 40
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// set sets one part.
func (p *parts) set(name, value string) (err error) {
	switch name {
	case "FREQ":
		freq, ok := frequencies[value]
		if !ok {
			return refuse("FREQ=%s is not possible; use DAILY, WEEKLY, MONTHLY or YEARLY", clip(value))
		}
		p.freq = freq
	case "INTERVAL":
		p.interval, err = number(name, value, 1, 1000)
	case "COUNT":
		p.count, err = number(name, value, 1, 100_000)
	case "UNTIL":
		p.until = value
	case "WKST":
		w := slices.Index(dayNames[:], value)
		if w < 0 {
			return refuse("WKST=%s is not a weekday; use MO to SU", clip(value))
		}
		p.wkst = time.Weekday(w)
	case "BYMONTH":
		p.byMonth, err = numbers(name, value, 1, 12, false)
	case "BYWEEKNO":
		p.byWeekNo, err = numbers(name, value, 1, 53, true)
	case "BYYEARDAY":
		p.byYearDay, err = numbers(name, value, 1, 366, true)
	case "BYMONTHDAY":
		p.byMonthDay, err = numbers(name, value, 1, 31, true)
	case "BYHOUR":
		p.byHour, err = numbers(name, value, 0, 23, false)
	case "BYMINUTE":
		p.byMinute, err = numbers(name, value, 0, 59, false)
	case "BYSETPOS":
		p.bySetPos, err = numbers(name, value, 1, 366, true)
	case "BYDAY":
		p.byDay, err = days(value)
	case "BYSECOND":
		if value != "0" && value != "00" {
			return refuse("BYSECOND=%s is not possible; posts are published at whole minutes", clip(value))
		}
	default:
		return refuse("%s is not a part of a rule that schedctl knows; use FREQ, INTERVAL, COUNT, UNTIL, WKST and BYMONTH, BYMONTHDAY, BYDAY, BYYEARDAY, BYWEEKNO, BYHOUR, BYMINUTE, BYSETPOS", clip(name))
	}
	return err
}

// number reads a whole number without a sign.
func number(name, value string, low, high int) (int, error) {
	n, err := strconv.ParseUint(value, 10, 31)
	if err != nil || int(n) < low || int(n) > high {
		return 0, refuse("%s=%s is not a number from %d to %d", name, clip(value), low, high)
	}
	return int(n), nil
}

// numbers reads a list of numbers, sorted and without repeats. With signed, they may
// count from the end.
func numbers(name, value string, low, high int, signed bool) (list []int, err error) {
	for item := range strings.SplitSeq(value, ",") {
		digits, negative := strings.CutPrefix(item, "-")
		if !negative {
			digits = strings.TrimPrefix(item, "+")
		}
		if !signed {
			digits, negative = item, false
		}
		n, err := number(name, digits, low, high)
		if err != nil {
			return nil, refuse("%s=%s is not possible; use numbers from %d to %d%s", name, clip(value), low, high, fromEnd(signed, high))
		}
		if negative {
			n = -n
		}
		list = append(list, n)
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

func fromEnd(signed bool, high int) string {
	if !signed {
		return ""
	}
	return fmt.Sprintf(", or from -%d to -1 to count from the end", high)
}

// days reads a list of weekdays, sorted and without repeats.
func days(value string) (list []day, err error) {
	for item := range strings.SplitSeq(value, ",") {
		if len(item) < 2 {
			return nil, refuse("BYDAY=%s is not possible; use MO, TU, WE, TH, FR, SA, SU, or 2TU and -1FR for the second Tuesday and the last Friday", clip(value))
		}
		prefix, name := item[:len(item)-2], item[len(item)-2:]
		d := day{weekday: time.Weekday(slices.Index(dayNames[:], name))}
		if prefix != "" && d.weekday >= 0 {
			var n []int
			if n, err = numbers("BYDAY", prefix, 1, 53, true); err == nil {
				d.n = n[0]
			}
		}
		if d.weekday < 0 || err != nil {
			return nil, refuse("BYDAY=%s is not possible; use MO, TU, WE, TH, FR, SA, SU, or 2TU and -1FR for the second Tuesday and the last Friday", clip(value))
		}
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b day) int {
		return cmp.Or(cmp.Compare(a.n, b.n), cmp.Compare(mondayFirst(a.weekday), mondayFirst(b.weekday)))
	})
	return slices.Compact(list), nil
}

// mondayFirst numbers the days of the week from Monday to Sunday, from 0.
func mondayFirst(d time.Weekday) int { return (int(d) + 6) % 7 }

// text returns the rule in its usual form.
func (p *parts) text() string {
	var b strings.Builder
	for name, freq := range frequencies {
		if freq == p.freq {
			b.WriteString("FREQ=" + name)
		}
	}
	if p.interval > 1 {
		fmt.Fprintf(&b, ";INTERVAL=%d", p.interval)
	}
	for _, part := range []struct {
		name string
		list []int
	}{{"BYMONTH", p.byMonth}, {"BYWEEKNO", p.byWeekNo}, {"BYYEARDAY", p.byYearDay}, {"BYMONTHDAY", p.byMonthDay}} {
		writeNumbers(&b, part.name, part.list)
	}
	for i, d := range p.byDay {
		b.WriteString([]string{",", ";BYDAY="}[btoi(i == 0)])
		if d.n != 0 {
			b.WriteString(strconv.Itoa(d.n))
		}
		b.WriteString(dayNames[d.weekday])
	}
	writeNumbers(&b, "BYHOUR", p.byHour)
	writeNumbers(&b, "BYMINUTE", p.byMinute)
	writeNumbers(&b, "BYSETPOS", p.bySetPos)
	if p.wkst != time.Monday {
		b.WriteString(";WKST=" + dayNames[p.wkst])
	}
	if p.count > 0 {
		fmt.Fprintf(&b, ";COUNT=%d", p.count)
	}
	if p.until != "" {
		b.WriteString(";UNTIL=" + p.until)
	}
	return b.String()
}

func writeNumbers(b *strings.Builder, name string, list []int) {
	for i, n := range list {
		if i == 0 {
			b.WriteString(";" + name + "=")
		} else {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(n))
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
