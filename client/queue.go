package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
)

const queues = "/queues"

// Queues returns all queues of the workspace in order of creation.
func (c *Client) Queues(ctx context.Context) ([]apiv1.Queue, error) {
	out, err := get[apiv1.QueueList](ctx, c, queues, nil)
	return out.Results, err
}

// Queue returns one queue and its displaced posts.
func (c *Client) Queue(ctx context.Context, id string) (apiv1.QueueEnvelope, error) {
	return get[apiv1.QueueEnvelope](ctx, c, itemPath(queues, id), nil)
}

// CreateQueue creates a queue. The first queue of a workspace becomes the default.
func (c *Client) CreateQueue(ctx context.Context, q apiv1.CreateQueue, options ...Option) (apiv1.QueueEnvelope, error) {
	return write[apiv1.QueueEnvelope](ctx, c, http.MethodPost, queues, q, options)
}

// EditQueue changes a queue. Posts keep their times: Displaced lists those whose times
// are no longer slots of the queue, and [Client.ReflowQueue] moves them.
func (c *Client) EditQueue(ctx context.Context, id string, q apiv1.EditQueue, options ...Option) (apiv1.QueueEnvelope, error) {
	return write[apiv1.QueueEnvelope](ctx, c, http.MethodPatch, itemPath(queues, id), q, options)
}

// DeleteQueue deletes a queue. Its posts keep their times.
func (c *Client) DeleteQueue(ctx context.Context, id string, options ...Option) error {
	return c.delete(ctx, itemPath(queues, id), options)
}

// SlotQuery selects slots of a queue. For zero fields the daemon uses its defaults.
type SlotQuery struct {
	AccountID string    // free means free for this account; for all accounts of the queue if it is empty
	After     time.Time // inclusive
	Before    time.Time // exclusive
	Limit     int
}

func (q SlotQuery) values() url.Values {
	v := url.Values{}
	if q.AccountID != "" {
		v.Set("social_account_id", q.AccountID)
	}
	setTimes(v, "after", q.After, "before", q.Before)
	if q.Limit > 0 {
		v.Set("limit", strconv.Itoa(q.Limit))
	}
	return v
}

// setTimes sets the query parameters of a period, unless its times are zero.
func setTimes(v url.Values, afterName string, after time.Time, beforeName string, before time.Time) {
	if !after.IsZero() {
		v.Set(afterName, apiv1.Time{Time: after}.String())
	}
	if !before.IsZero() {
		v.Set(beforeName, apiv1.Time{Time: before}.String())
	}
}

// QueueSlots returns slots of a queue in order of time: free, taken and blocked ones. It
// reserves nothing; a post takes a slot with [apiv1.NextSlot].
func (c *Client) QueueSlots(ctx context.Context, id string, q SlotQuery) ([]apiv1.QueueSlot, error) {
	out, err := get[apiv1.QueueSlots](ctx, c, itemPath(queues, id, "slots"), q.values())
	return out.Results, err
}

// OrderQueue lets the posts exchange their times, so that the first one has the earliest
// time. All of them must be scheduled in slots of the queue.
func (c *Client) OrderQueue(ctx context.Context, id string, postIDs []string, options ...Option) (apiv1.QueueMoves, error) {
	return write[apiv1.QueueMoves](ctx, c, http.MethodPost, itemPath(queues, id, "order"), apiv1.OrderQueue{PostIDs: postIDs}, options)
}

// PreviewReflow returns the moves that [Client.ReflowQueue] would make, and the digest
// that it needs. It changes nothing.
func (c *Client) PreviewReflow(ctx context.Context, id string) (apiv1.QueueMoves, error) {
	return write[apiv1.QueueMoves](ctx, c, http.MethodPost, itemPath(queues, id, "reflow"), apiv1.ReflowQueue{DryRun: true}, nil)
}

// ReflowQueue moves the displaced posts of a queue into slots that it has. digest is that
// of the preview. If the queue or its posts changed since, the error is VERSION_MISMATCH
// and nothing moves.
func (c *Client) ReflowQueue(ctx context.Context, id, digest string, options ...Option) (apiv1.QueueMoves, error) {
	return write[apiv1.QueueMoves](ctx, c, http.MethodPost, itemPath(queues, id, "reflow"), apiv1.ReflowQueue{Digest: &digest}, options)
}
