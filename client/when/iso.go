package when

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

var (
	isoDate  = lazily(`^(\d{4})-(\d{2})-(\d{2})$`)
	isoTime  = lazily(`^(\d{4})-(\d{2})-(\d{2})[t ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?: ?(z|[+-]\d{2}:?\d{2}))?$`)
	isoBasic = lazily(`^(\d{4})(\d{2})(\d{2})t(\d{2})(\d{2})(\d{2})?()(z|[+-]\d{2}:?\d{2})?$`)
	slashed  = lazily(`^(\d{1,4})[/.-](\d{1,2})[/.-](\d{1,4})$`)
	dayMonth = lazily(`^(\d{1,2})[./](\d{1,2})\.?$`)
)

// lazily compiles an expression on first use: most commands read no time and should
// not wait for the compilation of all expressions.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// parseISO reads a date and a time of day in digits, with an optional offset.
func parseISO(in input) (Result, bool, error) {
	text := strings.Join(in.words, " ")
	m := isoTime().FindStringSubmatch(text)
	if m == nil {
		m = isoBasic().FindStringSubmatch(text)
	}
	if m == nil {
		return Result{}, false, nil
	}
	d, err := in.dateFrom(m)
	if err != nil {
		return Result{}, false, err
	}
	c := clock{number(m[4]), number(m[5]), number(m[6]), number((m[7] + "000000000")[:9])}
	if !c.valid() {
		return Result{}, false, in.unreadable("has an invalid time of day", "hours go from 00:00 to 23:59, and midnight starts the day")
	}
	if m[8] == "" {
		return in.resolve(d, c), true, nil
	}
	if in.zone != "" {
		return Result{}, false, in.ambiguous("has both an offset and a zone", fmt.Sprintf("leave %q or %q out", strings.ToUpper(m[8]), in.zone))
	}
	offset, err := in.offset(m[8])
	if err != nil {
		return Result{}, false, err
	}
	t := time.Date(d.year, d.month, d.day, c.hour, c.minute, c.second, c.nanosecond, time.FixedZone("", offset))
	return Result{Time: t.In(in.loc), elapsed: true}, true, nil
}

// dateFrom returns the date with year, month and day in m[1] to m[3].
func (in input) dateFrom(m []string) (date, error) {
	d := date{number(m[1]), time.Month(number(m[2])), number(m[3])}
	return d, in.checkDate(d)
}

// readSlashed reads dates such as 2026/12/24, 24.12.2026 and 25/12/2026, if only
// one reading is possible. A date with dots has the day first.
func (in input) readSlashed(m []string, dots bool) (date, error) {
	a, b, c := number(m[1]), number(m[2]), number(m[3])
	iso := func(y, mo, d int) string { return fmt.Sprintf("%04d-%02d-%02d", y, mo, d) }
	d := date{c, time.Month(b), a}
	switch {
	case len(m[1]) == 4 && len(m[3]) <= 2:
		d = date{a, time.Month(b), c}
	case len(m[3]) != 4 || len(m[1]) > 2:
		return date{}, in.ambiguous("has a date of two digits", "write year-month-day, such as 2026-12-08")
	case dots || a == b || a > 12:
	case b > 12:
		d = date{c, time.Month(a), b}
	default:
		return date{}, in.ambiguous("has a date that could be two days", "write "+iso(c, a, b)+" or "+iso(c, b, a))
	}
	return d, in.checkDate(d)
}

// offset returns the offset in seconds east of UTC.
func (in input) offset(text string) (int, error) {
	if text == "z" {
		return 0, nil
	}
	h, m := number(text[1:3]), number(text[len(text)-2:])
	if h > 23 || m > 59 {
		return 0, in.unreadable(fmt.Sprintf("has an invalid offset, %s", text), "offsets are hours and minutes, such as +01:00")
	}
	seconds := h*3600 + m*60
	if text[0] == '-' {
		seconds = -seconds
	}
	return seconds, nil
}

// parseUnix reads "@" and seconds since 1970.
func parseUnix(in input) (Result, bool, error) {
	digits, found := strings.CutPrefix(in.words[0], "@")
	if !found || len(in.words) > 1 {
		return Result{}, false, nil
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	switch {
	case err != nil || strings.HasPrefix(digits, "+"):
		return Result{}, false, in.unreadable("is no Unix time", "write @ and whole seconds, such as @1796720400")
	case n > math.MaxInt32*100 && n < math.MaxInt32*100_000:
		return Result{}, false, in.unreadable("looks like milliseconds", fmt.Sprintf("write whole seconds: @%d", n/1000))
	case n < 0 || n >= math.MaxInt32*100:
		return Result{}, false, in.unreadable("is out of range", "write @ and whole seconds, such as @1796720400")
	}
	return Result{Time: time.Unix(n, 0).In(in.loc), elapsed: true}, true, nil
}
