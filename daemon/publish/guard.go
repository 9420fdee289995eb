package publish

import (
	"context"

	"github.com/schedctl/schedctl"
)

// CodeLeaseLapsed is the code of an [*Error] of outcome not_published: of the call
// nothing was sent, for the daemon was not sure any more that the call is its own.
const CodeLeaseLapsed = "lease_lapsed"

type guardKey struct{}

// WithGuard returns a context for calls that are made only while allowed is true.
// What speaks to a network asks it as late as it can before anything of a request
// leaves, and as often as more of it does. It must not block, and is called from
// any goroutine.
func WithGuard(ctx context.Context, allowed func() bool) context.Context {
	return context.WithValue(ctx, guardKey{}, allowed)
}

// Guard returns what [WithGuard] was given, or nil.
func Guard(ctx context.Context) (allowed func() bool) {
	allowed, _ = ctx.Value(guardKey{}).(func() bool)
	return allowed
}

// LeaseLapsed returns the error of a call that its guard has not let begin.
func LeaseLapsed() *Error {
	return &Error{
		Kind: schedctl.KindNetwork, Code: CodeLeaseLapsed, Outcome: schedctl.OutcomeNotPublished,
		Message: "the daemon lost touch with its database right before the call, and did not make it; it is tried again",
	}
}
