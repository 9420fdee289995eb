package api

import (
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// queueChange is the body of a request that creates or changes a queue.
type queueChange apiv1.EditQueue

func readCreateQueue(d *decoder) queueChange {
	b := readAs[apiv1.CreateQueue, queueChange](d)
	d.managed(b.Managed)
	return b
}

func readEditQueue(d *decoder) queueChange {
	b := queueChange(read[apiv1.EditQueue](d))
	d.managed(b.Managed)
	return b
}

// apply sets the given fields, except for the default flag.
func (b *queueChange) apply(q *schedctl.Queue) {
	set(&q.Name, b.Name)
	set(&q.Timezone, b.Timezone)
	if b.Times != nil {
		q.Times = convert(*b.Times, func(t apiv1.QueueTime) schedctl.QueueTime {
			out, _ := t.Domain()
			return out
		})
	}
	if b.SocialAccountIDs != nil {
		q.AccountIDs = slices.Clone(*b.SocialAccountIDs)
	}
	if b.Gap != nil {
		q.Gap, _ = time.ParseDuration(*b.Gap) // the reader has checked it
	}
	setManaged(&q.Managed, b.Managed)
}

// reflowQueue is the body of POST /queues/{id}/reflow.
type reflowQueue struct {
	DryRun bool   `json:"dry_run"`
	Digest string `json:"digest"` // empty for null
}

func readReflowQueue(d *decoder) reflowQueue {
	b := readAs[apiv1.ReflowQueue, reflowQueue](d)
	d.require(b.DryRun || b.Digest != "", "digest", "ask for a preview with dry_run: true, and send the digest of its response")
	return b
}

// readOrderQueue reads the body of POST /queues/{id}/order.
func readOrderQueue(d *decoder) []string { return read[apiv1.OrderQueue](d).PostIDs }
