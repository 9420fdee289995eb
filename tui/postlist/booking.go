package postlist

import (
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/tui/screen"
)

// Proposal returns the time that a booking proposes, or nil for none. A slot is proposed by
// its time.
func (b Booking) Proposal() *apiv1.ProposedTime {
	switch at := b.WantedSlot(); {
	case b.PublishAt == nil:
		return nil
	case !at.IsZero():
		return &apiv1.ProposedTime{Time: at}
	}
	return &apiv1.ProposedTime{Time: b.PublishAt.Time, NextSlot: b.PublishAt.NextSlot}
}

// Booking is when a post is published, as the API takes it.
type Booking struct {
	PublishAt *apiv1.PublishTime // nil for none
	QueueID   *string
	NotBefore *apiv1.Time

	AllowBlackout bool // accept a time in a blackout
}

// SlotTime asks the daemon for the first free slot of a queue from a time on.
func SlotTime(queueID string, from time.Time) Booking {
	return Booking{PublishAt: apiv1.NextSlot(), QueueID: &queueID, NotBefore: apiv1.NewTime(from)}
}

// BookingOf returns the booking that gives a post the time of p again, and its slot.
func BookingOf(p apiv1.Post) Booking {
	if p.Slot != nil && p.QueueID != nil {
		return SlotTime(*p.QueueID, p.PublishAt.Time)
	}
	return Booking{PublishAt: apiv1.At(p.PublishAt.Time)}
}

// WantedSlot returns the slot that a booking asks for, or the zero time.
func (b Booking) WantedSlot() time.Time {
	if b.PublishAt == nil || !b.PublishAt.NextSlot || b.NotBefore == nil {
		return time.Time{}
	}
	return b.NotBefore.Time
}

// SlotReport describes the slot that a post got, and reports whether it is another one
// than the wanted one. A zero wanted time means any slot.
func SlotReport(p apiv1.Post, wanted time.Time, zone *time.Location) (text string, other bool) {
	if p.PublishAt == nil {
		return "saved", false
	}
	got := when.Format(p.PublishAt.In(zone))
	if wanted.IsZero() || p.PublishAt.Equal(wanted) {
		return "scheduled for " + got, false
	}
	return "the slot at " + wanted.In(zone).Format("Mon 2 Jan 15:04") + " is taken: scheduled for the next free one, " + got, true
}

// NextSlotText splits a text that asks for the next slot, with the name of a queue or
// without.
func NextSlotText(text string) (queue string, ok bool) {
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

// BlackoutText says which blackout contains a time that the daemon has refused.
func BlackoutText(err error) string {
	text, _, _ := strings.Cut(screen.Explain(err), ";") // what follows is about other programs
	return strings.TrimPrefix(text, string(schedctl.InBlackout)+": ")
}

// ParseTime parses a time in the future.
func ParseTime(text string, now time.Time, zone *time.Location) (time.Time, error) {
	at, err := when.Parse(text, now, zone)
	if err == nil {
		err = at.Check(now)
	}
	return at.Time, err
}

// EchoTime describes the parsed time, or what is wrong with it.
func EchoTime(text string, now time.Time, zone *time.Location) string {
	if text == "" {
		return "for example: tomorrow 9am, friday noon, in 2h, 2026-12-08 09:00, next-slot"
	}
	at, err := when.Parse(text, now, zone)
	if err == nil {
		err = at.Check(now)
	}
	if err != nil {
		return err.Error()
	}
	if at.Note != "" {
		return at.Echo(now, zone) + "; " + at.Note
	}
	return at.Echo(now, zone)
}
