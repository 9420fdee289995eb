package api

import (
	"time"

	"github.com/schedctl/schedctl"
)

// slotChoice has the fields of a request that say which slot the post takes.
type slotChoice struct {
	queueID   string    // empty for the queue that [slots.Choose] returns
	notBefore time.Time // zero for no limit
}

// slotFields are the fields of slotChoice.
var slotFields = []string{"queue_id", "not_before"}

// slotField reads a field of slotChoice. It reports false for other names.
func (d *decoder) slotField(name string, b *slotChoice) bool {
	switch name {
	case "queue_id":
		b.queueID = d.queueID()
	case "not_before":
		b.notBefore = d.notBefore()
	default:
		return false
	}
	return true
}

// queueID reads the id of a queue, or null for none.
func (d *decoder) queueID() string {
	if d.null() {
		return ""
	}
	id, ok := d.text()
	if _, valid := schedctl.ParseID(schedctl.QueuePrefix, id); ok && !valid {
		d.wrong(schedctl.ValidationFailed, "is not the id of a queue; list them with GET %s/queues", prefix)
	}
	return id
}

// notBefore reads a time, or null for none.
func (d *decoder) notBefore() time.Time {
	if d.null() {
		return time.Time{}
	}
	text, ok := d.text()
	if !ok {
		return time.Time{}
	}
	return d.time(text, schedctl.ValidationFailed)
}

// onlyForSlots adds a fault if a body chooses a slot without asking for one.
func (b *slotChoice) onlyForSlots(d *decoder, at publishTime) {
	if *b != (slotChoice{}) && !at.nextSlot && d.clean() {
		d.fault(schedctl.ValidationFailed, `queue_id and not_before are for posts that take a slot; give publish_at "next-slot" with them`)
	}
}
