package series

import (
	"time"

	"github.com/schedctl/schedctl"
)

// nextMinute returns the local time after another one.
func nextMinute(l schedctl.LocalTime) schedctl.LocalTime {
	return schedctl.LocalTimeOf(l.Civil().Add(time.Minute))
}
