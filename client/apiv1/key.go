package apiv1

import "github.com/schedctl/schedctl"

// APIKey is a key without its secret, which is shown once and not kept.
type APIKey struct {
	ID               string           `json:"id"`
	Name             string           `json:"name"`
	Scopes           []schedctl.Scope `json:"scopes"`
	SocialAccountIDs []string         `json:"social_account_ids"` // empty for no limit
	CreatedAt        *Time            `json:"created_at"`
	ExpiresAt        *Time            `json:"expires_at"`
	LastUsedAt       *Time            `json:"last_used_at"`
	RevokedAt        *Time            `json:"revoked_at"`
}

// CreateAPIKey is the body of POST /api-keys. Without scopes a key reads and
// writes posts and reads accounts.
type CreateAPIKey struct {
	Name             string           `json:"name"`
	Scopes           []schedctl.Scope `json:"scopes,omitempty"`
	ExpiresAt        *Time            `json:"expires_at,omitempty"`
	SocialAccountIDs []string         `json:"social_account_ids,omitempty"`
}

// CreatedAPIKey is the answer of POST /api-keys: the only one with the secret.
type CreatedAPIKey struct {
	APIKey APIKey `json:"api_key"`
	Secret string `json:"secret"`
}

// APIKeyList is all keys of the workspace in order of creation, revoked and
// expired ones included.
type APIKeyList struct {
	Results []APIKey `json:"results"`
	Count   int      `json:"count"`
}

// NewAPIKey returns the wire form of a key.
func NewAPIKey(k schedctl.APIKey) APIKey {
	return APIKey{
		ID: k.ID, Name: k.Name, Scopes: append([]schedctl.Scope{}, k.Scopes...),
		SocialAccountIDs: append([]string{}, k.AccountIDs...), CreatedAt: NewTime(k.CreatedAt),
		ExpiresAt: NewTime(k.ExpiresAt), LastUsedAt: NewTime(k.LastUsedAt), RevokedAt: NewTime(k.RevokedAt),
	}
}
