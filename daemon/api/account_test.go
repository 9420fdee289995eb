package api_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// stored returns an account of my workspace as the store has it.
func (f *fixture) stored(id string) (a schedctl.Account) {
	f.t.Helper()
	err := f.store.View(f.t.Context(), func(r storage.Reader) (err error) {
		a, err = r.Account(f.mine.workspace, id)
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return a
}

func TestAddAccount(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	r := f.do(nil, "POST", "/social-accounts", body{
		"platform": "fake", "name": "news",
		"credentials": body{"token": accountToken}, "options": body{"idempotent": true, "pacing": "5s", "duplicate_guard": nil},
	}).want(http.StatusCreated)
	a := r.account()
	if a.Name != "news" || a.Username != "news" || a.Status != schedctl.AccountConnected || *a.ProfileURL != "https://fake.example/news" {
		t.Errorf("%s", r.body)
	}
	if diff := cmp.Diff(map[string]any{"idempotent": true, "pacing": "5s"}, a.Options); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
	if got := r.header.Get("Location"); got != "/api/v1/social-accounts/"+a.ID {
		t.Errorf("Location %q", got)
	}
	if strings.Contains(string(f.stored(a.ID).Credentials), accountToken) {
		t.Error("credentials are stored in clear")
	}
	if diff := cmp.Diff(a, f.do(nil, "GET", "/social-accounts/"+a.ID, nil).want(200).account()); diff != "" {
		t.Errorf("it reads as (-want +got):\n%s", diff)
	}
}

func TestAccountNames(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, testAccountNames)
}

func testAccountNames(t *testing.T, f *fixture) {
	if a := f.do(nil, "POST", "/social-accounts", body{"platform": "fake"}).want(201).account(); a.Name != "someone" {
		t.Errorf("without a name the account is called %q", a.Name)
	}
	for name, b := range map[string]body{
		"taken":             {"platform": "fake", "name": "someone"},
		"taken by default":  {"platform": "fake"},
		"empty":             {"platform": "fake", "name": ""},
		"too long":          {"platform": "fake", "name": strings.Repeat("é", 81)},
		"control character": {"platform": "fake", "name": "a\tb"},
		"outer space":       {"platform": "fake", "name": " a"},
	} {
		code := schedctl.ValidationFailed
		if strings.HasPrefix(name, "taken") {
			code = schedctl.NameTaken
		}
		e := f.do(nil, "POST", "/social-accounts", b).refused(code)
		if len(e.Details) != 1 || e.Details[0].Field != "name" {
			t.Errorf("%s: %+v", name, e)
		}
	}
	f.do(nil, "PATCH", "/social-accounts/"+f.mine.account, body{"name": "someone"}).refused(schedctl.NameTaken)
	f.do(as(f.other.key), "POST", "/social-accounts", body{"platform": "fake"}).want(201)
}

func TestAccountFieldsAreChecked(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	asked := f.network.connects()
	for _, tt := range []struct {
		body        string
		field, says string
	}{
		{`{"platform":"fakebook"}`, "platform", "use one of fake, http, page"},
		{`{}`, "platform", "is missing"},
		{`{"platform":"fake","credentials":{"tokn":"secret-value"}}`, "credentials.tokn", `did you mean "token"?`},
		{`{"platform":"fake","credentials":{"token":5}}`, "credentials.token", "must be a string, not a number"},
		{`{"platform":"fake","credentials":[]}`, "credentials", "must be an object, not a list"},
		{`{"platform":"fake","options":{"idempotant":true}}`, "options.idempotant", `did you mean "idempotent"?`},
		{`{"platform":"fake","options":{"pacing":5}}`, "options.pacing", "must be a duration"},
		{`{"platform":"fake","options":{"pacing":"-5s"}}`, "options.pacing", "must be a duration"},
		{`{"platform":"page","credentials":{"token":"secret-value"}}`, "credentials.token", "no names are allowed here"},
		{`{"platform":"page","options":{"duplicate_guard":"a day"}}`, "options.duplicate_guard", "must be a duration"},
	} {
		e := f.do(nil, "POST", "/social-accounts", tt.body).refused(schedctl.ValidationFailed)
		if len(e.Details) != 1 || e.Details[0].Field != tt.field || !strings.Contains(e.Message, tt.says) {
			t.Errorf("%s: field %v, message %q; want %s saying %q", tt.body, e.Details, e.Message, tt.field, tt.says)
		}
		if strings.Contains(e.Message, "secret-value") {
			t.Errorf("%s: the message repeats a credential: %s", tt.body, e.Message)
		}
	}
	if f.network.connects() != asked {
		t.Error("the network is asked about what can be refused without it")
	}
}

func TestNetworkRefusals(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, tt := range []struct {
		err   error
		code  schedctl.Code
		field string
	}{
		{&publish.Error{Kind: schedctl.KindContent, Code: "token", Message: "malformed"}, schedctl.ValidationFailed, "credentials.token"},
		{&publish.Error{Kind: schedctl.KindContent, Code: "idempotent", Message: "not a boolean"}, schedctl.ValidationFailed, "options.idempotent"},
		{&publish.Error{Kind: schedctl.KindContent, Code: "name", Message: "too long"}, schedctl.ValidationFailed, "name"},
		{&publish.Error{Kind: schedctl.KindAuth, Message: "revoked; reconnect the account"}, schedctl.AccountVerificationFailed, "credentials"},
		{&publish.Error{Kind: schedctl.KindNetwork, Message: "no such host"}, schedctl.Unavailable, ""},
		{&publish.Error{Kind: schedctl.KindRateLimited, Message: "slow down"}, schedctl.Unavailable, ""},
		{&publish.Error{Kind: schedctl.KindPlatform, Message: "on fire"}, schedctl.Unavailable, ""},
		{errors.New("not an error of a publisher"), schedctl.Unavailable, ""},
	} {
		f.network.refuse(tt.err)
		for _, r := range []*response{
			f.do(nil, "POST", "/social-accounts", body{"platform": "fake", "name": "new"}),
			f.do(nil, "PATCH", "/social-accounts/"+f.mine.account, body{"credentials": body{"token": "new"}}),
		} {
			e := r.refused(tt.code)
			field := ""
			if len(e.Details) > 0 {
				field = e.Details[0].Field
			}
			if field != tt.field || strings.Contains(e.Message, "reconnect") {
				t.Errorf("%v: field %q, want %q: %s", tt.err, field, tt.field, e.Message)
			}
		}
	}
	if a := f.do(nil, "GET", "/social-accounts/"+f.mine.account, nil).account(); a.Status != schedctl.AccountConnected {
		t.Errorf("a refused change leaves the account %s", a.Status)
	}
}

func TestNetworksWordsAreCleaned(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.network.refuse(&publish.Error{Kind: schedctl.KindAuth, Message: "bad \x1b[31mtoken " + accountToken + strings.Repeat("!", 1000)})
	e := f.do(nil, "POST", "/social-accounts", body{"platform": "fake", "credentials": body{"token": accountToken}}).refused(schedctl.AccountVerificationFailed)
	if strings.Contains(e.Message, accountToken) || strings.Contains(e.Message, "\x1b") || len(e.Message) > 600 {
		t.Errorf("%q", e.Message)
	}
}

func TestListAccounts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	second, third := f.newAccount(f.mine, "second"), f.newAccount(f.mine, "third")
	f.do(nil, "DELETE", "/social-accounts/"+second, nil).want(204)
	for query, want := range map[string][]string{
		"":            {f.mine.account, third},
		"?status=all": {f.mine.account, second, third},
	} {
		list := decodeAs[apiv1.AccountList](t, f.do(nil, "GET", "/social-accounts"+query, nil).want(200))
		got := []string{}
		for _, a := range list.Results {
			got = append(got, a.ID)
		}
		if !cmp.Equal(got, want) || list.Count != len(want) {
			t.Errorf("%q lists %v, count %d; want %v", query, got, list.Count, want)
		}
	}
	for _, query := range []string{"?status=connected", "?stats=all", "?status=all&status=all", "?status="} {
		f.do(nil, "GET", "/social-accounts"+query, nil).refused(schedctl.ValidationFailed)
	}
}

