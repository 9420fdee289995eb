package bolt

import (
	"slices"
	"time"

	"github.com/schedctl/schedctl"
)

// Prune implements [storage.Tx].
func (tx *tx) Prune(answersBefore, eventsBefore time.Time, limit int) (int, error) {
	old := tx.oldAnswers(answersBefore, limit)
	for _, key := range old {
		if err := tx.deleteAnswer(key); err != nil {
			return 0, err
		}
	}
	past, err := tx.oldEvents(eventsBefore, limit-len(old))
	if err != nil {
		return 0, err
	}
	for i := range past {
		if err := tx.deleteEvent(past[i]); err != nil {
			return 0, err
		}
	}
	return len(old) + len(past), nil
}

func (tx *tx) oldAnswers(before time.Time, limit int) (old [][]byte) {
	c := tx.in(answers).Cursor()
	for k, _ := c.First(); k != nil && len(old) < limit && readTime(k) < timeKey(before.UnixMilli()); k, _ = c.Next() {
		old = append(old, slices.Clone(k))
	}
	return old
}

func (tx *tx) oldEvents(before time.Time, limit int) (old []schedctl.Event, err error) {
	c := tx.in(events).Cursor()
	for k, v := c.First(); k != nil && len(old) < limit; k, v = c.Next() {
		e, err := readEvent(k, v)
		if err != nil {
			return nil, err
		}
		if !e.CreatedAt.Before(before) {
			break
		}
		old = append(old, e)
	}
	return old, nil
}

func (tx *tx) deleteEvent(e schedctl.Event) error {
	event, err := parse(schedctl.EventPrefix, e.ID)
	if err != nil {
		return err
	}
	if err := tx.delete(events, event[:]); err != nil {
		return err
	}
	return tx.unindexEvent(e)
}
