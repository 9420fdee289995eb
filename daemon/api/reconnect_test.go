package api_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// TestReconnectNotifiesTheQueue guards that reconnecting an account notifies its queue.
func TestReconnectNotifiesTheQueue(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, testReconnectIsTold)
}

func testReconnectIsTold(t *testing.T, f *fixture) {
	waiting := f.create(body{"content": "waits", "social_account_ids": []string{f.mine.account}, "publish_at": "now"})
	f.network.refuse(&publish.Error{Kind: schedctl.KindAuth, Message: "revoked"})
	path := "/social-accounts/" + f.mine.account
	for _, reconnect := range []func() *response{
		func() *response { return f.do(nil, "PATCH", path, body{"credentials": body{"token": "new"}}) },
		func() *response { return f.do(nil, "POST", path+"/verify", nil) },
		func() *response { return f.do(nil, "PATCH", path, body{"options": body{"mood": "calm"}}) },
	} {
		f.network.refuse(&publish.Error{Kind: schedctl.KindAuth, Message: "revoked", RetryAt: time.Now().Add(20 * time.Hour)})
		if a := f.do(nil, "POST", path+"/verify", nil).want(200).account(); a.Status != schedctl.AccountError {
			t.Fatalf("%+v", a)
		}
		f.network.refuse(nil)
		var notified []string
		f.listen(func(c storage.Commit) { notified = append(notified, c.Accounts...) })
		if a := reconnect().want(200).account(); a.Status != schedctl.AccountConnected || a.Error != nil {
			t.Errorf("%+v", a)
		}
		if !slices.Equal(notified, []string{f.mine.account}) {
			t.Errorf("the notifications are %v, want %s", notified, f.mine.account)
		}
		f.changeAccount(f.mine.account, func(a *schedctl.Account) {
			if !a.PausedUntil.IsZero() {
				t.Errorf("paused until %v", a.PausedUntil)
			}
		})
	}
	if p := f.do(nil, "GET", "/posts/"+waiting.ID, nil).post(); p.Status != schedctl.Publishing || p.Version != waiting.Version {
		t.Errorf("what waits is %s, version %d", p.Status, p.Version)
	}
}

// TestReconnectAsDifferentUser guards that the waiting posts of an account are not
// published as a different user.
func TestReconnectAsDifferentUser(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, testReconnectAsSomebodyElse)
}

func testReconnectAsSomebodyElse(t *testing.T, f *fixture) {
	path := "/social-accounts/" + f.mine.account
	another := body{"credentials": body{"token": "somebody-else"}}
	before := f.stored(f.mine.account)
	refuse := func() {
		t.Helper()
		e := f.do(nil, "PATCH", path, another).refused(schedctl.AccountVerificationFailed)
		for _, word := range []string{"for somebody else", "is account of mine", "as a new account"} {
			if !strings.Contains(e.Message, word) {
				t.Errorf("message %q does not say %q", e.Message, word)
			}
		}
		if e.Details[0].Field != "credentials" {
			t.Errorf("%+v", e.Details)
		}
	}
	refuse()
	if diff := cmp.Diff(before, f.stored(f.mine.account)); diff != "" {
		t.Errorf("the account (-want +got):\n%s", diff)
	}
	f.changeAccount(f.mine.account, func(a *schedctl.Account) { a.Status = schedctl.AccountError })
	refuse()
	f.do(nil, "DELETE", path, nil).want(204)
	refuse()

	f.changeAccount(f.mine.account, func(a *schedctl.Account) { a.ProfileURL = "" })
	f.do(nil, "PATCH", path, another).want(200) // accounts without a profile URL cannot be distinguished
	f.changeAccount(f.mine.account, func(a *schedctl.Account) { a.ProfileURL, a.Username = "https://old.example/@me", "Somebody Else" })
	f.do(nil, "PATCH", path, another).want(200) // the same with a different address

	receiver := f.do(nil, "POST", "/social-accounts", body{"platform": "http", "name": "bot"}).want(201).account()
	f.do(nil, "PATCH", "/social-accounts/"+receiver.ID, another).want(200) // an address may move
	page := f.do(nil, "POST", "/social-accounts", body{"platform": "page", "name": "old"}).want(201).account()
	f.do(nil, "PATCH", "/social-accounts/"+page.ID, body{"name": "new"}).want(200) // a name may change
}

// TestReconnectElsewhere guards that the waiting posts of an account go to the
// intended room, channel or chat, even if the same user is also in a different one,
// and after the account was disconnected.
func TestReconnectElsewhere(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, testReconnectElsewhere)
}

