package post

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/content"
)

type scheduleOptions struct {
	changeOptions
	overwriteFlag
	to     []string
	when   cli.WhenFlags
	slot   slotFlags
	shift  cli.SpanFlag
	zone   *time.Location // in which days of the shift are counted
	once   idempotencyFlags
	wait   bool
	back   bool               // --restore
	at     *apiv1.PublishTime // of --at, --in or --next-slot
	booked apiv1.EditPost     // the slot
	named  bool               // posts are given by id, not selected by flags

	allowDuplicate bool
}

func newSchedule(a *cli.App) *cobra.Command {
	o := &scheduleOptions{changeOptions: changeOptions{
		App: a, op: schedctl.OpEdit, preset: []schedctl.Status{schedctl.Scheduled},
		words: changeTexts{noun: "post", infinitive: "move", participle: "moved", ask: "Move %s?"},
	}}
	o.judge, o.trial, o.plan, o.report, o.apply = o.refuses, o.tried, o.tellMove, o.printChanged, o.move
	cmd := cli.DeclareJSON[apiv1.Post](&cobra.Command{
		Use:   "schedule [ID...]",
		Short: "Give drafts their time, or move scheduled posts",
		Long: `Schedule a draft for a time, with --at or --in, or with --next-slot or --queue for the
next free slot of a queue. --to sets its accounts.

--shift moves scheduled posts: each is published later by this duration, or earlier
with a minus sign. Days, weeks and months keep the time of day in the zone of --tz, or in
the local one, when clocks change; hours are elapsed time. Without an id, flags select
posts as in "schedctl post list", and all selected posts are moved: with --at to one
time, with --shift by the same duration, and with --next-slot to the next free slots, in
their order. Only scheduled posts are selected unless --status says otherwise. The
selected posts are listed, and you confirm; without a terminal --yes is required. The
exit status is 9 when some of the posts could not be moved. --restore schedules drafts
for the time that they had before "schedctl post unschedule", or that their author
proposed.

"schedctl post edit ID --at TIME" also changes the time of a scheduled post. A post that
someone else changed since this machine showed it is refused with exit status 6, unless
--overwrite is given.`,
		Example: `  schedctl post schedule post_01KAK3R9ZC4VBX1D2E3F4G5H6J --at "2026-12-08 09:00"
  schedctl post schedule post_01KAK3R9ZC4VBX1D2E3F4G5H6J --in 2h --to demo --wait
  schedctl post schedule post_01KAK3R9ZC4VBX1D2E3F4G5H6J --shift -1d
  schedctl post schedule post_01KAK3R9ZC4VBX1D2E3F4G5H6J --next-slot --not-before "next monday"
  schedctl post schedule --label launch --shift 2h --dry-run
  schedctl post schedule --label launch --restore --dry-run
  schedctl post schedule --account mastodon:me --before "tomorrow 0:00" --at "tomorrow 9am" --yes`,
		Args:              o.checkArgs,
		ValidArgsFunction: CompletePost(a),
		RunE:              o.run,
	})
	addTo(a, cmd, &o.to)
	o.when.Add(cmd)
	o.slot.add(a, cmd)
	o.shift.Signed = true
	cmd.Flags().Var(&o.shift, "shift", "move each post by this `duration`: 2h, 1w, or -1d to an earlier time")
	cmd.Flags().BoolVar(&o.back, "restore", false, "schedule drafts for their proposed times")
	o.filter.addSelection(a, cmd)
	AddAllowDuplicate(cmd, &o.allowDuplicate)
	o.once.add(cmd)
	addDryRun(cmd, &o.dry)
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&o.wait, "wait", false, "wait until the post is published; exit status 9 when a target failed")
	o.overwriteFlag.add(cmd)
	return cmd
}

// checkArgs records whether the command is about one draft. Then --dry-run prints a
// validation, and otherwise the posts.
func (o *scheduleOptions) checkArgs(cmd *cobra.Command, ids []string) error {
	if o.named = len(ids) > 0; !o.one(ids) {
		cmd.Annotations[cli.DryFieldsAnnotation] = ""
	}
	return nil
}

// one reports whether the command is about one draft and gives it its time.
func (o *scheduleOptions) one(ids []string) bool { return len(ids) == 1 && !o.shift.Given && !o.back }

