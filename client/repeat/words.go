package repeat

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/recurrence"
)

// Words returns a rule in words that [Parse] reads as the same rule with the same
// start. A rule that has no words is returned as an RRULE with its time and its start.
func Words(r *recurrence.Rule, start schedctl.LocalTime) string {
	w := wording{parts: map[string]string{}, start: start.Civil()}
	for part := range strings.SplitSeq(r.String(), ";") {
		name, value, _ := strings.Cut(part, "=")
		w.parts[name] = value
	}
	clocks, ok := w.clocks()
	head, known := w.head()
	from := " from " + start.Day()
	if !ok || !known {
		return fmt.Sprintf("%s at %d:%02d%s", r.String(), w.start.Hour(), w.start.Minute(), from)
	}
	return head + " at " + clocks + from + w.end()
}

// wording writes the parts of one rule.
type wording struct {
	parts map[string]string
	start time.Time
}

// clocks returns the times of day.
func (w *wording) clocks() (text string, ok bool) {
	hours, minutes := w.numbers("BYHOUR", w.start.Hour()), w.numbers("BYMINUTE", w.start.Minute())
	if (w.parts["BYHOUR"] == "") != (w.parts["BYMINUTE"] == "") || w.parts["BYHOUR"] != "" && len(hours)*len(minutes) == 1 {
		return "", false // Parse writes both parts, and only for several times
	}
	var list []string
	for _, h := range hours {
		for _, m := range minutes {
			list = append(list, fmt.Sprintf("%d:%02d", h, m))
		}
	}
	return joinAnd(list), true
}

func (w *wording) numbers(name string, otherwise int) (list []int) {
	if w.parts[name] == "" {
		return []int{otherwise}
	}
	for item := range strings.SplitSeq(w.parts[name], ",") {
		n, _ := strconv.Atoi(item)
		list = append(list, n)
	}
	return list
}

// end returns the until clause or the number of times.
func (w *wording) end() string {
	if until := w.parts["UNTIL"]; len(until) == len("20060102") {
		return fmt.Sprintf(" until %s-%s-%s", until[:4], until[4:6], until[6:])
	}
	switch count := w.parts["COUNT"]; count {
	case "":
		return ""
	case "1":
		return " 1 time"
	default:
		return " " + count + " times"
	}
}

// head returns how often the rule is, and on which days.
func (w *wording) head() (text string, ok bool) {
	for name := range w.parts {
		if !slices.Contains([]string{"FREQ", "INTERVAL", "BYMONTH", "BYMONTHDAY", "BYDAY", "BYSETPOS", "BYHOUR", "BYMINUTE", "COUNT", "UNTIL"}, name) {
			return "", false
		}
	}
	if until := w.parts["UNTIL"]; until != "" && len(until) != len("20060102") || len(w.parts["COUNT"]) > 5 {
		return "", false
	}
	freq, interval := w.parts["FREQ"], w.parts["INTERVAL"]
	unit := map[string]string{"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}[freq]
	text = map[string]string{"DAILY": "daily", "WEEKLY": "weekly", "MONTHLY": "monthly", "YEARLY": "yearly"}[freq]
	if interval != "" {
		text = "every " + interval + " " + unit + "s"
	}
	on, ok := w.days(freq)
	if ok && on != "" {
		text += " on " + on
	}
	return text, ok
}

// days returns what follows "on".
func (w *wording) days(freq string) (text string, ok bool) {
	month, monthDay, byDay, setPos := w.parts["BYMONTH"], w.parts["BYMONTHDAY"], w.parts["BYDAY"], w.parts["BYSETPOS"]
	if monthDay != "" && byDay != "" || (month != "") != (freq == "YEARLY") {
		return "", false
	}
	switch freq {
	case "DAILY", "WEEKLY":
		if monthDay != "" || setPos != "" || freq == "WEEKLY" && byDay == "" {
			return "", false
		}
		return weekdayWordsOf(byDay)
	case "MONTHLY":
		return monthWords(monthDay, byDay, setPos)
	}
	n, err := strconv.Atoi(month)
	if err != nil || strings.Contains(monthDay+byDay+month, ",") && setPos == "" {
		return "", false
	}
	day, ok := monthWords(monthDay, byDay, setPos)
	return day + " of " + strings.ToLower(time.Month(n).String()), ok
}

// weekdayWordsOf returns the words of weekdays without numbers.
func weekdayWordsOf(byDay string) (text string, ok bool) {
	if byDay == "" {
		return "", true
	}
	var names []string
	for code := range strings.SplitSeq(byDay, ",") {
		name := weekdayName(code)
		if name == "" {
			return "", false
		}
		names = append(names, name)
	}
	return joinAnd(names), true
}

func weekdayName(code string) string {
	if i := slices.Index(dayCodes[:], code); i >= 0 {
		return strings.ToLower(time.Weekday(i).String())
	}
	return ""
}

// monthWords returns the words of days in a month.
func monthWords(monthDay, byDay, setPos string) (text string, ok bool) {
	var list []string
	switch {
	case setPos != "":
		n, err := strconv.Atoi(setPos)
		if byDay != strings.Join(workdays, ",") || err != nil || n < -1 || n == 0 {
			return "", false
		}
		return "the " + ordinalWord(n) + " weekday", true
	case monthDay != "":
		for item := range strings.SplitSeq(monthDay, ",") {
			n, err := strconv.Atoi(item)
			if err != nil || n < -1 {
				return "", false
			}
			list = append(list, "the "+ordinalWord(n)+" day")
		}
	case byDay != "":
		for item := range strings.SplitSeq(byDay, ",") {
			name := weekdayName(item[len(item)-2:])
			n, err := strconv.Atoi(item[:len(item)-2])
			if err != nil || n < -1 || n > 5 || name == "" {
				return "", false
			}
			list = append(list, "the "+ordinalWord(n)+" "+name)
		}
	default:
		return "", false
	}
	return joinAnd(list), true
}

func ordinalWord(n int) string {
	switch {
	case n == -1:
		return "last"
	case n%10 == 1 && n%100 != 11:
		return fmt.Sprintf("%dst", n)
	case n%10 == 2 && n%100 != 12:
		return fmt.Sprintf("%dnd", n)
	case n%10 == 3 && n%100 != 13:
		return fmt.Sprintf("%drd", n)
	}
	return fmt.Sprintf("%dth", n)
}

// joinAnd joins a list as people do: a, b and c.
func joinAnd(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}
