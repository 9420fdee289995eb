package cli

import (
	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
)

// Expiry reads the value of --expires and shows the time, which may be at most some days ahead, or
// at any time with 0. It returns nil for an empty one.
func (w *WhenFlags) Expiry(a *App, text string, days int) (*apiv1.Time, error) {
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
	if days > 0 && m.Time.After(now.AddDate(0, 0, days)) {
		return nil, InvalidError(schedctl.ValidationFailed, "--expires: %s is more than %d days ahead; use an earlier time", text, days)
	}
	a.Messagef("until %s", m.Echo(now, loc))
	return apiv1.NewTime(m.Time), nil
}
