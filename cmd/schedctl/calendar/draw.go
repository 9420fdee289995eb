package calendar

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// drawing draws calendars for a terminal of a given width. The output depends on its
// fields and the calendar alone.
type drawing struct {
	width int
	paint func(sgr, text string) string
	apart cli.DurationFlag
}

// wideWeek is the smallest width, in columns, at which the days of a week are drawn
// side by side.
const wideWeek = 100

// draw draws a plan with a title and a summary.
func (d drawing) draw(c plan) string {
	var body string
	switch {
	case c.span.month:
		body = d.month(c)
	case d.width >= wideWeek:
		body = d.week(c)
	default:
		body = d.agenda(c)
	}
	return d.paint("1", cli.Clip(d.title(c), d.width)) + "\n\n" + body + "\n" + d.summary(c)
}

func (d drawing) title(c plan) string {
	first, last := c.span.first, c.span.day(c.span.count-1)
	if c.span.month {
		return first.Format("January 2006") + ", " + c.Timezone
	}
	_, week := first.ISOWeek()
	from := first.Format("Mon 2 Jan")
	if first.Year() != last.Year() {
		from = first.Format("Mon 2 Jan 2006")
	}
	return fmt.Sprintf("Week %d: %s – %s, %s", week, from, last.Format("Mon 2 Jan 2006"), c.Timezone)
}

// summary counts the problems.
func (d drawing) summary(c plan) string {
	posts, clashes := 0, 0
	gaps, names := map[string]int{}, []string{}
	for _, day := range c.Days {
		for _, acct := range day.Accounts {
			for _, e := range acct.Posts {
				if e.Status != proposed {
					posts++
				}
				if e.Clash {
					clashes++
				}
			}
			if acct.Gap && gaps[acct.Name] == 0 {
				names = append(names, cli.OneLine(acct.Name))
			}
			if acct.Gap {
				gaps[acct.Name]++
			}
		}
	}
	lines := append([]string{cli.Plural(posts, "publication")}, d.legend(c)...)
	if clashes > 0 {
		lines = append(lines, fmt.Sprintf("! %d closer together than %s", clashes, &d.apart))
	}
	for i, name := range names {
		names[i] = fmt.Sprintf("%s on %s", name, cli.Plural(gaps[name], "day"))
	}
	if len(names) > 0 {
		lines = append(lines, "· nothing for "+strings.Join(names, ", "))
	}
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(d.paint("2", cli.Clip(line, d.width)) + "\n")
	}
	return b.String()
}

// legend explains the marks that a calendar has, with their numbers.
func (d drawing) legend(c plan) (lines []string) {
	repeated, free, waiting := 0, 0, 0
	var reasons []string
	for _, day := range c.Days {
		for _, acct := range day.Accounts {
			free += len(acct.FreeSlots)
			for _, e := range acct.Posts {
				if e.SeriesID != nil {
					repeated++
				}
				if e.Status == proposed {
					waiting++
				}
			}
			for _, b := range acct.Blackouts {
				if text := blackoutText(b); !slices.Contains(reasons, text) {
					reasons = append(reasons, text)
				}
			}
		}
	}
	if waiting > 0 {
		lines = append(lines, "? "+cli.Plural(waiting, "proposal")+", not approved yet")
	}
	if repeated > 0 {
		lines = append(lines, fmt.Sprintf("↻ %d of series", repeated))
	}
	if free > 0 {
		lines = append(lines, "○ "+cli.Plural(free, "free slot"))
	}
	if len(reasons) > 0 {
		lines = append(lines, "░ blackout: "+strings.Join(reasons, ", "))
	}
	return lines
}

// blackoutText names a blackout by its reason.
func blackoutText(b dayBlackout) string {
	reason := cli.OneLine(b.Reason)
	switch {
	case b.Mode != schedctl.BlackoutHold:
		return cli.FirstNonEmpty(reason, "no reason given")
	case reason == "":
		return "paused"
	}
	return reason + " (paused)"
}

// line is a line of an account on a day.
type line struct {
	at   time.Time
	text string
}

// lines returns the posts and the free slots of an account on a day in the order of
// time, and before them its blackouts.
func (d drawing) lines(c plan, acct accountPlan, room int) []string {
	var out []string
	for _, b := range acct.Blackouts {
		out = append(out, d.paint("2", cli.Clip("░ "+blackoutText(b), room)))
	}
	var timed []line
	for _, e := range acct.Posts {
		timed = append(timed, line{e.At.Time, d.entry(c, e, room)})
	}
	for _, s := range acct.FreeSlots {
		clock := s.At.In(c.span.first.Location()).Format("15:04")
		timed = append(timed, line{s.At.Time, d.paint("2", cli.Clip(clock+" ○", room))})
	}
	slices.SortStableFunc(timed, func(a, b line) int { return a.at.Compare(b.at) })
	for _, l := range timed {
		out = append(out, l.text)
	}
	return out
}

// agenda draws the days one below the other, for narrow terminals.
func (d drawing) agenda(c plan) string {
	label := 0
	for _, day := range c.Days {
		for _, acct := range day.Accounts {
			label = max(label, cli.TextWidth(cli.OneLine(acct.Name)))
		}
	}
	label = min(label, d.width/4)
	var b strings.Builder
	for i, day := range c.Days {
		head := c.span.day(i).Format("Mon 2 Jan")
		if d.today(c, i) {
			head += ", today"
		}
		b.WriteString(d.paint("1", head) + "\n")
		var empty []string
		for _, acct := range day.Accounts {
			lines := d.lines(c, acct, d.width-label-3)
			for n, text := range lines {
				name := ""
				if n == 0 {
					name = cli.Clip(cli.OneLine(acct.Name), label)
				}
				b.WriteString("  " + padRight(name, label) + " " + text + "\n")
			}
			if acct.Gap && len(lines) == 0 {
				empty = append(empty, cli.OneLine(acct.Name))
			}
		}
		if len(empty) > 0 {
			b.WriteString(d.paint("2", cli.Clip("  · "+strings.Join(empty, ", "), d.width)) + "\n")
		}
	}
	return b.String()
}

// entry returns a post in one line of at most the given width.
func (d drawing) entry(c plan, e entry, room int) string {
	mark := " "
	if e.Clash {
		mark = d.paint("31", "!")
	}
	clock := e.At.In(c.span.first.Location()).Format("15:04")
	text, content := "", cli.OneLine(e.Content)
	switch {
	case e.SeriesID != nil:
		content = "↻ " + content
	case e.Status == proposed:
		content = "? " + content
	}
	if room > 8 {
		text = " " + cli.Clip(content, room-7)
	}
	return d.paint(cli.StatusColors[string(e.Status)], clock) + mark + text
}

func (d drawing) today(c plan, i int) bool {
	return !c.now.Before(c.span.day(i)) && c.now.Before(c.span.day(i+1))
}

func markOf(clash bool) string {
	if clash {
		return "!"
	}
	return ""
}

// padRight fills a text, which may have colors, with spaces up to a width.
func padRight(text string, columns int) string {
	return text + strings.Repeat(" ", max(0, columns-ansi.StringWidth(text)))
}
