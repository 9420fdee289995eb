package repeat

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// cronFields matches the first five fields of a cron expression: minute, hour, day of the
// month, month and weekday.
var cronFields = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*([\d*/,-]+)\s+([\d*/,-]+)\s+([\d*/,-]+)\s+([\da-z*/,-]+)\s+([\da-z*/,-]+)(?:\s|$)`)
})

// cronNames are the names of a field of a cron expression, by their numbers.
var (
	cronMonths = []string{"", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}
	cronDays   = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat", "sun"}
)

// readCron reads a cron expression at the start of the text, if there is one. Cron runs on a
// day of either kind if both are given, which no rule can express.
func (p *parser) readCron() (found bool, err error) {
	m := cronFields().FindStringSubmatch(strings.ToLower(p.text))
	if m == nil {
		return false, nil
	}
	var lists [5][]int
	for i, field := range []struct {
		name        string
		first, last int
		names       []string
	}{{"minute", 0, 59, nil}, {"hour", 0, 23, nil}, {"day of the month", 1, 31, nil}, {"month", 1, 12, cronMonths}, {"weekday", 0, 7, cronDays}} {
		var ok bool
		if lists[i], ok = cronList(m[i+1], field.first, field.last, field.names); !ok {
			return false, p.refuse(fmt.Sprintf("has the %s %q of a cron expression", field.name, m[i+1]), "write numbers, lists, ranges or *, such as \"0 9 * * 1-5\" for weekdays at 9:00")
		}
	}
	p.words = splitWords(p.text[len(m[0]):])
	return true, p.setCron(lists)
}

// setCron takes the lists of a cron expression, nil for any value.
func (p *parser) setCron(lists [5][]int) error {
	minutes, hours, days, months, weekdays := lists[0], lists[1], lists[2], lists[3], lists[4]
	p.seen["on"], p.seen["at"] = true, true
	switch {
	case minutes == nil || hours == nil || len(minutes)*len(hours) > 4:
		return p.refuse("is a cron expression with more than four times a day", "name at most four, such as \"0 9,18 * * *\"")
	case days != nil && weekdays != nil:
		return p.refuse("is a cron expression with days of the month and weekdays, which cron joins with or", "write one series for each")
	case len(months) > 1 || months != nil && days == nil:
		return p.refuse("is a cron expression with months that no repetition of schedctl has", "name one month with its days, or write one series for each month")
	}
	for _, h := range hours {
		for _, m := range minutes {
			p.clocks = append(p.clocks, clock{h, m})
		}
	}
	for _, d := range days {
		p.monthDay = append(p.monthDay, strconv.Itoa(d))
	}
	for _, d := range weekdays {
		p.addDay(dayCodes[d%7])
	}
	switch {
	case months != nil:
		p.freq, p.month = "YEARLY", time.Month(months[0])
	case days != nil:
		p.freq = "MONTHLY"
	case weekdays != nil:
		p.freq = "WEEKLY"
	default:
		p.freq = "DAILY"
	}
	return nil
}

// cronList returns the values of a field, nil for all of them.
func cronList(field string, first, last int, names []string) (list []int, ok bool) {
	if field == "*" {
		return nil, true
	}
	for item := range strings.SplitSeq(field, ",") {
		span, step, stepped := strings.Cut(item, "/")
		by := 1
		if stepped {
			if n, err := wholeNumber(step); err != nil || n < 1 {
				return nil, false
			} else {
				by = n
			}
		}
		from, to := first, last
		if span != "*" {
			low, high, ranged := strings.Cut(span, "-")
			if from, ok = cronNumber(low, names); !ok {
				return nil, false
			}
			if to = from; ranged {
				if to, ok = cronNumber(high, names); !ok {
					return nil, false
				}
			} else if stepped {
				to = last
			}
		}
		if from < first || to > last || from > to {
			return nil, false
		}
		for n := from; n <= to; n += by {
			list = append(list, n)
		}
	}
	return list, len(list) <= 60
}

func cronNumber(text string, names []string) (int, bool) {
	for i, name := range names {
		if name != "" && name == text {
			return i, true
		}
	}
	n, err := wholeNumber(text)
	return n, err == nil
}
