// Package outbound is how schedctl calls networks over HTTP. Every publisher
// uses the one client of [Client] and, for its calls, [Post] and [Get].
//
// What it is for is the truth about a call that failed. A request of which no
// header was written cannot have published anything; one that was begun may
// have, whatever became of the connection. net/http repeats some requests by
// itself when a kept connection breaks, those with an Idempotency-Key among
// them; [Post] makes requests that it cannot repeat.
//
// A call whose context has a [publish.Guard] asks it before each write to its
// connection. It ends with [publish.CodeLeaseLapsed] when not one byte of it has left,
// and with an unknown outcome when it was cut in the middle.
//
// [Refusal] and [RetryAt] read answers, and [ErrorText] what a network says in them,
// so that all platforms mean the same by the same status.
package outbound
