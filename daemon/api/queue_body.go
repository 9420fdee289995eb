package api

import (
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// queueChange holds the fields of a request for a queue. Nil means "not given".
type queueChange struct {
	name       *string
	timezone   *string
	times      *[]schedctl.QueueTime
	accountIDs *[]string
	gap        *time.Duration
	isDefault  *bool
}

var queueFields = []string{"name", "timezone", "times", "social_account_ids", "gap", "default"}

// readCreateQueue reads the body of POST /queues.
func readCreateQueue(d *decoder) (b queueChange) {
	d.object(queueFields, func(name string) { b.read(d, name) })
	d.require(b.name != nil, "name", "name the queue, such as weekdays")
	d.require(b.timezone != nil, "timezone", "name the zone of the times, such as Europe/Berlin")
	d.require(b.times != nil, "times", `say when posts are published, such as [{"days": ["mon", "thu"], "at": "09:00"}]`)
	return b
}

// readEditQueue reads the body of PATCH /queues/{id}.
func readEditQueue(d *decoder) (b queueChange) {
	empty := true
	d.object(queueFields, func(name string) {
		empty = false
		b.read(d, name)
	})
	if empty && d.clean() {
		d.fault(schedctl.ValidationFailed, "the body changes nothing; give name, timezone, times, social_account_ids, gap or default")
	}
	return b
}

func (b *queueChange) read(d *decoder, name string) {
	switch name {
	case "name":
		b.name = new(d.string())
	case "timezone":
		b.timezone = new(d.string())
	case "times":
		b.times = new(d.queueTimes())
	case "social_account_ids":
		b.accountIDs = new(d.accountIDs())
	case "gap":
		b.gap = new(d.gap())
	case "default":
		b.isDefault = new(d.bool())
	}
}

// apply sets the given fields, except for the default flag.
func (b *queueChange) apply(q *schedctl.Queue) {
	if b.name != nil {
		q.Name = *b.name
	}
	if b.timezone != nil {
		q.Timezone = *b.timezone
	}
	if b.times != nil {
		q.Times = slices.Clone(*b.times)
	}
	if b.accountIDs != nil {
		q.AccountIDs = slices.Clone(*b.accountIDs)
	}
	if b.gap != nil {
		q.Gap = *b.gap
	}
}

var (
	queueTimeFields = []string{"days", "at"}
	weekdays        = []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}
)

func (d *decoder) queueTimes() []schedctl.QueueTime {
	return shortList(d, "a list of times", schedctl.MaxQueueTimes, "give one entry for each time of day", d.queueTime)
}

// queueTime reads a time of day on some weekdays.
func (d *decoder) queueTime() schedctl.QueueTime {
	var t apiv1.QueueTime
	hasDays, hasAt := false, false
	d.object(queueTimeFields, func(name string) {
		switch name {
		case "days":
			hasDays = true
			t.Days, _ = choices(d, "weekday", weekdays)
		case "at":
			hasAt = true
			if t.At = d.string(); !isClock(t.At) {
				d.wrong(schedctl.ValidationFailed, "must be a time of day from 00:00 to 23:59, such as 09:00")
			}
		}
	})
	d.require(hasDays, "days", `name the weekdays, such as ["mon", "thu"]`)
	d.require(hasAt, "at", "give the time of day, such as 09:00")
	out, _ := t.Domain()
	return out
}

// isClock reports whether the text is a time of day in the form 09:00.
func isClock(text string) bool {
	t, err := time.Parse("15:04", text)
	return err == nil && t.Format("15:04") == text
}

// gap reads a duration in whole seconds.
func (d *decoder) gap() time.Duration {
	text, ok := d.text()
	if !ok {
		return 0
	}
	gap, err := time.ParseDuration(text)
	if err != nil || gap < 0 || gap > schedctl.MaxQueueGap || gap%time.Second != 0 {
		d.wrong(schedctl.ValidationFailed, "must be a duration from 0s to 24h in whole seconds, such as 30m")
		return 0
	}
	return gap
}

// orderFields and reflowFields are the fields of requests that move posts of a queue.
var (
	orderFields  = []string{"post_ids"}
	reflowFields = []string{"dry_run", "digest"}
)

// maxOrdered is the largest number of posts that are ordered at once.
const maxOrdered = 500

// readOrderQueue reads the body of POST /queues/{id}/order.
func readOrderQueue(d *decoder) (postIDs []string) {
	given := false
	d.object(orderFields, func(string) {
		given = true
		postIDs = d.ids(schedctl.ValidationFailed)
		if n := len(postIDs); postIDs != nil && (n < 2 || n > maxOrdered) {
			d.wrong(schedctl.ValidationFailed, "has %d posts; give 2 to %d", n, maxOrdered)
		}
	})
	d.require(given, "post_ids", "name posts of the queue in their new order")
	return postIDs
}

// reflowQueue is the body of POST /queues/{id}/reflow.
type reflowQueue struct {
	dryRun bool
	digest string
}

func readReflowQueue(d *decoder) (b reflowQueue) {
	d.object(reflowFields, func(name string) {
		switch name {
		case "dry_run":
			b.dryRun = d.bool()
		case "digest":
			if !d.null() {
				b.digest = d.string()
			}
		}
	})
	d.require(b.dryRun || b.digest != "", "digest", "ask for a preview with dry_run: true, and send the digest of its response")
	return b
}
