package api_test

import (
	"strings"
	"testing"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// TestHealthzProvesTheDaemon checks that the proof is valid for the announcement,
// and that other clients learn nothing of the secret.
func TestHealthzProvesTheDaemon(t *testing.T) {
	t.Parallel()
	announced := apiv1.Announced{URL: "http://127.0.0.1:7733", Secret: "s3cret-of-this-start"}
	f := newFixtureOn(t, storagetest.NewMemory(), func(c *api.Config) { c.Announced = announced })
	proof := func(f *fixture, challenge string) string {
		r := f.exchange(header(apiv1.ChallengeHeader, challenge), "GET", "/healthz", nil).want(200)
		if strings.Contains(string(r.body), announced.Secret) {
			t.Errorf("it shows its secret: %s", r.body)
		}
		return r.header.Get(apiv1.ProofHeader)
	}
	const challenge = "0123456789abcdef"
	if got := proof(f, challenge); !announced.Proves(challenge, got) || announced.Proves(challenge+"0", got) {
		t.Errorf("the proof is %q", got)
	}
	for _, bad := range []string{"", "short", strings.Repeat("x", apiv1.MaxChallenge+1), "0123456789 abcdef"} {
		if got := proof(f, bad); got != "" {
			t.Errorf("a proof of %.20q: %s", bad, got)
		}
	}
	if got := proof(newFixture(t), challenge); got != "" {
		t.Errorf("a daemon that has announced nothing proves %s", got)
	}
}
