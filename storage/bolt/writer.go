package bolt

import (
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/failpoint"
)

// groupLimit is the largest number of transactions that share a commit. It
// bounds the wait of the first one for the last one.
const groupLimit = 512

// rerunLimit is how often a group runs again without a failed transaction before the
// others are committed one by one.
const rerunLimit = 3

var (
	errGoexit = errors.New("the function of a transaction ended its goroutine: its writes were discarded")
	errBroken = errors.New("the disk did not confirm an earlier commit; restart the daemon to continue from the state on disk")
)

// write is the only goroutine that writes. It ends when the queue is closed.
func (s *Store) write() {
	closed := false
	defer func() {
		if closed {
			s.written.Done()
			return
		}
		go s.write() // a transaction called runtime.Goexit
	}()
	debug.SetPanicOnFault(true)
	for group := make([]*request, 0, groupLimit); ; {
		group = s.queue.take(group[:0], groupLimit)
		if len(group) == 0 {
			closed = true
			return
		}
		s.process(group)
	}
}

// process runs and commits a group, and returns the results.
func (s *Store) process(group []*request) {
	for range rerunLimit {
		if s.attempt(group) {
			return
		}
	}
	for i := range group {
		for !s.attempt(group[i : i+1]) {
		}
	}
}

// attempt runs the transactions of a group that have not failed yet. If one fails after
// it has written, attempt rolls all back and returns false. Otherwise it commits, returns
// the results and reports true.
//
// Failed transactions wait for the commit as well, because they may have read writes of
// others in the group.
func (s *Store) attempt(group []*request) (answered bool) {
	tx, err := s.begin()
	if err != nil {
		reply(group, err)
		return true
	}
	ended := false
	defer func() {
		if !ended { // by runtime.Goexit
			s.rollback(tx)
			reply(group, errGoexit)
		}
	}()
	full := s.reserve.check(tx.bolt.Size(), int64(s.db.Stats().PendingPageN)*int64(s.db.Info().PageSize))
	for _, r := range group {
		if r.failed || !r.begin() {
			continue
		}
		if full != nil && !r.fromReserve {
			r.err = fmt.Errorf("write %s: %w", s.path, full)
			continue
		}
		if r.err = s.run(tx, r.fn); r.err != nil && tx.dirty {
			r.failed, ended = true, true
			s.rollback(tx)
			return false
		}
	}
	err = s.commit(tx)
	ended = true
	reply(group, err)
	return true
}

// reply returns the results of a group, or err for all if it is not nil.
func reply(group []*request, err error) {
	for _, r := range group {
		if err != nil {
			r.err = err
		}
		r.done <- r.err
	}
}

// run calls the function of a transaction.
func (s *Store) run(tx *tx, fn func(storage.Tx) error) (err error) {
	returned := false
	defer func() { tx.dirty = tx.dirty || !returned }() // fn may have written before the panic
	defer s.recovered("a transaction panicked", &err)
	tx.dirty = false
	err = fn(tx)
	returned = true
	return err
}

// begin opens the bbolt transaction of a group.
func (s *Store) begin() (*tx, error) {
	if s.broken {
		return nil, fmt.Errorf("write %s: %w", s.path, s.brokenErr)
	}
	began := time.Now()
	opened, err := s.db.Begin(true)
	if err != nil {
		return nil, fmt.Errorf("start writing %s: %w", s.path, err)
	}
	s.tx.reset(opened)
	s.tx.began = began
	return &s.tx, nil
}

// commit commits the transaction of a group and notifies about it.
func (s *Store) commit(tx *tx) (err error) {
	if !tx.wrote {
		s.rollback(tx)
		return nil
	}
	commit := tx.commitInfo()
	id, used := tx.bolt.ID(), tx.bolt.Size()
	if err := s.commitBolt(tx); err != nil {
		s.rollback(tx)
		if !s.broken && s.visible(id) {
			s.fail(errBroken)
		}
		if !s.broken {
			err = s.reserve.commitFailed(err, used)
		}
		return fmt.Errorf("commit to %s: %w", s.path, err)
	}
	commit.Took = time.Since(tx.began)
	tx.committed()
	if s.notify != nil {
		s.notify(commit)
	}
	return nil
}

// rollback rolls a transaction back. bbolt cannot do this after it has read a damaged page: it
// then keeps its locks, and no more writes are possible.
func (s *Store) rollback(tx *tx) {
	var err error
	defer func() {
		if err != nil {
			s.stuck = true
			s.fail(err)
		}
	}()
	defer s.recovered("a rollback panicked", &err)
	tx.rollback()
}

// fail stops all writes.
func (s *Store) fail(why error) {
	if !s.broken {
		s.broken, s.brokenErr = true, why
		close(s.brokenSignal)
	}
}

func (s *Store) commitBolt(tx *tx) (err error) {
	defer s.recovered("a commit panicked", &err)
	if err := failpoint.Hit(failpoint.StoreCommit); err != nil {
		return err
	}
	if err := s.sync(tx.bolt); err != nil {
		return err
	}
	return failpoint.Hit(failpoint.StoreCommitted)
}

// visible reports whether a transaction with a failed commit is visible to readers. This
// happens if its last page was written but not synced. The state on disk is then unknown
// until the file is opened again.
func (s *Store) visible(id int) bool {
	tx, err := s.db.Begin(false)
	if err != nil {
		return true
	}
	defer tx.Rollback()
	return tx.ID() >= id
}
