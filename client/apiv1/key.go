package apiv1

import "github.com/schedctl/schedctl"

// APIKey is a key without its secret, which is shown once and not kept.
type APIKey struct {
	ID               string           `json:"id" doc:"Starts with key_."`
	Name             string           `json:"name" doc:"Chosen when the key was created."`
	Scopes           []schedctl.Scope `json:"scopes" doc:"The permissions of the key."`
	SocialAccountIDs []string         `json:"social_account_ids" doc:"The accounts that the key is limited to; empty for no limit."`
	Kind             string           `json:"kind" doc:"standard, or agent for the key of an agent, whose posts a workspace can require approvals for." enum:"standard,agent"`
	Approval         *string          `json:"approval" doc:"required if all posts that the key creates, edits or starts need an approval; null otherwise."`
	CreatedAt        *Time            `json:"created_at" doc:"When the key was created." nullable:"false"`
	ExpiresAt        *Time            `json:"expires_at" doc:"When the key expires; null for never."`
	LastUsedAt       *Time            `json:"last_used_at" doc:"When the key was last used; null for never. A crash of the daemon can lose the last minute."`
	RevokedAt        *Time            `json:"revoked_at" doc:"When the key was revoked; null while it is valid."`
}

// APIKeyEnvelope is the response of GET /api-keys/{id}.
type APIKeyEnvelope struct {
	APIKey APIKey    `json:"api_key" doc:"The key."`
	Open   OpenPosts `json:"open" doc:"The posts and series that the key created and that are not over."`
}

// CreateAPIKey is the body of POST /api-keys. Without scopes a key reads and
// writes posts and reads accounts.
type CreateAPIKey struct {
	Name             string           `json:"name" doc:"1 to 80 characters that say what the key is for." minLength:"1" maxLength:"80"`
	Scopes           []schedctl.Scope `json:"scopes,omitempty" doc:"The permissions of the key. Default: those of posts:read, posts:write and accounts:read that the key of the request has." minItems:"1" uniqueItems:"true"`
	Kind             string           `json:"kind,omitempty" doc:"agent for the key of an agent: without scopes it gets posts:read, posts:draft and accounts:read, and it expires after at most 90 days. Default: standard." enum:"standard,agent"`
	Approval         string           `json:"approval,omitempty" doc:"required if all posts that the key creates, edits or starts need an approval." enum:"required"`
	ExpiresAt        *Time            `json:"expires_at,omitempty" doc:"When the key expires: a future time, RFC 3339 in UTC written with Z. Null or absent for never." nullable:"true"`
	SocialAccountIDs []string         `json:"social_account_ids,omitempty" doc:"Accounts of the workspace that the key is limited to; it sees only posts all of whose accounts are listed. Default: the limit of the key of the request." minItems:"1" maxItems:"100" uniqueItems:"true"`
}

// CreatedAPIKey is the response of POST /api-keys, the only one with the secret.
type CreatedAPIKey struct {
	APIKey APIKey `json:"api_key" doc:"The key."`
	Secret string `json:"secret" doc:"The value of the Authorization header, after Bearer. Store it: it is not shown again."`
}

// APIKeyList is all keys of the workspace in order of creation, revoked and
// expired ones included.
type APIKeyList struct {
	Results []APIKey `json:"results" doc:"The keys in order of creation."`
	Count   int      `json:"count" doc:"The number of results."`
}

// The kinds of API keys, and the value of their approval.
const (
	KeyStandard      = "standard"
	KeyAgent         = "agent"
	ApprovalRequired = "required"
)

// NewAPIKey returns the wire form of a key.
func NewAPIKey(k schedctl.APIKey) APIKey {
	out := APIKey{
		Kind: keyKind(&k), ID: k.ID, Name: k.Name, Scopes: append([]schedctl.Scope{}, k.Scopes...),
		SocialAccountIDs: append([]string{}, k.AccountIDs...), CreatedAt: NewTime(k.CreatedAt),
		ExpiresAt: NewTime(k.ExpiresAt), LastUsedAt: NewTime(k.LastUsedAt), RevokedAt: NewTime(k.RevokedAt),
	}
	if k.Restricted {
		out.Approval = new(ApprovalRequired)
	}
	return out
}

func keyKind(k *schedctl.APIKey) string { return kindOfKey(k.Agent) }

func kindOfKey(agent bool) string {
	if agent {
		return KeyAgent
	}
	return KeyStandard
}
