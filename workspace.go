package schedctl

import (
	"slices"
	"time"
)

// Workspace owns posts, accounts and keys. A workspace cannot access another one.
type Workspace struct {
	ID        string
	Name      string
	Timezone  string // IANA name; how clients show times by default
	Plan      string
	CreatedAt time.Time
}

// Scope is a permission of an API key.
type Scope string

// The scopes. [ScopePostsDraft] allows drafts and no publication.
const (
	ScopePostsRead       Scope = "posts:read"
	ScopePostsWrite      Scope = "posts:write"
	ScopePostsDraft      Scope = "posts:draft"
	ScopeAccountsRead    Scope = "accounts:read"
	ScopeAccountsWrite   Scope = "accounts:write"
	ScopeWebhooksRead    Scope = "webhooks:read"
	ScopeWebhooksWrite   Scope = "webhooks:write"
	ScopeKeysWrite       Scope = "keys:write"
	ScopeWorkspacesWrite Scope = "workspaces:write"
)

// Scopes lists every scope.
func Scopes() []Scope {
	return []Scope{
		ScopePostsRead, ScopePostsWrite, ScopePostsDraft, ScopeAccountsRead, ScopeAccountsWrite,
		ScopeWebhooksRead, ScopeWebhooksWrite, ScopeKeysWrite, ScopeWorkspacesWrite,
	}
}

// APIKey is a credential of a workspace. The secret is shown once. Only its SHA-256 is
// stored.
type APIKey struct {
	ID          string
	WorkspaceID string
	Name        string
	Hash        [32]byte // SHA-256 of the whole secret, prefix included
	Scopes      []Scope
	AccountIDs  []string // limits the key to these accounts; empty for no limit
	CreatedAt   time.Time
	ExpiresAt   time.Time // zero for never
	RevokedAt   time.Time // zero while valid
	LastUsedAt  time.Time
}

// Check returns nil if the key is valid, else [APIKeyRevoked] or [APIKeyExpired].
func (k *APIKey) Check(now time.Time) error {
	switch {
	case !k.RevokedAt.IsZero():
		return Errorf(APIKeyRevoked, "", "this API key was revoked; use another one")
	case !k.ExpiresAt.IsZero() && !now.Before(k.ExpiresAt):
		return Errorf(APIKeyExpired, "", "this API key expired at %s; use another one", k.ExpiresAt.UTC().Format(time.RFC3339))
	}
	return nil
}

// Allows reports whether the key has the scope.
func (k *APIKey) Allows(s Scope) bool { return slices.Contains(k.Scopes, s) }
