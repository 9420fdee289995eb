package api

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/storage"
)

// defaultScopes are the scopes of a key that is created without scopes, as far as
// the creating key holds them.
var defaultScopes = []schedctl.Scope{schedctl.ScopePostsRead, schedctl.ScopePostsWrite, schedctl.ScopeAccountsRead}

// listKeys handles GET /api-keys. A key that is limited to accounts sees only
// itself.
func (s *Server) listKeys(ctx context.Context, c *request) (response, error) {
	if q := parseQuery(c.query, nil, nil); q.err != nil {
		return response{}, q.err
	}
	var keys []schedctl.APIKey
	err := s.scan(ctx, c, func(r storage.Reader) (err error) {
		keys, err = r.Keys(c.Key.WorkspaceID)
		return err
	})
	if err != nil {
		return response{}, err
	}
	keys = slices.DeleteFunc(keys, func(k schedctl.APIKey) bool { return !c.maySeeKey(k.ID) })
	s.used.update(keys)
	return newResponse(http.StatusOK, apiv1.APIKeyList{Results: convert(keys, apiv1.NewAPIKey), Count: len(keys)})
}

// createKey handles POST /api-keys. The secret exists only in the response.
func (s *Server) createKey(ctx context.Context, c *request, b apiv1.CreateAPIKey) (response, error) {
	key, err := c.newKey(b)
	if err != nil {
		return response{}, err
	}
	if err := s.view(ctx, func(r storage.Reader) error { return c.checkAccounts(r, key.AccountIDs) }); err != nil {
		return response{}, err
	}
	var secret string
	secret, key.Hash = schedctl.NewKeySecret()
	created, err := newResponse(http.StatusCreated, apiv1.CreatedAPIKey{APIKey: apiv1.NewAPIKey(key), Secret: secret})
	if err != nil {
		return response{}, err
	}
	created.secret, created.created, created.location = true, key.ID, prefix+"/api-keys/"+key.ID
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) { return created, tx.PutKey(key) })
}

// maySeeKey reports whether the key of the request may see or revoke an API key of
// its workspace. A key that is limited to accounts sees only itself, because other
// keys name accounts that it must not see.
func (c *request) maySeeKey(id string) bool { return !c.Limited() || id == c.Key.ID }

// newKey returns the key for the request body, without a hash. It has no permission
// that the creating key lacks, and expires no later.
func (c *request) newKey(b apiv1.CreateAPIKey) (schedctl.APIKey, error) {
	now, expiresAt, agent := schedctl.Millis(c.Now), timeOf(b.ExpiresAt), b.Kind == apiv1.KeyAgent
	key := schedctl.APIKey{
		ID: schedctl.NewID(schedctl.KeyPrefix, now), WorkspaceID: c.Key.WorkspaceID, Name: b.Name,
		AccountIDs: b.SocialAccountIDs, Agent: agent, Restricted: b.Approval != "" || c.Key.Restricted,
		CreatedAt: now, ExpiresAt: expiresAt,
	}
	if err := c.checkExpiry(expiresAt); err != nil {
		return key, err
	}
	if key.ExpiresAt.IsZero() {
		key.ExpiresAt = c.Key.ExpiresAt
		if last := now.Add(schedctl.MaxAgentKeyLife); agent && endsBefore(last, key.ExpiresAt) {
			key.ExpiresAt = last
		}
	}
	defaults := defaultScopes
	if agent {
		defaults = schedctl.AgentScopes()[:3]
	}
	for _, scope := range schedctl.Scopes() {
		asked := slices.Contains(b.Scopes, scope)
		switch {
		case asked && !c.grants(scope):
			return key, insufficientScope("this API key lacks the scope %s and cannot give it to another; use a key that has it", scope)
		case asked, b.Scopes == nil && slices.Contains(defaults, scope) && c.grants(scope):
			key.Scopes = append(key.Scopes, scope)
		}
	}
	if len(key.Scopes) == 0 {
		return key, insufficientScope("this API key holds none of the default scopes (%s); name the scopes of the new key", joinAll(defaults, ", "))
	}
	if key.AccountIDs == nil {
		key.AccountIDs = c.Key.AccountIDs
	}
	return key, key.CheckKind()
}

// grants reports whether the key of the request can give the scope to another. The scope
// posts:write includes posts:draft.
func (c *request) grants(s schedctl.Scope) bool {
	return c.Key.Allows(s) || s == schedctl.ScopePostsDraft && c.Key.Allows(schedctl.ScopePostsWrite)
}

