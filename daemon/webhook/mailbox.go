package webhook

import (
	"maps"
	"sync"
)

// mailbox passes information about commits to the watcher.
type mailbox struct {
	wake chan struct{}

	mu       sync.Mutex // mu guards what follows
	webhooks map[string]struct{}
	missed   bool // changes of unknown webhooks are possible
}

func newMailbox() mailbox {
	return mailbox{wake: make(chan struct{}, 1), webhooks: make(map[string]struct{})}
}

// put adds the ids of webhooks that were stored or deleted and wakes the watcher. missed
// means that there may be more changes than the ids.
func (m *mailbox) put(webhooks []string, missed bool) {
	m.mu.Lock()
	m.missed = m.missed || missed
	for _, id := range webhooks {
		m.webhooks[id] = struct{}{}
	}
	m.mu.Unlock()
	wakeUp(m.wake)
}

// take moves the ids into a set, and reports whether changes were missed.
func (m *mailbox) take(into map[string]struct{}) (missed bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.Copy(into, m.webhooks)
	clear(m.webhooks)
	missed, m.missed = m.missed, false
	return missed
}

// wakeUp wakes the goroutine that receives from the channel, now or with its next
// receive.
func wakeUp(wake chan struct{}) {
	select {
	case wake <- struct{}{}:
	default: // already woken
	}
}
