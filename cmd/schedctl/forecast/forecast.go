// Package forecast is the command forecast.
package forecast

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// The days that a forecast looks ahead.
const (
	defaultDays = 21
	maxDays     = 366
)

type options struct {
	*cli.App
	days int
}

// New returns the command forecast.
func New(a *cli.App) *cobra.Command {
	o := &options{App: a}
	cmd := cli.DeclareJSON[apiv1.ForecastEntry](&cobra.Command{
		Use:   "forecast",
		Short: "Show what will fail or be late if no one acts",
		Long: `Show what is wrong with the posts of the next days, before it makes them fail or be late:

  account removed    the account is disconnected
  account error      the network refuses the account
  account waits      the account waits, for its network or for a rate limit
  token ends         the credentials end before the post
  approval missing   the post, or the series, waits for an approval
  refused            the network does not accept the text or the files
  blackout           the post is in a blackout
  paused             the post is in a pause
  rate limit         the network accepts no more posts on that day
  duplicate          the account gets the same text twice within a day
  clock change       clocks skip this time, or show it twice
  key revoked        the API key that made the post is revoked

Each entry ends with the command that fixes it. No network is contacted, and nothing is
changed. Entries that concern several posts are shown at the time of the first one.

The exit status is 9 when there are entries, else 0. In a pipe or a file there is a line
for each entry: the time, the kind, the account, the ids of the posts separated by
spaces, the message and the command. With --quiet there are only the ids of the posts.`,
		Example: `  schedctl forecast
  schedctl forecast --days 7
  schedctl forecast --jq '.[] | .command'
  schedctl forecast --days 1 --quiet`,
		Args: cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	})
	cmd.Flags().IntVar(&o.days, "days", defaultDays, fmt.Sprintf("how many `days` ahead to look, 1 to %d", maxDays))
	return cmd
}

func (o *options) run(ctx context.Context) error {
	if o.days < 1 || o.days > maxDays {
		return cli.UsageError("--days is %d", o.days).WithHint(fmt.Sprintf("use 1 to %d", maxDays))
	}
	c, err := o.Connect()
	if err != nil {
		return err
	}
	found, err := c.Forecast(ctx, o.days)
	if err != nil {
		return err
	}
	if err := o.print(found.Results); err != nil {
		return err
	}
	period := "day"
	if o.days > 1 {
		period = cli.Plural(o.days, "day")
	}
	n := len(found.Results)
	switch {
	case n > 0 && found.Truncated:
		o.Messagef("not everything was checked or is shown: posts up to %s were checked", o.TimeText(found.Until))
	case found.Truncated:
		o.Messagef("%s", NothingUntil(o.App, found.Until))
	case n == 0 && !o.Quiet && !o.JSON.Given:
		o.Messagef("nothing will fail or be late in the next %s", period)
	}
	if n > 0 {
		return &cli.Failure{Status: cli.ExitFailed, Code: cli.CodeFailed, Message: fmt.Sprintf("%s to fix in the next %s", cli.Plural(n, "thing"), period)}
	}
	return nil
}

// NothingUntil says that a forecast without entries did not check everything.
func NothingUntil(a *cli.App, until *apiv1.Time) string {
	return fmt.Sprintf("nothing that was checked will fail or be late until %s; later posts were not checked", a.TimeText(until))
}

func (o *options) print(list []apiv1.ForecastEntry) error {
	switch {
	case o.JSON.Given:
		return o.PrintJSON(list)
	case o.Quiet:
		return o.PrintIDs(postIDs(list)...)
	case o.OutTerminal:
		return o.printDays(list)
	}
	var b bytes.Buffer
	for _, e := range list {
		fields := []string{e.At.String(), string(e.Kind), cli.Deref(e.SocialAccountID), strings.Join(e.PostIDs, " "), e.Message, e.Command}
		b.WriteString(strings.Join(cli.Map(fields, cli.OneLine), "\t") + "\n")
	}
	return o.Write(b.Bytes())
}

// printDays prints entries for people, under their days.
func (o *options) printDays(list []apiv1.ForecastEntry) error {
	var b bytes.Buffer
	last := ""
	for _, e := range list {
		at := e.At.In(o.Local)
		if day := cli.DayHeading(at, o.Now()); day != last {
			if last != "" {
				b.WriteByte('\n')
			}
			b.WriteString(o.Bold(day) + "\n")
			last = day
		}
		posts := strings.Join(e.PostIDs, " ")
		if e.PostCount > 1 {
			posts = cli.Plural(e.PostCount, "post")
		}
		fmt.Fprintf(&b, "  %s  %s  %s\n", at.Format("15:04"), o.Paint(color(e.Kind), kindText(e.Kind)), o.Dim(posts))
		for _, line := range wrapped(cli.OneLine(o.LocalTimes(e.Message)), o.Width-len(indent)) {
			b.WriteString(indent + line + "\n")
		}
		b.WriteString(indent + "→ " + o.Bold(cli.OneLine(e.Command)) + "\n")
	}
	return o.WriteList(b.Bytes())
}

// indent is what the lines of an entry start with, below its time.
const indent = "         "

// wrapped returns the lines of a text of so many columns. A longer word is a line.
func wrapped(text string, columns int) (lines []string) {
	line, used := "", 0
	for _, word := range strings.Fields(text) {
		width := cli.TextWidth(word)
		switch {
		case line == "":
			line, used = word, width
		case used+1+width <= columns:
			line, used = line+" "+word, used+1+width
		default:
			lines = append(lines, line)
			line, used = word, width
		}
	}
	return append(lines, line)
}

// kindText returns a kind in words.
func kindText(k apiv1.ForecastKind) string { return strings.ReplaceAll(string(k), "_", " ") }

// color returns the style of a kind: red if posts are not published, otherwise yellow.
func color(k apiv1.ForecastKind) string {
	failing := []apiv1.ForecastKind{
		apiv1.ForecastAccountRemoved, apiv1.ForecastAccountError, apiv1.ForecastTokenEnds, apiv1.ForecastApprovalMissing, apiv1.ForecastRefused,
	}
	if slices.Contains(failing, k) {
		return cli.StatusColors["fail"]
	}
	return cli.StatusColors["warn"]
}

// postIDs returns the ids of the posts of the entries, each once.
func postIDs(list []apiv1.ForecastEntry) (ids []string) {
	seen := map[string]bool{}
	for _, e := range list {
		for _, id := range e.PostIDs {
			if !seen[id] {
				seen[id] = true
				ids = append(ids, id)
			}
		}
	}
	return ids
}
