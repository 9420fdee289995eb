package tui

import (
	"slices"
	"strings"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// ParseBooking parses a time in the future, or next-slot with the name of a queue or
// without. Otherwise it says what is wrong with the text.
func (m *Model) ParseBooking(text string) (b postlist.Booking, fault string) {
	name, ok := postlist.NextSlotText(text)
	switch {
	case ok && name == "":
		return postlist.Booking{PublishAt: apiv1.NextSlot()}, ""
	case ok:
		i := slices.IndexFunc(m.queueList.list, func(q apiv1.Queue) bool { return strings.EqualFold(screen.OneLine(q.Name), name) })
		if i < 0 {
			return postlist.Booking{}, "there is no queue named " + name + ": view " + m.ordererNumber() + " lists the queues"
		}
		return postlist.Booking{PublishAt: apiv1.NextSlot(), QueueID: &m.queueList.list[i].ID}, ""
	}
	at, err := postlist.ParseTime(text, m.Now, m.Zone)
	if err != nil {
		return postlist.Booking{}, err.Error()
	}
	return postlist.Booking{PublishAt: apiv1.At(at)}, ""
}

// EchoBooking describes a text as ParseBooking reads it, or what is wrong with it.
func (m *Model) EchoBooking(text string) string {
	name, ok := postlist.NextSlotText(text)
	if !ok {
		return postlist.EchoTime(text, m.Now, m.Zone)
	}
	if _, fault := m.ParseBooking(text); fault != "" {
		return fault
	}
	if name == "" {
		return "the next free slot of the queue of the accounts"
	}
	return "the next free slot of the queue " + name
}
