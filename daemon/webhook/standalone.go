package webhook

import (
	"context"
	"time"
)

// standalone is the [Member] of a daemon whose store has no other nodes. It holds every
// name.
type standalone struct{}

func (standalone) ID() string                                 { return "" }
func (standalone) Holds(string) bool                          { return true }
func (standalone) Mine(string) bool                           { return true }
func (standalone) Hold(context.Context, string) (bool, error) { return true, nil }
func (standalone) Release(context.Context, string) error      { return nil }

// storeMode is what depends on whether other nodes use the store.
type storeMode struct {
	shared     bool
	tick       time.Duration // how often the watcher reads the outbox without being woken
	maxBackoff time.Duration // longest pause between two retries of a failed operation
	saveBatch  int           // webhooks that one transaction changes, so that requests do not wait long
}

// newMember returns the member and the mode for a configuration.
func newMember(m Member) (Member, storeMode) {
	if m == nil {
		return standalone{}, storeMode{tick: tickInterval, maxBackoff: maxBackoff, saveBatch: saveBatch}
	}
	return m, storeMode{shared: true, tick: fleetTickInterval, maxBackoff: fleetMaxBackoff, saveBatch: fleetSaveBatch}
}
