package connect

import (
	"context"
	"maps"
	"slices"

	"github.com/schedctl/schedctl/daemon/publish"
)

// exchange is a call of a network that may return a new session of an account. There is
// one per account at a time, so that each session is renewed once. Its fields are set
// before done is closed.
type exchange struct {
	done chan struct{}

	// The result of a refresh, for all callers that wait for it; else nil.
	credentials publish.Credentials
	failure     *publish.Error
}

// joinExchange returns the exchange of the account that is in progress. Without one it
// starts a new one, which the caller has to end; mine is true then.
func (c *Connector) joinExchange(accountID string) (x *exchange, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if x := c.exchanges[accountID]; x != nil {
		return x, false
	}
	x = &exchange{done: make(chan struct{})}
	c.exchanges[accountID] = x
	return x, true
}

// beginExchange waits for exchanges in progress and starts a new one.
func (c *Connector) beginExchange(ctx context.Context, accountID string) (*exchange, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		x, mine := c.joinExchange(accountID)
		if mine {
			return x, nil
		}
		if err := x.wait(ctx); err != nil {
			return nil, err
		}
	}
}

// wait waits until the exchange, which a different caller started, has ended.
func (x *exchange) wait(ctx context.Context) error {
	select {
	case <-x.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// endExchange wakes the callers that wait for an exchange.
func (c *Connector) endExchange(accountID string, x *exchange) {
	c.mu.Lock()
	delete(c.exchanges, accountID)
	c.mu.Unlock()
	close(x.done)
}

// replacement holds the newest credentials of an account and the ones that they replace,
// which may still be stored.
type replacement struct {
	replaces    []publish.Credentials // the oldest first
	credentials publish.Credentials
}

// maxReplaced is how many replaced credentials are remembered. One is enough, unless the
// store fails for longer than a session is valid.
const maxReplaced = 4

// rememberReplacement keeps new credentials in memory until they are stored.
func (c *Connector) rememberReplacement(accountID string, held, fresh publish.Credentials) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.unstored[accountID]
	if !maps.Equal(s.credentials, held) {
		s.replaces = nil
	}
	s.replaces = append(slices.Clone(s.replaces), held)
	if len(s.replaces) > maxReplaced {
		s.replaces = s.replaces[1:]
	}
	s.credentials = fresh
	c.unstored[accountID] = s
}

// latest returns the credentials that replaced the given ones, or the given ones.
func (c *Connector) latest(accountID string, held publish.Credentials) publish.Credentials {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.unstored[accountID]
	if slices.ContainsFunc(s.replaces, func(old publish.Credentials) bool { return maps.Equal(old, held) }) {
		return s.credentials
	}
	return held
}