func TestEditAccount(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path := "/social-accounts/" + f.mine.account
	asked := f.network.connects()

	a := f.do(nil, "PATCH", path, body{"name": "renamed", "options": body{"pacing": "2s", "duplicate_guard": "24h"}}).want(200).account()
	if a.Name != "renamed" || a.Options["pacing"] != "2s" {
		t.Errorf("%+v", a)
	}
	a = f.do(nil, "PATCH", path, body{"options": body{"pacing": nil}}).want(200).account()
	if diff := cmp.Diff(map[string]any{"duplicate_guard": "24h"}, a.Options); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
	if got := f.network.connects(); got != asked {
		t.Errorf("the network was asked %d times about its own business only", got-asked)
	}
	sealed := f.stored(f.mine.account).Credentials
	f.do(nil, "PATCH", path, body{"options": body{"idempotent": true}}).want(200)
	if got := f.network.connects(); got != asked+1 || string(f.stored(f.mine.account).Credentials) != string(sealed) {
		t.Errorf("an option of the platform: asked %d times", got-asked)
	}
	f.do(nil, "PATCH", path, body{"credentials": body{"token": "another-token"}}).want(200)
	if string(f.stored(f.mine.account).Credentials) == string(sealed) {
		t.Error("new credentials are not stored")
	}
	f.do(nil, "PATCH", path, body{"credentials": body{"token": "refused"}}).refused(schedctl.AccountVerificationFailed)
	f.do(nil, "PATCH", path, body{}).refused(schedctl.ValidationFailed)
	f.do(nil, "PATCH", path, body{"platform": "page"}).refused(schedctl.ValidationFailed)
}

