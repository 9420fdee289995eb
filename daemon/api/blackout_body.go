package api

import (
	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// blackoutChange is the body of a request that creates or changes a blackout. An empty end
// is an open one.
type blackoutChange apiv1.EditBlackout

// apply changes a blackout.
func (b *blackoutChange) apply(to *schedctl.Blackout) {
	set(&to.From, (*schedctl.LocalTime)(b.From))
	set(&to.To, (*schedctl.LocalTime)(b.To))
	set(&to.Timezone, b.Timezone)
	set(&to.AccountIDs, b.SocialAccountIDs)
	set(&to.Reason, b.Reason)
	set(&to.Mode, b.Mode)
}

// set sets a field that a request may leave out.
func set[T any](field, given *T) {
	if given != nil {
		*field = *given
	}
}
