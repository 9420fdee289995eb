package apiv1

import "github.com/schedctl/schedctl"

// AccountGroup is a name for several accounts.
type AccountGroup struct {
	Name             string   `json:"name" doc:"Unique among the account groups of the workspace."`
	SocialAccountIDs []string `json:"social_account_ids" doc:"The accounts of the group that exist and that the API key may see, sorted by id."`
	HiddenAccounts   int      `json:"hidden_accounts" doc:"The number of further accounts of the group, which the API key may not use."`
	CreatedAt        *Time    `json:"created_at" doc:"When it was created." nullable:"false"`
	UpdatedAt        *Time    `json:"updated_at" doc:"When it was changed last." nullable:"false"`
}

// AccountGroupEnvelope is the response to requests about one account group.
type AccountGroupEnvelope struct {
	AccountGroup AccountGroup `json:"account_group" doc:"The account group."`
}

// AccountGroupList is all account groups, sorted by name.
type AccountGroupList struct {
	Results []AccountGroup `json:"results" doc:"The account groups, sorted by name."`
	Count   int            `json:"count" doc:"The number of results."`
}

// SetAccountGroup is the body of PUT /account-groups/{id}.
type SetAccountGroup struct {
	SocialAccountIDs []string `json:"social_account_ids" doc:"The accounts of the group." minItems:"1" maxItems:"100" uniqueItems:"true"`
	CreateOnly       bool     `json:"create_only,omitempty" doc:"Refuse the request with NAME_TAKEN if the group exists."`
}

// Snippet is a name for a text.
type Snippet struct {
	Name      string `json:"name" doc:"Unique among the snippets of the workspace."`
	Text      string `json:"text" doc:"The text that clients put in its place."`
	CreatedAt *Time  `json:"created_at" doc:"When it was created." nullable:"false"`
	UpdatedAt *Time  `json:"updated_at" doc:"When it was changed last." nullable:"false"`
}

// SnippetEnvelope is the response to requests about one snippet.
type SnippetEnvelope struct {
	Snippet Snippet `json:"snippet" doc:"The snippet."`
}

// SnippetList is all snippets, sorted by name.
type SnippetList struct {
	Results []Snippet `json:"results" doc:"The snippets, sorted by name."`
	Count   int       `json:"count" doc:"The number of results."`
}

// SetSnippet is the body of PUT /snippets/{id}.
type SetSnippet struct {
	Text string `json:"text" doc:"The text: 1 to 5000 characters, not only white space." minLength:"1" maxLength:"5000"`
}

// NewAccountGroup returns the wire form of an account group. hidden is the number of
// accounts that were left out.
func NewAccountGroup(a schedctl.Alias, hidden int) AccountGroup {
	return AccountGroup{
		Name: a.Name, SocialAccountIDs: append([]string{}, a.AccountIDs...), HiddenAccounts: hidden, CreatedAt: NewTime(a.CreatedAt), UpdatedAt: NewTime(a.UpdatedAt),
	}
}

// NewSnippet returns the wire form of a snippet.
func NewSnippet(a schedctl.Alias) Snippet {
	return Snippet{Name: a.Name, Text: a.Text, CreatedAt: NewTime(a.CreatedAt), UpdatedAt: NewTime(a.UpdatedAt)}
}
