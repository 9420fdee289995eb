package cli

import (
	"errors"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// refusalHints suggests commands for errors of the daemon, by code and field.
var refusalHints = []struct {
	code  schedctl.Code
	field string
	hint  string
}{
	{schedctl.InvalidSocialAccounts, "social_account_ids", "see: schedctl account list --all"},
}

// withHint appends the hint for the error to a message.
func withHint(message string, refused apiv1.Error) string {
	for _, h := range refusalHints {
		atField := func(d apiv1.Detail) bool { return d.Code == h.code && d.Field == h.field }
		if refused.Code == h.code && slices.ContainsFunc(refused.Details, atField) {
			return message + "; " + h.hint
		}
	}
	return message
}

// WithMessage returns an error of the daemon with a different message.
func WithMessage(err error, message string) error {
	var refused *client.Error
	if !errors.As(err, &refused) {
		return err
	}
	again := *refused
	again.API.Message, again.API.Details = message, nil
	return &again
}
