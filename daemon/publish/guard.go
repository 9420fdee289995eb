package publish

import (
	"context"

	"github.com/schedctl/schedctl"
)

// CodeLeaseLapsed is the code of an [*Error] with outcome not_published: no byte of
// the request was sent because the daemon could not be sure that it still holds the
// lease of the attempt.
const CodeLeaseLapsed = "lease_lapsed"

type guardKey struct{}

// WithGuard returns a context for requests that may be sent only while allowed
// returns true. The HTTP client calls allowed before each write to the connection.
// allowed must not block and may be called from any goroutine.
func WithGuard(ctx context.Context, allowed func() bool) context.Context {
	return context.WithValue(ctx, guardKey{}, allowed)
}

// Guard returns the function that was passed to [WithGuard], or nil.
func Guard(ctx context.Context) (allowed func() bool) {
	allowed, _ = ctx.Value(guardKey{}).(func() bool)
	return allowed
}

// LeaseLapsed returns the error of a request that its guard stopped before the first
// byte was sent.
func LeaseLapsed() *Error {
	return &Error{
		Kind: schedctl.KindNetwork, Code: CodeLeaseLapsed, Outcome: schedctl.OutcomeNotPublished,
		Message: "the daemon lost its database connection right before the request and did not send it; it will retry",
	}
}
