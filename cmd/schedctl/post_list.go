package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

type postList struct {
	*app
	filter postFilter
	sort   string
	limit  int
	all    bool
	group  string
}

// sorts are the orders of a list, the default first.
var sorts = []string{"-created_at", "created_at", "publish_at", "-publish_at"}

// pageSize is the most that the API answers at once.
const pageSize = 100

func newPostList(a *app) *cobra.Command {
	o := &postList{app: a}
	cmd := prints[apiv1.Post](&cobra.Command{
		Use:   "list",
		Short: "List posts",
		Long: `List posts, the newest first unless --sort says otherwise. --after counts the
time given, --before does not; both are about when posts go out.

With --group day the first to go out comes first, and those without a time last.
On a terminal each day has a heading, elsewhere it is the first field of a line.`,
		Example: `  schedctl post list --status scheduled --sort publish_at
  schedctl post list --account demo --after "today 0:00" --before "tomorrow 0:00"
  schedctl post list --status scheduled --group day
  schedctl post list --status failed --all -q`,
		Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	})
	o.filter.add(a, cmd)
	f := cmd.Flags()
	f.StringVar(&o.sort, "sort", "", "the `order`: "+strings.Join(sorts, ", "))
	f.IntVar(&o.limit, "limit", 20, "at most this `number` of posts")
	f.BoolVar(&o.all, "all", false, "all posts")
	f.StringVar(&o.group, "group", "", "put posts under headings, each for a `day`, in the order in which they go out")
	cmd.RegisterFlagCompletionFunc("group", cobra.FixedCompletions([]string{groupByDay}, cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("sort", cobra.FixedCompletions(sorts, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (o *postList) run(ctx context.Context) error {
	q, err := o.query()
	if err != nil {
		return err
	}
	c, err := o.connect()
	if err != nil {
		return err
	}
	if err := o.filter.resolve(ctx, c, &q); err != nil {
		return err
	}
	names, stop := o.namesAhead(ctx, c)
	defer stop()
	posts, more, err := o.collect(ctx, c, q)
	if err != nil {
		return err
	}
	if o.group != "" && !o.json.set && !o.quiet {
		err = o.printDays(posts, names)
	} else {
		err = o.printNamed(posts, names)
	}
	switch {
	case err != nil:
		return err
	case more && o.outTerminal:
		o.tell("there are more; use --limit or --all")
	case len(posts) == 0 && o.errTerminal:
		o.tell("no posts")
	}
	return nil
}

// query checks the flags and puts them together.
func (o *postList) query() (client.PostQuery, error) {
	q, err := o.filter.query(o.app)
	switch {
	case err != nil:
		return q, err
	case o.sort != "" && !slices.Contains(sorts, o.sort):
		return q, oneOf("--sort", o.sort, sorts)
	case o.limit < 1:
		return q, usage("--limit %d: give at least 1, or use --all", o.limit)
	}
	if err := o.checkGroup(); err != nil {
		return q, err
	}
	q.Sort = o.sort
	if !o.all {
		q.Limit = min(o.limit, pageSize)
	}
	return q, nil
}

func oneOf(flag, value string, known []string) error {
	f := usage("%s %q is not known", flag, value)
	f.hint = "use one of " + strings.Join(known, ", ")
	return f
}

// collect goes through the pages; more says that it stopped at the limit.
func (o *postList) collect(ctx context.Context, c *client.Client, q client.PostQuery) (posts []apiv1.Post, more bool, err error) {
	for p, err := range c.EachPost(ctx, q) {
		if err != nil {
			return nil, false, err
		}
		if !o.all && len(posts) == o.limit {
			return posts, true, nil
		}
		posts = append(posts, p)
	}
	return posts, false, nil
}
