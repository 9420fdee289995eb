package bolt

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
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

// Event implements [storage.Reader].
func (r *reader) Event(id string) (schedctl.Event, error) {
	event, err := parse(schedctl.EventPrefix, id)
	if err != nil {
		return schedctl.Event{}, err
	}
	record := r.in(events).Get(append(r.scratch[:0], event[:]...))
	if record == nil {
		return schedctl.Event{}, notFound(schedctl.EventPrefix, id)
	}
	return readEvent(event[:], record)
}

// LastEvent implements [storage.Reader].
func (r *reader) LastEvent() (string, error) {
	switch k := lastKey(r.in(events).Cursor()); len(k) {
	case 0:
		return "", nil
	case 16:
		return id(k, schedctl.EventPrefix), nil
	default:
		return "", wrongKey(events, k)
	}
}

// Later implements [storage.Reader]. Ids are in the order of the outbox, because only one
// process writes, one transaction after another.
func (r *reader) Later(a, b string) (string, error) {
	for _, id := range []string{a, b} {
		if id == "" {
			continue
		}
		if _, err := parse(schedctl.EventPrefix, id); err != nil {
			return "", err
		}
	}
	return max(a, b), nil
}

// OutboxEnd implements [storage.Tx].
func (tx *tx) OutboxEnd() (string, error) {
	return schedctl.NewID(schedctl.EventPrefix, time.Now()), nil
}

func readEvent(key, record []byte) (e schedctl.Event, err error) {
	if len(key) != 16 {
		return e, wrongKey(events, key)
	}
	e.ID = id(key, schedctl.EventPrefix)
	if err := decode(record, &e, (*coder).event); err != nil {
		return e, fmt.Errorf("event %s: %w", e.ID, err)
	}
	return e, nil
}

// AddEvents implements [storage.Tx]. It checks all events before it writes the first.
func (tx *tx) AddEvents(list ...schedctl.Event) error {
	tx.ids, tx.records = tx.ids[:0], tx.records[:0]
	for i := range list {
		event, err := parse(schedctl.EventPrefix, list[i].ID)
		if err != nil {
			return err
		}
		if tx.hasEvent(event) {
			return fmt.Errorf("add event %s: there is one with this id", list[i].ID)
		}
		record, err := encode(&tx.coder, tx.arena.free(), &list[i], (*coder).event)
		if err != nil {
			return err
		}
		tx.arena.keep(record)
		tx.ids, tx.records = append(tx.ids, event), append(tx.records, record)
	}
	for i := range tx.ids {
		if err := tx.put(events, tx.ids[i][:], tx.records[i]); err != nil {
			return err
		}
	}
	tx.events += len(list)
	return tx.indexEvents(list)
}

// hasEvent reports whether an event is in the bucket or among the events of the current
// AddEvents.
func (tx *tx) hasEvent(event ulid) bool {
	if tx.youngest(events, event) {
		return false
	}
	return slices.Contains(tx.ids, event) || tx.in(events).Get(append(tx.scratch[:0], event[:]...)) != nil
}
