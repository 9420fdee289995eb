package repeat

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
)

// slotExamples is the hint of errors about slots.
const slotExamples = `try "mon-fri 09:00", "tue,thu 9am,17:00" or "daily 12:30"`

// ParseSlots parses slots of a queue: weekdays, and then times of day.
//
//	mon-fri 09:00
//	tue, thu at 9am and 17:00
//	weekdays 8:30
//	daily noon
//
// The whole text must match. Every error is a [*when.Error].
func ParseSlots(text string) ([]schedctl.QueueTime, error) {
	p := parser{text: text, loc: time.UTC, now: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)}
	if len(text) > maxText {
		p.text = strings.ToValidUTF8(text[:40], "") + "…"
		return nil, p.refuse("is too long for slots", slotExamples)
	}
	p.words = splitWords(strings.ReplaceAll(text, "–", "-"))
	if len(p.words) == 0 {
		return nil, p.refuse("has no slots", slotExamples)
	}
	days, err := p.readSlotDays()
	if err != nil {
		return nil, err
	}
	p.accept("at")
	clocks, err := p.readSlotClocks()
	if err != nil {
		return nil, err
	}
	var times []schedctl.QueueTime
	for _, c := range clocks {
		times = append(times, schedctl.QueueTime{Days: days, Minute: c.hour*60 + c.minute})
	}
	return times, nil
}

// slotDayWords are the words for several weekdays.
var slotDayWords = map[string]schedctl.Weekdays{
	"daily": schedctl.EveryDay, "day": schedctl.EveryDay,
	"weekday": workdaySet, "weekdays": workdaySet, "weekend": weekendSet, "weekends": weekendSet,
}

var (
	workdaySet = schedctl.WeekdaysOf(time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday)
	weekendSet = schedctl.WeekdaysOf(time.Saturday, time.Sunday)
)

// readSlotDays reads the weekdays before the times of day.
func (p *parser) readSlotDays() (set schedctl.Weekdays, err error) {
	p.accept("every", "each", "on")
	for ; p.at < len(p.words); p.at++ {
		word := p.words[p.at]
		if word == "," || word == "and" && set != 0 {
			continue
		}
		days := slotDays(word)
		if days == 0 {
			break
		}
		set |= days
	}
	if set == 0 {
		return 0, p.wrongWord("a weekday", slotExamples)
	}
	return set, nil
}

// slotDays returns the weekdays that one word names, such as "tue" or "mon-fri"; 0 for
// none. A range may go over the end of the week.
func slotDays(word string) (set schedctl.Weekdays) {
	if set, found := slotDayWords[word]; found {
		return set
	}
	first, last, isRange := strings.Cut(word, "-")
	if !isRange {
		last = first
	}
	from, to := slices.Index(dayCodes[:], weekdayCodes[first]), slices.Index(dayCodes[:], weekdayCodes[last])
	if from < 0 || to < 0 {
		return 0
	}
	for d := from; ; d = (d + 1) % 7 {
		set |= schedctl.WeekdaysOf(time.Weekday(d))
		if d == to {
			return set
		}
	}
}

// isWeekdays reports whether a word is a weekday, a range as "mon-fri", or several of them as
// "tue/thu".
func isWeekdays(word string) bool {
	for part := range strings.SplitSeq(word, "/") {
		if _, words := slotDayWords[part]; words || slotDays(part) == 0 {
			return false
		}
	}
	return true
}

// addDays adds the weekdays of a word.
func (p *parser) addDays(word string) {
	for part := range strings.SplitSeq(word, "/") {
		for d, code := range dayCodes {
			if slotDays(part).Has(time.Weekday(d)) {
				p.addDay(code)
			}
		}
	}
}

// readSlotClocks reads the times of day up to the end of the text.
func (p *parser) readSlotClocks() (clocks []clock, err error) {
	rest := " " + strings.Join(p.words[p.at:], " ") + " "
	for item := range strings.SplitSeq(strings.ReplaceAll(rest, " and ", " , "), ",") {
		item = strings.TrimSpace(item)
		if item == "" {
			continue
		}
		// Times of day may be separated by spaces alone: "9:00 17:00".
		c, ok := p.clock(item)
		if ok {
			clocks = append(clocks, c)
			continue
		}
		for word := range strings.FieldsSeq(item) {
			if c, ok = p.clock(word); !ok {
				return nil, p.refuse(fmt.Sprintf("has %q where a time of day is expected", word), slotExamples)
			}
			clocks = append(clocks, c)
		}
	}
	if len(clocks) == 0 {
		return nil, p.refuse("has no time of day", "add one, such as \"09:00\"")
	}
	return clocks, nil
}

// SlotWords returns the times of a queue in words that [ParseSlots] reads: a text for
// each set of weekdays, such as "mon-fri 09:00,17:00".
func SlotWords(times []schedctl.QueueTime) (texts []string) {
	var sets []schedctl.Weekdays
	byDays := map[schedctl.Weekdays][]string{}
	sorted := slices.SortedFunc(slices.Values(times), func(a, b schedctl.QueueTime) int { return a.Minute - b.Minute })
	for _, t := range sorted {
		if byDays[t.Days] == nil {
			sets = append(sets, t.Days)
		}
		byDays[t.Days] = append(byDays[t.Days], fmt.Sprintf("%02d:%02d", t.Minute/60, t.Minute%60))
	}
	for _, set := range sets {
		texts = append(texts, slotDayText(set)+" "+strings.Join(byDays[set], ","))
	}
	return texts
}

// slotDayText returns a set of weekdays in words. Three days or more in a row are a
// range.
func slotDayText(set schedctl.Weekdays) string {
	if set == schedctl.EveryDay {
		return "daily"
	}
	var names []string
	days := set.Days() // from Monday on
	for i := 0; i < len(days); {
		end := i
		for end+1 < len(days) && days[end+1] == (days[end]+1)%7 {
			end++
		}
		switch name := slotDayName(days[i]); {
		case end-i >= 2:
			names = append(names, name+"-"+slotDayName(days[end]))
		case end > i:
			names = append(names, name, slotDayName(days[end]))
		default:
			names = append(names, name)
		}
		i = end + 1
	}
	return strings.Join(names, ",")
}

func slotDayName(d time.Weekday) string { return strings.ToLower(d.String()[:3]) }
