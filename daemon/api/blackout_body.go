package api

import (
	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// blackoutChange is the body of a request that creates or changes a blackout. An empty end
// is an open one.
type blackoutChange apiv1.EditBlackout

func readCreateBlackout(d *decoder) blackoutChange {
	b := readAs[apiv1.CreateBlackout, blackoutChange](d)
	d.managed(b.Managed)
	return b
}

func readEditBlackout(d *decoder) blackoutChange {
	b := blackoutChange(read[apiv1.EditBlackout](d))
	d.managed(b.Managed)
	return b
}

// apply changes a blackout.
func (b *blackoutChange) apply(to *schedctl.Blackout) {
	set(&to.From, (*schedctl.LocalTime)(b.From))
	set(&to.To, (*schedctl.LocalTime)(b.To))
	set(&to.Timezone, b.Timezone)
	set(&to.AccountIDs, b.SocialAccountIDs)
	set(&to.Reason, b.Reason)
	set(&to.Mode, b.Mode)
	set(&to.Label, b.Label)
	setManaged(&to.Managed, b.Managed)
}

// setManaged sets the file of a queue or a blackout. The zero value stands for null, nil for
// a request that does not have it.
func setManaged(field **schedctl.Managed, given *apiv1.Managed) {
	switch {
	case given == nil:
	case *given == apiv1.Managed{}:
		*field = nil
	default:
		*field = new(schedctl.Managed(*given))
	}
}

// set sets a field that a request may leave out.
func set[T any](field, given *T) {
	if given != nil {
		*field = *given
	}
}
