package api_test

import (
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// appNetwork is a network whose accounts use a developer app.
type appNetwork struct{ *publishtest.Fake }

func (appNetwork) Fields() []publish.Field {
	return []publish.Field{
		{Name: "token", Required: true, Secret: true, Help: "the token of the account"},
		{Name: "client_id", App: true, Help: "the id of the app"},
		{Name: "client_secret", App: true, Secret: true, Help: "the secret of the app"},
	}
}

func (n appNetwork) Connect(_ context.Context, c publish.Connection) (publish.Profile, error) {
	if err := publish.CheckFields(n.Fields(), c); err != nil {
		return publish.Profile{}, err
	}
	return publish.Profile{Username: c.Credentials["token"]}, nil
}

// credentialsOf returns the stored credentials of an account of my workspace.
func (f *fixture) credentialsOf(id string) publish.Credentials {
	f.t.Helper()
	c, err := f.connector.Open(f.stored(id))
	if err != nil {
		f.t.Fatal(err)
	}
	return c
}

// withApp connects an account with a developer app, and returns its id.
func (f *fixture) withApp() string {
	f.t.Helper()
	f.publishers["app"] = appNetwork{publishtest.NewFake("app")}
	return f.do(nil, "POST", "/social-accounts", body{
		"platform": "app", "credentials": body{"token": "first-token", "client_id": "id-of-the-app", "client_secret": "secret-of-the-app"},
	}).want(201).account().ID
}

// TestAppOfAnotherAccount guards that the keys of the app are copied, and never shown.
func TestAppOfAnotherAccount(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first := f.withApp()
	r := f.do(nil, "POST", "/social-accounts", body{"platform": "app", "credentials": body{"token": "second-token"}, "app_of": first}).want(201)
	second := r.account()
	want := publish.Credentials{"token": "second-token", "client_id": "id-of-the-app", "client_secret": "secret-of-the-app"}
	if diff := cmp.Diff(want, f.credentialsOf(second.ID)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	// A new token of an account keeps its app. The name of the user must stay the same.
	r2 := f.do(nil, "PATCH", "/social-accounts/"+second.ID, body{"credentials": body{"token": "second-token"}, "app_of": second.ID}).want(200)
	if diff := cmp.Diff(want, f.credentialsOf(second.ID)); diff != "" {
		t.Errorf("after a reconnect, -want +got:\n%s", diff)
	}
	for _, text := range []string{string(r.body), string(r2.body), f.logs.String()} {
		if strings.Contains(text, "of-the-app") {
			t.Errorf("the app is shown: %s", text)
		}
	}
	// The first account keeps its app when it is removed from the second one, and the other way around.
	f.do(nil, "DELETE", "/social-accounts/"+first, nil).want(204)
	if got := f.credentialsOf(second.ID); !maps.Equal(got, want) {
		t.Errorf("the app went with its first account: %v", got)
	}
}

func TestAppOfRefuses(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first := f.withApp()
	without := f.do(nil, "POST", "/social-accounts", body{"platform": "app", "credentials": body{"token": "no-app"}}).want(201).account().ID
	gone := f.do(nil, "POST", "/social-accounts", body{"platform": "app", "credentials": body{"token": "gone", "client_id": "x"}}).want(201).account().ID
	f.do(nil, "DELETE", "/social-accounts/"+gone, nil).want(204)
	count := len(f.do(nil, "GET", "/social-accounts?status=all", nil).want(200).body)
	credentials := body{"token": "new-token"}
	for name, tt := range map[string]struct {
		body         body
		field, words string
	}{
		"another workspace":  {body{"platform": "app", "credentials": credentials, "app_of": f.other.account}, "app_of", "there is no account"},
		"no account":         {body{"platform": "app", "credentials": credentials, "app_of": "acct_nonsense"}, "app_of", "there is no account"},
		"another platform":   {body{"platform": "app", "credentials": credentials, "app_of": f.mine.account}, "app_of", "this is an account of fake"},
		"no app":             {body{"platform": "app", "credentials": credentials, "app_of": without}, "app_of", "no keys of a developer app"},
		"a removed account":  {body{"platform": "app", "credentials": credentials, "app_of": gone}, "app_of", "is disconnected"},
		"an app of its own":  {body{"platform": "app", "credentials": body{"token": "x", "client_id": "mine"}, "app_of": first}, "credentials.client_id", "exclude each other"},
		"nothing but an app": {body{"platform": "app", "app_of": first}, "app_of", "app_of needs credentials"},
		"not a string":       {body{"platform": "app", "credentials": credentials, "app_of": 7}, "app_of", "string"},
	} {
		e := f.do(nil, "POST", "/social-accounts", tt.body).refused(schedctl.ValidationFailed)
		if len(e.Details) != 1 || e.Details[0].Field != tt.field || !strings.Contains(e.Message+e.Details[0].Message, tt.words) {
			t.Errorf("%s: %+v", name, e)
		}
	}
	e := f.do(nil, "PATCH", "/social-accounts/"+without, body{"app_of": first}).refused(schedctl.ValidationFailed)
	if e.Details[0].Field != "app_of" {
		t.Errorf("an edit without credentials: %+v", e)
	}
	if after := len(f.do(nil, "GET", "/social-accounts?status=all", nil).want(200).body); after != count {
		t.Error("a refused request changed an account")
	}
}

// TestAppOfNeedsTheRightToTheAccount guards that a key for some accounts cannot use the app
// of another one.
func TestAppOfNeedsTheRightToTheAccount(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first := f.withApp()
	second := f.do(nil, "POST", "/social-accounts", body{"platform": "app", "credentials": body{"token": "second"}}).want(201).account().ID
	limited := f.newKey(f.mine.workspace, func(k *schedctl.APIKey) { k.AccountIDs = []string{second} })
	edit := body{"credentials": body{"token": "second"}, "app_of": first}
	e := f.do(as(limited), "PATCH", "/social-accounts/"+second, edit).refused(schedctl.ValidationFailed)
	if e.Details[0].Field != "app_of" || !strings.Contains(e.Message, "there is no account") {
		t.Errorf("%+v", e)
	}
	f.do(as(limited), "POST", "/social-accounts", body{"platform": "app", "credentials": body{"token": "third"}, "app_of": second}).refused(schedctl.AccountNotAllowed)
	f.do(nil, "PATCH", "/social-accounts/"+second, edit).want(200)
}
