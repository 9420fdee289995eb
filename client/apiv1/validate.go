package apiv1

import "github.com/schedctl/schedctl"

// ValidatePost is the body of POST /posts/validate. It differs from [CreatePost] in
// that errors are reported instead of refused. PostID is the post that would be
// changed, empty for a new one.
type ValidatePost struct {
	CreatePost
	PostID string `json:"post_id,omitempty" doc:"The existing post that would be changed; absent for a new one. Its current text does not count as a duplicate."`
}

// Validation is the response of POST /posts/validate: whether the post would be
// accepted, and the result for each account.
type Validation struct {
	Allowed      bool                `json:"allowed" doc:"Whether neither the post nor any of its accounts has a problem. A draft can be saved even when this is false."`
	Problems     []Problem           `json:"problems" doc:"Problems that concern the post and not a single account."`
	Refusals     []Problem           `json:"refusals" doc:"Why this API key could not send the request, whatever the post says: its scopes and rights, and approvals that the post lacks. They do not count in allowed. Approvals are checked for posts that are allowed."`
	Warnings     []string            `json:"warnings" doc:"Things the author may want to know."`
	ProposedAlso []string            `json:"proposed_also,omitempty" doc:"The posts that wait for an approval and propose the same time for one of the accounts; warnings has them too. Absent without any."`
	Accounts     []AccountValidation `json:"accounts" doc:"One for each account that was found."`
}

// Excess returns by how much the longest part exceeds the limit of each account, by id.
func (v Validation) Excess() map[string]int {
	excess := map[string]int{}
	for i := range v.Accounts {
		a := &v.Accounts[i]
		for _, part := range a.Parts {
			if part.Limit != nil {
				excess[a.SocialAccountID] = max(excess[a.SocialAccountID], part.Length-*part.Limit)
			}
		}
	}
	return excess
}

// AccountValidation is what one account's network says of a post. Length, Limit
// and Unit are as that network counts; Limit is null for none.
type AccountValidation struct {
	SocialAccountID string           `json:"social_account_id" doc:"The account."`
	Platform        string           `json:"platform" doc:"The network of the account."`
	Allowed         bool             `json:"allowed" doc:"Whether there are no problems for this account."`
	Length          int              `json:"length" doc:"The length of the text of the first part as the network counts it, in unit."`
	Limit           *int             `json:"limit" doc:"The maximum length on this network; null for no limit."`
	Unit            string           `json:"unit" doc:"How text is counted: characters, graphemes or bytes."`
	Problems        []Problem        `json:"problems" doc:"Reasons why the post would be refused."`
	Parts           []PartValidation `json:"parts" doc:"What the account publishes, in order: the post, the replies of its thread, and the first comment."`
	Warnings        []string         `json:"warnings" doc:"Things the author may want to know, for example that the account gets the same text twice within 24 hours."`
}

// PartValidation is what one account's network says of one part of a post: its text and
// its media.
type PartValidation struct {
	Index    int               `json:"index" doc:"0 for the first part."`
	Kind     schedctl.PartKind `json:"kind" doc:"post for the first part, reply for the others of a thread, comment for the first comment."`
	Length   int               `json:"length" doc:"The length of the text as the network counts it, in unit."`
	Limit    *int              `json:"limit" doc:"The maximum length on this network; null for no limit."`
	Unit     string            `json:"unit" doc:"How text is counted: characters, graphemes or bytes."`
	Problems []Problem         `json:"problems" doc:"Reasons why the part would be refused."`
	Warnings []string          `json:"warnings" doc:"Things the author may want to know."`
	Media    []MediaValidation `json:"media" doc:"One for each file of the part."`
}

// MediaValidation is what one account's network says of one file.
type MediaValidation struct {
	ID       string    `json:"id" doc:"The id of the asset."`
	Problems []Problem `json:"problems" doc:"Reasons why the file would be refused."`
	Warnings []string  `json:"warnings" doc:"Things the author may want to know, for example that alt text is missing."`
	Fix      string    `json:"fix" doc:"What the daemon does so that the file fits: none, resize or convert." enum:"none,resize,convert"`
}

// Problem is one reason for which a post would be refused.
type Problem struct {
	Field   string `json:"field" doc:"The path of the field in the request."`
	Code    string `json:"code" doc:"The error code of the refusal."`
	Message string `json:"message" doc:"An explanation for people."`
}
