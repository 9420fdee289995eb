package storagetest

import (
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
)

// outbox has events in order of their ids, as the ids of one process are, or in
// the order in which several processes commit them.
type outbox struct {
	events   []schedctl.Event
	byCommit bool
	ends     map[string]string // the last event there was, by what an end is called; of an order of commits
}

// find returns where an event is. With events in order of ids it is where the
// event would be, if it is not there.
func (o *outbox) find(id string) (int, bool) {
	if o.byCommit {
		i := slices.IndexFunc(o.events, func(e schedctl.Event) bool { return e.ID == id })
		return i, i >= 0
	}
	return slices.BinarySearchFunc(o.events, id, func(e schedctl.Event, id string) int { return strings.Compare(e.ID, id) })
}

// end returns an id that is behind all events.
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

// indexAfter returns which event is the first one behind an id. When there is no such
// event, it is the first that has a greater id.
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
		return 0 // what was before it is removed
	}
	if i = slices.IndexFunc(o.events, func(e schedctl.Event) bool { return e.ID > id }); i < 0 {
		i = len(o.events)
	}
	return i
}

// after returns the events behind an id.
func (o *outbox) after(id string) []schedctl.Event { return o.events[o.indexAfter(id):] }

// later returns the later one of two ids.
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
