package post

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// understood is the --json output for a parsed time.
type understood struct {
	Input    string     `json:"input"`
	UTC      apiv1.Time `json:"utc"`
	Local    string     `json:"local"`
	Zone     string     `json:"zone"`
	Unix     int64      `json:"unix"`
	Relative string     `json:"relative"`
	Note     string     `json:"note"`
}

func NewTime(a *cli.App) *cobra.Command {
	var flags cli.WhenFlags
	cmd := cli.DeclareJSON[understood](&cobra.Command{
		Use:   "time EXPR",
		Short: "Show how a time is understood",
		Long: `Show how --at understands a time. The whole text must be one of these forms.

  2026-12-08T09:00:00Z              RFC 3339, with any offset
  2026-12-08 09:00, 2026-12-08 9am  a date and a time of day
  2026/12/24 9am, 24.12.2026 18:00  other dates, if they can mean one day only
  today 5pm, tomorrow 9:30          a day and a time of day
  tonight, day after tomorrow 9am   "tonight" alone is 20:00
  friday noon, this friday 9am      the first such day from today
  next monday 21:00                 the first such day after today
  Mar 10 9am, 10 March 2027 9am     the next such day if there is no year
  9am, 21:00, midnight              the next such time
  in 2h, +2h30m, in half an hour    from now
  in 2 weeks, 1 month from now      from now; keeps the time of day
  yesterday 9am, 2h ago, -2h30m     the past, for flags such as --after of post list;
                                    there, a day alone means the start of that day
  @1796720400                       Unix seconds

An hour alone after a day is on the 24-hour clock: "friday 9" is 09:00. A time zone or its
city may follow: "tomorrow 9am Europe/Berlin", "tomorrow 9am Berlin". If a clock
change skips a time of day, the first instant after the gap is used. If a time of
day occurs twice, the first one is used. A note on standard error says so.

If the text names no time zone, --tz decides, and then the local time zone
(environment variable TZ). The program has its own copy of the time zones. The parsed
time is printed on standard error: in its own zone, in the local zone, in UTC, and
relative to now. A post refuses a time in the past (exit status 5). A
time that cannot be read or could mean two things is always refused (exit status 2).

A duration, for --in and --timeout, is 90s, 2h30m, 1d or 2w.`,
		Example: `  schedctl time "tomorrow 9am"
  schedctl time "2026-12-08 09:00 America/New_York" --tz Europe/Berlin
  date -d "$(schedctl time 'next monday 9am')"`,
		Args: cli.Args(1, cli.Unlimited, "a time"),
		RunE: func(_ *cobra.Command, args []string) error { return showTime(a, strings.Join(args, " "), flags) },
	})
	flags.AddZone(cmd)
	return cmd
}

func showTime(a *cli.App, text string, flags cli.WhenFlags) error {
	loc, err := flags.Zone(a)
	if err != nil {
		return err
	}
	now := a.Now()
	m, err := when.Parse(text, now, loc)
	if err != nil {
		return err
	}
	utc := apiv1.Time{Time: m.Time.UTC()}
	switch {
	case a.JSON.Given:
		return a.PrintJSON(understood{
			Input: text, UTC: utc, Local: when.Format(m.Time), Zone: m.Time.Location().String(),
			Unix: m.Time.Unix(), Relative: when.Relative(m.Time, now), Note: m.Note,
		})
	case a.OutTerminal && !a.Quiet:
		result := m.Echo(now, loc) + "\n"
		if m.Note != "" {
			result += "note: " + m.Note + "\n"
		}
		return a.Write([]byte(result))
	}
	a.EchoTime(m, now, loc)
	return a.Write([]byte(utc.String() + "\n"))
}
