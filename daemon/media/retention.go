package media

import "sync"

// Retention prevents the deletion of blobs while a backup copies them. The zero value is
// ready. Its methods may be called from any goroutine.
type Retention struct {
	mu      sync.Mutex // mu guards holders, and is held while a blob is deleted
	holders int
}

// Hold prevents deletions until release is called. It waits for a deletion in progress.
// release must be called once.
func (r *Retention) Hold() (release func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.holders++
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.holders--
	}
}

// delete calls a function that deletes one blob, unless deletions are held. A nil
// Retention never holds them.
func (r *Retention) delete(one func() (bool, error)) (deleted bool, err error) {
	if r == nil {
		return one()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.holders > 0 {
		return false, nil
	}
	return one()
}
