package tui

import (
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/tui/screen"
)

// booking is when a post is published, as the API takes it.
type booking struct {
	publishAt *apiv1.PublishTime // nil for none
	queueID   *string
	notBefore *apiv1.Time

	allowBlackout bool // accept a time in a blackout
}

// slotTime asks the daemon for the first free slot of a queue from a time on.
func slotTime(queueID string, from time.Time) booking {
	return booking{publishAt: apiv1.NextSlot(), queueID: &queueID, notBefore: apiv1.NewTime(from)}
}

// bookingOf returns the booking that gives a post the time of p again, and its slot.
func bookingOf(p apiv1.Post) booking {
	if p.Slot != nil && p.QueueID != nil {
		return slotTime(*p.QueueID, p.PublishAt.Time)
	}
	return booking{publishAt: apiv1.At(p.PublishAt.Time)}
}

// wantedSlot returns the slot that a booking asks for, or the zero time.
func (b booking) wantedSlot() time.Time {
	if b.publishAt == nil || !b.publishAt.NextSlot || b.notBefore == nil {
		return time.Time{}
	}
	return b.notBefore.Time
}

// slotReport describes the slot that a post got, and reports whether it is another one
// than the wanted one. A zero wanted time means any slot.
func slotReport(p apiv1.Post, wanted time.Time, zone *time.Location) (text string, other bool) {
	if p.PublishAt == nil {
		return "saved", false
	}
	got := when.Format(p.PublishAt.In(zone))
	if wanted.IsZero() || p.PublishAt.Equal(wanted) {
		return "scheduled for " + got, false
	}
	return "the slot at " + wanted.In(zone).Format("Mon 2 Jan 15:04") + " is taken: scheduled for the next free one, " + got, true
}

// nextSlotText splits a text that asks for the next slot, with the name of a queue or
// without.
func nextSlotText(text string) (queue string, ok bool) {
	words := strings.Fields(text)
	switch {
	case len(words) > 0 && strings.EqualFold(words[0], apiv1.PublishNextSlot):
		words = words[1:]
	case len(words) > 1 && strings.EqualFold(words[0], "next") && strings.EqualFold(words[1], "slot"):
		words = words[2:]
	default:
		return "", false
	}
	if len(words) > 1 && strings.EqualFold(words[0], "in") {
		return strings.Join(words[1:], " "), true
	}
	return "", len(words) == 0
}

// parseBooking parses a time in the future, or next-slot with the name of a queue or
// without. Otherwise it says what is wrong with the text.
func (m *Model) parseBooking(text string) (b booking, fault string) {
	name, ok := nextSlotText(text)
	switch {
	case ok && name == "":
		return booking{publishAt: apiv1.NextSlot()}, ""
	case ok:
		i := slices.IndexFunc(m.queues.list, func(q apiv1.Queue) bool { return strings.EqualFold(screen.OneLine(q.Name), name) })
		if i < 0 {
			return booking{}, "there is no queue named " + name + ": view " + tabQueues.number() + " lists the queues"
		}
		return booking{publishAt: apiv1.NextSlot(), queueID: &m.queues.list[i].ID}, ""
	}
	at, err := parseTime(text, m.Now, m.Zone)
	if err != nil {
		return booking{}, err.Error()
	}
	return booking{publishAt: apiv1.At(at)}, ""
}

// echoBooking describes a text as parseBooking reads it, or what is wrong with it.
func (m *Model) echoBooking(text string) string {
	name, ok := nextSlotText(text)
	if !ok {
		return echoTime(text, m.Now, m.Zone)
	}
	if _, fault := m.parseBooking(text); fault != "" {
		return fault
	}
	if name == "" {
		return "the next free slot of the queue of the accounts"
	}
	return "the next free slot of the queue " + name
}

// blackoutText says which blackout contains a time that the daemon has refused.
func blackoutText(err error) string {
	text, _, _ := strings.Cut(screen.Explain(err), ";") // what follows is about other programs
	return strings.TrimPrefix(text, string(schedctl.InBlackout)+": ")
}
