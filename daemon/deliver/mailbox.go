package deliver

import (
	"sync"

	"github.com/schedctl/schedctl"
)

// mailbox passes messages from other goroutines to the dispatcher.
type mailbox struct {
	wake chan struct{}

	mu sync.Mutex // mu guards messages
	messages
}

// messages is the content of a mailbox.
type messages struct {
	due     []schedctl.Due
	changed []string            // accounts that were stored
	reports []func(*dispatcher) // results of claims, calls and recordings
}

func newMailbox() mailbox { return mailbox{wake: make(chan struct{}, 1)} }

func (m *mailbox) enqueue(due []schedctl.Due) {
	m.mu.Lock()
	m.due = append(m.due, due...)
	m.mu.Unlock()
	m.ring()
}

func (m *mailbox) accountsChanged(ids []string) {
	m.mu.Lock()
	m.changed = append(m.changed, ids...)
	m.mu.Unlock()
	m.ring()
}

// report passes a function that the dispatcher calls.
func (m *mailbox) report(fn func(*dispatcher)) {
	m.mu.Lock()
	m.reports = append(m.reports, fn)
	m.mu.Unlock()
	m.ring()
}

func (m *mailbox) ring() {
	select {
	case m.wake <- struct{}{}:
	default: // the dispatcher will wake anyway
	}
}

// take empties the mailbox.
func (m *mailbox) take() messages {
	m.mu.Lock()
	defer m.mu.Unlock()
	taken := m.messages
	m.messages = messages{}
	return taken
}
