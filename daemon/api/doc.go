// Package api serves /api/v1 over HTTP: authentication, strict decoding,
// idempotency, the error envelope and the OpenAPI document. It decides nothing
// about posts; every handler loads records, calls a method of package schedctl
// and stores what came out, in one transaction.
//
// # The way of a request
//
// [New] returns one handler. Each request gets its id, is matched to a route of
// the table in routes.go, and passes these steps in this order:
//
//	key → rate limit → scope → Accept → Idempotency-Key → body → key, still? → stored answer? → decoding → handler → answer
//
// A step that refuses ends the request, so that nobody without a key learns what
// exists, and a repeated request finds its stored answer before anything that
// time can change is looked at. A route that takes a body and writes nothing has
// no stored answers; its answer is as good as the moment.
//
// # Writing
//
// A handler that writes ends in commit, which looks for a stored answer once
// more, applies the change, stores the new answer and adds an entry to the audit
// log, all in the transaction of the change. An error leaves nothing behind:
// neither the effect nor an answer. An answer that shows a secret is stored
// sealed.
//
// # Errors
//
// Handlers return errors. A [schedctl.Error] is answered with the status that
// the table in status.go gives its code; anything else is an internal error,
// whose text goes to the log and never to the client.
//
// # Following
//
// [Server.Run] reads new events once for all streams of GET /events, when
// [Server.Committed] tells of them, and keeps the last ones in a ring. A stream
// has its place among the events and takes from the ring, or from the store when
// it is further behind.
//
// Package huma holds the operations, derives the JSON schemas from the wire
// types and renders the OpenAPI 3.1 document; its own request pipeline is not
// used, because it decodes a body before an idempotency key could be looked up.
package api
