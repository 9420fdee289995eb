package bolt

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// Attempts implements [storage.Reader].
func (r *reader) Attempts(targetID string) ([]schedctl.Attempt, error) {
	target, err := parse(schedctl.TargetPrefix, targetID)
	if err != nil {
		return nil, err
	}
	return listUnder(r, attempts, target[:], readAttempt)
}

// LatestAttempts implements [storage.Reader].
func (r *reader) LatestAttempts(targetIDs []string, limit int) (list []schedctl.Attempt, err error) {
	for _, id := range sortedSet(targetIDs) {
		latest, err := r.latestAttempts(id, limit)
		if err != nil {
			return nil, err
		}
		list = append(list, latest...)
	}
	return list, nil
}

// sortedSet returns ids in order and without repeats.
func sortedSet(ids []string) []string { return slices.Compact(slices.Sorted(slices.Values(ids))) }

func (r *reader) latestAttempts(targetID string, limit int) (list []schedctl.Attempt, err error) {
	target, err := parse(schedctl.TargetPrefix, targetID)
	if err != nil {
		return nil, err
	}
	list, err = listBefore(r, attempts, target[:], afterAll(target[:]), limit, readAttempt)
	slices.Reverse(list)
	return list, err
}

// RunningAttempts implements [storage.Reader].
func (r *reader) RunningAttempts() (list []schedctl.Attempt, err error) {
	c := r.in(running).Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		record := r.in(attempts).Get(k)
		if record == nil {
			return nil, fmt.Errorf("running attempts: %w: one is not there", storage.ErrCorrupt)
		}
		a, err := readAttempt(k, record)
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	slices.SortFunc(list, func(a, b schedctl.Attempt) int {
		return cmp.Or(a.StartedAt.Compare(b.StartedAt), strings.Compare(a.ID, b.ID))
	})
	return list, nil
}

func readAttempt(key, record []byte) (a schedctl.Attempt, err error) {
	if len(key) != 20 {
		return a, wrongKey(attempts, key)
	}
	a.TargetID = id(key[:16], schedctl.TargetPrefix)
	a.Number = int(binary.BigEndian.Uint32(key[16:]))
	if err := decode(record, &a, (*coder).attempt); err != nil {
		return a, fmt.Errorf("attempt %d of target %s: %w", a.Number, a.TargetID, err)
	}
	return a, nil
}

// PutAttempt implements [storage.Tx].
func (tx *tx) PutAttempt(a schedctl.Attempt) error {
	target, err := parse(schedctl.TargetPrefix, a.TargetID)
	if err != nil {
		return err
	}
	key := binary.BigEndian.AppendUint32(append(tx.scratch[:0], target[:]...), uint32(a.Number))
	if err := putRecord(tx, attempts, key, &a, (*coder).attempt); err != nil {
		return err
	}
	if a.FinishedAt.IsZero() {
		return tx.put(running, key, nil)
	}
	return tx.delete(running, key)
}

// PublishedTargets implements [storage.Reader].
func (r *reader) PublishedTargets(accountID string, after storage.PublishedTarget, limit int) (list []storage.PublishedTarget, err error) {
	account, err := parse(schedctl.AccountPrefix, accountID)
	if err != nil {
		return nil, err
	}
	end := concat(nil, account[:], bytes.Repeat([]byte{0xff}, 25)) // after all keys of the account
	if after != (storage.PublishedTarget{}) {
		target, err := parse(schedctl.TargetPrefix, after.TargetID)
		if err != nil {
			return nil, err
		}
		end = append(appendTime(end[:16], publishKey(after.At)), target[:]...)
	}
	c := r.in(published).Cursor()
	for k := seekBefore(c, end); len(list) < limit && bytes.HasPrefix(k, account[:]); k = stepBack(c, k) {
		v := r.in(published).Get(k)
		if len(k) != 40 || len(v) != 32 {
			return nil, fmt.Errorf("publications of %s: %w: an entry has a wrong length", accountID, storage.ErrCorrupt)
		}
		list = append(list, readPublished(k, v))
	}
	return list, nil
}

func readPublished(k, v []byte) storage.PublishedTarget {
	p := storage.PublishedTarget{
		TargetID:    id(k[24:], schedctl.TargetPrefix),
		WorkspaceID: id(v[:16], schedctl.WorkspacePrefix),
		PostID:      id(v[16:], schedctl.PostPrefix),
	}
	if at := readTime(k[16:]); at != noTime {
		p.At = time.UnixMilli(timeOfKey(at)).UTC()
	}
	return p
}