func testReconnectElsewhere(t *testing.T, f *fixture) {
	token := func(room string) body { return body{"credentials": body{"token": "room-" + room}} }
	path := "/social-accounts/" + f.mine.account
	// An account of an earlier version has no identity yet. Its profile is
	// compared.
	f.do(nil, "PATCH", path, token("one")).want(200)
	refuse := func(when string) {
		t.Helper()
		before := f.stored(f.mine.account)
		e := f.do(nil, "PATCH", path, token("two")).refused(schedctl.AccountVerificationFailed)
		if !strings.Contains(e.Message, "different room, channel or chat") || !strings.Contains(e.Message, "as a new account") || e.Details[0].Field != "credentials" {
			t.Errorf("%s: %+v", when, e)
		}
		if diff := cmp.Diff(before, f.stored(f.mine.account)); diff != "" {
			t.Errorf("%s: the account (-want +got):\n%s", when, diff)
		}
	}
	refuse("connected")
	f.do(nil, "PATCH", path, body{"options": body{"mood": "calm"}}).want(200)
	f.do(nil, "POST", path+"/verify", nil).want(200)
	refuse("verified")
	f.do(nil, "PATCH", path, token("one")).want(200)
	f.changeAccount(f.mine.account, func(a *schedctl.Account) { a.Username = "renamed since" })
	f.do(nil, "PATCH", path, token("one")).want(200) // the same with a different name
	f.do(nil, "DELETE", path, nil).want(204)
	left, err := f.connector.Open(f.stored(f.mine.account))
	if diff := cmp.Diff(publish.Credentials{"identity": "me one"}, left); diff != "" || err != nil {
		t.Errorf("left of the credentials: %v (-want +got):\n%s", err, diff)
	}
	refuse("disconnected")
	f.do(nil, "PATCH", path, token("one")).want(200)

	// The room of an account of an earlier version is unknown if its page does not
	// name it.
	f.changeAccount(f.mine.account, func(a *schedctl.Account) { a.Credentials, a.ProfileURL = nil, "https://fake.example/elsewhere" })
	refuse("of an earlier version")
	given := body{"credentials": body{"token": "room-one", "identity": "me two"}}
	if e := f.do(nil, "PATCH", path, given).refused(schedctl.ValidationFailed); e.Details[0].Field != "credentials.identity" {
		t.Errorf("%+v", e.Details)
	}
}

// TestSessionsAreStored guards that a session that a network returns is stored with
// the credentials, sent back to the network, and never shown.
func TestSessionsAreStored(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	opened := func(id string) publish.Credentials {
		t.Helper()
		c, err := f.connector.Open(f.stored(id))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	add := f.do(nil, "POST", "/social-accounts", body{"platform": "fake", "name": "new", "credentials": body{"token": "with-session"}}).want(201)
	id := add.account().ID
	same := func(what string, session string) {
		t.Helper()
		if diff := cmp.Diff(publish.Credentials{"token": "with-session", "session": session}, opened(id)); diff != "" {
			t.Errorf("%s: credentials (-want +got):\n%s", what, diff)
		}
	}
	same("connected", "s")
	path := "/social-accounts/" + id
	f.do(nil, "POST", path+"/verify", nil).want(200)
	same("verified", "ss")
	f.do(nil, "PATCH", path, body{"options": body{"idempotent": true}}).want(200)
	same("with another option", "sss")
	f.do(nil, "PATCH", path, body{"credentials": body{"token": "with-session"}}).want(200)
	same("reconnected", "s")
	f.do(nil, "PATCH", path, body{"name": "renamed"}).want(200)
	same("renamed", "s")
	for _, r := range []*response{
		f.do(nil, "PATCH", path, body{"credentials": body{"token": "with-session", "session": "mine"}}),
		f.do(nil, "POST", "/social-accounts", body{"platform": "fake", "credentials": body{"session": "mine"}}),
	} {
		if e := r.refused(schedctl.ValidationFailed); e.Details[0].Field != "credentials.session" {
			t.Errorf("%+v", e.Details)
		}
	}
	same("refused", "s")
}

// TestRefusedOptionLeavesTheAccount guards that an option that the network rejects
// does not put the account into error.
func TestRefusedOptionLeavesTheAccount(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	before := f.stored(f.mine.account)
	f.network.refuse(&publish.Error{Kind: schedctl.KindAuth, Message: "not with this scope"})
	e := f.do(nil, "PATCH", "/social-accounts/"+f.mine.account, body{"options": body{"mood": "loud"}}).refused(schedctl.AccountVerificationFailed)
	if !strings.Contains(e.Message, "not with this scope") {
		t.Errorf("message %q", e.Message)
	}
	if diff := cmp.Diff(before, f.stored(f.mine.account)); diff != "" {
		t.Errorf("the account (-want +got):\n%s", diff)
	}
}

// TestPublisherThatPanicsOnConnect guards that no credentials get into the log with
// a panic.
func TestPublisherThatPanicsOnConnect(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	before := f.stored(f.mine.account)
	f.network.panicOnConnect("cannot read " + accountToken)
	f.do(nil, "POST", "/social-accounts/"+f.mine.account+"/verify", nil).refused(schedctl.Unavailable)
	if logs := f.logs.String(); !strings.Contains(logs, "panic") || strings.Contains(logs, accountToken) {
		t.Errorf("the log:\n%s", logs)
	}
	if a := f.stored(f.mine.account); a.Status != schedctl.AccountConnected || !a.UpdatedAt.Equal(before.UpdatedAt) {
		t.Errorf("%+v", a)
	}
}
