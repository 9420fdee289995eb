package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
)

type postList struct {
	*app
	statuses               []string
	account, after, before string
	when                   whenFlags
	search, sort           string
	limit                  int
	all                    bool
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
time given, --before does not; both are about when posts go out.`,
		Example: `  schedctl post list --status scheduled --sort publish_at
  schedctl post list --account demo --after "today 0:00" --before "tomorrow 0:00"
  schedctl post list --status failed --all -q`,
		Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	})
	f := cmd.Flags()
	f.StringArrayVar(&o.statuses, "status", nil, "only this `status` (repeatable): draft, scheduled, publishing, published, failed, canceled")
	f.StringVar(&o.account, "account", "", "only posts to this `account`: an id, a name or platform:name")
	f.StringVar(&o.after, "after", "", "only posts at or after this `time`")
	f.StringVar(&o.before, "before", "", "only posts before this `time`")
	f.StringVar(&o.search, "search", "", "only posts that contain this `text`, in whatever case")
	f.StringVar(&o.sort, "sort", "", "the `order`: "+strings.Join(sorts, ", "))
	f.IntVar(&o.limit, "limit", 20, "at most this `number` of posts")
	f.BoolVar(&o.all, "all", false, "all posts")
	o.when.addZone(cmd)
	cmd.RegisterFlagCompletionFunc("account", a.completeAccount)
	cmd.RegisterFlagCompletionFunc("status", cobra.FixedCompletions(statusNames(), cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("sort", cobra.FixedCompletions(sorts, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func statusNames() []string {
	var names []string
	for _, s := range schedctl.Statuses() {
		names = append(names, string(s))
	}
	return names
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
	if o.account != "" {
		ids, err := o.filterAccount(ctx, c)
		if err != nil {
			return err
		}
		q.AccountID = ids
	}
	posts, more, err := o.collect(ctx, c, q)
	if err != nil {
		return err
	}
	if err := o.printPosts(ctx, c, posts); err != nil {
		return err
	}
	switch {
	case more && o.outTerminal:
		o.tell("there are more; use --limit or --all")
	case len(posts) == 0 && o.errTerminal:
		o.tell("no posts")
	}
	return nil
}

// query checks the flags and puts them together.
func (o *postList) query() (q client.PostQuery, err error) {
	q = client.PostQuery{Search: o.search, Sort: o.sort, Limit: pageSize}
	for _, list := range o.statuses {
		for _, s := range strings.Split(list, ",") {
			if !slices.Contains(statusNames(), s) {
				return q, oneOf("--status", s, statusNames())
			}
			q.Statuses = append(q.Statuses, schedctl.Status(s))
		}
	}
	if o.sort != "" && !slices.Contains(sorts, o.sort) {
		return q, oneOf("--sort", o.sort, sorts)
	}
	if o.limit < 1 {
		return q, usage("--limit %d: give at least 1, or use --all", o.limit)
	}
	if !o.all {
		q.Limit = min(o.limit, pageSize)
	}
	if q.After, err = o.bound(o.after); err != nil {
		return q, err
	}
	q.Before, err = o.bound(o.before)
	return q, err
}

func oneOf(flag, value string, known []string) error {
	f := usage("%s %q is not known", flag, value)
	f.hint = "use one of " + strings.Join(known, ", ")
	return f
}

// bound reads --after or --before, which may well be in the past.
func (o *postList) bound(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	loc, err := o.when.zone(o.app)
	if err != nil {
		return time.Time{}, err
	}
	now := o.now()
	m, err := when.Parse(text, now, loc)
	if err != nil {
		return time.Time{}, err
	}
	o.echo(m, now, loc)
	return m.Time, nil
}

// filterAccount returns the id for --account: posts to an account that was
// removed can be listed too.
func (o *postList) filterAccount(ctx context.Context, c *client.Client) (string, error) {
	if isAccountID(o.account) {
		return o.account, nil
	}
	list, err := c.Accounts(ctx, client.AccountQuery{Status: "all"})
	if err != nil {
		return "", err
	}
	acct, err := pickAccount(list, o.account, exitInvalid)
	return acct.ID, err
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
