package publish_test

import (
	"testing"

	"github.com/schedctl/schedctl/daemon/publish"
)

// An account that is being connected cannot be reconnected.
func TestWhileConnecting(t *testing.T) {
	t.Parallel()
	for before, want := range map[string]string{
		publish.Hold(publish.HoldRevoked, "Chirp", 401, "").Message:        "Chirp does not accept the token: it was revoked, or is not complete; create a new one",
		publish.Hold(publish.HoldExpired, "Chirp", 401, "expired").Message: "the token for Chirp has expired; create a new one (expired)",
		"the network refused the credentials; reconnect the account":       "the network refused the credentials",
		"create new ones, and reconnect the account: Unauthorized":         "create new ones: Unauthorized",
		"the URL cannot be used; reconnect the account with another URL":   "the URL cannot be used; reconnect the account with another URL",
		publish.Hold(publish.HoldBlocked, "Chirp", 403, "").Message:        publish.Hold(publish.HoldBlocked, "Chirp", 403, "").Message,
	} {
		e := &publish.Error{Message: before}
		if got := publish.WhileConnecting(e).Message; got != want || e.Message != before {
			t.Errorf("%s: got %q, want %q", before, got, want)
		}
	}
}
