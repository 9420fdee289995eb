package api_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// eventsAfter returns the types of all events of my workspace after a position.
func (f *fixture) eventsAfter(position string) (types []schedctl.EventType, end string) {
	f.t.Helper()
	end = position
	err := f.store.View(f.t.Context(), func(r storage.Reader) error {
		events, err := r.Events(position, 10_000)
		for _, e := range events {
			types, end = append(types, e.Type), e.ID
		}
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return types, end
}

// TestEditAccountIsRecorded guards that a change of an account has one audit entry.
// It has no event, because no post and no login changes.
func TestEditAccountIsRecorded(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		path := "/social-accounts/" + f.mine.account
		_, end := f.eventsAfter("")
		f.do(header("X-Request-Id", "rename"), "PATCH", path, body{"name": "renamed"}).want(200)
		f.do(header("X-Request-Id", "options"), "PATCH", path, body{"options": body{"pacing": "2s"}}).want(200)
		f.do(header("X-Request-Id", "refused"), "PATCH", path, body{"options": body{"pacing": 2}}).refused(schedctl.ValidationFailed)
		if types, _ := f.eventsAfter(end); len(types) != 0 {
			t.Errorf("events %v", types)
		}
		var got []string
		for _, e := range f.auditPage("?limit=2").Results {
			got = append(got, e.RequestID+" "+e.Action+" "+*e.ResourceID)
		}
		want := []string{"options editSocialAccount " + f.mine.account, "rename editSocialAccount " + f.mine.account}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}

// TestEditAccountRefusesFields guards that fields that cannot be edited are refused
// by name and that the account stays unchanged.
func TestEditAccountRefusesFields(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path := "/social-accounts/" + f.mine.account
	before := f.do(nil, "GET", path, nil).want(200)
	asked := f.network.connects()
	for _, tt := range []struct{ body, field, says string }{
		{`{"platform":"page"}`, "platform", ""},
		{`{"status":"disconnected"}`, "status", ""},
		{`{"username":"other"}`, "username", ""},
		{`{"id":"acct_01KAK3R9ZC4VBX1D2E3F4G5H6J"}`, "id", ""},
		{`{"nam":"x"}`, "nam", `did you mean "name"?`},
		{`{"name":""}`, "name", ""},
		{`{"name":null}`, "name", "must be a string"},
		{`{"name":"` + strings.Repeat("x", 81) + `"}`, "name", ""},
		{`{"name":"a\nb"}`, "name", ""},
		{`{"options":{"pacing":"soon"}}`, "options.pacing", "must be a duration"},
		{`{"options":{"idempotant":true}}`, "options.idempotant", `did you mean "idempotent"?`},
		{`{"options":{"token":"secret-value"}}`, "options.token", ""},
		{`{"credentials":{"tokn":"secret-value"}}`, "credentials.tokn", `did you mean "token"?`},
		{`{"name":"new","options":{"pacing":5}}`, "options.pacing", "must be a duration"},
		{`{}`, "", ""},
	} {
		e := f.do(nil, "PATCH", path, tt.body).refused(schedctl.ValidationFailed)
		hasField := slices.ContainsFunc(e.Details, func(d apiv1.Detail) bool { return d.Field == tt.field })
		if tt.field != "" && !hasField || !strings.Contains(e.Message, tt.says) {
			t.Errorf("%s: field %v, message %q; want %s saying %q", tt.body, e.Details, e.Message, tt.field, tt.says)
		}
		if strings.Contains(e.Message, "secret-value") {
			t.Errorf("%s: the message repeats a credential: %s", tt.body, e.Message)
		}
	}
	if after := f.do(nil, "GET", path, nil).want(200); string(after.body) != string(before.body) {
		t.Errorf("refused changes made %s of %s", after.body, before.body)
	}
	if got := f.network.connects(); got != asked {
		t.Errorf("the network was asked %d times about requests that are not valid", got-asked)
	}
}

// TestEditAccountNeedsTheRightKey guards that accounts of other workspaces and
// accounts outside the key's limit are not found, and that editing needs its scope.
func TestEditAccountNeedsTheRightKey(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		second := f.newAccount(f.mine, "second")
		limited := as(f.limitedKey(f.mine.account))
		rename := body{"name": "renamed"}
		f.do(as(f.other.key), "PATCH", "/social-accounts/"+f.mine.account, rename).refused(schedctl.NotFound)
		f.do(nil, "PATCH", "/social-accounts/"+f.other.account, rename).refused(schedctl.NotFound)
		f.do(limited, "PATCH", "/social-accounts/"+second, rename).refused(schedctl.NotFound)
		f.do(as(f.scoped(schedctl.ScopeAccountsRead, schedctl.ScopePostsWrite)), "PATCH", "/social-accounts/"+second, rename).refused(schedctl.InsufficientScope)
		for _, id := range []string{f.mine.account, second} {
			if name := f.stored(id).Name; name == "renamed" {
				t.Errorf("%s is renamed", id)
			}
		}
		if a := f.do(limited, "PATCH", "/social-accounts/"+f.mine.account, rename).want(200).account(); a.Name != "renamed" {
			t.Errorf("%+v", a)
		}
		f.do(as(f.other.key), "PATCH", "/social-accounts/"+f.other.account, rename).want(200) // names are unique in a workspace only
	})
}
