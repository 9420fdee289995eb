package apiv1

import "github.com/schedctl/schedctl"

// ErrorEnvelope is the body of every answer with a status of 400 or more.
type ErrorEnvelope struct {
	Error Error `json:"error"`
}

// Error says what was wrong and what to do next. Details is null or names each
// fault.
type Error struct {
	Code      schedctl.Code `json:"code"`
	Message   string        `json:"message"`
	Details   []Detail      `json:"details"`
	RequestID string        `json:"request_id"`
}

// Detail is one fault in one field. What is below the message is there only
// when an account's network does not take the post.
type Detail struct {
	Field   string        `json:"field"`
	Code    schedctl.Code `json:"code"`
	Message string        `json:"message"`

	SocialAccountID string `json:"social_account_id,omitempty"`
	Length          int    `json:"length,omitempty"`
	Limit           int    `json:"limit,omitempty"`
	Unit            string `json:"unit,omitempty"`
}

// NewError returns the wire form of an error. The details name the field also
// when there is only one.
func NewError(e *schedctl.Error, requestID string) ErrorEnvelope {
	out := Error{Code: e.Code, Message: e.Message, RequestID: requestID}
	for _, d := range e.Details {
		out.Details = append(out.Details, Detail{
			Field: d.Field, Code: d.Code, Message: d.Message,
			SocialAccountID: d.AccountID, Length: d.Length, Limit: d.Limit, Unit: d.Unit,
		})
	}
	if out.Details == nil && e.Field != "" {
		out.Details = []Detail{{Field: e.Field, Code: e.Code, Message: e.Message}}
	}
	return ErrorEnvelope{Error: out}
}
