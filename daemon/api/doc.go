// Package api serves /api/v1 over HTTP: authentication, strict decoding,
// idempotency, errors and the OpenAPI document. It contains no rules about posts:
// a handler loads records, calls a method of package schedctl, and stores the
// result in one transaction.
//
// # Life of a request
//
// [New] returns the handler. Each request gets an id, is matched to a route of the
// tables in routes.go and the other routes_*.go files, and passes these steps in this order:
//
//	key → rate limit → scope → Accept → Idempotency-Key → body → key again →
//	stored response → decoding → handler → response
//
// A step that rejects the request ends it. Clients without a key therefore learn
// nothing about the data, and a repeated request gets its stored response before
// anything that changes with time is checked. Read-only routes with a body store
// no responses.
//
// # Writing
//
// A handler that writes ends with commit. In one transaction, commit checks again
// for a stored response, applies the change, stores the new response and adds an
// audit entry. After an error neither the change nor a response is stored.
// Responses that contain a secret are stored sealed.
//
// # Errors
//
// Handlers return errors. A [schedctl.Error] gets the status that status.go maps
// its code to. Any other error is internal: its text is logged and never sent.
//
// # Event streams
//
// [Server.Run] reads new events once for all streams of GET /events, after each
// [Server.Committed], and keeps the latest in a ring. Each stream has a position:
// it reads from the ring, or from the store when it is further behind.
//
// Package huma holds the operations, derives JSON schemas from the types and tags
// of package apiv1, and renders the OpenAPI 3.1 document. Its request pipeline is
// not used, because it decodes a body before the idempotency record is read.
package api
