package files

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// dateOrders are the values of --dates.
var dateOrders = []string{"us", "eu"}

// sheetTimes says how the times of spreadsheets are read.
type sheetTimes struct {
	order string // --dates
	clock string // --default-time
}

// check checks the flags.
func (s sheetTimes) check() error {
	if s.order != "" && !slices.Contains(dateOrders, s.order) {
		return cli.UnknownValueError("--dates", s.order, dateOrders)
	}
	if s.clock == "" {
		return nil
	}
	const day = "2027-01-01"
	at, err := when.Parse(day+" "+s.clock, time.Unix(0, 0), time.UTC)
	if err != nil || at.Time.Format(time.DateOnly) != day {
		return cli.UsageError("--default-time %q is not a time of day", s.clock).WithHint("write for example --default-time 09:00")
	}
	return nil
}

// isNextSlot reports whether a time is the next free slot.
func isNextSlot(text string) bool {
	return strings.EqualFold(strings.ReplaceAll(text, " ", "-"), apiv1.PublishNextSlot)
}

// expression compiles a regular expression when it is used first.
func expression(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

var (
	serialTime  = expression(`^(\d{5})(?:\s*[.,](\d{1,17})|\s+0[.,](\d{1,17}))?(?:\s+(\S.*))?$`)
	slashedDate = expression(`(?i)^((?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s+)?(\d{1,2})([/.-])(\d{1,2})[/.-](\d{4}|\d{2})(?:[ T,]+(\S.*))?$`)
	secondsTime = expression(`(?i)\b(\d{1,2}):(\d{2}):(\d{2})(?:\.0+)?\s*([ap])\.?m\b\.?`)
)

// serialStart is the day 0 of spreadsheets. The numbers that are read are the years 2000
// to 2099.
var serialStart = time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)

const minSerial, maxSerial = 36526, 73050

// read returns a time in the form of "--at". Others it leaves as they are.
func (s sheetTimes) read(text string, now time.Time) (string, error) {
	text = strings.TrimSpace(text)
	text = secondsTime().ReplaceAllStringFunc(text, func(clock string) string {
		m := secondsTime().FindStringSubmatch(clock)
		hour, _ := strconv.Atoi(m[1])
		if hour < 1 || hour > 12 {
			return clock
		}
		if hour %= 12; strings.EqualFold(m[4], "p") {
			hour += 12
		}
		return fmt.Sprintf("%02d:%s:%s", hour, m[2], m[3])
	})
	if m := serialTime().FindStringSubmatch(text); m != nil {
		if days, _ := strconv.Atoi(m[1]); days >= minSerial && days <= maxSerial {
			text = serialText(days, m[2]+m[3], m[4])
		}
	} else if m := slashedDate().FindStringSubmatch(text); m != nil && s.order != "" {
		var err error
		if text, err = s.ordered(text, m); err != nil {
			return "", err
		}
	}
	return s.timed(text, now), nil
}

// ordered returns a time with its date, of slashedDate, in the form of ISO 8601. A weekday
// stays in front of it, and has to match it. With dots the day is always first.
func (s sheetTimes) ordered(text string, m []string) (string, error) {
	weekday, day, month, year := m[1], m[2], m[4], m[5]
	dots := m[3] == "."
	switch {
	case dots && len(year) == 4:
		return text, nil
	case dots && s.order == "us":
		return "", fmt.Errorf("%q has dots, which --dates us does not read with a year of two digits; write it like 2027-12-24", cli.Clip(text, 40))
	case s.order == "us":
		day, month = month, day
	}
	if len(year) == 2 {
		year = "20" + year
	}
	date, err := time.Parse("2006-1-2", year+"-"+month+"-"+day)
	if err != nil {
		return "", fmt.Errorf("%q is not a date with --dates %s; write it like 2027-12-24", cli.Clip(text, 40), s.order)
	}
	return strings.TrimSpace(weekday + date.Format(time.DateOnly) + " " + m[6]), nil
}

// timed adds the time of day of --default-time to a date without one: behind it or, if it
// ends in a zone, before it.
func (s sheetTimes) timed(text string, now time.Time) string {
	if s.clock == "" || text == "" {
		return text
	}
	if _, err := when.Parse(text, now, time.UTC); !lacksTime(err) {
		return text
	}
	for _, timed := range []string{text + " " + s.clock, s.clock + " " + text} {
		if _, err := when.Parse(timed, now, time.UTC); err == nil {
			return timed
		}
	}
	return text
}

// lacksTime reports whether an error of package when is about a day without a time of day.
func lacksTime(err error) bool {
	e, ok := errors.AsType[*when.Error](err)
	return ok && strings.HasSuffix(e.Message, " has no time of day")
}

// serialText returns the time that a spreadsheet stores as days, with a fraction of one.
func serialText(days int, fraction, rest string) string {
	date := serialStart.AddDate(0, 0, days)
	if fraction == "" {
		return strings.TrimSpace(date.Format(time.DateOnly) + " " + rest)
	}
	part, _ := strconv.ParseFloat("0."+fraction, 64)
	at := date.Add(time.Duration(math.Round(part*86400)) * time.Second)
	return strings.TrimSpace(at.Format(time.DateTime) + " " + rest)
}

// readTimes reads the times of a line as spreadsheets have them.
func (i *importCheck) readTimes(d *postfile.Document) {
	for _, field := range []struct {
		key  string
		text *string
	}{{"at", &d.At}, {"not_before", &d.NotBefore}, {"proposed_at", &d.ProposedAt}} {
		times := i.times
		if field.key == "not_before" { // a day means its start
			times.clock = ""
		}
		text, err := times.read(*field.text, i.Now())
		if err != nil {
			i.reader.problemf(d, d.Line(field.key), "%v", err)
		}
		*field.text = text
	}
}

// orderAdvice names the flag that makes a date clear.
func orderAdvice(text string, err error) string {
	e, ok := errors.AsType[*when.Error](err)
	switch {
	case ok && e.Reason == when.Ambiguous && slashedDate().MatchString(text):
		return "; or say with --dates us (month/day) or --dates eu (day/month) how dates are written"
	case lacksTime(err):
		return "; or give --default-time 09:00 for all lines"
	}
	return ""
}
