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
	Approvals ApprovalPolicy // each account has a copy
	FourEyes  bool           // each text needs two people
	Locale    string         // one of [Locales]; empty for the first
	CreatedAt time.Time
}

// Locales lists the languages in which pages for people without a terminal can show dates,
// the default first.
func Locales() []string { return []string{"en", "de", "es", "fr", "it", "nl", "pt", "sv"} }

// SetLocale sets the locale to one of [Locales].
func (w *Workspace) SetLocale(name string) {
	if w.Locale = name; name == Locales()[0] {
		w.Locale = ""
	}
}

// Scope is a permission of an API key.
type Scope string

// The scopes. [ScopePostsDraft] allows drafts and no publication.
const (
	ScopePostsRead       Scope = "posts:read"
	ScopePostsWrite      Scope = "posts:write"
	ScopePostsDraft      Scope = "posts:draft"
	ScopePostsApprove    Scope = "posts:approve"
	ScopeAccountsRead    Scope = "accounts:read"
	ScopeAccountsWrite   Scope = "accounts:write"
	ScopeWebhooksRead    Scope = "webhooks:read"
	ScopeWebhooksWrite   Scope = "webhooks:write"
	ScopeKeysWrite       Scope = "keys:write"
	ScopeWorkspacesWrite Scope = "workspaces:write"
	ScopeSharesWrite     Scope = "shares:write"
	ScopeSourcesWrite    Scope = "sources:write"
)

// Scopes lists every scope.
func Scopes() []Scope {
	return []Scope{
		ScopePostsRead, ScopePostsWrite, ScopePostsDraft, ScopePostsApprove, ScopeAccountsRead, ScopeAccountsWrite,
		ScopeWebhooksRead, ScopeWebhooksWrite, ScopeKeysWrite, ScopeWorkspacesWrite, ScopeSharesWrite, ScopeSourcesWrite,
	}
}

// FirstScopes lists the scopes of the first key of a daemon: every scope but posts:draft,
// which posts:write includes and which no approver has.
func FirstScopes() []Scope {
	return slices.DeleteFunc(Scopes(), func(s Scope) bool { return s == ScopePostsDraft })
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
	Agent       bool     // the key of an agent: it lives for at most [MaxAgentKeyLife] and has only [AgentScopes]
	Restricted  bool     // all posts that the key makes, edits or starts need an approval
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

// OwnOnly reports whether the key changes only what it created itself: it writes drafts only,
// belongs to an agent, or needs approvals.
func (k *APIKey) OwnOnly() bool { return !k.Allows(ScopePostsWrite) || k.Agent || k.Restricted }

// LetApprove adds the scope posts:approve to a key from the time before approvals, if it
// administers its workspace: it is not limited to accounts and has all scopes of writers.
// It reports whether the key has changed.
func (k *APIKey) LetApprove() bool {
	if !k.administers() || k.Allows(ScopePostsApprove) {
		return false
	}
	k.Scopes = slices.DeleteFunc(slices.Clone(k.Scopes), func(s Scope) bool { return s == ScopePostsDraft })
	k.Scopes = append(k.Scopes, ScopePostsApprove)
	return true
}

// LetShare adds the scopes shares:write and sources:write to a key from the time before shares
// and sources, if it administers its workspace and may approve. It reports whether the key has
// changed.
func (k *APIKey) LetShare() (changed bool) {
	if !k.administers() || !k.Allows(ScopePostsApprove) {
		return false
	}
	for _, s := range []Scope{ScopeSharesWrite, ScopeSourcesWrite} {
		if !k.Allows(s) {
			k.Scopes, changed = append(slices.Clone(k.Scopes), s), true
		}
	}
	return changed
}

// administers reports whether the key is that of a person, is not limited to accounts, and
// has all scopes of writers.
func (k *APIKey) administers() bool {
	for _, s := range []Scope{ScopePostsWrite, ScopeAccountsWrite, ScopeWebhooksWrite, ScopeKeysWrite} {
		if !k.Allows(s) {
			return false
		}
	}
	return len(k.AccountIDs) == 0 && !k.Agent
}

// MaxAgentKeyLife is how long the key of an agent lives at most.
const MaxAgentKeyLife = 90 * 24 * time.Hour

// AgentScopes lists the scopes that the key of an agent can have. The first three are its
// default.
func AgentScopes() []Scope {
	return []Scope{ScopePostsRead, ScopePostsDraft, ScopeAccountsRead, ScopePostsWrite, ScopeWebhooksRead, ScopeSourcesWrite}
}

// CheckKind returns nil if the key may have its scopes and its end. Errors:
// [ValidationFailed].
func (k *APIKey) CheckKind() error {
	if k.Allows(ScopePostsApprove) && k.Allows(ScopePostsDraft) {
		return Errorf(ValidationFailed, "scopes", "a key cannot have both posts:draft and posts:approve; a person who drafts and approves needs two keys")
	}
	if !k.Agent {
		return nil
	}
	for _, s := range k.Scopes {
		if !slices.Contains(AgentScopes(), s) {
			return Errorf(ValidationFailed, "scopes", "the key of an agent cannot have the scope %s", s)
		}
	}
	if k.ExpiresAt.IsZero() || k.ExpiresAt.After(k.CreatedAt.Add(MaxAgentKeyLife)) {
		return Errorf(ValidationFailed, "expires_at", "the key of an agent expires after at most 90 days")
	}
	return nil
}

// Actor returns who performs an operation with the key.
func (k *APIKey) Actor() Actor {
	return Actor{Key: KeyRef{ID: k.ID, Name: k.Name}, Agent: k.Agent, Restricted: k.Restricted, Approver: k.Allows(ScopePostsApprove) && !k.Agent}
}
