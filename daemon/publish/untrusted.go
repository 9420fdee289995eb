package publish

import "context"

type publicFetchKey struct{}

// FetchPublic returns a context whose fetches connect to public addresses only, even if the
// daemon allows private ones: those of files and pages that the key of an agent names, in a
// request or in a post. Requests to the networks of accounts do not change.
func FetchPublic(ctx context.Context) context.Context {
	return context.WithValue(ctx, publicFetchKey{}, true)
}

// FetchesPublic reports whether the context is one of [FetchPublic].
func FetchesPublic(ctx context.Context) bool { return ctx.Value(publicFetchKey{}) != nil }