func (o *scheduleOptions) run(cmd *cobra.Command, ids []string) (err error) {
	one := o.one(ids)
	o.when.Lenient = one && !o.dry && repeatable(o.App, o.once)
	if o.zone, err = o.when.Zone(o.App); err == nil && o.shift.Calendar() {
		err = when.CheckZone(o.zone)
	}
	if err != nil {
		return err
	}
	if o.at, err = o.slot.publishAt(o.App, &o.when); err != nil {
		return err
	}
	if o.slot.given() {
		o.sort = "publish_at" // the posts take slots in their order
	}
	if o.back {
		o.preset = []schedctl.Status{schedctl.Draft}
		o.words = changeTexts{noun: "draft", infinitive: "restore", participle: "scheduled again", ask: "Schedule %s again?"}
	}
	switch {
	case o.back && (o.at != nil || o.shift.Given):
		return cli.UsageError("--restore excludes --at, --in, --next-slot and --shift: give one")
	case o.back:
	case o.at == nil && !o.shift.Given && o.named:
		return cli.UsageError("schedctl post schedule needs a time: give --at, --in, --next-slot or --restore")
	case o.at == nil && !o.shift.Given && o.selects(cmd) != "":
		return cli.UsageError("schedctl post schedule needs a time: give --at, --in, --next-slot, --shift or --restore")
	case o.at != nil && o.shift.Given:
		return cli.UsageError("--shift excludes --at, --in and --next-slot: give one")
	case !one && (o.to != nil || o.wait || o.once.key != ""):
		return cli.UsageError("--to, --wait and --idempotency-key are about one draft: give its id with --at, --in or --next-slot")
	case one && o.selects(cmd) == "":
		return o.scheduleOne(cmd.Context(), ids[0])
	}
	o.filter.when.TZ = o.when.TZ
	o.prepare = func(ctx context.Context, c *client.Client) (err error) {
		o.booked, err = o.slot.book(ctx, o.App, c, &o.when)
		return err
	}
	return o.changeOptions.run(cmd, ids)
}

// scheduleOne schedules one draft.
func (o *scheduleOptions) scheduleOne(ctx context.Context, ref string) error {
	c, id, err := connectOne(ctx, o.App, ref)
	if err != nil {
		return err
	}
	before := o.LastShown(id)[id]
	to, err := replacementAccounts(ctx, o.App, c, o.to)
	if err != nil {
		return err
	}
	if o.booked, err = o.slot.book(ctx, o.App, c, &o.when); err != nil {
		return err
	}
	request := o.request()
	request.SocialAccountIDs = to
	if o.dry {
		return dryRunPost(ctx, o.App, c, id, schedctl.OpSchedule, func(p apiv1.Post, post *apiv1.CreatePost) error {
			post.QueueID, post.NotBefore, post.AllowBlackout = request.QueueID, request.NotBefore, request.AllowBlackout
			return releasedPost(o.App, to, o.at, o.allowDuplicate)(p, post)
		})
	}
	write := onceFor(o.App, o.once, "", &o.when, append(append([]string{"schedule", id, fmt.Sprint(o.allowDuplicate)}, labeledParts("to", o.to)...), o.slot.key()...)...)
	post, err := write.do(ctx, c, id, func(options ...client.Option) (apiv1.Post, error) {
		return o.unchanged(ctx, o.App, c, id, before, func(expected ...client.Option) (apiv1.Post, error) {
			return c.SchedulePost(ctx, id, request, append(expected, options...)...)
		})
	})
	if err != nil {
		return refusedRelease(ctx, c, id, o.to, o.when.Refused(err))
	}
	o.slot.echo(o.App, post)
	if o.wait {
		return waitFor(ctx, o.App, c, []string{post.ID})
	}
	return printPost(ctx, o.App, c, post)
}

// request returns the request that schedules a draft.
func (o *scheduleOptions) request() apiv1.SchedulePost {
	return apiv1.SchedulePost{
		PublishAt: *o.at, QueueID: o.booked.QueueID, NotBefore: o.booked.NotBefore,
		AllowBlackout: o.booked.AllowBlackout, AllowDuplicate: o.allowDuplicate,
	}
}

// replacementAccounts returns the new accounts of a post, or nil to keep them.
func replacementAccounts(ctx context.Context, a *cli.App, c *client.Client, to []string) (*[]string, error) {
	if to == nil {
		return nil, nil
	}
	ids, err := account.Recipients(ctx, a, c, to)
	return &ids, err
}

// releasedPost returns the change that schedules a post, and perhaps replaces its
// accounts.
func releasedPost(a *cli.App, to *[]string, at *apiv1.PublishTime, allowDuplicate bool) func(apiv1.Post, *apiv1.CreatePost) error {
	return func(_ apiv1.Post, post *apiv1.CreatePost) error {
		post.PublishAt, post.AllowDuplicate = at, allowDuplicate
		if to != nil {
			post.SocialAccountIDs, post.TargetOverrides = *to, content.KeptOverrides(post.TargetOverrides, *to)
		}
		return nil
	}
}