// TestAccountLeftAsItIs guards that updated_at changes only when the account does.
func TestAccountLeftAsItIs(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, testAccountLeftAsItIs)
}

func testAccountLeftAsItIs(t *testing.T, f *fixture) {
	path := "/social-accounts/" + f.mine.account
	f.do(nil, "PATCH", path, body{"options": body{"pacing": "5s"}}).want(200)
	f.update(func(tx storage.Tx) error { // so that a new updated_at differs
		a, err := tx.Account(f.mine.workspace, f.mine.account)
		a.UpdatedAt = a.UpdatedAt.Add(-time.Hour)
		return errors.Join(err, tx.PutAccount(a))
	})
	before := f.do(nil, "GET", path, nil).want(200).account()
	for _, b := range []body{{"name": before.Name}, {"options": body{"pacing": "5s"}}, {"options": body{}}} {
		if diff := cmp.Diff(before, f.do(nil, "PATCH", path, b).want(200).account()); diff != "" {
			t.Errorf("%v changes the account (-want +got):\n%s", b, diff)
		}
	}
	if diff := cmp.Diff(before, f.do(nil, "POST", path+"/verify", nil).want(200).account()); diff != "" {
		t.Errorf("verify changes the account (-want +got):\n%s", diff)
	}
	after := f.do(nil, "PATCH", path, body{"credentials": body{"token": "another"}}).want(200).account()
	if !after.UpdatedAt.After(before.UpdatedAt.Time) {
		t.Errorf("new credentials leave updated_at at %s", after.UpdatedAt)
	}
}

func TestRenameWhereTheNameIsTheAddress(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	a := f.do(nil, "POST", "/social-accounts", body{"platform": "page", "name": "news"}).want(201).account()
	b := f.do(nil, "PATCH", "/social-accounts/"+a.ID, body{"name": "blog"}).want(200).account()
	if *b.ProfileURL != "https://fake.example/blog" || b.ID != a.ID {
		t.Errorf("%s is still at %s", b.Name, *b.ProfileURL)
	}
}

func TestVerifyAccount(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, testVerifyAccount)
}

