package post

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/queue"
	"github.com/schedctl/schedctl/cmd/schedctl/series"
)

type listOptions struct {
	*cli.App
	filter FilterFlags
	sort   string
	limit  cli.ListLimit
	all    bool
	open   bool // the default statuses: those of open posts
	group  string
}

// Sorts are the orders of a list.
var Sorts = []string{"publish_at", "-publish_at", "created_at", "-created_at"}

// openStatuses are the statuses of posts that are not finished.
var openStatuses = []schedctl.Status{schedctl.Draft, schedctl.Scheduled, schedctl.Publishing}

// PageSize is the largest page of the API.
const PageSize = 100

func newList(a *cli.App) *cobra.Command {
	o := &listOptions{App: a}
	cmd := cli.DeclareJSON[apiv1.Post](&cobra.Command{
		Use:   "list",
		Short: "List what will be published next, or other posts",
		Long: `List open posts: drafts, scheduled posts and posts that are being published. The next
post to be published comes first, and posts without a time come last. --status lists
finished posts, and --all posts of every status; these lists start with the newest
post. --sort changes the order. Archived posts are left out; --archived lists them.

On a terminal the list ends after 20 posts and shows how many more there are. In a
pipe or a file it is complete. --limit changes both. On a terminal, a post whose
outcome is unknown is shown as unconfirmed, and one that is paused as held.

--after includes the given time, --before excludes it; both compare the time at
which a post is published. With --group day each day has a heading on a terminal;
elsewhere the day is the first field of a line.`,
		Example: `  schedctl post list
  schedctl post list --account demo --after "today 0:00" --before "tomorrow 0:00"
  schedctl post list --account @brand --status scheduled --group day
  schedctl post list --status failed -q
  schedctl post list --archived --label launch
  schedctl post list --label launch --search "version 2"
  schedctl post list --external-id release-1.2.3 --json
  schedctl post list --queue main
  schedctl post list --series questions --all
  schedctl post list --created-by me --status draft
  schedctl post list --all --limit 50`,
		Args: cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	})
	o.filter.Add(a, cmd)
	f := cmd.Flags()
	f.StringVar(&o.sort, "sort", "", "the `order`: "+strings.Join(Sorts, ", "))
	f.StringVar(&o.filter.externalID, "external-id", "", "only the post with this external `id`, whatever its status")
	f.StringVar(&o.filter.collection, "collection", "", "only posts from the files of the collection with this `name`")
	o.filter.AddArchived(cmd)
	f.StringVar(&o.filter.queue, "queue", "", "only posts in slots of this `queue`: its name or its id")
	f.StringVar(&o.filter.series, "series", "", "only the occurrences of this `series`: its name or its id")
	f.StringVar(&o.filter.createdBy, "created-by", "", "only posts that this API `key` created: its id or name, or me")
	o.limit.Add(cmd, "posts")
	f.BoolVar(&o.all, "all", false, "posts of every status; without --limit, all of them")
	f.StringVar(&o.group, "group", "", "group the posts by `day`, in publishing order")
	cmd.RegisterFlagCompletionFunc("queue", queue.Queues.CompleteFlag(a))
	cmd.RegisterFlagCompletionFunc("created-by", cli.CompleteAPIKey(a))
	cmd.RegisterFlagCompletionFunc("series", series.All.CompleteFlag(a))
	cmd.RegisterFlagCompletionFunc("group", cobra.FixedCompletions([]string{groupByDay}, cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("sort", cobra.FixedCompletions(Sorts, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (o *listOptions) run(ctx context.Context) error {
	q, err := o.query()
	if err != nil {
		return err
	}
	c, err := o.Connect()
	if err != nil {
		return err
	}
	if err := o.filter.Resolve(ctx, c, &q); err != nil {
		return err
	}
	names, stop := namesAhead(ctx, o.App, c)
	defer stop()
	posts, more, err := o.collect(c.EachPost(ctx, q))
	if err != nil {
		return err
	}
	if o.group != "" && !o.JSON.Given && !o.Quiet {
		err = o.printDays(posts, names)
	} else {
		err = printNamed(o.App, posts, names)
	}
	if err != nil {
		return err
	}
	o.tellRest(posts, more, names)
	if len(posts) == 0 && o.open && q.Search != "" && !o.ErrTerminal && !o.Quiet {
		return o.tellFinished(ctx, c, q)
	}
	return nil
}

// tellFinished says that finished posts match a search that found no open one. Terminals
// always learn of --all.
func (o *listOptions) tellFinished(ctx context.Context, c *client.Client, q client.PostQuery) error {
	q.Statuses = nil
	if q.Sort == "publish_at" {
		q.Sort = ""
	}
	for _, err := range c.EachPost(ctx, q) {
		if err == nil {
			o.Messagef("no open post matches, but finished ones do; --all lists them too")
		}
		return err
	}
	return nil
}

// tellRest reports on a terminal how many posts the list does not show.
func (o *listOptions) tellRest(posts []apiv1.Post, more int, names func() Accounts) {
	if o.ErrTerminal && !o.Quiet && !o.JSON.Given {
		tellDoubts(o.App, posts, names)
	}
	switch {
	case more > maxCounted && o.OutTerminal:
		o.Messagef("more than %d more posts: give a higher --limit, or write the list to a file or a pipe", maxCounted)
	case more > 0 && o.OutTerminal:
		o.Messagef("%s: give --limit %d to see all", cli.Plural(more, "more post"), len(posts)+more)
	case len(posts) == 0 && o.open && o.ErrTerminal:
		o.Messagef("no open posts; --all lists finished and canceled ones too")
	case len(posts) == 0 && o.ErrTerminal:
		o.Messagef("no posts")
	}
}

// query returns the query that the flags describe.
func (o *listOptions) query() (client.PostQuery, error) {
	q, err := o.filter.Query(o.App)
	if err == nil {
		err = o.limit.Check()
	}
	switch {
	case err != nil:
		return q, err
	case o.sort != "" && !slices.Contains(Sorts, o.sort):
		return q, cli.UnknownValueError("--sort", o.sort, Sorts)
	}
	if err := o.checkGroup(); err != nil {
		return q, err
	}
	if q.Statuses == nil && !o.all && q.ExternalID == "" && q.Archived == "" {
		q.Statuses, o.open = openStatuses, true
	}
	if q.Sort = o.sort; q.Sort == "" && isOpen(q.Statuses) {
		q.Sort = "publish_at"
	}
	if !o.OutTerminal { // a terminal also shows how many posts follow
		q.Limit = min(o.limit.Max(o.App, o.all), PageSize)
	}
	return q, nil
}

// isOpen reports whether all of the given statuses are those of open posts.
func isOpen(statuses []schedctl.Status) bool {
	finished := func(s schedctl.Status) bool { return !slices.Contains(openStatuses, s) }
	return statuses != nil && !slices.ContainsFunc(statuses, finished)
}

// maxCounted is the maximum number of posts that are counted after the limit.
const maxCounted = 1000

// collect reads the posts up to the limit. On a terminal it also counts the following
// ones, up to maxCounted and one more.
func (o *listOptions) collect(all iter.Seq2[apiv1.Post, error]) (posts []apiv1.Post, more int, err error) {
	most := o.limit.Max(o.App, o.all)
	for p, err := range all {
		switch {
		case err != nil:
			return nil, 0, err
		case len(posts) < most:
			posts = append(posts, p)
			continue
		}
		if more++; !o.OutTerminal || more > maxCounted {
			break
		}
	}
	return posts, more, nil
}
