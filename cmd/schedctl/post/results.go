package post

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// NewResults returns the command results.
func NewResults(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[apiv1.PostResults](&cobra.Command{
		Use:   "results ID",
		Short: "Show what became of a published post",
		Long: `Show the numbers that networks report about a published post, and whether they still have
it. Published posts are read at fixed ages: 15 minutes, 1, 3, 6 and 12 hours, and 1, 2,
3, 5, 7, 14 and 30 days. This command only shows what was read.

On a terminal, "–" means that the network does not give the number. GROWTH shows the
engagements of all readings. They are reactions, reposts, quotes, replies and saves.

Without a terminal there is a line for each published target: its id, the account, the
status, the views, reactions, replies, reposts, quotes, saves, clicks and engagements,
the engagements for each view, the time of the reading and of the next one, and the time
at which the network was first found not to have the post any longer. A number that is
not given is empty.`,
		Example: `  schedctl results post_01KAK3R9ZC4VBX1D2E3F4G5H6J
  schedctl results post_01KAK3R9ZC4VBX1D2E3F4G5H6J --json=totals`,
		Args:              cli.Args(1, 1, "the id of a post"),
		ValidArgsFunction: CompletePost(a),
		RunE:              func(cmd *cobra.Command, args []string) error { return showResults(cmd.Context(), a, args[0]) },
	})
}

func showResults(ctx context.Context, a *cli.App, id string) error {
	c, id, err := connectOne(ctx, a, id)
	if err != nil {
		return err
	}
	found, err := c.PostResults(ctx, id)
	switch {
	case err != nil:
		return refusedPost(id, err)
	case a.JSON.Given:
		return a.PrintJSON(found)
	case a.Quiet:
		return a.PrintIDs(cli.Map(found.Targets, func(t apiv1.TargetResults) string { return t.TargetID })...)
	case len(found.Targets) == 0:
		a.Messagef("no target of this post is published")
		return nil
	}
	names := AccountsByID(ctx, c)
	table := cli.Table{Status: -1}
	if a.OutTerminal {
		table.Header = []string{"ACCOUNT", "VIEWS", "REACTIONS", "REPLIES", "REPOSTS", "CLICKS", "RATE", "GROWTH"}
	}
	for i := range found.Targets {
		t := &found.Targets[i]
		if !a.OutTerminal {
			table.Rows = append(table.Rows, resultsFields(t, names))
			continue
		}
		table.Rows = append(table.Rows, resultsRow(t, names))
		table.Below = append(table.Below, readLine(a, t))
	}
	return a.Write(a.RenderTable(table))
}

// resultsFields returns the results of a target for programs.
func resultsFields(t *apiv1.TargetResults, names Accounts) []string {
	m, number := &t.Metrics, func(n *int64) string { return shownNumber(n, "") }
	return []string{
		t.TargetID, names.Name(t.SocialAccountID), string(t.Status), number(m.Views), number(m.Reactions), number(m.Replies), number(m.Reposts), number(m.Quotes),
		number(m.Saves), number(m.Clicks), number(t.Engagements), rate(t.EngagementRate, ""), instantText(t.LastRefreshAt), instantText(t.NextRefreshAt), instantText(t.RemovedAt),
	}
}

// notGiven is shown for a number that a network does not give.
const notGiven = "–"

func resultsRow(t *apiv1.TargetResults, names Accounts) []string {
	m, number := &t.Metrics, func(n *int64) string { return shownNumber(n, notGiven) }
	percent := notGiven
	if t.EngagementRate != nil {
		percent = strconv.FormatFloat(100**t.EngagementRate, 'f', 1, 64) + " %"
	}
	name := names.Name(t.SocialAccountID)
	if t.RemovedAt != nil {
		name += " (removed)"
	}
	return []string{name, number(m.Views), number(m.Reactions), number(m.Replies), number(m.Reposts), number(m.Clicks), percent, growth(t.Points)}
}

// readLine says when a target was read, and why it has no newer numbers.
func readLine(a *cli.App, t *apiv1.TargetResults) string {
	var parts []string
	if t.LastRefreshAt != nil {
		parts = append(parts, "read "+a.TimeText(t.LastRefreshAt))
	}
	if t.Status != apiv1.ResultsReady {
		parts = append(parts, t.StatusLabel)
	}
	if t.RemovedAt != nil {
		parts = append(parts, "missing since "+a.TimeText(t.RemovedAt))
	}
	return strings.Join(parts, " · ")
}

func shownNumber(n *int64, otherwise string) string {
	if n == nil {
		return otherwise
	}
	return strconv.FormatInt(*n, 10)
}

func rate(r *float64, otherwise string) string {
	if r == nil {
		return otherwise
	}
	return fmt.Sprint(*r)
}

// growth draws the engagements of readings, one sign for each.
func growth(points []apiv1.ResultPoint) string {
	var values []int64
	for i := range points {
		m := &points[i].Metrics
		var sum *int64
		for _, n := range []*int64{m.Reactions, m.Reposts, m.Quotes, m.Replies, m.Saves} {
			if n != nil {
				sum = new(*n + cli.Deref(sum))
			}
		}
		if sum != nil {
			values = append(values, *sum)
		}
	}
	if len(values) == 0 {
		return ""
	}
	signs := []rune("▁▂▃▄▅▆▇█")
	most := max(1, slices.Max(values))
	var b strings.Builder
	for _, v := range values {
		b.WriteRune(signs[max(0, v)*int64(len(signs)-1)/most])
	}
	return b.String()
}
