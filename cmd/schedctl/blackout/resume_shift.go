package blackout

import (
	"context"
	"fmt"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

// released is a post that waits for the end of a hold.
type released struct {
	post apiv1.Post
	to   *apiv1.Time // the new time of --shift-missed; nil to keep the time
	note string      // how the new time is not the expected one, or empty
}

// after returns the post with its new time.
func (r released) after() apiv1.Post {
	if r.to != nil {
		r.post.PublishAt = r.to
	}
	return r.post
}

// prepare lists the posts that wait for the holds to end, asks, and moves those of
// --shift-missed. It reports whether the holds end now.
func (o *resumeOptions) prepare(ctx context.Context, c *client.Client, ends []ending) (goesOn bool, err error) {
	posts, err := o.waiting(ctx, c, ends)
	if err != nil {
		return false, err
	}
	if o.dry {
		return false, printTrial(ctx, o.App, c, cli.Map(posts, released.after), "released")
	}
	names := post.AccountsByID(ctx, c)
	moves := 0
	for _, r := range posts {
		o.Messagef("%s: %s", post.Describe(o.App, r.post, names), o.whatHappens(r))
		if r.to != nil {
			moves++
		}
	}
	if !o.yes {
		if err := o.Confirm(ctx, fmt.Sprintf("Release %s?", cli.Plural(len(posts), "post"))); err != nil {
			return false, err
		}
	}
	if moves > 0 {
		err = o.moveAll(ctx, c, posts)
	}
	return err == nil, err
}

// waiting returns the posts that were due before now, and that no hold of another label holds.
func (o *resumeOptions) waiting(ctx context.Context, c *client.Client, ends []ending) (list []released, err error) {
	now, seen := o.Now(), map[string]bool{}
	for _, e := range ends {
		length := lengthOf(e.hold.StartsAt.Time, now, o.zone)
		posts, err := heldPosts(ctx, c, e.labels(), e.ended(), now)
		if err != nil {
			return nil, err
		}
		for _, p := range posts {
			if seen[p.ID] || slices.ContainsFunc(p.Labels, func(label string) bool { return slices.Contains(o.still, label) }) {
				continue
			}
			seen[p.ID] = true
			r := released{post: p}
			if missed := p.Status == schedctl.Scheduled && p.Slot == nil && p.PublishAt != nil && !p.PublishAt.Before(e.hold.StartsAt.Time); o.shift && missed {
				moved := length.From(p.PublishAt.In(o.zone))
				r.to, r.note = apiv1.NewTime(moved.Time), moved.Note
			}
			list = append(list, r)
		}
	}
	return list, nil
}

// whatHappens says what the end of a hold does to a post.
func (o *resumeOptions) whatHappens(r released) string {
	switch {
	case r.note != "":
		return "moves to " + o.TimeText(r.to) + " (" + r.note + ")"
	case r.to != nil:
		return "moves to " + o.TimeText(r.to)
	case r.post.Slot != nil:
		return "gets a new slot"
	}
	return "is published late, unless it is later than the daemon allows"
}

// moveAll moves the posts that have a new time, while they are held. A post that has changed
// since it was listed is not moved, which is an error.
func (o *resumeOptions) moveAll(ctx context.Context, c *client.Client, posts []released) error {
	var failed cli.ErrorList
	for _, r := range posts {
		if r.to == nil {
			continue
		}
		if _, refused := c.EditPost(ctx, r.post.ID, apiv1.EditPost{PublishAt: apiv1.At(r.to.Time)}, client.IfVersion(r.post.Version)); refused != nil {
			failed = append(failed, fmt.Errorf("%s: %w", r.post.ID, refused))
		}
		if ctx.Err() != nil {
			break
		}
	}
	if failed == nil {
		return nil
	}
	summary := &cli.Failure{Status: cli.ExitFailed, Code: cli.CodeFailed, Message: "some posts were not moved, so the hold stays", Hint: "repeat the command, or leave out --shift-missed"}
	return append(cli.ErrorList{summary}, failed...)
}
