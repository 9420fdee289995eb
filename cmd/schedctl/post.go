package main

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
)

func newPost(a *app, export filesExporter) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "post",
		Short: "Write, schedule and follow posts",
		Long: `Write, schedule and follow posts.

A post is a draft until it has a time. It has a target for each account it goes
to, and its status follows from theirs: scheduled, publishing, published, failed
or canceled.`,
		Example: `  schedctl post create "Hello, world" --to demo --at "tomorrow 9am"
  schedctl post list --status scheduled`,
	})
	a.grow(cmd, postBranches(export))
	return cmd
}

// postBranches are the commands below post.
func postBranches(export filesExporter) []branch {
	return []branch{
		{name: "create", make: newPostCreate}, {name: "list", make: newPostList}, {name: "show", make: newPostShow},
		{name: "edit", make: newPostEdit}, {name: "schedule", make: newPostSchedule}, {name: "publish", make: newPostPublish},
		{name: "cancel", make: newPostCancel}, {name: "unschedule", make: newPostUnschedule}, {name: "copy", make: newPostCopy},
		{name: "retry", make: newPostRetry}, {name: "wait", make: newPostWait}, {name: "watch", make: newPostWatch},
		{name: "delete", make: newPostDelete}, {name: "validate", make: newPostValidate}, {name: "timeline", make: newPostTimeline},
		{name: "import", make: newPostImport},
		{name: "export", make: func(a *app) *cobra.Command { return newPostExport(a, export) }},
	}
}

// accounts are the accounts by id.
type accounts map[string]apiv1.Account

// accountNames returns the accounts, for display only: without the scope to read
// accounts, ids are shown.
func accountNames(ctx context.Context, c *client.Client) accounts {
	names := accounts{}
	list, err := c.Accounts(ctx, client.AccountQuery{Status: "all"})
	if err != nil {
		return names
	}
	for _, acct := range list {
		names[acct.ID] = acct
	}
	return names
}

func nameOf(names accounts, id string) string { return first(names[id].Name, id) }

// namesAhead starts to request the accounts' names, when a list will need them, in
// parallel to the posts. names waits for the response; stop cancels the request.
func (a *app) namesAhead(ctx context.Context, c *client.Client) (names func() accounts, stop func()) {
	if a.json.set || a.quiet {
		return func() accounts { return nil }, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	answer := make(chan accounts, 1)
	go func() { answer <- accountNames(ctx, c) }()
	names = sync.OnceValue(func() accounts { return <-answer })
	return names, func() { cancel(); names() }
}

// printPosts prints posts as a list.
func (a *app) printPosts(ctx context.Context, c *client.Client, posts []apiv1.Post) error {
	return a.printNamed(posts, func() accounts { return accountNames(ctx, c) })
}

func (a *app) printNamed(posts []apiv1.Post, names func() accounts) error {
	switch {
	case a.json.set:
		return a.printJSON(append([]apiv1.Post{}, posts...))
	case a.quiet:
		ids := make([]string, len(posts))
		for i := range posts {
			ids[i] = posts[i].ID
		}
		return a.printIDs(ids...)
	case len(posts) == 0:
		return nil
	}
	return a.writeList(a.render(a.postTable(posts, names())))
}

func (a *app) postTable(posts []apiv1.Post, names accounts) table {
	t := table{header: []string{"ID", "STATUS", "WHEN", "TO", "TEXT"}, status: 1, excerpt: true}
	for _, p := range posts {
		t.rows = append(t.rows, []string{p.ID, a.postStatus(p), a.shortTime(p.PublishAt), recipientsText(p, names), p.Content})
	}
	return t
}

func recipientsText(p apiv1.Post, names accounts) string {
	to := make([]string, len(p.SocialAccountIDs))
	for i, id := range p.SocialAccountIDs {
		to[i] = nameOf(names, id)
	}
	return strings.Join(to, ",")
}

// printPost prints one post: as the list does, or on a terminal with a sentence
// that says where it stands.
func (a *app) printPost(ctx context.Context, c *client.Client, p apiv1.Post) error {
	switch {
	case a.json.set:
		return a.printJSON(p)
	case a.quiet || !a.outTerminal:
		return a.printPosts(ctx, c, []apiv1.Post{p})
	}
	return a.write([]byte(a.sentence(p) + "\n"))
}

// printEach prints the result of a command that takes several ids: with one id
// the post, with more a list.
func (a *app) printEach(ctx context.Context, c *client.Client, ids []string, posts []apiv1.Post) error {
	return a.printAll(ctx, c, posts, len(ids) == 1)
}

// printAll prints posts as a list, or a single post in detail.
func (a *app) printAll(ctx context.Context, c *client.Client, posts []apiv1.Post, alone bool) error {
	switch {
	case len(posts) == 0:
		return nil
	case alone:
		return a.printPost(ctx, c, posts[0])
	}
	return a.printPosts(ctx, c, posts)
}

func (a *app) sentence(p apiv1.Post) string {
	to := plural(p.TargetSummary.Total, "account")
	id := a.bold(p.ID)
	switch p.Status {
	case schedctl.Draft:
		return fmt.Sprintf("%s is a %s; schedule it with: %s", id, a.status("draft"), nextSteps(p, nil)[0])
	case schedctl.Scheduled:
		return fmt.Sprintf("%s is %s for %s (%s) on %s", id, a.status("scheduled"),
			when.Format(p.PublishAt.In(a.local)), when.Relative(p.PublishAt.Time, a.now()), to)
	case schedctl.Publishing:
		return fmt.Sprintf("%s is %s to %s; follow it with: schedctl post wait %s", id, a.status("publishing"), to, p.ID)
	case schedctl.Failed:
		return fmt.Sprintf("%s has %s on %d of %s", id, a.status("failed"), p.TargetSummary.Failed, to)
	case schedctl.Canceled:
		return fmt.Sprintf("%s is %s%s", id, a.status("canceled"), publishedBefore(p))
	}
	return fmt.Sprintf("%s is %s on %s", id, a.status(string(p.Status)), to)
}

func publishedBefore(p apiv1.Post) string {
	if p.TargetSummary.Published == 0 {
		return ""
	}
	return fmt.Sprintf("; it stays published on %d of %s", p.TargetSummary.Published, plural(p.TargetSummary.Total, "account"))
}

// eachPost applies change to every id, even after an error. With several ids, an error
// names its id. When ctx ends, eachPost reports how many posts were changed.
func (a *app) eachPost(ctx context.Context, ids []string, change func(ctx context.Context, id string) (apiv1.Post, error)) (posts []apiv1.Post, err error) {
	var failed several
	for n, id := range ids {
		var p apiv1.Post
		p, err = change(ctx, id)
		switch {
		case err == nil:
			posts = append(posts, p)
		case ctx.Err() != nil && len(ids) > 1:
			reached := fmt.Sprintf("interrupted after %d of %s", n, plural(len(ids), "post"))
			return posts, append(failed, a.interruption(reached, "check the next post with: schedctl post show "+id))
		default:
			failed = append(failed, about(id, ids, err))
		}
	}
	if failed == nil {
		return posts, nil
	}
	return posts, failed
}

func about(id string, ids []string, err error) error {
	err = refusedPost(id, err)
	if len(ids) < 2 || strings.Contains(err.Error(), id) {
		return err
	}
	return fmt.Errorf("%s: %w", id, err)
}
