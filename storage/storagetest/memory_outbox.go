package storagetest

import (
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
)

// outbox holds events in order of their ids, as those of one process are, or in order
// of the commits of several processes.
type outbox struct {
	events   []schedctl.Event
	byCommit bool
	ends     map[string]string // for an outbox in commit order: the last event at the time of each end id
}

// find returns the index of an event. In an outbox ordered by id, it returns where a
// missing event would be.
func (o *outbox) find(id string) (int, bool) {
	if o.byCommit {
		i := slices.IndexFunc(o.events, func(e schedctl.Event) bool { return e.ID == id })
		return i, i >= 0
	}
	return slices.BinarySearchFunc(o.events, id, func(e schedctl.Event, id string) int { return strings.Compare(e.ID, id) })
}

// end returns an id after all events.
func (o *outbox) end(now time.Time) string {
	id := schedctl.NewID(schedctl.EventPrefix, now)
	if o.byCommit {
		if o.ends == nil {
			o.ends = make(map[string]string)
		}
		o.ends[id] = ""
		if n := len(o.events); n > 0 {
			o.ends[id] = o.events[n-1].ID
		}
	}
	return id
}

// indexAfter returns the index of the first event after an id. For a missing event,
// that is the first one with a greater id.
func (o *outbox) indexAfter(id string) int {
	last, end := o.ends[id]
	if end {
		id = last
	}
	i, found := o.find(id)
	switch {
	case found:
		return i + 1
	case end:
		return 0 // all earlier events were removed
	}
	if i = slices.IndexFunc(o.events, func(e schedctl.Event) bool { return e.ID > id }); i < 0 {
		i = len(o.events)
	}
	return i
}

// after returns the events after an id.
func (o *outbox) after(id string) []schedctl.Event { return o.events[o.indexAfter(id):] }

// later returns the later of two ids.
func (o *outbox) later(a, b string) string {
	switch {
	case !o.byCommit:
		return max(a, b)
	case o.indexAfter(b) > o.indexAfter(a):
		return b
	}
	return a
}

func (o *outbox) add(e schedctl.Event) {
	if o.byCommit {
		o.events = append(o.events, e)
		return
	}
	i, _ := o.find(e.ID)
	o.insert(i, e)
}

func (o *outbox) insert(i int, e schedctl.Event) { o.events = slices.Insert(o.events, i, e) }

func (o *outbox) remove(id string) {
	if i, found := o.find(id); found {
		o.events = slices.Delete(o.events, i, i+1)
	}
}
