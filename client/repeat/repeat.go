// Package repeat parses the repetitions that people write on a command line, and writes
// rules in the same words, so that people can check them.
//
//	daily at 9:00
//	weekly on tue,thu at 9:00 until 2027-06-30
//	every 2 weeks on mon at 9am from next monday
//	every tuesday and friday at 9:00 and 18:00, 10 times
//	weekdays at 8:30
//	monthly on the 15th at noon
//	monthly on the last day at 18:00
//	monthly on the 2nd tuesday at 9:00
//	monthly on the last weekday at 17:00
//	yearly on dec 24 at 10:00
//	yearly on the 4th thursday of november at 9:00
//	first monday of the month at 9
//	every 2nd tuesday 9am
//	mon-fri 9am
//	every tue/thu at 9
//	quarterly on the 1st at 9:00
//	FREQ=MONTHLY;BYDAY=MO;BYSETPOS=2 at 9:00
//	0 9 * * 1-5
//
// The clauses on, at, from, until and "N times" come in any order after the first words.
// Dates and times of day are those of package when. As there, the whole text must match,
// and an error says which word does not, and what to write instead.
package repeat

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/recurrence"
)

// maxText is longer than any valid text.
const maxText = schedctl.MaxRule + 100

// Repetition is a parsed repetition. Start is its first occurrence.
type Repetition struct {
	Rule  recurrence.Rule
	Start schedctl.LocalTime
	Hints []string // about rules that leave out days
}

// Parse parses a repetition. now is the current time, and loc the zone of the local
// times. Without a from clause, the repetition starts with its first occurrence after
// now. Every error is a [*when.Error].
func Parse(text string, now time.Time, loc *time.Location) (Repetition, error) {
	p := parser{text: text, now: now.In(loc), loc: loc}
	if len(text) > maxText {
		p.text = strings.ToValidUTF8(text[:40], "") + "…"
		return Repetition{}, p.refuse("is too long for a repetition", "")
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r == unicode.ReplacementChar || unicode.IsControl(r) && !unicode.IsSpace(r) }) {
		return Repetition{}, p.refuse("contains characters that a repetition cannot have", "")
	}
	if err := when.CheckZone(loc); err != nil {
		return Repetition{}, err
	}
	p.words = splitWords(text)
	if len(p.words) == 0 {
		return Repetition{}, &when.Error{Reason: when.Unreadable, Text: text, Message: "the repetition is empty", Hint: examples}
	}
	if err := p.readAll(); err != nil {
		return Repetition{}, err
	}
	return p.finish()
}

const examples = `try "daily at 9:00", "weekly on tue,thu at 9:00 until 2027-06-30" or "monthly on the last day at 18:00"`

// splitWords splits a text into lower-case words. A comma is a word of its own.
func splitWords(text string) []string {
	return strings.Fields(strings.ReplaceAll(strings.ToLower(text), ",", " , "))
}

// parser reads the words of a repetition.
type parser struct {
	text  string
	words []string
	at    int // the next word
	now   time.Time
	loc   *time.Location

	rule     string // an RRULE that was given, or empty
	freq     string // DAILY to YEARLY
	interval int
	days     []string // elements of BYDAY
	monthDay []string // elements of BYMONTHDAY
	month    time.Month
	setPos   string
	clocks   []clock
	from     time.Time // a date; zero without the clause
	until    time.Time // a date; zero without the clause
	count    int
	seen     map[string]bool // clauses
}

// clock is a time of day.
type clock struct{ hour, minute int }

func (p *parser) refuse(what, hint string) error {
	if hint == "" {
		hint = examples
	}
	return &when.Error{Reason: when.Unreadable, Text: p.text, Message: fmt.Sprintf("%q %s", p.text, what), Hint: hint}
}

// wrongWord returns an error about the next word.
func (p *parser) wrongWord(expected, hint string) error {
	if p.at >= len(p.words) {
		return p.refuse("ends where "+expected+" is expected", hint)
	}
	return p.refuse(fmt.Sprintf("has %q where %s is expected", p.words[p.at], expected), hint)
}

// peek returns the next word, or an empty string at the end.
func (p *parser) peek() string {
	if p.at < len(p.words) {
		return p.words[p.at]
	}
	return ""
}

// accept skips the next word if it is one of the given ones.
func (p *parser) accept(words ...string) bool {
	next := p.peek()
	for _, w := range words {
		if next == w && next != "" {
			p.at++
			return true
		}
	}
	return false
}

