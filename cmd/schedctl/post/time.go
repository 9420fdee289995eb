package post

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/repeat"
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

// understoodRepetition is the --json output for a parsed repetition.
type understoodRepetition struct {
	Input    string                      `json:"input"`
	Words    string                      `json:"words"`
	Rule     string                      `json:"rule"`
	Start    string                      `json:"start"`
	Timezone string                      `json:"timezone"`
	Results  []apiv1.PreviewedOccurrence `json:"results"`
	Hints    []string                    `json:"hints"`
}

func NewTime(a *cli.App) *cobra.Command {
	var flags cli.WhenFlags
	var repetition string
	cmd := cli.DeclareJSON[understood](&cobra.Command{
		Use:   "time EXPR",
		Short: "Show how a time is understood",
		Long:  timeHelp,
		Example: `  schedctl time "tomorrow 9am"
  schedctl time "2026-12-08 09:00 America/New_York" --tz Europe/Berlin
  schedctl time --repeat "weekly on tue,thu at 9:00 until 2027-06-30" --tz Europe/Berlin
  date -d "$(schedctl time 'next monday 9am')"`,
		Args: func(cmd *cobra.Command, args []string) error {
			if repetition == "" {
				return cli.Args(1, cli.Unlimited, "a time")(cmd, args)
			}
			cli.DeclareJSON[understoodRepetition](cmd)
			if len(args) > 0 {
				return cli.UsageError("--repeat and a time exclude each other").WithHint("put quotes around the repetition")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if repetition != "" {
				return showRepetition(a, repetition, flags)
			}
			return showTime(a, strings.Join(args, " "), flags)
		},
	})
	cmd.Flags().StringVar(&repetition, "repeat", "", "show a `repetition` instead, such as \"weekly on tue,thu at 9:00\", or an RRULE")
	flags.AddZone(cmd)
	return cmd
}

// timeHelp lists the forms of times and repetitions.
const timeHelp = `Show how --at understands a time. The whole text must be one of these forms.

  2026-12-08T09:00:00Z              RFC 3339, with any offset
  2026-12-08 09:00, 2026-12-08 9am  a date and a time of day
  2026/12/24 9am, 24.12.2026 18:00  other dates, if they can mean one day only
  today 5pm, 9:30 tomorrow          a day and a time of day, in any order
  tonight at 8, tomorrow morning    "tonight" alone is 20:00; a morning is 9:00, an
                                    afternoon 14:00, an evening 19:00
  friday noon, this friday 9am      the first such day from today
  next monday 21:00                 the first such day after today
  monday next week 9am              a day of the next week, which starts on Monday
  Mar 10 9am, 10 March 2027 9am     the next such day if there is no year
  Fri 27 Nov 2026 09:00 CET         as times are printed; the weekday has to match
  the 5th at 9am, 24.12. 18:00      the next such day
  first monday of december 9am, last friday of the month 10:00
  in 3 days at 9am, a week from friday 9am, in 2 weeks on monday 9am
  9am, 21:00, 9.30pm, 1430, noon    the next such time; "eod" is 17:00
  in 2h, +2h30m, in 1.5 hours       from now
  in 2 weeks, 1 month from now      from now; keeps the time of day
  yesterday 9am, 2h ago, -2h30m     the past, for flags such as --after of post list;
                                    there, a day alone means the start of that day
  @1796720400                       Unix seconds

An hour alone after a day is on the 24-hour clock: "friday 9" is 09:00. A time zone may
follow: its name, its city, a country that has one zone, an abbreviation or an offset
("tomorrow 9am Berlin", "9am India", "9am ET", "9am +05:30"). EST, PST and so on are the
zones with their daylight saving time. An abbreviation that the local zone uses means the
local zone; others that several zones have, such as CST, are refused. If a clock
change skips a time of day, the first instant after the gap is used. If a time of
day occurs twice, the first one is used. A note on standard error says so.

If the text names no time zone, --tz decides, and then the local time zone
(environment variable TZ). An unknown TZ refuses local times. The program has its own
copy of the time zones. The parsed time is printed on standard error: in its own zone, in
the local zone, in UTC, and relative to now. A post refuses a time in the past (exit
status 5). A time that cannot be read or could mean two things is always refused (exit
status 2).

A duration, for --in and --timeout, is 90s, 2h30m, 1h30, 1.5h, 1d or 2w. Days, weeks and
months that are added to a time, with --in, --shift and "pause --for", keep the time of
day when clocks change; hours and minutes are elapsed time.

With --repeat the command shows how a repetition is understood, and its next ten times.
The whole text must be one of these forms.

  daily at 9:00                              every 3 days at noon
  weekdays at 8:30                           weekends at 10:00
  weekly on tue,thu at 9:00                  every 2 weeks on mon at 9am
  every tuesday and friday at 9:00 and 18:00
  monthly on the 15th at 9:00                monthly on the last day at 18:00
  every monday 9am, mondays at 9             every 2nd tuesday 9am (every other one)
  monthly on the 2nd tuesday at 9:00         monthly on the last weekday at 17:00
  first monday of the month at 9             quarterly on the 1st at 9:00
  yearly on dec 24 at 10:00                  every 3 months on the 1st at 9:00
  FREQ=MONTHLY;BYDAY=MO;BYSETPOS=2 at 9:00   an RRULE of RFC 5545
  0 9 * * 1-5                                a cron expression that a rule can express

Then "from 2027-01-01", "until 2027-06-30" or "10 times" may follow, in any order. At
most four times a day are possible. Days that a month does not have are left out, and a
note says so. Without a terminal there is a line for each time: the time in UTC, the
local time, and "skipped" or "repeated" if clocks change then.`

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
			Input: text, UTC: utc, Local: when.FormatFor(m.Time, a.Local), Zone: m.Time.Location().String(),
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

// showRepetition shows how --repeat understands a text.
func showRepetition(a *cli.App, text string, flags cli.WhenFlags) error {
	loc, err := flags.Zone(a)
	if err != nil {
		return err
	}
	r, err := repeat.Parse(text, a.Now(), loc)
	if err != nil {
		return err
	}
	zone := loc.String()
	if name, err := a.ZoneName(loc); err == nil {
		zone = name
	}
	times := nextOccurrences(r, loc)
	switch {
	case a.JSON.Given:
		return a.PrintJSON(understoodRepetition{
			Input: text, Words: repeat.Words(&r.Rule, r.Start), Rule: r.Rule.String(), Start: string(r.Start), Timezone: zone,
			Results: times, Hints: append([]string{}, r.Hints...),
		})
	case a.OutTerminal && !a.Quiet:
		result := "repeats " + repeat.Words(&r.Rule, r.Start) + " (" + zone + ")\nrule " + r.Rule.String() + "\n"
		for _, line := range occurrenceLines(a, r, loc) {
			result += "  " + line + "\n"
		}
		for _, hint := range r.Hints {
			result += "note: " + hint + "\n"
		}
		return a.Write([]byte(result))
	}
	a.Messagef("repeats %s (%s)", repeat.Words(&r.Rule, r.Start), zone)
	a.Messagef("rule %s", r.Rule.String())
	for _, hint := range r.Hints {
		a.Messagef("note: %s", hint)
	}
	if a.Quiet {
		return a.PrintIDs(cli.Map(times, func(o apiv1.PreviewedOccurrence) string { return o.At.String() })...)
	}
	rows := cli.Map(times, func(o apiv1.PreviewedOccurrence) []string {
		return []string{o.At.String(), o.Occurrence, string(o.Note)}
	})
	return a.Write(a.RenderTable(cli.Table{Rows: rows, Status: -1}))
}
