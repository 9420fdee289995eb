package apiv1

import "github.com/schedctl/schedctl"

// ErrorEnvelope is the body of every response with a status of 400 or more.
type ErrorEnvelope struct {
	Error Error `json:"error" doc:"The error."`
}

// Error says what was wrong and what to do next. Details is null or names each
// fault.
type Error struct {
	Code      schedctl.Code `json:"code" doc:"For programs. A code never changes its meaning."`
	Message   string        `json:"message" doc:"An explanation for people: what went wrong, then what to do."`
	Details   []Detail      `json:"details" doc:"One entry for each invalid field, or null. With more than 20, a last entry without a field gives the number of the others." nullable:"true"`
	RequestID string        `json:"request_id" doc:"The X-Request-Id of the response."`
}

// Detail is one error in one field. The fields after Message are set only when the
// network of an account refuses the post.
type Detail struct {
	Field   string        `json:"field" doc:"The path of the field, or the name of the header or parameter."`
	Code    schedctl.Code `json:"code" doc:"The error code for this field."`
	Message string        `json:"message" doc:"An explanation for people."`

	SocialAccountID string `json:"social_account_id,omitempty" doc:"The account whose network refuses the post; absent for other errors."`
	Length          int    `json:"length,omitempty" doc:"The length of the text as the network counts it; absent unless the text is too long."`
	Limit           int    `json:"limit,omitempty" doc:"The maximum length on this network; absent unless the text is too long."`
	Unit            string `json:"unit,omitempty" doc:"How text is counted; absent unless the text is too long."`
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
