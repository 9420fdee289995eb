package post

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/series"
)

type resultsOptions struct {
	*cli.App
	week, month       bool
	after, before     string
	accounts, labels  []string
	platform, series  string
	removed           bool
	by, sort          string
	file, format      string
	limit             cli.ListLimit
	when              cli.WhenFlags
	windowed, partial bool // the window was chosen here; there are more targets
}

// NewResults returns the command results.
func NewResults(a *cli.App) *cobra.Command {
	o := &resultsOptions{App: a}
	cmd := cli.DeclareJSON[apiv1.AnalyticsRow](&cobra.Command{
		Use:   "results [POST]",
		Short: "Show what became of published posts",
		Long: `Show the numbers that networks report about published posts, and whether they still have
them: of one post, or of the latest ones. Published posts are read at fixed ages: 15
minutes, 1, 3, 6 and 12 hours, and 1, 2, 3, 5, 7, 14 and 30 days. This command only shows
what was read.

On a terminal, "–" means that the network does not give the number, "~" that it is an
estimate, and "✗" that the network no longer has the post. GROWTH shows the engagements
of all readings: reactions, reposts, quotes, replies and saves. The last line says how
many targets have no numbers, and why.

--sort and --by need a window; without one it is the last 30 days. --by groups the
targets, with the median of each number, because a mean says little after one lucky post.
Groups with fewer than 5 posts are marked with "?".

Without a terminal there is a line for each published target: its id, the account, the
status, the views, reactions, replies, reposts, quotes, saves, clicks and engagements,
the engagements for each view, the time of the reading and of the next one, the time
at which the network was first found not to have the post any longer, why there are no
new numbers, the id of the post, the time of the publication and the start of the text.
A number that is not given is empty. With --by, a line has the group, the numbers of
posts and targets, and for engagements, views and the rate how many targets give it, the
sum and the median.

--export writes all selected targets with a header, times in UTC and raw numbers. In CSV,
a text that a spreadsheet would read as a formula gets a ' in front.`,
		Example: `  schedctl results
  schedctl results post_01KAK3R9ZC4VBX1D2E3F4G5H6J
  schedctl results --week --sort engagements
  schedctl results --month --by weekday --account blog
  schedctl results --removed
  schedctl results --after 2026-01-01 --export results.csv
  schedctl results post_01KAK3R9ZC4VBX1D2E3F4G5H6J --json=totals`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 0:
				cli.DeclareJSON[apiv1.PostResults](cmd)
			case o.by != "":
				cli.DeclareJSON[apiv1.ResultsGroup](cmd)
			case o.file != "":
				cli.DeclareJSON[exportedResults](cmd)
			}
			return cli.Args(0, 1, "at most one post")(cmd, args)
		},
		ValidArgsFunction: CompletePost(a),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd, args) },
	})
	o.addFlags(cmd)
	cmd.AddCommand(newResultsRefresh(a), newResultsReport(a))
	return cmd
}

// resultsSorts are the values of --sort and the orders of the API.
var resultsSorts = []struct {
	name string
	sort apiv1.ResultsSort
}{
	{"time", apiv1.ResultsByTime}, {"engagements", apiv1.ResultsByEngagements}, {"views", apiv1.ResultsByViews}, {"reactions", apiv1.ResultsByReactions},
	{"replies", apiv1.ResultsByReplies}, {"clicks", apiv1.ResultsByClicks}, {"rate", apiv1.ResultsByRate}, {"removed", apiv1.ResultsByRemoval},
}

func resultsSortNames() (names []string) {
	for _, s := range resultsSorts {
		names = append(names, s.name)
	}
	return names
}