// readAll reads the first words and the clauses.
func (p *parser) readAll() error {
	p.interval, p.seen = 1, map[string]bool{}
	cron, err := p.readCron()
	if err == nil && !cron {
		err = p.readHead()
	}
	if err != nil {
		return err
	}
	for p.at < len(p.words) {
		if p.accept(",", "and") {
			continue
		}
		if err := p.readClause(); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) readClause() error {
	name := p.peek()
	if name == "starting" {
		name = "from"
	}
	if _, err := wholeNumber(name); err == nil || name == "for" {
		name = "times"
	}
	if _, isClock := p.clock(name); isClock && name != "times" { // "every monday 9am"
		name = "at"
		p.at--
	}
	if p.seen[name] {
		p.at = min(p.at, len(p.words)-1)
		return p.refuse(fmt.Sprintf("has %q twice", p.peek()), "give it once")
	}
	p.seen[name] = true
	switch name {
	case "on":
		p.at++
		return p.readOn()
	case "at":
		p.at++
		return p.readClocks()
	case "from":
		p.at++
		return p.readDate("from", &p.from)
	case "until":
		p.at++
		return p.readDate("until", &p.until)
	case "times":
		return p.readCount()
	}
	return p.wrongWord("on, at, from, until or a number of times", p.suggestion([]string{"on", "at", "from", "until", "times"}))
}

// clauseText returns the words up to the next clause, as one text.
func (p *parser) clauseText() string {
	begin := p.at
	for p.at < len(p.words) {
		switch p.words[p.at] {
		case "on", "at", "from", "starting", "until", "for":
			return strings.Join(p.words[begin:p.at], " ")
		}
		if p.at+1 < len(p.words) && strings.HasPrefix(p.words[p.at+1], "time") {
			break
		}
		p.at++
	}
	return strings.Join(p.words[begin:p.at], " ")
}

// readDate reads the date of a from or an until clause.
func (p *parser) readDate(clause string, to *time.Time) error {
	text := strings.Trim(p.clauseText(), ", ")
	if text == "" {
		return p.wrongWord("a date", "write a date, such as "+clause+" 2027-06-30")
	}
	// Package when reads days with a time of day.
	found, err := when.Parse(strings.ReplaceAll(text, " ,", ",")+" 12:00", p.now, p.loc)
	if err != nil {
		return p.refuse(fmt.Sprintf("has %q where a date is expected", text), "write a date, such as "+clause+" 2027-06-30")
	}
	y, m, d := found.Time.In(p.loc).Date()
	*to = time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	return nil
}

// readCount reads "10 times" and "for 10 times".
func (p *parser) readCount() error {
	p.accept("for")
	n, err := wholeNumber(p.peek())
	if err != nil || n < 1 {
		return p.wrongWord("a number of times", "write for example \"10 times\"")
	}
	p.at++
	if !p.accept("times", "time") {
		return p.wrongWord("\"times\"", fmt.Sprintf("write \"%d times\"", n))
	}
	p.count = n
	return nil
}

// clock reads a time of day.
func (p *parser) clock(text string) (c clock, ok bool) {
	c.hour, c.minute, ok = when.ParseClock(text)
	return c, ok
}

// wrongClock returns an error about a text that is not a time of day, or about the word
// that follows one. first is the first word of the clause.
func (p *parser) wrongClock(first int, item string) error {
	words := strings.Fields(item)
	if _, ok := p.clock(words[0]); ok && len(words) > 1 {
		for p.at = first; p.words[p.at] != words[0]; p.at++ {
		}
		p.at++
		return p.wrongWord("on, at, from, until or a number of times", p.suggestion([]string{"on", "at", "from", "until", "times"}))
	}
	return p.refuse(fmt.Sprintf("has %q where a time of day is expected", item), "write a time of day, such as 9:00, 18:30 or 9am")
}

// readClocks reads the times of day of an at clause.
func (p *parser) readClocks() error {
	begin := p.at
	text := p.clauseText()
	for item := range strings.SplitSeq(strings.ReplaceAll(" "+text+" ", " and ", " , "), ",") {
		item = strings.TrimSpace(item)
		if item == "" {
			continue
		}
		c, ok := p.clock(item)
		if !ok {
			return p.wrongClock(begin, item)
		}
		p.clocks = append(p.clocks, c)
	}
	if len(p.clocks) == 0 {
		return p.wrongWord("a time of day", "write a time of day, such as at 9:00")
	}
	return nil
}
