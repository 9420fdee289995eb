package api_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// TestWarningsOfSharedLogins checks that accounts with the same login get a warning,
// without revealing accounts that a key must not see.
func TestWarningsOfSharedLogins(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, testWarningsOfSharedLogins)
}

func testWarningsOfSharedLogins(t *testing.T, f *fixture) {
	connect := func(secret, name string) apiv1.Account {
		t.Helper()
		r := f.do(as(secret), "POST", "/social-accounts", body{"platform": "fake", "name": name, "credentials": body{"token": "somebody-else"}})
		return decodeAs[apiv1.AccountEnvelope](t, r.want(201)).SocialAccount
	}
	read := func(secret, id string) apiv1.Account {
		t.Helper()
		return decodeAs[apiv1.AccountEnvelope](t, f.do(as(secret), "GET", "/social-accounts/"+id, nil).want(200)).SocialAccount
	}
	want := func(what string, a apiv1.Account, parts ...string) {
		t.Helper()
		if len(parts) == 0 && len(a.Warnings) == 0 {
			return
		}
		if len(parts) == 0 || len(a.Warnings) != 1 || slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(a.Warnings[0], p) }) {
			t.Errorf("%s: warnings %q, want one with %q", what, a.Warnings, parts)
		}
	}
	first := connect(f.mine.key, "first")
	want("alone", first)
	second := connect(f.mine.key, "second")
	want("connected second", second, `as "first":`)
	want("the one before it", read(f.mine.key, first.ID), `as "second":`)
	limited := f.newKey(f.mine.workspace, func(k *schedctl.APIKey) { k.AccountIDs = []string{first.ID} })
	seen := read(limited, first.ID)
	want("with a limited key", seen, "cannot see")
	if len(seen.Warnings) == 1 && (strings.Contains(seen.Warnings[0], second.ID) || strings.Contains(seen.Warnings[0], "second")) {
		t.Errorf("a limited key sees %s", second.ID)
	}
	list := decodeAs[apiv1.AccountList](t, f.do(nil, "GET", "/social-accounts", nil).want(200))
	for _, a := range list.Results {
		switch a.ID {
		case first.ID:
			want("in the list", a, `as "second":`)
		case second.ID:
			want("in the list", a, `as "first":`)
		default:
			want("another user", a)
		}
	}

	f.do(nil, "DELETE", "/social-accounts/"+second.ID, nil).want(204)
	want("after the other was disconnected", read(f.mine.key, first.ID))
	other := f.newTenant("other")
	foreign := connect(other.key, "foreign")
	want("in another workspace", foreign, "cannot see")
	if strings.Contains(foreign.Warnings[0], first.ID) || strings.Contains(foreign.Warnings[0], "first") {
		t.Errorf("another workspace sees %q", foreign.Warnings)
	}
	want("of another workspace", read(f.mine.key, first.ID), "cannot see")
}

// TestWarningOfMissingAddress checks that an account says that its network cannot fetch files
// from the daemon.
func TestWarningOfMissingAddress(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		read := func() apiv1.Account {
			return decodeAs[apiv1.AccountEnvelope](t, f.do(nil, "GET", "/social-accounts/"+f.mine.account, nil).want(200)).SocialAccount
		}
		if a := read(); len(a.Warnings) > 0 {
			t.Errorf("warnings %q", a.Warnings)
		}
		f.network.needAddress("start the daemon with --public-url")
		if a := read(); len(a.Warnings) != 1 || !strings.Contains(a.Warnings[0], "--public-url") {
			t.Errorf("warnings %q", a.Warnings)
		}
	})
}

// TestWarningOfEndingCredentials checks that an account says when its credentials end, also
// if it is only read.
func TestWarningOfEndingCredentials(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		f.changeAccount(f.mine.account, func(a *schedctl.Account) { a.Expiry.At = schedctl.Millis(time.Now().Add(48 * time.Hour)) })
		a := decodeAs[apiv1.AccountEnvelope](t, f.do(nil, "GET", "/social-accounts/"+f.mine.account, nil).want(200)).SocialAccount
		if len(a.Warnings) != 1 {
			t.Errorf("warnings %q, want one", a.Warnings)
		}
	})
}

// TestWarningsOfTheNetwork checks that what the network does not let the credentials do is in
// every response with the account, until the network says nothing more.
func TestWarningsOfTheNetwork(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		const warning = "the token may not upload files"
		f.network.warn(warning)
		one := func(r *response) apiv1.Account { return decodeAs[apiv1.AccountEnvelope](t, r).SocialAccount }
		a := one(f.do(nil, "POST", "/social-accounts", map[string]any{"platform": "fake", "name": "warned", "credentials": map[string]any{"token": "somebody-else"}}).want(201))
		path := "/social-accounts/" + a.ID
		read := func() map[string][]string {
			list := decodeAs[apiv1.AccountList](t, f.do(nil, "GET", "/social-accounts", nil).want(200)).Results
			return map[string][]string{"GET": one(f.do(nil, "GET", path, nil).want(200)).Warnings, "list": list[len(list)-1].Warnings}
		}
		all := read()
		all["201"] = a.Warnings
		all["verify"] = one(f.do(nil, "POST", path+"/verify", nil).want(200)).Warnings
		all["PATCH"] = one(f.do(nil, "PATCH", path, map[string]any{"credentials": map[string]any{"token": "somebody-else"}}).want(200)).Warnings
		for name, warnings := range all {
			if !slices.Equal(warnings, []string{warning}) {
				t.Errorf("%s: warnings %q", name, warnings)
			}
		}
		f.network.warn()
		f.do(nil, "POST", path+"/verify", nil).want(200)
		for name, warnings := range read() {
			if len(warnings) > 0 {
				t.Errorf("%s: warnings %q after the network accepts all", name, warnings)
			}
		}
	})
}

// TestCleanedValuesAreSaid checks that a response says what was removed from pasted values,
// and that the network gets the clean ones.
func TestCleanedValuesAreSaid(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		body := map[string]any{"platform": "fake", "name": "pasted", "credentials": map[string]any{"token": "\ufeff somebody-else\u200b\r\n"}}
		a := decodeAs[apiv1.AccountEnvelope](t, f.do(nil, "POST", "/social-accounts", body).want(201)).SocialAccount
		if a.Username != "somebody else" || len(a.Warnings) != 1 || !strings.HasPrefix(a.Warnings[0], "token: ") || strings.Contains(a.Warnings[0], "somebody-else") {
			t.Errorf("user %q, warnings %q", a.Username, a.Warnings)
		}
		again := decodeAs[apiv1.AccountEnvelope](t, f.do(nil, "GET", "/social-accounts/"+a.ID, nil).want(200)).SocialAccount
		if len(again.Warnings) > 0 {
			t.Errorf("later warnings %q", again.Warnings)
		}
	})
}
