package bolt

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// PostEvents implements [storage.Reader].
func (r *reader) PostEvents(postID string, limit int) (list []schedctl.Event, err error) {
	post, err := parse(schedctl.PostPrefix, postID)
	if err != nil {
		return nil, err
	}
	ids, err := r.latestEvents(post, limit)
	if err != nil {
		return nil, err
	}
	for _, event := range ids {
		record := r.in(events).Get(append(r.scratch[:0], event[:]...))
		if record == nil {
			return nil, fmt.Errorf("events of %s: %w: %s is missing", postID, storage.ErrCorrupt, event.ID(schedctl.EventPrefix))
		}
		e, err := readEvent(event[:], record)
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, nil
}

// latestEvents returns the ids of up to limit latest events of a post, the oldest first.
func (r *reader) latestEvents(post ulid, limit int) (ids []ulid, err error) {
	c := r.in(eventsByPost).Cursor()
	for k := seekBefore(c, afterAll(post[:])); len(ids) < limit && bytes.HasPrefix(k, post[:]); k = stepBack(c, k) {
		if ids, err = appendEvents(ids, k, r.in(eventsByPost).Get(k)); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(ids, compareULIDs)
	return ids[max(0, len(ids)-limit):], nil
}

// appendEvents appends the ids of one entry of the index.
func appendEvents(ids []ulid, key, value []byte) ([]ulid, error) {
	if len(key) != 32 || len(value) == 0 || len(value)%16 != 0 || !bytes.Equal(key[16:], value[:16]) {
		return nil, fmt.Errorf("index of events: %w: key %x has %x", storage.ErrCorrupt, key, value)
	}
	for ; len(value) > 0; value = value[16:] {
		ids = append(ids, ulid(value))
	}
	return ids, nil
}

func compareULIDs(a, b ulid) int { return bytes.Compare(a[:], b[:]) }

// indexEvents adds new events to the index of events by post. It sorts parts of tx.ids,
// so nothing may use tx.ids after it.
func (tx *tx) indexEvents(list []schedctl.Event) error {
	for start := 0; start < len(list); {
		end := start + 1
		for end < len(list) && list[end].PostID == list[start].PostID {
			end++
		}
		if list[start].PostID != "" {
			if err := tx.indexGroup(list[start].PostID, tx.ids[start:end]); err != nil {
				return err
			}
		}
		start = end
	}
	return nil
}

func (tx *tx) indexGroup(postID string, ids []ulid) error {
	post, err := parse(schedctl.PostPrefix, postID)
	if err != nil {
		return err
	}
	slices.SortFunc(ids, compareULIDs)
	value := tx.arena.free()
	for i := range ids {
		value = append(value, ids[i][:]...)
	}
	tx.arena.keep(value)
	return tx.put(eventsByPost, concat(tx.scratch[:0], post[:], ids[0][:]), value)
}

// unindexEvent removes the oldest of all events from the index. As the oldest, it is the
// first event of its entry.
func (tx *tx) unindexEvent(e schedctl.Event) error {
	if e.PostID == "" {
		return nil
	}
	post, event, err := parse2(schedctl.PostPrefix, e.PostID, schedctl.EventPrefix, e.ID)
	if err != nil {
		return err
	}
	key := concat(nil, post[:], event[:])
	ids, err := appendEvents(nil, key, tx.in(eventsByPost).Get(key))
	if err != nil {
		return err
	}
	if err := tx.delete(eventsByPost, key); err != nil || len(ids) == 1 {
		return err
	}
	return tx.indexGroup(e.PostID, ids[1:])
}
