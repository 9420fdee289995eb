package outbound

import (
	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// NoResults returns the error for a response to a reading of results that cannot be read. It
// says nothing about a post.
func NoResults(r Response, network string) *publish.Error {
	return &publish.Error{
		Kind: schedctl.KindPlatform, HTTPStatus: r.Status, Outcome: schedctl.OutcomeNotPublished,
		Message: network + " gave no readable response when asked for the results of posts",
	}
}
