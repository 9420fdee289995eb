package api_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// newAPIKey creates a key over the API.
func (f *fixture) newAPIKey(o option, b body) apiv1.CreatedAPIKey {
	f.t.Helper()
	return decodeAs[apiv1.CreatedAPIKey](f.t, f.do(o, "POST", "/api-keys", b).want(201))
}

// apiKeys lists the keys of my workspace.
func (f *fixture) apiKeys() []apiv1.APIKey {
	f.t.Helper()
	list := decodeAs[apiv1.APIKeyList](f.t, f.do(nil, "GET", "/api-keys", nil).want(200))
	if list.Count != len(list.Results) {
		f.t.Errorf("count is %d, there are %d", list.Count, len(list.Results))
	}
	return list.Results
}

func TestCreateKey(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		expires := "2036-06-02T15:00:00Z"
		r := f.do(nil, "POST", "/api-keys", body{
			"name": "CI", "scopes": []string{"posts:draft", "posts:read"}, "expires_at": expires, "social_account_ids": []string{f.mine.account},
		}).want(201)
		made := decodeAs[apiv1.CreatedAPIKey](t, r)
		k := made.APIKey
		if k.Name != "CI" || k.ExpiresAt.String() != expires || k.RevokedAt != nil || k.LastUsedAt != nil || k.CreatedAt == nil {
			t.Errorf("%+v", k)
		}
		if want := []schedctl.Scope{"posts:read", "posts:draft"}; !cmp.Equal(k.Scopes, want) || !cmp.Equal(k.SocialAccountIDs, []string{f.mine.account}) {
			t.Errorf("scopes %v, accounts %v", k.Scopes, k.SocialAccountIDs)
		}
		if r.header.Get("Location") != "/api/v1/api-keys/"+k.ID {
			t.Errorf("Location %q", r.header.Get("Location"))
		}
		me := decodeAs[apiv1.Me](t, f.do(as(made.Secret), "GET", "/me", nil).want(200))
		if me.Workspace.ID != f.mine.workspace || me.APIKey.ID != k.ID || !cmp.Equal(me.APIKey.Scopes, k.Scopes) {
			t.Errorf("the new key is %+v", me)
		}
		if list := f.do(nil, "GET", "/api-keys", nil); strings.Contains(string(list.body), made.Secret) {
			t.Errorf("the list shows a secret: %s", list.body)
		}
	})
}

func TestUsualScopes(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for name, tt := range map[string]struct{ maker, want []schedctl.Scope }{
		"all of them":  {schedctl.Scopes(), []schedctl.Scope{"posts:read", "posts:write", "accounts:read"}},
		"those it has": {[]schedctl.Scope{"accounts:read", "posts:draft", "keys:write"}, []schedctl.Scope{"accounts:read"}},
	} {
		if got := f.newAPIKey(as(f.scoped(tt.maker...)), body{"name": name}).APIKey.Scopes; !cmp.Equal(got, tt.want) {
			t.Errorf("%s: %v", name, got)
		}
	}
	f.do(as(f.scoped("keys:write")), "POST", "/api-keys", body{"name": "none"}).refused(schedctl.InsufficientScope)
}

func TestKeysThatAreRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	spare := f.newAccount(f.mine, "spare")
	poor := as(f.scoped(schedctl.ScopePostsWrite, schedctl.ScopeKeysWrite))
	limited := as(f.newKey(f.mine.workspace, func(k *schedctl.APIKey) { k.AccountIDs = []string{f.mine.account} }))
	many := make([]string, schedctl.MaxAccounts+1)
	for i := range many {
		many[i] = f.mine.account
	}
	before := len(f.apiKeys())
	for name, tt := range map[string]struct {
		as   option
		body any
		code schedctl.Code
	}{
		"no name":                  {nil, body{}, schedctl.ValidationFailed},
		"an empty name":            {nil, body{"name": ""}, schedctl.ValidationFailed},
		"a long name":              {nil, body{"name": strings.Repeat("é", 81)}, schedctl.ValidationFailed},
		"a control character":      {nil, body{"name": "a\x1bb"}, schedctl.ValidationFailed},
		"a name that is a number":  {nil, body{"name": 1}, schedctl.ValidationFailed},
		"an unknown field":         {nil, body{"name": "x", "scope": []string{"posts:read"}}, schedctl.ValidationFailed},
		"an unknown scope":         {nil, body{"name": "x", "scopes": []string{"posts:delete"}}, schedctl.ValidationFailed},
		"no scope":                 {nil, body{"name": "x", "scopes": []string{}}, schedctl.ValidationFailed},
		"null for scopes":          {nil, body{"name": "x", "scopes": nil}, schedctl.ValidationFailed},
		"a scope twice":            {nil, body{"name": "x", "scopes": []string{"posts:read", "posts:read"}}, schedctl.ValidationFailed},
		"a scope that is a number": {nil, body{"name": "x", "scopes": []any{1}}, schedctl.ValidationFailed},
		"a scope it has not":       {poor, body{"name": "x", "scopes": []string{"posts:write", "accounts:read"}}, schedctl.InsufficientScope},
		"an unknown kind":          {nil, body{"name": "x", "kind": "robot"}, schedctl.ValidationFailed},
		"an unknown approval":      {nil, body{"name": "x", "approval": "off"}, schedctl.ValidationFailed},
		"an agent that approves":   {nil, body{"name": "x", "kind": "agent", "scopes": []string{"posts:approve"}}, schedctl.ValidationFailed},
		"an agent that makes keys": {nil, body{"name": "x", "kind": "agent", "scopes": []string{"keys:write"}}, schedctl.ValidationFailed},
		"an agent for too long":    {nil, body{"name": "x", "kind": "agent", "expires_at": in(91 * 24 * time.Hour)}, schedctl.ValidationFailed},
		"drafts and approvals":     {nil, body{"name": "x", "scopes": []string{"posts:draft", "posts:approve"}}, schedctl.ValidationFailed},
		"no keys:write":            {as(f.scoped("posts:write")), body{"name": "x"}, schedctl.InsufficientScope},
		"a time that has passed":   {nil, body{"name": "x", "expires_at": in(-time.Second)}, schedctl.ValidationFailed},
		"a local time":             {nil, body{"name": "x", "expires_at": "2036-06-02T15:00:00"}, schedctl.ValidationFailed},
		"another offset":           {nil, body{"name": "x", "expires_at": "2036-06-02T15:00:00+02:00"}, schedctl.ValidationFailed},
		"a time that is a number":  {nil, body{"name": "x", "expires_at": 2036}, schedctl.ValidationFailed},
		"no account":               {nil, body{"name": "x", "social_account_ids": []string{}}, schedctl.InvalidSocialAccounts},
		"an unknown account":       {nil, body{"name": "x", "social_account_ids": []string{"acct_0"}}, schedctl.InvalidSocialAccounts},
		"a foreign account":        {nil, body{"name": "x", "social_account_ids": []string{f.other.account}}, schedctl.InvalidSocialAccounts},
		"an account twice":         {nil, body{"name": "x", "social_account_ids": []string{f.mine.account, f.mine.account}}, schedctl.InvalidSocialAccounts},
		"too many accounts":        {nil, body{"name": "x", "social_account_ids": many}, schedctl.InvalidSocialAccounts},
		"an account it may not":    {limited, body{"name": "x", "social_account_ids": []string{f.mine.account, spare}}, schedctl.AccountNotAllowed},
	} {
		t.Run(name, func(t *testing.T) {
			f.do(tt.as, "POST", "/api-keys", tt.body).refused(tt.code)
		})
	}
	if after := len(f.apiKeys()); after != before+1 { // "no keys:write" made its own
		t.Errorf("there were %d keys and are %d", before, after)
	}
}

