package post

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// changeOptions is a command that makes one kind of change to posts, which are given
// by id or selected by flags.
type changeOptions struct {
	*cli.App
	filter   FilterFlags
	yes, dry bool

	op      schedctl.Operation
	preset  []schedctl.Status // the statuses selected without --status; nil for all that allow the change
	words   changeTexts
	asks    bool                                        // also confirm for posts that are given by id
	sort    string                                      // of selected posts; empty for the newest first
	verify  func(context.Context, *client.Client) error // called once before posts are selected, or nil
	prepare func(context.Context, *client.Client) error // called once before the changes, or nil
	judge   func(p apiv1.Post) error                    // further reasons why the daemon would refuse, or nil
	trial   func(p apiv1.Post) apiv1.Post               // the post that --dry-run shows, or nil for the unchanged post
	plan    func(p apiv1.Post, names Accounts)          // describes the change of a selected post
	apply   func(ctx context.Context, c *client.Client, id string) (apiv1.Post, error)
	report  func(context.Context, *client.Client, changeResult) error // prints what was done

	before map[string]cli.Shown // by id: the posts of the list, or as they were shown before the command
}

// changeTexts are the words for a change in messages.
type changeTexts struct {
	noun                   string // "post" or "draft"
	infinitive, participle string // "retry", "retried"
	ask                    string // the prompt, with %s for "2 posts"
}

// changeResult has the changed posts.
type changeResult struct {
	posts []apiv1.Post
	alone bool // a single post was given
}

// add defines the flags.
func (o *changeOptions) add(cmd *cobra.Command) {
	o.filter.Add(o.App, cmd)
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&o.dry, "dry-run", false, "change nothing; print the posts that would be "+o.words.participle)
}

// statuses returns the statuses in which a post allows the change.
func (o *changeOptions) statuses() (may []schedctl.Status) {
	for _, s := range schedctl.Statuses() {
		if schedctl.CheckOperation(o.op, s) == nil {
			may = append(may, s)
		}
	}
	return may
}

// selects returns the first selection flag on the command line, or "".
func (o *changeOptions) selects(cmd *cobra.Command) (flag string) {
	for _, name := range filterFlagNames {
		if cmd.Flag(name).Changed {
			flag = "--" + name
		}
	}
	return flag
}

// selectable returns the statuses that are selected without --status.
func (o *changeOptions) selectable() []schedctl.Status {
	if o.preset != nil {
		return o.preset
	}
	return o.statuses()
}

func (o *changeOptions) run(cmd *cobra.Command, ids []string) error {
	filtered := o.selects(cmd)
	switch {
	case len(ids) == 0 && filtered == "":
		return cli.UsageError("%s needs the id of a post", cmd.CommandPath()).WithHint("or flags that select posts, such as --status " + string(o.selectable()[0]))
	case len(ids) > 0 && filtered != "":
		return cli.UsageError("%s selects posts, and %s names one: give either", filtered, cli.Clip(ids[0], 60))
	case len(ids) == 0:
		return o.changeSelected(cmd.Context())
	}
	return o.changeNamed(cmd.Context(), ids)
}

func (o *changeOptions) changeNamed(ctx context.Context, ids []string) error {
	c, ids, err := connectAll(ctx, o.App, ids)
	if err != nil {
		return err
	}
	o.before = o.LastShown(ids...)
	if o.dry {
		posts, failed := eachPost(ctx, o.App, ids, func(ctx context.Context, id string) (apiv1.Post, error) {
			p, err := c.Post(ctx, id)
			if err == nil {
				err = o.wouldRefuse(p)
			}
			return p, err
		})
		return joinErrors(o.printTrial(ctx, c, changeResult{posts, len(ids) == 1}), failed)
	}
	if o.asks && !o.yes {
		posts, err := confirmPosts(ctx, o.App, c, fmt.Sprintf(o.words.ask, cli.Plural(len(ids), o.words.noun)), ids, nil)
		if err != nil {
			return err
		}
		for _, p := range posts {
			o.before[p.ID] = cli.NewShown(p)
		}
	}
	return o.change(ctx, c, ids, len(ids) == 1)
}

// change applies the change to all posts, even after an error.
func (o *changeOptions) change(ctx context.Context, c *client.Client, ids []string, alone bool) error {
	if o.prepare != nil {
		if err := o.prepare(ctx, c); err != nil {
			return err
		}
	}
	posts, failed := eachPost(ctx, o.App, ids, func(ctx context.Context, id string) (apiv1.Post, error) {
		return o.apply(ctx, c, id)
	})
	if len(posts) == 0 {
		return failed
	}
	return joinErrors(failed, o.report(ctx, c, changeResult{posts, alone}))
}

