package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

type postRetry struct {
	*app
	request   apiv1.RetryPost
	filter    postFilter
	yes, wait bool
}

func newPostRetry(a *app) *cobra.Command {
	o := &postRetry{app: a}
	cmd := prints[apiv1.Post](&cobra.Command{
		Use:   "retry [ID...]",
		Short: "Try failed targets again",
		Long: `Try the failed targets of posts again. A target of which nobody knows whether the
network has it is left out, because a second try could publish it twice; look at
the account first, and then use --force.

Without an id, flags select failed posts as they do for "schedctl post list". What
would be tried again is listed, and you are asked; without a terminal --yes is
needed. The exit status is 9 when some of the posts could not be tried again.`,
		Example: `  schedctl post retry post_01KAK3R9ZC4VBX1D2E3F4G5H6J --wait
  schedctl post retry post_01KAK3R9ZC4VBX1D2E3F4G5H6J --target pt_01KAK3R9ZC4VBX1D2E3F4G5H6K --force
  schedctl post retry --status failed --account mastodon:me --after "yesterday 0:00" --yes`,
		Args:              takes(0, unlimited, ""),
		ValidArgsFunction: a.completePost,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd, args)
		},
	})
	o.filter.add(a, cmd)
	f := cmd.Flags()
	f.StringArrayVar(&o.request.TargetIDs, "target", nil, "only the target with this `id` (repeatable)")
	f.BoolVar(&o.request.Force, "force", false, "also where it is not known whether the network has the post")
	f.BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	f.BoolVar(&o.wait, "wait", false, "wait until it is published; exit status 9 when a target failed")
	return cmd
}

func (o *postRetry) run(cmd *cobra.Command, ids []string) error {
	filtered := ""
	for _, name := range filterFlags {
		if cmd.Flag(name).Changed {
			filtered = "--" + name
		}
	}
	switch {
	case len(ids) == 0 && filtered == "":
		f := usage("%s needs the id of a post", cmd.CommandPath())
		f.hint = "or flags that select posts, such as --status failed"
		return f
	case len(ids) > 0 && filtered != "":
		return usage("%s selects posts, and %s names one: give either", filtered, clip(ids[0], 60))
	case len(ids) != 1 && len(o.request.TargetIDs) > 0:
		return usage("--target is about one post: give its id")
	case len(ids) == 0:
		return o.retrySelected(cmd.Context())
	}
	c, err := o.connect()
	if err != nil {
		return err
	}
	return o.retry(cmd.Context(), c, ids)
}

// retry tries posts again, all of them also after one that was refused.
func (o *postRetry) retry(ctx context.Context, c *client.Client, ids []string) error {
	posts, failed := eachPost(ids, func(id string) (apiv1.Post, error) { return c.RetryPost(ctx, id, o.request) })
	if !o.wait || len(posts) == 0 {
		if err := o.printEach(ctx, c, ids, posts); err != nil {
			return err
		}
		return failed
	}
	again := make([]string, len(posts))
	for i := range posts {
		again[i] = posts[i].ID
	}
	return joined(failed, o.waitFor(ctx, c, again))
}

// joined returns the errors that there are, in their order.
func joined(errs ...error) error {
	var all several
	for _, err := range errs {
		if list, ok := err.(several); ok {
			all = append(all, list...)
		} else if err != nil {
			all = append(all, err)
		}
	}
	if all == nil {
		return nil
	}
	return all
}

// accountList names the accounts of targets.
func accountList(targets []apiv1.Target, names accounts) string {
	list := make([]string, len(targets))
	for i, t := range targets {
		list[i] = oneLine(nameOf(names, t.SocialAccountID))
	}
	return strings.Join(list, ", ")
}