func testVerifyAccount(t *testing.T, f *fixture) {
	path := "/social-accounts/" + f.mine.account
	before := f.do(nil, "GET", path, nil).want(200)

	f.network.refuse(&publish.Error{Kind: schedctl.KindNetwork, Message: "no route"})
	f.do(nil, "POST", path+"/verify", nil).refused(schedctl.Unavailable)
	if now := f.do(nil, "GET", path, nil); string(now.body) != string(before.body) {
		t.Errorf("a network out of reach changes the account: %s", now.body)
	}

	f.network.refuse(&publish.Error{Kind: schedctl.KindAuth, Code: "E1", Message: "revoked", HTTPStatus: 401})
	for range 2 {
		a := f.do(nil, "POST", path+"/verify", nil).want(200).account()
		if a.Status != schedctl.AccountError || a.Error.Kind != schedctl.KindAuth || *a.Error.Code != "E1" || *a.Error.HTTPStatus != 401 {
			t.Errorf("%+v", a)
		}
	}
	if got := f.accountEvents(f.mine.account); got != 1 {
		t.Errorf("%d events tell that the account is refused, want 1", got)
	}
	f.do(nil, "POST", "/posts", body{"content": "x", "social_account_ids": []string{f.mine.account}}).refused(schedctl.InvalidSocialAccounts)

	f.network.refuse(nil)
	if a := f.do(nil, "POST", path+"/verify", body{}).want(200).account(); a.Status != schedctl.AccountConnected || a.Error != nil {
		t.Errorf("%+v", a)
	}
}

// accountEvents counts the events about an account.
func (f *fixture) accountEvents(id string) (n int) {
	f.t.Helper()
	err := f.store.View(f.t.Context(), func(r storage.Reader) error {
		events, err := r.Events("", 10_000)
		for _, e := range events {
			if e.Type == schedctl.EventAccountError && e.AccountID == id {
				n++
			}
		}
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return n
}

func TestRefusedAccountIsReconnected(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path := "/social-accounts/" + f.mine.account
	f.network.refuse(&publish.Error{Kind: schedctl.KindAuth, Message: "revoked"})
	f.do(nil, "POST", path+"/verify", nil).want(200)
	f.network.refuse(nil)
	if a := f.do(nil, "PATCH", path, body{"credentials": body{"token": "new-token"}}).want(200).account(); a.Status != schedctl.AccountConnected {
		t.Errorf("%+v", a)
	}
}

// TestVerifyLosesToNewCredentials changes credentials while the old ones are being
// verified. The result for the old ones must not be applied to the new ones.
func TestVerifyLosesToNewCredentials(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path := "/social-accounts/" + f.mine.account
	release := make(chan struct{})
	f.network.refuse(&publish.Error{Kind: schedctl.KindAuth, Message: "revoked"})
	started := f.network.holdConnects(release)
	verified := make(chan *response)
	go func() { verified <- f.do(nil, "POST", path+"/verify", nil) }()
	<-started
	f.network.holdConnects(nil)
	f.network.refuse(nil)
	f.do(nil, "PATCH", path, body{"credentials": body{"token": "new-token"}}).want(200)
	close(release)
	if a := (<-verified).want(200).account(); a.Status != schedctl.AccountConnected {
		t.Errorf("the new credentials are %s", a.Status)
	}
}

func TestRemoveAccount(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, testRemoveAccount)
}

func testRemoveAccount(t *testing.T, f *fixture) {
	path := "/social-accounts/" + f.mine.account
	for range 2 {
		f.do(nil, "DELETE", path, nil).want(204)
	}
	if a := f.do(nil, "GET", path, nil).want(200).account(); a.Status != schedctl.AccountDisconnected {
		t.Errorf("%+v", a)
	}
	if c := f.stored(f.mine.account).Credentials; c != nil {
		t.Errorf("%d bytes of credentials are left", len(c))
	}
	f.do(nil, "POST", path+"/verify", nil).refused(schedctl.ValidationFailed)
	f.do(nil, "PATCH", path, body{"name": "ghost"}).refused(schedctl.ValidationFailed)
	if a := f.do(nil, "PATCH", path, body{"credentials": body{"token": "again"}}).want(200).account(); a.Status != schedctl.AccountConnected {
		t.Errorf("%+v", a)
	}
}