// printChanged prints posts after their change.
func (o *changeOptions) printChanged(ctx context.Context, c *client.Client, done changeResult) error {
	return printAll(ctx, o.App, c, done.posts, done.alone)
}

// wouldRefuse returns the error with which the daemon would refuse the change in the
// current state of a post.
func (o *changeOptions) wouldRefuse(p apiv1.Post) error {
	retryable := o.op == schedctl.OpRetry && slices.ContainsFunc(p.Targets, failedComment)
	if err := inState(p, o.op); err != nil && !retryable || o.judge == nil {
		return err
	}
	return o.judge(p)
}

// printTrial prints the posts that would be changed, in their current state.
func (o *changeOptions) printTrial(ctx context.Context, c *client.Client, would changeResult) error {
	if len(would.posts) == 0 {
		return nil
	}
	if o.trial != nil {
		for i, p := range would.posts {
			would.posts[i] = o.trial(p)
		}
	}
	err := o.printChanged(ctx, c, would)
	o.App.Messagef("%s would be %s; no changes were made", cli.Plural(len(would.posts), "post"), o.words.participle)
	return err
}

// changeSelected changes the posts that the flags select.
func (o *changeOptions) changeSelected(ctx context.Context) error {
	q, err := o.filter.Query(o.App)
	if err != nil {
		return err
	}
	may := o.statuses()
	if slices.ContainsFunc(q.Statuses, func(s schedctl.Status) bool { return !slices.Contains(may, s) }) {
		return cli.UsageError("--status: only %s posts can be %s", cli.JoinStrings(may, " or "), o.words.participle)
	}
	if q.Statuses == nil {
		q.Statuses = o.selectable()
	}
	q.Sort = o.sort
	person := o.Asks()
	if !o.yes && !o.dry && !person {
		return cli.UsageError("without a terminal for the confirmation, selected posts are %s only with --yes", o.words.participle).WithHint("see which they are with --dry-run")
	}
	c, err := o.Connect()
	if err != nil {
		return err
	}
	if err := o.filter.Resolve(ctx, c, &q); err != nil {
		return err
	}
	if o.verify != nil {
		if err := o.verify(ctx, c); err != nil {
			return err
		}
	}
	posts, err := o.selected(ctx, c, q)
	switch {
	case err != nil:
		return err
	case len(posts) == 0:
		o.App.Messagef("no post to %s", o.words.infinitive)
		return PrintPosts(ctx, o.App, c, nil)
	case o.dry:
		return o.printTrial(ctx, c, changeResult{posts: posts})
	case !o.yes:
		if err := o.Confirm(ctx, fmt.Sprintf(o.words.ask, cli.Plural(len(posts), o.words.noun))); err != nil {
			return err
		}
	}
	return partialFailure(len(posts), o.change(ctx, c, idsOf(posts), false))
}

// selected collects the posts that can be changed, before any change affects the
// selection, and describes each change.
func (o *changeOptions) selected(ctx context.Context, c *client.Client, q client.PostQuery) (posts []apiv1.Post, err error) {
	names := AccountsByID(ctx, c)
	for p, err := range c.EachPost(ctx, q) {
		if err != nil {
			return nil, err
		}
		if o.wouldRefuse(p) == nil {
			posts = append(posts, p)
		}
		o.plan(p, names)
	}
	if !o.dry {
		o.RememberShown(posts...)
		o.before = map[string]cli.Shown{}
		for _, p := range posts {
			o.before[p.ID] = cli.NewShown(p)
		}
	}
	return posts, nil
}

// tellSelected describes a post that the flags select. With --dry-run the result
// shows the same.
func (o *changeOptions) tellSelected(p apiv1.Post, names Accounts) {
	if !o.dry {
		o.App.Messagef("%s", Describe(o.App, p, names))
	}
}

// partialFailure adds a summary before the errors of the posts that failed.
func partialFailure(all int, err error) error {
	list, ok := err.(cli.ErrorList)
	if !ok || len(list) == 0 || cli.ExitStatus(list[len(list)-1]) == cli.ExitInterrupted {
		return err
	}
	summary := &cli.Failure{Status: cli.ExitFailed, Code: cli.CodeFailed, Message: fmt.Sprintf("of %s not all went well", cli.Plural(all, "post"))}
	return append(cli.ErrorList{summary}, list...)
}
