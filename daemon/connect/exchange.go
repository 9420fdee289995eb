package connect

import (
	"context"
	"maps"
	"slices"

	"github.com/schedctl/schedctl/daemon/publish"
)

// exchange is a call to a network that may give out a new session of an account.
// There is one at a time, so that sessions come in a row and each is asked for
// once. What it leaves is written before done is closed.
type exchange struct {
	done chan struct{}

	// What a refresh has come to, for all who wait for it; else nil.
	credentials publish.Credentials
	failure     *publish.Error
}

// joinExchange returns the account's exchange that is under way, or a new one that is
// the caller's to end.
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

// beginExchange waits for an exchange of its own.
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

// wait waits for the end of an exchange of somebody else's.
func (x *exchange) wait(ctx context.Context) error {
	select {
	case <-x.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// endExchange lets those who wait for an exchange go on.
func (c *Connector) endExchange(accountID string, x *exchange) {
	c.mu.Lock()
	delete(c.exchanges, accountID)
	c.mu.Unlock()
	close(x.done)
}

// replacement is what comes after credentials that the store has, or had a moment
// ago.
type replacement struct {
	replaces    []publish.Credentials // the oldest first
	credentials publish.Credentials
}

// maxReplaced is how many credentials are known to have a successor. One is
// enough, unless the store fails for longer than a session lasts.
const maxReplaced = 4

// rememberReplacement keeps credentials that are not, or not yet, in the place of those
// that they come after.
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

// latest returns what comes after credentials, and these when nothing does.
func (c *Connector) latest(accountID string, held publish.Credentials) publish.Credentials {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.unstored[accountID]
	if slices.ContainsFunc(s.replaces, func(old publish.Credentials) bool { return maps.Equal(old, held) }) {
		return s.credentials
	}
	return held
}
