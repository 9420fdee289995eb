package post

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/queue"
	"github.com/schedctl/schedctl/cmd/schedctl/series"
)

// FilterFlags are the flags that select posts.
type FilterFlags struct {
	app                      *cli.App
	statuses, labels         []string
	labelFlag                string // the flag of labels; empty for --label
	accounts                 []string
	after, before, search    string
	externalID, collection   string // defined by post list alone
	queue, series, createdBy string // defined by post list alone
	archived                 string // "only", "all", or empty; the flag is defined by post list and post export
	when                     cli.WhenFlags
}

// onlyArchived is the value of --archived that selects archived posts only.
const onlyArchived = "only"

// AddArchived defines --archived.
func (o *FilterFlags) AddArchived(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.archived, "archived", "", "archived posts instead of the others; the `selection` all has both")
	cmd.Flag("archived").NoOptDefVal = onlyArchived
}

// filterFlagNames are the names of the flags.
var filterFlagNames = []string{"status", "account", "label", "after", "before", "search"}

// Add defines the flags.
func (o *FilterFlags) Add(a *cli.App, cmd *cobra.Command) {
	o.addSelection(a, cmd)
	o.when.AddZone(cmd)
}

// addSelection defines the flags without --tz, for commands that already have it.
func (o *FilterFlags) addSelection(a *cli.App, cmd *cobra.Command) {
	o.app = a
	f := cmd.Flags()
	f.StringArrayVar(&o.labels, "label", nil, "only posts with this label `text` (repeatable: posts with all of the labels)")
	f.StringArrayVar(&o.statuses, "status", nil, "only this `status` (repeatable): draft, scheduled, publishing, published, failed, canceled")
	account.AddFilter(a, cmd, &o.accounts)
	f.StringVar(&o.after, "after", "", "only posts at or after this `time`; a day alone means its start")
	f.StringVar(&o.before, "before", "", "only posts before this `time`")
	f.StringVar(&o.search, "search", "", "only posts that contain this `text`, ignoring case; at most 200 characters")
	cmd.RegisterFlagCompletionFunc("status", cobra.FixedCompletions(statusNames(), cobra.ShellCompDirectiveNoFileComp))
}

func statusNames() []string { return cli.Strings(schedctl.Statuses()) }

// Query returns the query that the flags describe. Resolve adds the account.
func (o *FilterFlags) Query(a *cli.App) (q client.PostQuery, err error) {
	q = client.PostQuery{Search: o.search, Labels: o.labels, ExternalID: o.externalID, Collection: o.collection, Limit: PageSize}
	switch o.archived {
	case "", onlyArchived:
		q.Archived = map[string]string{onlyArchived: "true"}[o.archived]
	case "all":
		q.Archived = o.archived
	default:
		return q, cli.UnknownValueError("--archived", o.archived, []string{onlyArchived, "all"})
	}
	if err := checkLabels(cli.FirstNonEmpty(o.labelFlag, "--label"), o.labels); err != nil {
		return q, err
	}
	if n := utf8.RuneCountInString(o.search); n > schedctl.MaxSearch {
		return q, cli.UsageError("--search has %d characters; the limit is %d", n, schedctl.MaxSearch)
	}
	for _, list := range o.statuses {
		for _, s := range strings.Split(list, ",") {
			if !slices.Contains(statusNames(), s) {
				return q, cli.UnknownValueError("--status", s, statusNames())
			}
			q.Statuses = append(q.Statuses, schedctl.Status(s))
		}
	}
	if q.After, err = o.when.ParseBound(a, "at", o.after); err != nil {
		return q, err
	}
	q.Before, err = o.when.ParseBound(a, "at", o.before)
	return q, err
}

// Resolve adds --account, --queue, --series and --created-by to the query.
func (o *FilterFlags) Resolve(ctx context.Context, c *client.Client, q *client.PostQuery) (err error) {
	if q.Accounts, err = account.FilterIDs(ctx, o.app, c, o.accounts); err != nil {
		return err
	}
	if q.QueueID, err = queue.Queues.FlagID(ctx, o.app, c, o.queue); err != nil {
		return err
	}
	if q.SeriesID, err = series.All.FlagID(ctx, o.app, c, o.series); err != nil {
		return err
	}
	q.CreatedBy, err = cli.APIKeyID(ctx, c, o.createdBy)
	return err
}

// Given reports whether a flag selects some of the posts.
func (o *FilterFlags) Given() bool {
	return o.statuses != nil || o.labels != nil || o.accounts != nil || o.after != "" || o.before != "" || o.search != ""
}
