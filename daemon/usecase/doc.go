// Package usecase decides about requests: which posts, series, queues, blackouts, reviews
// and accounts a key may see and change, which rules a change must meet, and what it
// stores. It knows no HTTP. The API decodes and authenticates a request, calls this
// package on a snapshot or in its transaction, and encodes the result.
//
// Functions that take a [storage.Reader] work on snapshots and in transactions. Functions
// that take a [storage.Tx] belong in the transaction that stores the response. Errors for
// clients are of type [schedctl.Error].
package usecase