// checkExpiry returns nil when a new key may expire at this time. The zero time
// means the latest possible time.
func (c *request) checkExpiry(at time.Time) error {
	const field = "expires_at"
	end := c.Key.ExpiresAt
	switch {
	case at.IsZero():
		return nil
	case !at.After(c.Now):
		return schedctl.Errorf(schedctl.ValidationFailed, field, "expires_at has passed already; give a future time, or leave it out for a key that lasts as long as it can")
	case !end.IsZero() && at.After(end):
		return schedctl.Errorf(schedctl.ValidationFailed, field,
			"this API key expires at %s, and a key that it creates cannot expire later; give an earlier time, or leave expires_at out for the same time", end.UTC().Format(time.RFC3339))
	}
	return nil
}

// checkAccounts returns nil when the key may be limited to these accounts. They
// must belong to the workspace and may be disconnected. Duplicates are errors.
func (c *request) checkAccounts(r storage.Reader, ids []string) error {
	const field = "social_account_ids"
	if len(ids) > schedctl.MaxAccounts {
		return schedctl.Errorf(schedctl.InvalidSocialAccounts, field, "%s names %d accounts; a key can be limited to %d", field, len(ids), schedctl.MaxAccounts)
	}
	for i, id := range ids {
		switch {
		case !c.MayUse(id):
			return schedctl.Errorf(schedctl.AccountNotAllowed, field, "this API key may not use %s and cannot let another use it; use a key that may", id)
		case slices.Contains(ids[:i], id):
			return schedctl.Errorf(schedctl.InvalidSocialAccounts, field, "%s names %s twice; name it once", field, id)
		}
		_, err := r.Account(c.Key.WorkspaceID, id)
		if schedctl.CodeOf(err) == schedctl.NotFound {
			return schedctl.Errorf(schedctl.InvalidSocialAccounts, field, "there is no account %s in this workspace; list them with GET %s/social-accounts", id, prefix)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// revokeKey handles DELETE /api-keys/{id}. Once the response is sent, this daemon
// accepts no request with the key and ends its event streams. Other daemons and
// running downloads follow within about a second.
func (s *Server) revokeKey(ctx context.Context, c *request) (response, error) {
	rm, err := c.readRemoval(usecase.Owner{KeyID: c.ID})
	if err != nil {
		return response{}, err
	}
	revoked, err := storage.Read(ctx, s.view, c.revocable)
	if err != nil {
		return response{}, err
	}
	return s.remove(ctx, c, rm, func(tx storage.Tx) error {
		k, err := c.revocable(tx)
		if err != nil || !k.RevokedAt.IsZero() {
			return err
		}
		k.RevokedAt = schedctl.Millis(c.Now)
		return tx.PutKey(k)
	}, func() {
		s.keysByID.remove(revoked.ID)
		s.keys.remove(revoked.Hash) // even if the commit failed: it may have reached the disk
		s.hub.checkKeys(ctx)
	})
}

// revocable returns the key of the path, which the request may revoke.
func (c *request) revocable(r storage.Reader) (schedctl.APIKey, error) {
	keys, err := r.Keys(c.Key.WorkspaceID)
	if err != nil {
		return schedctl.APIKey{}, err
	}
	i := slices.IndexFunc(keys, func(k schedctl.APIKey) bool { return k.ID == c.ID && c.maySeeKey(k.ID) })
	if i < 0 {
		return schedctl.APIKey{}, errNoKey
	}
	if k := &keys[i]; !k.RevokedAt.IsZero() {
		return *k, nil
	}
	return keys[i], c.refuseLockOut(keys, &keys[i])
}

var errNoKey = schedctl.Errorf(schedctl.NotFound, "", "this workspace has no API key with this id")

// grantingScopes are the scopes that only a key with the scope can grant.
var grantingScopes = []schedctl.Scope{schedctl.ScopeKeysWrite, schedctl.ScopeWorkspacesWrite}

// refuseLockOut returns an error when revoking the key would leave no key that can
// create keys or workspaces, now or after an earlier expiry. Another key must be
// created first.
func (c *request) refuseLockOut(keys []schedctl.APIKey, revoked *schedctl.APIKey) error {
	for _, scope := range grantingScopes {
		holds := func(k *schedctl.APIKey) bool {
			return k.Allows(scope) && len(k.AccountIDs) == 0 && k.Check(c.Now) == nil
		}
		another := slices.ContainsFunc(keys, func(k schedctl.APIKey) bool {
			return k.ID != revoked.ID && holds(&k) && !endsBefore(k.ExpiresAt, revoked.ExpiresAt)
		})
		if holds(revoked) && !another {
			return schedctl.Errorf(schedctl.ValidationFailed, "id",
				"this is the last API key with the scope %s, and without it no key can grant that scope; create another key with this scope that lasts as long, then revoke this one", scope)
		}
	}
	return nil
}

// endsBefore compares two expiry times. The zero time means never.
func endsBefore(a, b time.Time) bool { return !a.IsZero() && (b.IsZero() || a.Before(b)) }
