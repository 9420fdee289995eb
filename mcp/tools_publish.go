package mcp

import (
	"context"
	"reflect"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// scheduling are the arguments of schedule_post and reschedule_post.
type scheduling struct {
	identified
	version
	PublishAt apiv1.PublishTime `json:"publish_at" doc:"A future time." maxLength:"200"`
	zoned
	deliberate
}

// queueing are the arguments of queue_post.
type queueing struct {
	identified
	version
	QueueID   string      `json:"queue_id,omitempty" doc:"Name or id; else that of the accounts." minLength:"1" maxLength:"100"`
	NotBefore *apiv1.Time `json:"not_before,omitempty" doc:"No slot before this time." maxLength:"200"`
	zoned
	deliberate
}

// skipping are the arguments of skip_occurrence.
type skipping struct {
	ID         string `json:"id" doc:"Series, name or id." minLength:"1" maxLength:"100"`
	Occurrence string `json:"occurrence" doc:"Its local time, such as 2026-12-08T09:00." pattern:"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}$"`
	version
	zoned
	deliberate
}

// retrying are the arguments of retry_post.
type retrying struct {
	identified
	version
	TargetIDs []string `json:"target_ids,omitempty" doc:"Accounts or targets; else all that failed." minItems:"1" maxItems:"100" maxLength:"100"`
	zoned
	deliberate
}

func publishTools() []tool {
	return []tool{{
		name: "schedule_post", scopes: writesPosts, effect: publishes,
		about: "Schedules a draft. It is published then without further questions.",
		in:    reflect.TypeFor[scheduling](),
		call: with(func(ctx context.Context, c *call, in scheduling) (outcome, error) {
			p, err := c.Client.SchedulePost(ctx, in.ID, apiv1.SchedulePost{PublishAt: in.PublishAt}, c.onVersion(in.version)...)
			return c.changed(ctx, in.ID, p, err)
		}),
	}, {
		name: "queue_post", scopes: writesPosts, effect: publishes,
		about: "Schedules a draft in the next free slot of a queue.",
		in:    reflect.TypeFor[queueing](),
		call: with(func(ctx context.Context, c *call, in queueing) (outcome, error) {
			next := apiv1.SchedulePost{PublishAt: *apiv1.NextSlot(), NotBefore: in.NotBefore}
			if in.QueueID != "" {
				next.QueueID = &in.QueueID
			}
			p, err := c.Client.SchedulePost(ctx, in.ID, next, c.onVersion(in.version)...)
			return c.changed(ctx, in.ID, p, err)
		}),
	}, {
		name: "reschedule_post", scopes: writesPosts, effect: publishes, about: "Moves a scheduled post to another time.",
		in: reflect.TypeFor[scheduling](),
		call: with(func(ctx context.Context, c *call, in scheduling) (outcome, error) {
			p, err := c.Client.EditPost(ctx, in.ID, apiv1.EditPost{PublishAt: &in.PublishAt}, c.onVersion(in.version)...)
			return c.changed(ctx, in.ID, p, err)
		}),
	}, {
		name: "skip_occurrence", scopes: writesPosts, effect: publishes,
		ofSeries: true, about: "Skips one occurrence of a series.", in: reflect.TypeFor[skipping](), call: with(skipOccurrence),
	}, {
		name: "cancel_post", scopes: writesPosts, effect: publishes,
		about:    "Cancels a scheduled post for good. Published targets stay published.",
		question: "Cancel this post? This cannot be undone.",
		in:       reflect.TypeFor[change](),
		call: with(func(ctx context.Context, c *call, in change) (outcome, error) {
			p, err := c.Client.CancelPost(ctx, in.ID, c.onVersion(in.version)...)
			return c.changed(ctx, in.ID, p, err)
		}),
	}, {
		name: "publish_now", scopes: writesPosts, effect: publishes,
		about:    "Publishes a draft or a scheduled post at once. This cannot be undone.",
		question: "Publish this post now? This cannot be undone.",
		in:       reflect.TypeFor[change](),
		call: with(func(ctx context.Context, c *call, in change) (outcome, error) {
			p, err := c.Client.PublishPost(ctx, in.ID, apiv1.PublishPost{}, c.onVersion(in.version)...)
			return c.changed(ctx, in.ID, p, err)
		}),
	}, {
		name: "retry_post", scopes: writesPosts, effect: publishes,
		about:    "Publishes failed targets again. Targets that may be published already take a person.",
		question: "Publish the failed targets of this post again, now?",
		in:       reflect.TypeFor[retrying](), call: with(retryPost),
	}}
}

func skipOccurrence(ctx context.Context, c *call, in skipping) (outcome, error) {
	s, err := c.Client.SkipOccurrence(ctx, in.ID, in.Occurrence, c.onVersion(in.version)...)
	if err != nil {
		return outcome{}, c.aboutSeries(err)
	}
	d, err := c.look(ctx)
	if err != nil {
		return outcome{}, err
	}
	v := d.viewSeries(&s.Series)
	return c.done(outcome{"Skipped " + in.Occurrence + " of " + v.row(), map[string]any{"series": v, "skipped": in.Occurrence}}), nil
}

func retryPost(ctx context.Context, c *call, in retrying) (outcome, error) {
	if len(in.TargetIDs) > 0 {
		if err := c.targetIDs(ctx, in); err != nil {
			return outcome{}, err
		}
	}
	p, err := c.Client.RetryPost(ctx, in.ID, apiv1.RetryPost{TargetIDs: in.TargetIDs}, c.onVersion(in.version)...)
	return c.changed(ctx, in.ID, p, err)
}

// targetIDs replaces names and ids of accounts by the ids of their targets.
func (c *call) targetIDs(ctx context.Context, in retrying) error {
	d, err := c.look(ctx)
	if err != nil {
		return err
	}
	p, err := c.Client.Post(ctx, in.ID)
	if err != nil {
		return err
	}
	known, ofTargets := d.names(p.SocialAccountIDs), make([]string, len(p.Targets))
	for i, t := range p.Targets {
		ofTargets[i] = d.name(t.SocialAccountID)
	}
	for i, name := range in.TargetIDs {
		if _, isTarget := schedctl.ParseID(schedctl.TargetPrefix, name); isTarget {
			continue
		}
		at := slices.IndexFunc(p.Targets, func(t apiv1.Target) bool { return t.SocialAccountID == name })
		if at < 0 {
			at = indexOfName(ofTargets, name)
		}
		if at < 0 {
			return wrongName(at, "target_ids", "account of this post", name, known, "get_post")
		}
		in.TargetIDs[i] = p.Targets[at].ID
	}
	return nil
}
