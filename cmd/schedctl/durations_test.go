package main

import (
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// eachDurationFlag calls f with every flag of the program that takes a duration.
func eachDurationFlag(t *testing.T, f func(name string, flag *pflag.Flag)) {
	t.Helper()
	seen := 0
	walk(tree(t), func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(flag *pflag.Flag) {
			if named, _ := pflag.UnquoteUsage(flag); named == "duration" && flag.Name != "expires" {
				seen++
				f(cmd.CommandPath()+" --"+flag.Name, flag)
			}
		})
	})
	if seen < 10 {
		t.Errorf("only %d flags take a duration", seen)
	}
}

// Every flag that takes a duration reads and refuses the same texts. Those that are added to
// a time keep the time of day over days, weeks and months, also when clocks change.
func TestDurationFlags(t *testing.T) {
	t.Parallel()
	calendar := map[string]bool{"in": true, "shift": true, "for": true}
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	evening := time.Date(2027, 3, 27, 12, 0, 0, 0, berlin) // clocks change in the night
	eachDurationFlag(t, func(name string, flag *pflag.Flag) {
		for _, text := range []string{"90s", "1h30", "1.5h", "2h30m", "two hours", "1d", "2w", "1 day, 2 hrs"} {
			if err := flag.Value.Set(text); err != nil {
				t.Errorf("%s %q: %v", name, text, err)
			}
		}
		for _, text := range []string{"", "90", "soon", "2x", "1.5d", "1,5h", "2m3h", strings.Repeat("9", 30) + "s"} {
			if err := flag.Value.Set(text); err == nil {
				t.Errorf("%s accepts %q", name, text)
			}
		}
		span, isSpan := flag.Value.(*cli.SpanFlag)
		if _, isDuration := flag.Value.(*cli.DurationFlag); !isSpan && !isDuration {
			t.Errorf("%s is a %T", name, flag.Value)
		}
		if isSpan != calendar[flag.Name] {
			t.Errorf("%s: a flag that is added to a time is a SpanFlag, and others are not", name)
		}
		if !isSpan {
			return
		}
		for text, want := range map[string]string{
			"1d": "2027-03-28T12:00:00+02:00", "24h": "2027-03-28T13:00:00+02:00", "1w": "2027-04-03T12:00:00+02:00", "1 month": "2027-04-27T12:00:00+02:00", "1mo": "2027-04-27T12:00:00+02:00",
		} {
			if err := span.Set(text); err != nil {
				t.Errorf("%s %s: %v", name, text, err)
			} else if got := span.From(evening).Time.Format(time.RFC3339); got != want {
				t.Errorf("%s %s: %s, want %s", name, text, got, want)
			}
			if again, err := when.ParseSpan(span.String()); err != nil || again != span.Span {
				t.Errorf("%s %s is shown as %q, which is read as %v: %v", name, text, span, again, err)
			}
		}
	})
}
