package post

import (
	"context"
	"fmt"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// moved returns a post in the state after the move. It has no time if there was no
// time to shift.
func (o *scheduleOptions) moved(p apiv1.Post) apiv1.Post {
	switch {
	case o.back && p.ProposedAt != nil:
		p.Status = schedctl.Scheduled
		if !p.ProposedAt.NextSlot {
			p.PublishAt = apiv1.NewTime(p.ProposedAt.Time)
		}
	case o.back:
	case o.at != nil && o.at.NextSlot: // the daemon chooses the time
	case o.at != nil:
		p.PublishAt, p.Status = apiv1.NewTime(o.at.Time), schedctl.Scheduled
	case p.PublishAt != nil:
		p.PublishAt = apiv1.NewTime(o.shift.From(p.PublishAt.In(o.zone)).Time)
	}
	return p
}

// tellShift says why --shift gives a post another time of day, such as one that clocks skip.
func (o *scheduleOptions) tellShift(p apiv1.Post) {
	if o.back || o.at != nil || p.PublishAt == nil || o.Quiet {
		return
	}
	if to := o.shift.From(p.PublishAt.In(o.zone)); to.Note != "" {
		o.App.Messagef("%s moves to %s: %s", p.ID, when.Format(to.Time), to.Note)
	}
}

// tried is moved for --dry-run.
func (o *scheduleOptions) tried(p apiv1.Post) apiv1.Post {
	o.tellShift(p)
	return o.moved(p)
}

// refuses returns the error with which the daemon would refuse the move of a draft
// or a scheduled post.
func (o *scheduleOptions) refuses(p apiv1.Post) error {
	to := o.moved(p).PublishAt
	switch {
	case o.back && p.Status != schedctl.Draft, o.named && !o.back && !o.shift.Given:
		return inState(p, schedctl.OpSchedule)
	case o.back && p.ProposedAt == nil:
		return cli.NewFailure(cli.ExitConflict, schedctl.PostNotScheduled, "%s is a draft without a proposed time", p.ID).
			WithHint("give it one with: schedctl post schedule " + p.ID + " --at TIME")
	case o.back && p.ProposedAt.NextSlot, o.at != nil && o.at.NextSlot:
		return nil
	case to == nil:
		return cli.NewFailure(cli.ExitConflict, schedctl.PostNotScheduled, "%s is a draft without a time to shift", p.ID).
			WithHint("give it one with: schedctl post schedule " + p.ID + " --at TIME")
	case !to.After(o.Now()):
		return cli.InvalidError(schedctl.InvalidPublishAt, "%s would be moved to %s, which has passed", p.ID, when.Format(to.In(o.Local)))
	}
	return nil
}

// tellMove describes a selected post with its current and its new time.
func (o *scheduleOptions) tellMove(p apiv1.Post, names Accounts) {
	switch err := o.wouldRefuse(p); {
	case err != nil:
		o.App.Messagef("left out: %v", err)
	case !o.dry:
		after := o.ShortTime(o.moved(p).PublishAt)
		if o.at != nil && o.at.NextSlot || o.back && p.ProposedAt.NextSlot {
			after = nextFreeSlot
		}
		o.App.Messagef("%s", moveText(o.App, p, after, names))
		o.tellShift(p)
	}
}

// nextFreeSlot is shown for a time that the daemon chooses.
const nextFreeSlot = "next free slot"

// moveText describes a post with its current and its new time.
func moveText(a *cli.App, p apiv1.Post, after string, names Accounts) string {
	before := cli.FirstNonEmpty(a.ShortTime(p.PublishAt), "no time")
	return fmt.Sprintf("%s %s -> %s %s: %s", p.ID, before, after, cli.OneLine(recipientsText(p, names)), cli.Clip(cli.OneLine(p.Content), 40))
}

// move moves one post. It fails if the post has changed since it was shown, or since it was
// read, so that a repeated shift moves no post twice.
func (o *scheduleOptions) move(ctx context.Context, c *client.Client, id string) (apiv1.Post, error) {
	if o.named && !o.shift.Given && !o.back {
		return o.unchanged(ctx, o.App, c, id, o.before[id], func(options ...client.Option) (apiv1.Post, error) {
			return c.SchedulePost(ctx, id, o.request(), options...)
		})
	}
	p, err := c.Post(ctx, id)
	if err == nil {
		err = o.wouldRefuse(p)
	}
	if err != nil {
		return p, err
	}
	if o.named {
		o.tellShift(p)
	}
	return o.unchanged(ctx, o.App, c, id, o.before[id], func(options ...client.Option) (apiv1.Post, error) {
		options = append([]client.Option{client.IfVersion(p.Version)}, options...) // the last one counts
		if o.back {
			at := apiv1.PublishTime{Time: p.ProposedAt.Time, NextSlot: p.ProposedAt.NextSlot}
			return c.SchedulePost(ctx, id, apiv1.SchedulePost{PublishAt: at, AllowDuplicate: o.allowDuplicate}, options...)
		}
		edit := o.booked
		edit.PublishAt, edit.AllowDuplicate = o.at, o.allowDuplicate
		if o.at == nil {
			edit.PublishAt = apiv1.At(o.moved(p).PublishAt.Time)
		}
		return c.EditPost(ctx, id, edit, options...)
	})
}
