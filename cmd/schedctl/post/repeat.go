package post

import (
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/repeat"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// repeatHelp explains --repeat.
const repeatHelp = `--repeat takes words, such as "daily at 9:00", "every 2 weeks on mon at 9am from next
monday", "weekly on tue,thu at 9:00 until 2027-06-30" or "monthly on the last day at
18:00, 10 times", or an RRULE with a time of day: "FREQ=MONTHLY;BYDAY=2TU at 9:00".
Times are local times in the zone of --tz, also after a clock change. The parsed rule
and its next ten times are printed on standard error.`

// repeatFlags are the flags that make a series of a post.
type repeatFlags struct {
	text, name string
	variants   []string
	skip       []string
	noSkip     bool
	ahead      int
	aheadFlag  *pflag.Flag
	nameFlag   string // the flag of the name, for messages

	parsed repeat.Repetition // by read
	zone   string
	loc    *time.Location
}

// add defines --repeat, and the name of the series as the given flag.
func (r *repeatFlags) add(cmd *cobra.Command, nameFlag string) {
	r.nameFlag = nameFlag
	cmd.Flags().StringVar(&r.text, "repeat", "", "a `repetition`, such as \"weekly on tue,thu at 9:00\", or an RRULE (see: schedctl time --help)")
	cmd.Flags().StringVar(&r.name, nameFlag, "", "a `name` for the series; without it, the first words of the text")
	cmd.RegisterFlagCompletionFunc("repeat", cobra.FixedCompletions([]string{
		"daily at 9:00", "weekdays at 9:00", "weekly on tue,thu at 9:00", "every 2 weeks on mon at 9:00", "monthly on the 1st at 9:00", "monthly on the last day at 18:00",
	}, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveKeepOrder))
}

// addSettings defines the flags that only a series has.
func (r *repeatFlags) addSettings(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&r.variants, "variant", nil, "a `text` that replaces the text of the series; several take turns (repeatable)")
	cmd.Flags().StringArrayVar(&r.skip, "skip", nil, "skip an `occurrence`, as its local time, such as 2028-01-04T09:00 (repeatable)")
	cmd.RegisterFlagCompletionFunc("skip", cobra.NoFileCompletions)
	cmd.Flags().IntVar(&r.ahead, "ahead-days", 0, "how many `days` before its time a post is made: 1 to 60; the default is 14")
	r.aheadFlag = cmd.Flag("ahead-days")
	r.aheadFlag.DefValue = "0" // which help does not show
}

// aheadDays returns the value of --ahead-days, or nil if it is not given.
func (r *repeatFlags) aheadDays() (*int, error) {
	switch {
	case r.aheadFlag == nil || !r.aheadFlag.Changed:
		return nil, nil
	case r.ahead < 1 || r.ahead > schedctl.MaxAheadDays:
		return nil, cli.UsageError("--ahead-days %d: give 1 to %d", r.ahead, schedctl.MaxAheadDays)
	}
	return &r.ahead, nil
}

// skipped returns the occurrences of --skip for the API: nil without the flag, and empty with
// --no-skip.
func (r *repeatFlags) skipped() ([]string, error) {
	if r.noSkip {
		return []string{}, nil
	}
	var list []string
	for _, text := range r.skip {
		at, err := schedctl.ParseLocalTime("", strings.Replace(text, " ", "T", 1))
		if err != nil {
			return nil, cli.UsageError("--skip %q: write the local time of an occurrence, such as 2028-01-04T09:00", cli.Clip(cli.OneLine(text), 40))
		}
		list = append(list, string(at))
	}
	return list, nil
}

func (r *repeatFlags) given() bool { return r.text != "" }

// read parses --repeat and prints how it is understood. The first occurrence is after now.
func (r *repeatFlags) read(a *cli.App, flags *cli.WhenFlags, now time.Time) (err error) {
	if r.loc, err = flags.Zone(a); err != nil {
		return err
	}
	if r.zone, err = a.ZoneName(r.loc); err != nil {
		return err
	}
	if r.parsed, err = repeat.Parse(r.text, now, r.loc); err != nil {
		return err
	}
	echoRepetition(a, r.parsed, r.zone, r.loc)
	return nil
}

// first returns the instant of the first occurrence.
func (r *repeatFlags) first() time.Time {
	for _, local := range r.parsed.Rule.Next("", 1) {
		at, _ := local.In(r.loc)
		return at
	}
	at, _ := r.parsed.Start.In(r.loc)
	return at
}

// maxDerivedName is the maximum length of a name that is made of a text.
const maxDerivedName = 60

// seriesName returns the name of the series: that of the flag, or the first words of a text.
func (r *repeatFlags) seriesName(texts ...string) (string, error) {
	if r.name != "" {
		return r.name, nil
	}
	for _, text := range texts {
		line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
		if name := strings.TrimSpace(cli.Clip(cli.OneLine(line), maxDerivedName)); name != "" {
			return name, nil
		}
	}
	return "", cli.UsageError("a series without a text needs a name").WithHint("give it with --" + r.nameFlag)
}

// key describes the flags, for the idempotency key of a command in a CI job.
func (r *repeatFlags) key() (parts []string) {
	if r.given() {
		parts = append([]string{"repeat", r.text, r.name}, labeledParts("variant", r.variants)...)
		parts = append(parts, labeledParts("skip", r.skip)...)
	}
	return parts
}

// shownOccurrences is how many times of a rule are printed.
const shownOccurrences = 10

// nextOccurrences returns the first occurrences of a repetition.
func nextOccurrences(r repeat.Repetition, loc *time.Location) []apiv1.PreviewedOccurrence {
	return cli.Map(r.Rule.Next("", shownOccurrences), func(local schedctl.LocalTime) apiv1.PreviewedOccurrence {
		at, note := local.In(loc)
		return apiv1.PreviewedOccurrence{Occurrence: string(local), At: apiv1.Time{Time: at.UTC()}, Note: note}
	})
}

// echoRepetition prints how a repetition is understood on standard error: in words, as
// an RRULE, and with its next ten times.
func echoRepetition(a *cli.App, r repeat.Repetition, zone string, loc *time.Location) {
	a.Messagef("repeats %s (%s)", repeat.Words(&r.Rule, r.Start), zone)
	a.Messagef("rule %s", r.Rule.String())
	for _, line := range occurrenceLines(a, r, loc) {
		a.Messagef("  %s", line)
	}
	for _, hint := range r.Hints {
		a.Messagef("note: %s", hint)
	}
}

// occurrenceLines describes the next ten times of a repetition, with notes about clock
// changes.
func occurrenceLines(a *cli.App, r repeat.Repetition, loc *time.Location) (lines []string) {
	for _, o := range nextOccurrences(r, loc) {
		line := when.FormatFor(o.At.In(loc), a.Local) + ", " + when.Relative(o.At.Time, a.Now())
		switch o.Note {
		case schedctl.LocalSkipped:
			line += " (clocks skip " + o.Occurrence[len("2006-01-02T"):] + " on that day: first instant after the gap)"
		case schedctl.LocalRepeated:
			line += " (happens twice on that day: the first)"
		}
		lines = append(lines, line)
	}
	return lines
}