func TestLimitedKeysMakeLimitedKeys(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	spare := f.newAccount(f.mine, "spare")
	f.do(nil, "DELETE", "/social-accounts/"+spare, nil).want(204) // a disconnected one may come back
	both := []string{f.mine.account, spare}
	limited := f.newAPIKey(nil, body{"name": "limited", "scopes": []string{"keys:write", "posts:read"}, "social_account_ids": both})
	for name, tt := range map[string]struct{ asked, want []string }{
		"as its maker": {nil, both},
		"a subset":     {both[1:], both[1:]},
		"the same":     {both, both},
	} {
		b := body{"name": name}
		if tt.asked != nil {
			b["social_account_ids"] = tt.asked
		}
		if got := f.newAPIKey(as(limited.Secret), b).APIKey.SocialAccountIDs; !cmp.Equal(got, tt.want) {
			t.Errorf("%s: %v", name, got)
		}
	}
	f.do(as(limited.Secret), "POST", "/api-keys", body{"name": "x", "social_account_ids": []string{}}).refused(schedctl.InvalidSocialAccounts)
}

func TestExpiryIsOptional(t *testing.T) {
	t.Parallel()
	onEveryEngineInBubble(t, func(t *testing.T, f *fixture) {
		if k := f.newAPIKey(nil, body{"name": "x", "expires_at": nil}).APIKey; k.ExpiresAt != nil {
			t.Errorf("it expires at %s", k.ExpiresAt)
		}
		soon := f.newAPIKey(nil, body{"name": "x", "expires_at": in(200 * time.Millisecond)})
		time.Sleep(time.Until(soon.APIKey.ExpiresAt.Time))
		f.do(as(soon.Secret), "GET", "/me", nil).refused(schedctl.APIKeyExpired)
		if !slices.ContainsFunc(f.apiKeys(), func(k apiv1.APIKey) bool { return k.ID == soon.APIKey.ID }) {
			t.Error("an expired key is not listed")
		}
	})
}

func TestRevokeKey(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		made := f.newAPIKey(nil, body{"name": "x"})
		path := "/api-keys/" + made.APIKey.ID
		f.do(as(made.Secret), "GET", "/posts", nil).want(200)
		f.do(nil, "DELETE", path, nil).want(204)
		f.do(as(made.Secret), "GET", "/posts", nil).refused(schedctl.APIKeyRevoked)
		listed := f.apiKeys()
		first := listed[len(listed)-1]
		if first.ID != made.APIKey.ID || first.RevokedAt == nil {
			t.Fatalf("%+v", first)
		}
		f.do(nil, "DELETE", path, nil).want(204)
		listed = f.apiKeys()
		if again := listed[len(listed)-1]; !again.RevokedAt.Equal(first.RevokedAt.Time) {
			t.Errorf("revoked at %s, and then at %s", first.RevokedAt, again.RevokedAt)
		}
		f.do(nil, "DELETE", "/api-keys/key_0", nil).refused(schedctl.NotFound)
		f.do(nil, "DELETE", path, body{"reason": "x"}).refused(schedctl.ValidationFailed)
	})
}

func TestKeyRevokesItself(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	made := f.newAPIKey(nil, body{"name": "x", "scopes": []string{"keys:write"}})
	f.do(as(made.Secret), "DELETE", "/api-keys/"+made.APIKey.ID, nil).want(204)
	f.do(as(made.Secret), "DELETE", "/api-keys/"+made.APIKey.ID, nil).refused(schedctl.APIKeyRevoked)
}

