package publishtest

import (
	"net/http"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// testSession checks that credentials with a session can be used to connect again
// and can be refreshed. Neither may lose a given credential or return an empty one.
func (s Suite) testSession(t *testing.T) {
	t.Parallel()
	n := s.start(t)
	c := s.Connection(n.url())
	profile, err := n.publisher.Connect(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	refresher, refreshes := n.publisher.(publish.Refresher)
	if profile.Credentials == nil {
		switch {
		case !refreshes || s.Lasting:
			return
		case len(s.Renewed) == 0:
			t.Error("the publisher refreshes sessions but Connect returns none")
			return
		}
		profile.Credentials = clone(c).Credentials // the given ones are a session
	}
	checkUnchanged(t, "connect", c.Credentials, profile.Credentials)
	n.rememberAdded(c.Credentials, profile.Credentials)
	stored := clone(c)
	stored.Credentials = profile.Credentials
	again, err := n.publisher.Connect(t.Context(), stored)
	if err != nil {
		t.Fatalf("connect with a session: %v", err)
	}
	if again.Credentials != nil {
		checkUnchanged(t, "connect with a session", c.Credentials, again.Credentials)
	}
	if again.Username != profile.Username {
		t.Errorf("connect with a session: got username %q, want %q", again.Username, profile.Username)
	}
	switch {
	case refreshes && s.Lasting:
		n.checkRefused(t, refresher, profile.Credentials, schedctl.KindAuth)
	case refreshes:
		n.testRefresh(t, refresher, profile.Credentials)
	}
	n.checkReads(t, "refreshing", n.takeCalls())
}

func (n *network) testRefresh(t *testing.T, p publish.Refresher, c publish.Credentials) {
	t.Helper()
	got, err := p.Refresh(t.Context(), c)
	if err != nil {
		t.Fatalf("refresh: %v", err)
	}
	given := n.suite.Connection(n.url()).Credentials
	for _, name := range n.suite.Renewed {
		if got[name] == given[name] {
			t.Errorf("refresh: the credential %s was not replaced", name)
		}
		delete(given, name)
	}
	checkUnchanged(t, "refresh", given, got)
	for status, kind := range map[int]schedctl.ErrorKind{401: schedctl.KindAuth, 429: schedctl.KindRateLimited, 500: schedctl.KindPlatform} {
		n.respondWith(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		n.checkRefused(t, p, c, kind)
	}
	n.respondWith(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(`{}`)) })
	n.checkRefused(t, p, c, schedctl.KindPlatform)
	n.stop()
	n.checkRefused(t, p, c, schedctl.KindNetwork)
}

func (n *network) checkRefused(t *testing.T, p publish.Refresher, c publish.Credentials, kind schedctl.ErrorKind) {
	t.Helper()
	_, err := p.Refresh(t.Context(), c)
	e := n.checkError(t, "refresh", err)
	outcome := schedctl.OutcomeNotPublished
	if single, ok := p.(publish.SingleUse); ok && single.SingleUse(c) && kind == schedctl.KindPlatform {
		outcome = schedctl.OutcomeUnknown // the network may have accepted the token
	}
	if e.Kind != kind || e.Outcome != outcome {
		t.Errorf("refresh: got %s, %s; want %s, %s", e.Kind, e.Outcome, kind, outcome)
	}
}

// checkUnchanged checks that all given credentials are unchanged and that none is
// empty.
func checkUnchanged(t *testing.T, during string, given, got publish.Credentials) {
	t.Helper()
	for name, value := range given {
		if got[name] != value {
			t.Errorf("%s: the credential %s was changed", during, name)
		}
	}
	for name, value := range got {
		if value == "" {
			t.Errorf("%s: the credential %s is empty", during, name)
		}
	}
}
