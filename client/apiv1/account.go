package apiv1

import "github.com/schedctl/schedctl"

// Account is a social account. It never carries a secret.
type Account struct {
	ID          string                 `json:"id"`
	Platform    string                 `json:"platform"`
	Name        string                 `json:"name"`
	Username    string                 `json:"username"`
	DisplayName string                 `json:"display_name"`
	Status      schedctl.AccountStatus `json:"status"`
	ProfileURL  *string                `json:"profile_url"`
	Limits      Limits                 `json:"limits"`
	Options     map[string]any         `json:"options"`
	Error       *TargetError           `json:"error"`
	CreatedAt   *Time                  `json:"created_at"`
	UpdatedAt   *Time                  `json:"updated_at"`
	Warnings    []string               `json:"warnings,omitempty"` // absent when there are none
}

// Limits are what the account's network accepts in one post; null where the
// network sets none.
type Limits struct {
	MaxCharacters *int   `json:"max_characters"`
	Unit          string `json:"unit"`
	URLCharacters *int   `json:"url_characters"`
}

// AccountEnvelope is the answer of every call about one account.
type AccountEnvelope struct {
	SocialAccount Account `json:"social_account"`
}

// AccountList is the answer of GET /social-accounts.
type AccountList struct {
	Results []Account `json:"results"`
	Count   int       `json:"count"`
}

// AddAccount is the body of POST /social-accounts.
type AddAccount struct {
	Platform    string            `json:"platform"`
	Name        string            `json:"name,omitempty"`
	Credentials map[string]string `json:"credentials,omitempty"`
	Options     map[string]any    `json:"options,omitempty"`
}

// EditAccount is the body of PATCH /social-accounts/{id}; absent fields stay as
// they are, and new credentials are verified first. An option set to null goes
// back to its default.
type EditAccount struct {
	Name        *string           `json:"name,omitempty"`
	Credentials map[string]string `json:"credentials,omitempty"`
	Options     map[string]any    `json:"options,omitempty"`
}

// NewAccount returns the wire form of an account.
func NewAccount(a schedctl.Account) Account {
	return Account{
		ID: a.ID, Platform: a.Platform, Name: a.Name, Username: a.Username, DisplayName: a.DisplayName,
		Status: a.Status, ProfileURL: optional(a.ProfileURL),
		Limits: Limits{
			MaxCharacters: optional(a.Limits.MaxCharacters), Unit: a.Limits.Unit,
			URLCharacters: optional(a.Limits.URLCharacters),
		},
		Options: orEmpty(a.Options), Error: NewTargetError(a.Error),
		CreatedAt: NewTime(a.CreatedAt), UpdatedAt: NewTime(a.UpdatedAt),
	}
}
