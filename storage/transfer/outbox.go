package transfer

import (
	"context"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// outboxOrder records the order of events in the source, to translate the cursors of
// webhooks for the copy: no undelivered event may lie before a cursor. Delivered events
// may lie after it; they are delivered again under the same id.
type outboxOrder struct {
	cursors map[string]*cursor // cursors of webhooks, by id

	waiting map[string][]*cursor // cursors not reached yet, by the first event after each
	reached []*cursor            // cursors reached, in order

	last, greatest string // ids of the events read so far

	// early comes after late although its id is smaller; empty when events are ordered
	// by id
	late, early string
}

// cursor is a position in the outbox.
type cursor struct {
	event  bool   // the id is that of an event
	any    bool   // there are events after it
	before string // last event before the cursor's next event, or empty
	least  string // smallest id after it
}

// newOutbox reads the cursors of all webhooks.
func newOutbox(ctx context.Context, from storage.Store) (*outboxOrder, error) {
	o := &outboxOrder{cursors: make(map[string]*cursor), waiting: make(map[string][]*cursor)}
	err := view(ctx, from, func(r storage.Exporter) error {
		owners, err := workspaces(r)
		if err != nil {
			return err
		}
		for _, owner := range owners {
			hooks, err := r.Webhooks(owner)
			if err != nil {
				return err
			}
			for i := range hooks {
				if err := o.readCursor(r, hooks[i].Cursor); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return o, err
}

// readCursor reads one cursor.
func (o *outboxOrder) readCursor(r storage.Exporter, id string) error {
	if id == "" || o.cursors[id] != nil {
		return nil
	}
	_, err := r.Event(id)
	if err != nil && schedctl.CodeOf(err) != schedctl.NotFound {
		return err
	}
	c := &cursor{event: err == nil}
	first, err := r.AllEvents(id, 1)
	if err != nil {
		return err
	}
	for i := range first {
		c.any = true
		o.waiting[first[i].ID] = append(o.waiting[first[i].ID], c)
	}
	o.cursors[id] = c
	return nil
}

// addEvent processes the next event, in order.
func (o *outboxOrder) addEvent(id string) {
	// Earlier cursors have smaller or equal least ids.
	for i := len(o.reached) - 1; i >= 0 && o.reached[i].least > id; i-- {
		o.reached[i].least = id
	}
	for _, c := range o.waiting[id] {
		c.before, c.least = o.last, id
		o.reached = append(o.reached, c)
	}
	delete(o.waiting, id)
	if id < o.greatest && o.early == "" {
		o.late, o.early = o.greatest, id
	}
	o.last, o.greatest = id, max(o.greatest, id)
}

// sorted reports whether the copy orders events by id although the source does not.
func (o *outboxOrder) sorted(ctx context.Context, to storage.Store) (sorted bool, err error) {
	if o.early == "" {
		return false, nil
	}
	err = view(ctx, to, func(r storage.Exporter) error {
		later, err := r.Later(o.late, o.early)
		sorted = later == o.late
		return err
	})
	return sorted, err
}

// translate returns the cursor of a webhook in the copy.
func (o *outboxOrder) translate(id string, sorted bool) string {
	c := o.cursors[id]
	switch {
	case c == nil:
		return id // no event
	case !sorted && c.event:
		return id
	case !sorted && c.any:
		return c.before
	case !sorted:
		return o.last
	case !c.any:
		return o.greatest
	case c.event && id < c.least:
		return id
	}
	return predecessor(c.least)
}

// predecessor returns the greatest id before that of an event.
func predecessor(id string) string {
	u, ok := schedctl.ParseID(schedctl.EventPrefix, id)
	if !ok {
		return ""
	}
	for i := len(u) - 1; i >= 0; i-- {
		u[i]--
		if u[i] != 0xff {
			break
		}
	}
	return u.ID(schedctl.EventPrefix)
}
