package bolt

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// Events implements [storage.Reader].
func (r *reader) Events(afterID string, limit int) (list []schedctl.Event, err error) {
	c := r.in(events).Cursor()
	k, v := c.First()
	if afterID != "" {
		after, err := parse(schedctl.EventPrefix, afterID)
		if err != nil {
			return nil, err
		}
		if k, v = c.Seek(after[:]); bytes.Equal(k, after[:]) {
			k, v = c.Next()
		}
	}
	for ; k != nil && len(list) < limit; k, v = c.Next() {
		e, err := readEvent(k, v)
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, nil
}

func readEvent(key, record []byte) (e schedctl.Event, err error) {
	if len(key) != 16 {
		return e, fmt.Errorf("events: %w: a key has %d bytes", storage.ErrCorrupt, len(key))
	}
	e.ID = id(key, schedctl.EventPrefix)
	if err := decode(record, &e, (*coder).event); err != nil {
		return e, fmt.Errorf("event %s: %w", e.ID, err)
	}
	return e, nil
}

// AddEvents implements [storage.Tx]. It writes nothing unless all events can be
// written.
func (tx *tx) AddEvents(list ...schedctl.Event) error {
	ids, records := make([]ulid, len(list)), make([][]byte, len(list))
	for i := range list {
		event, err := parse(schedctl.EventPrefix, list[i].ID)
		if err != nil {
			return err
		}
		if tx.hasEvent(event, ids[:i]) {
			return fmt.Errorf("add event %s: there is one with this id", list[i].ID)
		}
		ids[i] = event
		if records[i], err = encode(&tx.coder, tx.arena.free(), &list[i], (*coder).event); err != nil {
			return err
		}
		tx.arena.keep(records[i])
	}
	for i := range list {
		if err := tx.put(events, ids[i][:], records[i]); err != nil {
			return err
		}
	}
	tx.events += len(list)
	return nil
}

// hasEvent looks for an event in the bucket and among those that are to be
// added. Nearly all are younger than the last one there is, and for these it
// does not look.
func (tx *tx) hasEvent(event ulid, added []ulid) bool {
	if tx.lastEvent == (ulid{}) {
		last, _ := tx.in(events).Cursor().Last()
		copy(tx.lastEvent[:], last)
	}
	if bytes.Compare(event[:], tx.lastEvent[:]) > 0 {
		tx.lastEvent = event
		return false
	}
	return slices.Contains(added, event) || tx.in(events).Get(append(tx.scratch[:0], event[:]...)) != nil
}
