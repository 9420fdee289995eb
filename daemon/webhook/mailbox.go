package webhook

import (
	"maps"
	"sync"
)

// mailbox is what commits leave for the watcher.
type mailbox struct {
	wake chan struct{}

	mu       sync.Mutex // mu guards what follows
	webhooks map[string]struct{}
	missed   bool // there were more
}

func newMailbox() mailbox {
	return mailbox{wake: make(chan struct{}, 1), webhooks: make(map[string]struct{})}
}

// put leaves the ids of webhooks that were stored or deleted, if any, and whether
// there were more than is known, and wakes the watcher.
func (m *mailbox) put(webhooks []string, missed bool) {
	m.mu.Lock()
	m.missed = m.missed || missed
	for _, id := range webhooks {
		m.webhooks[id] = struct{}{}
	}
	m.mu.Unlock()
	wakeUp(m.wake)
}

// take moves what is in the mailbox to a set, and reports whether there were more.
func (m *mailbox) take(into map[string]struct{}) (missed bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.Copy(into, m.webhooks)
	clear(m.webhooks)
	missed, m.missed = m.missed, false
	return missed
}

// wakeUp wakes whoever waits for the channel, now or next.
func wakeUp(wake chan struct{}) {
	select {
	case wake <- struct{}{}:
	default: // woken already
	}
}
