package webhook

import (
	"maps"
	"sync"
)

// mailbox is what commits leave for the watcher.
type mailbox struct {
	wake chan struct{}

	mu       sync.Mutex // mu guards webhooks
	webhooks map[string]struct{}
}

func newMailbox() mailbox {
	return mailbox{wake: make(chan struct{}, 1), webhooks: make(map[string]struct{})}
}

// put leaves the ids of webhooks that were stored or deleted, if any, and wakes
// the watcher.
func (m *mailbox) put(webhooks []string) {
	m.mu.Lock()
	for _, id := range webhooks {
		m.webhooks[id] = struct{}{}
	}
	m.mu.Unlock()
	ring(m.wake)
}

// take moves what is in the mailbox to a set.
func (m *mailbox) take(into map[string]struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.Copy(into, m.webhooks)
	clear(m.webhooks)
}

// ring wakes whoever waits for the channel, now or next.
func ring(wake chan struct{}) {
	select {
	case wake <- struct{}{}:
	default: // woken already
	}
}
