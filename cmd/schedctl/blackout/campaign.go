package blackout

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

// bulkFlags are the flags of commands that list the posts of a hold before they change it.
type bulkFlags struct {
	labels   []string
	yes, dry bool
}

// check returns an error for an invalid label, and without a terminal for a command that
// would ask.
func (f *bulkFlags) check(a *cli.App, participle string) error {
	for _, label := range f.labels {
		if broken, ok := errors.AsType[*schedctl.Error](schedctl.CheckLabel("a label", label)); ok {
			return cli.InvalidError(broken.Code, "--label %q: %s", cli.Clip(label, 60), broken.Message)
		}
	}
	if !a.Asks() && !f.yes && !f.dry {
		return cli.UsageError("without a terminal for the confirmation, posts are %s only with --yes", participle).WithHint("see which they are with --dry-run")
	}
	return nil
}

// heldPosts returns the scheduled posts that a hold of these labels and accounts is about, in
// order of their times: those with any of the labels, or all. Empty accounts are all. before
// is zero for no limit.
func heldPosts(ctx context.Context, c *client.Client, labels []string, accounts []string, before time.Time) (posts []apiv1.Post, err error) {
	q := client.PostQuery{Statuses: []schedctl.Status{schedctl.Scheduled, schedctl.Publishing}, Before: before, Accounts: accounts, Sort: "publish_at", Limit: post.PageSize}
	if len(labels) == 1 {
		q.Labels = labels
	}
	for p, err := range c.EachPost(ctx, q) {
		if err != nil {
			return nil, err
		}
		if len(labels) < 2 || slices.ContainsFunc(p.Labels, func(label string) bool { return slices.Contains(labels, label) }) {
			posts = append(posts, p)
		}
	}
	return posts, nil
}

// labelFlags returns --label for each of the labels, as a command takes them.
func labelFlags(labels []string) (text string) {
	for _, label := range labels {
		text += fmt.Sprintf(" --label %q", label)
	}
	return text
}

// labelNames returns "the label x" or "one of the labels x, y".
func labelNames(labels []string) string {
	if len(labels) == 1 {
		return fmt.Sprintf("the label %q", labels[0])
	}
	return "one of the labels " + cli.Enumerate(cli.Map(labels, func(label string) string { return fmt.Sprintf("%q", label) }))
}

// heldLabel returns the label of a new hold, nil for one of accounts.
func heldLabel(label string) *string {
	if label == "" {
		return nil
	}
	return &label
}

// lengthOf returns the length of a hold that started at a time and ends now, in whole minutes.
// One that is longer than a day has the length in calendar days of the zone. Both are rounded
// up, so that no post that is moved by it is late.
func lengthOf(start, now time.Time, zone *time.Location) when.Span {
	length := now.Sub(start)
	if length <= 24*time.Hour {
		return when.Span{Elapsed: length.Truncate(time.Minute) + time.Minute}
	}
	days := int(length / (24 * time.Hour))
	for !(when.Span{Days: days}).From(start.In(zone)).Time.After(now) {
		days++
	}
	return when.Span{Days: days}
}

// add defines --yes and --dry-run, which prints posts.
func (f *bulkFlags) add(cmd *cobra.Command, with, participle string) {
	cmd.Annotations[cli.DryFieldsAnnotation] = cli.TypeNames(reflect.TypeFor[apiv1.Post]())
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&f.dry, "dry-run", false, "change nothing; print the posts that would be "+participle+", with "+with)
}

// printTrial prints the posts that would be changed.
func printTrial(ctx context.Context, a *cli.App, c *client.Client, posts []apiv1.Post, participle string) error {
	err := post.PrintPosts(ctx, a, c, posts)
	a.Messagef("%s would be %s; no changes were made", cli.Plural(len(posts), "post"), participle)
	return err
}

// heldWhat describes what a hold is about.
func heldWhat(b apiv1.Blackout) string {
	if b.Label == nil {
		return "posts"
	}
	return fmt.Sprintf("posts with the label %q", cli.OneLine(*b.Label))
}