func (o *resultsOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.week, "week", false, "posts published in the last 7 days")
	f.BoolVar(&o.month, "month", false, "posts published in the last 30 days")
	f.StringVar(&o.after, "after", "", "only posts published at or after this `time`; a day alone means its start")
	f.StringVar(&o.before, "before", "", "only posts published before this `time`")
	account.AddFilter(o.App, cmd, &o.accounts)
	f.StringVar(&o.platform, "platform", "", "only posts on the network with this `name`, such as mastodon")
	f.StringArrayVar(&o.labels, "label", nil, "only posts with this label `text` (repeatable: posts with all of the labels)")
	f.StringVar(&o.series, "series", "", "only the occurrences of this `series`: its name or its id")
	f.BoolVar(&o.removed, "removed", false, "only posts that their network no longer has")
	f.StringVar(&o.by, "by", "", "group by a `choice` of account, platform, label, series, queue, weekday, hour, media")
	f.StringVar(&o.sort, "sort", "", "the `order`: time, engagements, views, reactions, replies, clicks, rate or removed")
	o.limit.Add(cmd, "posts on accounts")
	f.StringVar(&o.file, "export", "", "write the targets to this `file`")
	f.StringVar(&o.format, "format", "", "the `format` of --export: csv or jsonl; by default that of the file name, else csv")
	o.when.AddZone(cmd)
	cmd.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(cli.Strings(apiv1.ResultsGroupings()), cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("sort", cobra.FixedCompletions(resultsSortNames(), cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(resultsFormats, cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("series", series.All.CompleteFlag(o.App))
	cmd.RegisterFlagCompletionFunc("export", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveDefault
	})
}

func (o *resultsOptions) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	if len(args) > 0 {
		for _, name := range []string{"week", "month", "after", "before", "account", "platform", "label", "series", "removed", "by", "sort", "limit", "export", "format"} {
			if cmd.Flag(name).Changed {
				return cli.UsageError("--%s selects among posts; leave it out, or leave out %s", name, args[0])
			}
		}
		return o.showPost(ctx, args[0])
	}
	q, err := o.query()
	if err != nil {
		return err
	}
	c, err := o.Connect()
	if err != nil {
		return err
	}
	if q.Accounts, err = account.FilterIDs(ctx, o.App, c, o.accounts); err != nil {
		return err
	}
	if q.SeriesID, err = series.All.FlagID(ctx, o.App, c, o.series); err != nil {
		return err
	}
	switch {
	case len(o.accounts) > 0 && len(q.Accounts) == 0: // an empty group
		return o.print(nil)
	case o.by != "":
		return o.summarize(ctx, c, q)
	case o.file != "":
		return o.export(ctx, c, q)
	}
	most := o.limit.Max(o.App, false)
	q.Limit = min(most, PageSize)
	rows, more, err := cli.Collect(c.EachResult(ctx, q), most)
	if err != nil {
		return err
	}
	o.partial = more
	return o.print(rows)
}

// query checks the flags and returns the query that they describe, without the accounts and the
// series.
func (o *resultsOptions) query() (q client.ResultsQuery, err error) {
	if err := o.check(); err != nil {
		return q, err
	}
	q = client.ResultsQuery{Platform: o.platform, Labels: o.labels, Limit: PageSize}
	if q.After, err = o.when.ParseBound(o.App, "at", o.after); err != nil {
		return q, err
	}
	if q.Before, err = o.when.ParseBound(o.App, "at", o.before); err != nil {
		return q, err
	}
	if o.removed {
		q.Removed = new(true)
	}
	for _, s := range resultsSorts {
		if s.name == o.sort {
			q.Sort = s.sort
		}
	}
	const day = 24 * time.Hour
	sorted := o.by != "" || q.Sort != "" && q.Sort != apiv1.ResultsByTime
	switch {
	case o.week:
		q.After = o.Now().Add(-7 * day)
	case o.month:
		q.After = o.Now().Add(-30 * day)
	case sorted && q.After.IsZero():
		until := q.Before
		if until.IsZero() {
			until = o.Now()
		}
		q.After, o.windowed = until.Add(-30*day), true
	}
	return q, nil
}

func (o *resultsOptions) check() error {
	if err := o.limit.Check(); err != nil {
		return err
	}
	if err := checkLabels("--label", o.labels); err != nil {
		return err
	}
	groupings := cli.Strings(apiv1.ResultsGroupings())
	switch {
	case o.week && o.month:
		return cli.UsageError("--week and --month exclude each other")
	case (o.week || o.month) && (o.after != "" || o.before != ""):
		return cli.UsageError("--week and --month are windows of their own; leave out --after and --before")
	case o.by != "" && !slices.Contains(groupings, o.by):
		return cli.UnknownValueError("--by", o.by, groupings)
	case o.sort != "" && !slices.Contains(resultsSortNames(), o.sort):
		return cli.UnknownValueError("--sort", o.sort, resultsSortNames())
	case o.by != "" && (o.sort != "" || o.removed || o.file != ""):
		return cli.UsageError("--by groups targets; leave out --sort, --removed and --export")
	case o.format != "" && o.file == "":
		return cli.UsageError("--format is for --export")
	case o.format != "" && !slices.Contains(resultsFormats, o.format):
		return cli.UnknownValueError("--format", o.format, resultsFormats)
	}
	return nil
}

// showPost shows the targets of one post.
func (o *resultsOptions) showPost(ctx context.Context, id string) error {
	c, id, err := connectOne(ctx, o.App, id)
	if err != nil {
		return err
	}
	if o.JSON.Given {
		found, err := c.PostResults(ctx, id)
		if err != nil {
			return refusedPost(id, err)
		}
		return o.PrintJSON(found)
	}
	found, err := c.PostAnalytics(ctx, id)
	switch {
	case err != nil:
		return refusedPost(id, err)
	case len(found.Targets) == 0 && !o.Quiet:
		o.Messagef("no target of this post is published")
		return nil
	}
	return o.printRows(found.Targets, true)
}
