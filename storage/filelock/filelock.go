// Package filelock locks files against other processes. A lock ends when its file is
// closed, and also when its process is killed.
//
// Two open files of one process exclude each other, too. Locks are advisory: they exclude
// only other users of this package. Errors wrap [errors.ErrUnsupported] if the system or
// the file system has no locks.
package filelock

import (
	"errors"
	"fmt"
	"os"
)

// Kind is a kind of lock.
type Kind int

const (
	Shared    Kind = iota // others can have shared locks at the same time
	Exclusive             // nothing else can have a lock at the same time
)

// Lock waits for a lock.
func Lock(f *os.File, k Kind) error { return wrap(f, lock(f, k, true)) }

// TryLock is Lock without waiting. It reports whether the file is locked now.
func TryLock(f *os.File, k Kind) (locked bool, err error) {
	err = lock(f, k, false)
	if errors.Is(err, errHeld) {
		return false, nil
	}
	return err == nil, wrap(f, err)
}

// errHeld means that another open file has a lock.
var errHeld = errors.New("the lock is held")

func wrap(f *os.File, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("lock %s: %w", f.Name(), err)
}
