package bolt

import (
	"bytes"
	"fmt"

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

// AddEvents implements [storage.Tx].
func (tx *tx) AddEvents(list ...schedctl.Event) error {
	for i := range list {
		event, err := parse(schedctl.EventPrefix, list[i].ID)
		if err != nil {
			return err
		}
		if tx.hasEvent(event) {
			return fmt.Errorf("add event %s: there is one with this id", list[i].ID)
		}
		if err := putRecord(tx, events, append(tx.scratch[:0], event[:]...), &list[i], (*coder).event); err != nil {
			return err
		}
		tx.events++
	}
	return nil
}

// hasEvent looks for an event. Nearly all are younger than the last one there
// is, and for these it does not look.
func (tx *tx) hasEvent(event ulid) bool {
	if tx.lastEvent == (ulid{}) {
		last, _ := tx.in(events).Cursor().Last()
		copy(tx.lastEvent[:], last)
	}
	if bytes.Compare(event[:], tx.lastEvent[:]) > 0 {
		tx.lastEvent = event
		return false
	}
	return tx.in(events).Get(append(tx.scratch[:0], event[:]...)) != nil
}
