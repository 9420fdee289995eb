package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

type postSchedule struct {
	*app
	to   []string
	when whenFlags
	once onceFlags
	wait bool
	dry  bool

	allowDuplicate bool
}

func newPostSchedule(a *app) *cobra.Command {
	o := &postSchedule{app: a}
	cmd := prints[apiv1.Post](&cobra.Command{
		Use:   "schedule ID",
		Short: "Give a draft its time",
		Long: `Give a draft its time, and with --to its accounts. To move a post that is
scheduled already, use "schedctl post edit".`,
		Example: `  schedctl post schedule post_01KAK3R9ZC4VBX1D2E3F4G5H6J --at "2026-12-08 09:00"
  schedctl post schedule post_01KAK3R9ZC4VBX1D2E3F4G5H6J --in 2h --to demo --wait`,
		Args:              takes(1, 1, "the id of a post"),
		ValidArgsFunction: a.completePost,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args[0])
		},
	})
	a.addTo(cmd, &o.to)
	o.when.add(cmd)
	addAllowDuplicate(cmd, &o.allowDuplicate)
	o.once.add(cmd)
	addDryRun(cmd, &o.dry)
	cmd.Flags().BoolVar(&o.wait, "wait", false, "wait until it is published; exit status 9 when a target failed")
	return cmd
}

func (o *postSchedule) run(ctx context.Context, id string) error {
	o.when.lenient = !o.dry && o.repeatable(o.once)
	at, err := o.when.publishAt(o.app)
	if err != nil {
		return err
	}
	if at == nil {
		return usage("schedctl post schedule needs a time: give --at or --in")
	}
	c, err := o.connect()
	if err != nil {
		return err
	}
	to, err := o.replacing(ctx, c, o.to)
	if err != nil {
		return err
	}
	if o.dry {
		return o.dryRun(ctx, c, id, schedctl.OpSchedule, o.released(to, at, o.allowDuplicate))
	}
	write := o.onceFor(o.once, "", &o.when, append([]string{"schedule", id, fmt.Sprint(o.allowDuplicate)}, labeled("to", o.to)...)...)
	post, err := write.do(ctx, c, id, func(options ...client.Option) (apiv1.Post, error) {
		return c.SchedulePost(ctx, id, apiv1.SchedulePost{PublishAt: apiv1.Time{Time: at.Time}, SocialAccountIDs: to, AllowDuplicate: o.allowDuplicate}, options...)
	})
	if err != nil {
		return refusedRelease(ctx, c, id, o.to, o.when.refused(err))
	}
	if o.wait {
		return o.waitFor(ctx, c, []string{post.ID})
	}
	return o.printPost(ctx, c, post)
}

// replacing returns the accounts that take the place of a post's, nil to leave
// them.
func (a *app) replacing(ctx context.Context, c *client.Client, to []string) (*[]string, error) {
	if to == nil {
		return nil, nil
	}
	ids, err := a.recipients(ctx, c, to)
	return &ids, err
}

// released returns the change of a post that is given a time and perhaps other
// accounts.
func (a *app) released(to *[]string, at *apiv1.PublishTime, allowDuplicate bool) func(apiv1.Post, *apiv1.CreatePost) error {
	return func(_ apiv1.Post, post *apiv1.CreatePost) error {
		post.PublishAt, post.AllowDuplicate = at, allowDuplicate
		if to != nil {
			post.SocialAccountIDs, post.TargetOverrides = *to, kept(post.TargetOverrides, *to)
		}
		return nil
	}
}
