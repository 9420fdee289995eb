package recurrence

import (
	"fmt"
	"slices"
	"time"

	"github.com/teambition/rrule-go"
)

// check checks how the parts fit together.
func (p *parts) check() error {
	if n := max(1, len(p.byHour)) * max(1, len(p.byMinute)); n > MaxPerDay {
		return refuse("the rule has %d times a day; the limit is %d", n, MaxPerDay)
	}
	if p.count > 0 && p.until != "" {
		return refuse("the rule has COUNT and UNTIL; use one of them")
	}
	for _, wrong := range []struct {
		is   bool
		what string
	}{
		{len(p.byWeekNo) > 0 && p.freq != rrule.YEARLY, "BYWEEKNO needs FREQ=YEARLY"},
		{len(p.byWeekNo) > 0 && len(p.byDay) == 0, "BYWEEKNO needs BYDAY, which says on which days of the week"},
		{len(p.byWeekNo) > 0 && p.numberedDays(), "BYWEEKNO allows only weekdays without a number in BYDAY"},
		{len(p.byYearDay) > 0 && p.freq != rrule.YEARLY, "BYYEARDAY needs FREQ=YEARLY"},
		{len(p.byMonthDay) > 0 && p.freq == rrule.WEEKLY, "BYMONTHDAY does not go with FREQ=WEEKLY; use FREQ=DAILY or MONTHLY"},
		{p.numberedDays() && p.freq != rrule.MONTHLY && p.freq != rrule.YEARLY, "a number in BYDAY needs FREQ=MONTHLY or YEARLY"},
		{len(p.bySetPos) > 0 && !p.expands(), "BYSETPOS needs another part that starts with BY, to choose from"},
	} {
		if wrong.is {
			return refuse("%s", wrong.what)
		}
	}
	// Within a month there are at most five of each weekday. The expansion fails on larger
	// numbers.
	most := p.mostOfWeekday()
	if i := slices.IndexFunc(p.byDay, func(d day) bool { return d.n > most || d.n < -most }); i >= 0 {
		return refuse("BYDAY=%d%s: a month has at most 5 of each weekday", p.byDay[i].n, dayNames[p.byDay[i].weekday])
	}
	return nil
}

// mostOfWeekday returns how many days with one weekday the numbers in BYDAY can count.
func (p *parts) mostOfWeekday() int {
	if p.freq == rrule.MONTHLY || len(p.byMonth) > 0 {
		return 5
	}
	return 53
}

func (p *parts) numberedDays() bool {
	return slices.ContainsFunc(p.byDay, func(d day) bool { return d.n != 0 })
}

// expands reports whether the rule has a part that BYSETPOS can choose from.
func (p *parts) expands() bool {
	return len(p.byMonth)+len(p.byWeekNo)+len(p.byYearDay)+len(p.byMonthDay)+len(p.byDay)+len(p.byHour)+len(p.byMinute) > 0
}

// end returns the last civil time that UNTIL allows, or the zero time without UNTIL.
func (p *parts) end(loc *time.Location) (time.Time, error) {
	if p.until == "" {
		return time.Time{}, nil
	}
	if t, err := time.Parse("20060102", p.until); err == nil {
		return t.Add(24*time.Hour - time.Second), nil
	}
	if t, err := time.Parse("20060102T150405", p.until); err == nil {
		return t, nil
	}
	t, err := time.Parse("20060102T150405Z", p.until)
	if err != nil {
		return t, refuse("UNTIL=%s is not a time; use a date such as 20270630, or 20270630T090000Z", clip(p.until))
	}
	shown := t.In(loc)
	_, offset := shown.Zone()
	return t.Add(time.Duration(offset) * time.Second), nil
}

// option returns the rule for the expansion, without its start and its end.
func (p *parts) option() rrule.ROption {
	weekdays := [7]rrule.Weekday{rrule.SU, rrule.MO, rrule.TU, rrule.WE, rrule.TH, rrule.FR, rrule.SA}
	o := rrule.ROption{
		Freq: p.freq, Interval: p.interval, Wkst: weekdays[p.wkst], Bysetpos: p.bySetPos, Bymonth: p.byMonth,
		Bymonthday: p.byMonthDay, Byyearday: p.byYearDay, Byweekno: p.byWeekNo, Byhour: p.byHour, Byminute: p.byMinute,
		Bysecond: []int{0},
	}
	numbered := p.numberedDays()
	for _, d := range p.byDay {
		w := weekdays[d.weekday]
		if !numbered || d.n != 0 {
			o.Byweekday = append(o.Byweekday, w.Nth(d.n))
			continue
		}
		// The library takes only days that are in both lists, the numbered days and the
		// others. RFC 5545 takes all days of both.
		for n := range p.mostOfWeekday() {
			o.Byweekday = append(o.Byweekday, w.Nth(n+1))
		}
	}
	return o
}

// hints says what may surprise about the rule.
func (r *Rule) hints() (hints []string) {
	p := &r.parts
	if day := r.sometimesMissingDay(); day > 0 {
		hints = append(hints, fmt.Sprintf("months without a day %d are left out; for the last day of each month use BYMONTHDAY=-1 (\"monthly on the last day\")", day))
	}
	if r.onLeapDay() {
		hints = append(hints, "years without February 29 are left out; for the last day of February use BYMONTH=2;BYMONTHDAY=-1 (\"yearly on the last day of february\")")
	}
	if p.freq == rrule.MONTHLY || p.freq == rrule.YEARLY && len(p.byMonth) > 0 {
		if i := slices.IndexFunc(p.byDay, func(d day) bool { return d.n == 5 || d.n == -5 }); i >= 0 {
			hints = append(hints, "months with only four of the weekday are left out; for the last one use BYDAY=-1"+dayNames[p.byDay[i].weekday])
		}
	}
	if first, ok := r.first(); ok && !first.Equal(r.start) {
		hints = append(hints, fmt.Sprintf("the start does not fit the rule; the first occurrence is %s", first.Format("Mon 2 Jan 2006 15:04")))
	}
	return hints
}

// sometimesMissingDay returns a day of the month on which the rule depends and which
// some of its months do not have, or 0.
func (r *Rule) sometimesMissingDay() int {
	p := &r.parts
	list := p.byMonthDay
	if len(list) == 0 && p.freq == rrule.MONTHLY && len(p.byDay) == 0 {
		list = []int{r.start.Day()}
	}
	months := p.byMonth
	if len(months) == 0 && (p.freq == rrule.MONTHLY || len(p.byMonthDay) > 0) {
		months = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	}
	if len(p.byDay) > 0 || len(p.byYearDay) > 0 || len(months) == 1 && months[0] == 2 {
		return 0
	}
	for _, d := range list {
		for _, m := range months {
			if length := time.Date(2027, time.Month(m)+1, 0, 0, 0, 0, 0, time.UTC).Day(); d > length {
				return d
			}
		}
	}
	return 0
}

// onLeapDay reports whether the rule has an occurrence only on February 29.
func (r *Rule) onLeapDay() bool {
	p := &r.parts
	if p.freq != rrule.YEARLY || len(p.byDay)+len(p.byYearDay)+len(p.byWeekNo) > 0 {
		return false
	}
	if len(p.byMonth) == 0 && len(p.byMonthDay) == 0 {
		return r.start.Month() == time.February && r.start.Day() == 29
	}
	onDay := slices.Equal(p.byMonthDay, []int{29}) || len(p.byMonthDay) == 0 && r.start.Day() == 29
	return slices.Equal(p.byMonth, []int{2}) && onDay
}
