package mcp

import (
	"context"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
)

// Caller is on whose behalf tools are called.
type Caller struct {
	Client *client.Client // sends the API key
	KeyID  string
	Scopes []schedctl.Scope

	SearchTime time.Duration    // how long a search through posts may take; 0 for half of CallTimeout
	Clock      func() time.Time // nil for time.Now
}

func (c *Caller) now() time.Time {
	if c.Clock == nil {
		return time.Now()
	}
	return c.Clock()
}

// allows reports whether the key has one of the scopes, or whether none is needed.
func (c *Caller) allows(scopes []schedctl.Scope) bool {
	return len(scopes) == 0 || slices.ContainsFunc(scopes, func(s schedctl.Scope) bool { return slices.Contains(c.Scopes, s) })
}

// Read returns the caller whose key the client sends. Errors: those of [client.Client.Me],
// and those of [schedctl.CheckAgentScopes].
func Read(ctx context.Context, c *client.Client) (Caller, error) {
	me, err := c.Me(ctx)
	if err != nil {
		return Caller{}, err
	}
	return Caller{Client: c, KeyID: me.APIKey.ID, Scopes: me.APIKey.Scopes}, schedctl.CheckAgentScopes(me.APIKey.Scopes)
}

type callerKey struct{}

// withCaller returns a context for the handlers of a session.
func withCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

func callerOf(ctx context.Context) Caller {
	c, ok := ctx.Value(callerKey{}).(Caller)
	if !ok {
		panic("mcp: a call without a caller")
	}
	return c
}
