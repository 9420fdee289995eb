package mcp

import (
	"context"
	"reflect"

	"github.com/schedctl/schedctl/client/apiv1"
)

// scheduling are the arguments of schedule_post and reschedule_post.
type scheduling struct {
	identified
	version
	PublishAt apiv1.Time `json:"publish_at" doc:"A future time, RFC 3339, such as 2026-06-02T15:00:00Z."`
	deliberate
}

// queueing are the arguments of queue_post.
type queueing struct {
	identified
	version
	QueueID   string      `json:"queue_id,omitempty" doc:"The queue. Leave it out for the queue of the accounts, or else the default queue." minLength:"1" maxLength:"100"`
	NotBefore *apiv1.Time `json:"not_before,omitempty" doc:"Take no slot before this time, RFC 3339."`
	deliberate
}

// skipping are the arguments of skip_occurrence.
type skipping struct {
	ID         string `json:"id" doc:"The id of the series." minLength:"1" maxLength:"100"`
	Occurrence string `json:"occurrence" doc:"The local time of the occurrence to skip, such as 2026-12-08T09:00." pattern:"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}$"`
	version
	deliberate
}

// retrying are the arguments of retry_post.
type retrying struct {
	identified
	version
	TargetIDs []string `json:"target_ids,omitempty" doc:"The targets to retry; all failed ones if it is left out." minItems:"1" maxItems:"100" maxLength:"100"`
	deliberate
}

// seriesChanged is the result of tools that change a series.
type seriesChanged struct {
	apiv1.SeriesEnvelope
	replay
}

func publishTools() []tool {
	return []tool{{
		name: "schedule_post", title: "Schedule a draft", scopes: writesPosts, effect: publishes,
		about: "Schedules a draft. It is published at that time without further questions.",
		in:    reflect.TypeFor[scheduling](), out: reflect.TypeFor[postChanged](),
		call: writing(func(ctx context.Context, c call, in scheduling) (postChanged, error) {
			p, err := c.Client.SchedulePost(ctx, in.ID, apiv1.SchedulePost{PublishAt: *apiv1.At(in.PublishAt.Time)}, c.onVersion(in.version)...)
			return c.changed(p), err
		}),
	}, {
		name: "queue_post", title: "Schedule a draft in the next free slot", scopes: writesPosts, effect: publishes,
		about: "Schedules a draft in the next free slot of a queue. It is published at that time without further questions.",
		in:    reflect.TypeFor[queueing](), out: reflect.TypeFor[postChanged](),
		call: writing(func(ctx context.Context, c call, in queueing) (postChanged, error) {
			next := apiv1.SchedulePost{PublishAt: *apiv1.NextSlot(), NotBefore: in.NotBefore}
			if in.QueueID != "" {
				next.QueueID = &in.QueueID
			}
			p, err := c.Client.SchedulePost(ctx, in.ID, next, c.onVersion(in.version)...)
			return c.changed(p), err
		}),
	}, {
		name: "reschedule_post", title: "Move a scheduled post", scopes: writesPosts, effect: publishes,
		about: "Gives a scheduled post another time.",
		in:    reflect.TypeFor[scheduling](), out: reflect.TypeFor[postChanged](),
		call: writing(func(ctx context.Context, c call, in scheduling) (postChanged, error) {
			p, err := c.Client.EditPost(ctx, in.ID, apiv1.EditPost{PublishAt: apiv1.At(in.PublishAt.Time)}, c.onVersion(in.version)...)
			return c.changed(p), err
		}),
	}, {
		name: "skip_occurrence", title: "Skip an occurrence of a series", scopes: writesPosts, effect: publishes,
		about: "Skips one occurrence of a recurring post and removes its scheduled post.",
		in:    reflect.TypeFor[skipping](), out: reflect.TypeFor[seriesChanged](),
		call: writing(func(ctx context.Context, c call, in skipping) (seriesChanged, error) {
			s, err := c.Client.SkipOccurrence(ctx, in.ID, in.Occurrence, c.onVersion(in.version)...)
			return seriesChanged{s, replay{*c.replayed}}, err
		}),
	}, {
		name: "cancel_post", title: "Cancel a scheduled post", scopes: writesPosts, effect: publishes,
		about:    "Cancels a scheduled post. This cannot be undone. Targets that are published stay published.",
		question: "Cancel this post? This cannot be undone.",
		in:       reflect.TypeFor[change](), out: reflect.TypeFor[postChanged](),
		call: writing(func(ctx context.Context, c call, in change) (postChanged, error) {
			p, err := c.Client.CancelPost(ctx, in.ID, c.onVersion(in.version)...)
			return c.changed(p), err
		}),
	}, {
		name: "publish_now", title: "Publish a post now", scopes: writesPosts, effect: publishes,
		about:    "Publishes a draft or a scheduled post at once. This cannot be undone.",
		question: "Publish this post now? This cannot be undone.",
		in:       reflect.TypeFor[change](), out: reflect.TypeFor[postChanged](),
		call: writing(func(ctx context.Context, c call, in change) (postChanged, error) {
			p, err := c.Client.PublishPost(ctx, in.ID, apiv1.PublishPost{}, c.onVersion(in.version)...)
			return c.changed(p), err
		}),
	}, {
		name: "retry_post", title: "Retry failed targets", scopes: writesPosts, effect: publishes,
		about:    "Publishes failed targets again. Targets that may have been published already are refused: only a person can retry them.",
		question: "Publish the failed targets of this post again, now?",
		in:       reflect.TypeFor[retrying](), out: reflect.TypeFor[postChanged](),
		call: writing(func(ctx context.Context, c call, in retrying) (postChanged, error) {
			p, err := c.Client.RetryPost(ctx, in.ID, apiv1.RetryPost{TargetIDs: in.TargetIDs}, c.onVersion(in.version)...)
			return c.changed(p), err
		}),
	}}
}