// TestLastGrantingKeyStays guards that the last key that can grant a scope cannot be
// revoked until a different key has that scope.
func TestLastGrantingKeyStays(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	made := decodeAs[apiv1.CreatedWorkspace](t, f.do(nil, "POST", "/workspaces", body{"name": "third"}).want(201))
	for scope, admin := range map[string]tenant{
		"keys:write":       {workspace: made.Workspace.ID, key: made.Secret},
		"workspaces:write": f.mine,
	} {
		t.Run(scope, func(t *testing.T) {
			t.Parallel()
			last, scopes := "/api-keys/"+f.keyOf(admin.key).ID, []string{"keys:write", "posts:read"}
			if scope == "workspaces:write" {
				f.newAPIKey(as(admin.key), body{"name": "keys", "scopes": scopes})
				scopes[1] = scope
			}
			f.newAPIKey(as(admin.key), body{"name": "limited", "scopes": scopes, "social_account_ids": []string{f.newAccount(admin, scope)}})
			revoked := f.newAPIKey(as(admin.key), body{"name": "revoked", "scopes": scopes})
			f.do(as(admin.key), "DELETE", "/api-keys/"+revoked.APIKey.ID, nil).want(204)
			f.newKey(admin.workspace, func(k *schedctl.APIKey) { k.ExpiresAt = time.Now().Add(-time.Hour) })
			f.newKey(f.other.workspace, func(*schedctl.APIKey) {})

			e := f.do(as(admin.key), "DELETE", last, nil).refused(schedctl.ValidationFailed)
			if !strings.Contains(e.Message, scope) {
				t.Error(e.Message)
			}
			f.do(as(admin.key), "GET", "/me", nil).want(200)

			heir := f.newAPIKey(as(admin.key), body{"name": "heir", "scopes": scopes})
			f.do(as(heir.Secret), "DELETE", last, nil).want(204)
			f.do(as(admin.key), "GET", "/me", nil).refused(schedctl.APIKeyRevoked)
		})
	}
}

// TestRevocationIsImmediate uses a key continuously while it is revoked. Requests
// after the response are rejected, regardless of the cache.
func TestRevocationIsImmediate(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		for range 20 {
			made := f.newAPIKey(nil, body{"name": "x"})
			revoked := make(chan struct{})
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					for {
						after := false
						select {
						case <-revoked:
							after = true
						default:
						}
						r := f.do(as(made.Secret), "GET", "/me", nil)
						if after {
							if r.status == 200 {
								t.Error("a revoked key is granted")
							}
							return
						}
					}
				})
			}
			f.do(nil, "DELETE", "/api-keys/"+made.APIKey.ID, nil).want(204)
			close(revoked)
			wg.Wait()
		}
	})
}

// The first key of a workspace need not have posts:draft itself: posts:write includes it.
func TestAgentKeys(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		maker := as(f.scoped("keys:write", "posts:read", "posts:write", "accounts:read", "webhooks:read"))
		made := f.newAPIKey(maker, body{"name": "agent", "kind": "agent"})
		k := decodeAs[apiv1.Me](t, f.do(as(made.Secret), "GET", "/me", nil).want(200)).APIKey
		if want := []schedctl.Scope{"posts:read", "posts:draft", "accounts:read"}; !cmp.Equal(k.Scopes, want) || k.Kind != apiv1.KeyAgent || k.Approval != nil {
			t.Errorf("an agent has %+v", k)
		}
		if k.ExpiresAt == nil || !k.ExpiresAt.Equal(k.CreatedAt.Add(90*24*time.Hour)) {
			t.Errorf("it expires at %v, created at %v", k.ExpiresAt, k.CreatedAt)
		}
		soon := apiv1.NewTime(time.Now().Add(time.Hour).Truncate(time.Second))
		made = f.newAPIKey(maker, body{"name": "publisher", "kind": "agent", "scopes": []string{"posts:write"}, "expires_at": soon.String(), "approval": "required"})
		if k := made.APIKey; !k.ExpiresAt.Equal(soon.Time) || k.Approval == nil || *k.Approval != apiv1.ApprovalRequired {
			t.Errorf("an agent with an end and approvals is %+v", k)
		}
	})
}

func TestKeysOfARestrictedKeyAreRestricted(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	maker := as(f.newKey(f.mine.workspace, func(k *schedctl.APIKey) { k.Restricted = true }))
	if k := f.newAPIKey(maker, body{"name": "x"}).APIKey; k.Approval == nil {
		t.Errorf("a key that needs approvals made %+v", k)
	}
}
