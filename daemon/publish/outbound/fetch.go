package outbound

import (
	"context"
	"net/http"

	"github.com/schedctl/schedctl/daemon/publish"
)

// In returns the policy for fetches with a context; see [publish.FetchPublic].
func (p Policy) In(ctx context.Context) Policy {
	if publish.FetchesPublic(ctx) {
		return PublicForAgents
	}
	return p
}

// FetchClient returns the client for files and pages whose addresses come from requests and
// posts. It is [Client] with the policy that [Policy.In] returns for each request.
// Connections to private addresses are not shared between the two policies.
func FetchClient(p Policy) *http.Client {
	c := Client(p)
	c.Transport = byContext{given: c.Transport, public: Client(PublicForAgents).Transport}
	return c
}

// byContext is a transport that follows the policy of each request.
type byContext struct{ given, public http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (t byContext) RoundTrip(r *http.Request) (*http.Response, error) {
	if publish.FetchesPublic(r.Context()) {
		return t.public.RoundTrip(r)
	}
	return t.given.RoundTrip(r)
}
