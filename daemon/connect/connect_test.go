package connect_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

func TestConnect(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	given := publish.Connection{
		Name: "me", Credentials: publish.Credentials{"password": password, "host": "here"},
		Options: schedctl.Options{"mood": "good", "pacing": "1s", "duplicate_guard": "24h"},
	}
	profile, toStore, failure := r.Connect(t.Context(), "sessions", given)
	if failure != nil {
		t.Fatal(failure)
	}
	if profile.Username != "someone" || profile.Limits.MaxCharacters != 300 {
		t.Errorf("profile %+v", profile)
	}
	// The network omits given credentials; the account must keep them.
	want := publish.Credentials{"password": password, "host": "here", "session": "1", "renewal": "renewal-1"}
	if diff := cmp.Diff(want, toStore); diff != "" {
		t.Errorf("to be stored (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(schedctl.Options{"mood": "good"}, r.network.connects[0].Options); diff != "" {
		t.Errorf("options of the network's own (-want +got):\n%s", diff)
	}
	if len(given.Options) != 3 {
		t.Errorf("the given options were changed: %v", given.Options)
	}
}

func TestConnectWithoutASession(t *testing.T) {
	t.Parallel()
	given := publish.Credentials{"token": "a-token"}
	_, toStore, failure := newRig(t).Connect(t.Context(), "plain", publish.Connection{Credentials: given})
	if failure != nil || !cmp.Equal(toStore, given) {
		t.Errorf("got %v, %v", toStore, failure)
	}
}

func TestConnectToAnUnknownPlatform(t *testing.T) {
	t.Parallel()
	_, _, failure := newRig(t).Connect(t.Context(), "nowhere", publish.Connection{})
	if failure == nil || failure.Kind != schedctl.KindContent || failure.Code != "platform" || !strings.Contains(failure.Message, "plain, sessions") {
		t.Errorf("got %+v", failure)
	}
}

func TestRefusalsCanBeShown(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	words := "bad \x1b[31mpassword " + password + " of renewal-1 at here.example " + strings.Repeat("ä", 1000)
	r.network.refuse = &publish.Error{Kind: schedctl.KindAuth, Code: "c", Message: words, HTTPStatus: 401}
	given := publish.Credentials{"password": password, "session": "1", "renewal": "renewal-1", "host": "here.example"}
	_, _, failure := r.Connect(t.Context(), "sessions", publish.Connection{Credentials: given})
	if failure == nil || failure.Kind != schedctl.KindAuth || failure.Code != "c" || failure.HTTPStatus != 401 {
		t.Fatalf("got %+v", failure)
	}
	if want := "bad  [31mpassword … of … at here.example "; !strings.HasPrefix(failure.Message, want) || len(failure.Message) > 500 {
		t.Errorf("%d bytes: %q, want them to start with %q", len(failure.Message), failure.Message, want)
	}
}

func TestProfilesCanBeShown(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	profile, _, failure := r.Connect(t.Context(), "plain", publish.Connection{Name: "a\x00b" + strings.Repeat("c", 5000)})
	if failure != nil || !strings.HasPrefix(profile.Username, "a b") || len(profile.Username) > 500 || len(profile.URL) > 2000 {
		t.Errorf("profile %.600v, %v", profile, failure)
	}
}

func TestConnectPanics(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.network.onConnect = func(c publish.Connection) { panic(c.Credentials["password"]) }
	_, _, failure := r.Connect(t.Context(), "sessions", publish.Connection{Credentials: publish.Credentials{"password": password}})
	if failure == nil || failure.Kind != schedctl.KindPlatform || failure.Code != "panic" {
		t.Errorf("got %+v", failure)
	}
	r.wantDiscretion()
}

func TestSeal(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a, other := r.account("me"), r.account("other")
	if c, err := r.Open(a); err != nil || c["password"] != password {
		t.Errorf("got %v, %v", c, err)
	}
	if strings.Contains(string(a.Credentials), password) {
		t.Error("the credentials are stored in clear")
	}
	other.Credentials = a.Credentials
	if _, err := r.Open(other); err == nil || strings.Contains(err.Error(), password) {
		t.Errorf("the credentials of a different account: %v", err)
	}
	if c, err := r.Open(schedctl.Account{ID: a.ID}); c != nil || err != nil {
		t.Errorf("no credentials: %v, %v", c, err)
	}
}

func down() error {
	return &publish.Error{Kind: schedctl.KindNetwork, Message: "no such host", Outcome: schedctl.OutcomeNotPublished, Err: errors.New("lookup: no such host")}
}

func revoked() error {
	return &publish.Error{Kind: schedctl.KindAuth, Code: "revoked", Message: "the password was revoked", HTTPStatus: 401, Outcome: schedctl.OutcomeNotPublished}
}

// TestExchangedCredentialIsNotStored checks that a credential that Connect exchanges for
// others is not among those to store.
func TestExchangedCredentialIsNotStored(t *testing.T) {
	bubble(t, func(r *rig) {
		given := publish.Connection{Credentials: publish.Credentials{"password": password, "once": "a-code"}}
		_, kept, failure := r.Connect(r.Context(), "sessions", given)
		if failure != nil || kept["once"] != "" || kept["session"] == "" || given.Credentials["once"] == "" {
			t.Errorf("stored %v, given %v, %+v", kept, given.Credentials, failure)
		}
	})
}
