package apiv1

// ValidatePost is the body of POST /posts/validate: that of [CreatePost], except
// that what is wrong with it may be told instead of refused. PostID is the post
// that would become so, empty for a new one.
type ValidatePost struct {
	CreatePost
	PostID string `json:"post_id,omitempty"`
}

// Validation is the answer of POST /posts/validate: whether create would take
// the post, and what each network says of it without being asked.
type Validation struct {
	Allowed  bool                `json:"allowed"`
	Problems []Problem           `json:"problems"` // of the post as a whole
	Warnings []string            `json:"warnings"`
	Accounts []AccountValidation `json:"accounts"`
}

// AccountValidation is what one account's network says of a post. Length, Limit
// and Unit are as that network counts; Limit is null for none.
type AccountValidation struct {
	SocialAccountID string    `json:"social_account_id"`
	Platform        string    `json:"platform"`
	Allowed         bool      `json:"allowed"`
	Length          int       `json:"length"`
	Limit           *int      `json:"limit"`
	Unit            string    `json:"unit"`
	Problems        []Problem `json:"problems"`
	Warnings        []string  `json:"warnings"`
}

// Problem is one reason for which a post would be refused.
type Problem struct {
	Field   string `json:"field"`
	Code    string `json:"code"`
	Message string `json:"message"`
}
