package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
)

// understood is what --json shows of a time.
type understood struct {
	Input    string     `json:"input"`
	UTC      apiv1.Time `json:"utc"`
	Local    string     `json:"local"`
	Zone     string     `json:"zone"`
	Unix     int64      `json:"unix"`
	Relative string     `json:"relative"`
	Note     string     `json:"note"`
}

func newTime(a *app) *cobra.Command {
	var flags whenFlags
	cmd := prints[understood](&cobra.Command{
		Use:   "time EXPR",
		Short: "Show how a time is understood",
		Long: `Show how a time is understood, as --at would. Nothing is guessed: all of the text
must be one of these.

  2026-12-08T09:00:00Z              RFC 3339, with any offset
  2026-12-08 09:00, 2026-12-08 9am  a date and a time of day
  today 5pm, tomorrow 9:30          a day and a time of day
  friday noon, next monday 21:00    the first such day, after today with "next"
  Mar 10 9am, 10 March 2027 9am     the next such day without a year
  9am, 21:00, midnight              the next such time
  in 2h, +2h30m, in 2 weeks         from now; days and weeks keep the time of day
  yesterday 9am, 2h ago, -2h30m     to look back, with post list --after for example,
                                    where a day alone is its beginning
  @1796720400                       Unix seconds

A zone name may follow: "tomorrow 9am Europe/Berlin". A time of day that a clock
change skips becomes the first instant after the gap, and one that happens twice
the first of the two; both are said.

Without a zone in the text --tz decides, without that the local zone (environment:
TZ). Zones come with the program. What was understood is said on standard error:
in its zone, in the local one, in UTC, and how far away it is. A time that has
passed is refused for a post (exit status 5), one that cannot be read or could
mean two things everywhere (exit status 2).

A duration, for --in and --timeout, is 90s, 2h30m, 1d or 2w.`,
		Example: `  schedctl time "tomorrow 9am"
  schedctl time "2026-12-08 09:00 America/New_York" --tz Europe/Berlin
  date -d "$(schedctl time 'next monday 9am')"`,
		Args: takes(1, unlimited, "a time"),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.showTime(strings.Join(args, " "), flags)
		},
	})
	flags.addZone(cmd)
	return cmd
}

func (a *app) showTime(text string, flags whenFlags) error {
	loc, err := flags.zone(a)
	if err != nil {
		return err
	}
	now := a.now()
	m, err := when.Parse(text, now, loc)
	if err != nil {
		return err
	}
	utc := apiv1.Time{Time: m.Time.UTC()}
	switch {
	case a.json.set:
		return a.printJSON(understood{
			Input: text, UTC: utc, Local: when.Format(m.Time), Zone: m.Time.Location().String(),
			Unix: m.Time.Unix(), Relative: when.Relative(m.Time, now), Note: m.Note,
		})
	case a.outTerminal && !a.quiet:
		result := m.Echo(now, loc) + "\n"
		if m.Note != "" {
			result += "note: " + m.Note + "\n"
		}
		return a.write([]byte(result))
	}
	a.echo(m, now, loc)
	return a.write([]byte(utc.String() + "\n"))
}
