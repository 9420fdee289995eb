// Package outbound is the HTTP client for networks. All publishers share the client
// of [Client] and send requests with [post], [Put] and [Get].
//
// The package reports reliably whether a failed request may have published. If no
// header was written, it has not published. Otherwise the outcome is unknown,
// whatever happened to the connection. When an idle connection breaks, net/http
// replays some requests, including those with an Idempotency-Key; [post] sends
// requests that it cannot replay.
//
// [PostBody] streams files in constant memory, alone or in a form ([Multipart]). Its
// time limit follows the size.
//
// If the context of a request has a [publish.Guard], the connection calls it before
// each write. If the guard stops the request before its first byte, the error has
// the code [publish.CodeLeaseLapsed]. If it stops the request later, the outcome is
// unknown.
//
// [Refusal] and [RetryAt] interpret responses and [ErrorText] extracts the network's
// error message, so that a status has the same meaning for all platforms.
package outbound
