package cli

import (
	"time"

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
	m, err := expiryMoment(text, now, loc)
	if err != nil {
		return nil, err
	}
	if err := m.Check(now); err != nil {
		return nil, InvalidError(schedctl.ValidationFailed, "--expires: %v", err)
	}
	a.Messagef("until %s", m.Echo(now, loc))
	return apiv1.NewTime(m.Time), nil
}

// expiryMoment reads a duration from now, else a time.
func expiryMoment(text string, now time.Time, loc *time.Location) (when.Result, error) {
	if _, err := when.ParseSpan(text); err == nil {
		return when.Parse("in "+text, now, loc)
	}
	return when.Parse(text, now, loc)
}
