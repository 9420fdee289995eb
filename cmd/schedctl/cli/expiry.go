package cli

import (
	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
)

// Expiry reads the value of --expires and shows the time. It returns nil for an empty one.
func (w *WhenFlags) Expiry(a *App, text string) (*apiv1.Time, error) {
	if text == "" {
		return nil, nil
	}
	loc, err := w.Zone(a)
	if err != nil {
		return nil, err
	}
	now := a.Now()
	m, err := when.ParseEnd(text, now, loc)
	if err != nil {
		return nil, err
	}
	if err := m.Check(now); err != nil {
		return nil, InvalidError(schedctl.ValidationFailed, "--expires: %v", err)
	}
	a.Messagef("until %s", m.Echo(now, loc))
	return apiv1.NewTime(m.Time), nil
}
