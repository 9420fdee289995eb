package usecase

import (
	"fmt"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// avoidBlackout is avoidBlackouts for one account.
func (d *Decision) avoidBlackout(a *schedctl.Account, at time.Time) error {
	avoided, found := a.AvoidedAt(at)
	if !found {
		return nil
	}
	return d.view(func(r storage.Reader) error {
		period, err := d.request.describeBlackout(r, avoided)
		if err != nil {
			return err
		}
		return schedctl.Errorf(schedctl.InBlackout, "publish_at",
			`%s is in %s, which %s avoids; use another time, take the next slot of a queue with publish_at "next-slot", or send allow_blackout: true (--allow-blackout)`,
			apiv1.Time{Time: at}, period, a.ID)
	})
}

// describeBlackout returns what a message says about a blackout. A key that may not see the
// blackout gets its period only.
func (c *Request) describeBlackout(r storage.Reader, avoided schedctl.AccountBlackout) (string, error) {
	b, err := c.Blackout(r, avoided.ID)
	switch {
	case schedctl.CodeOf(err) == schedctl.NotFound:
		return fmt.Sprintf("a blackout (%s to %s)", apiv1.Time{Time: avoided.From}, apiv1.Time{Time: avoided.To}), nil
	case err != nil:
		return "", err
	case b.Reason != "":
		return fmt.Sprintf("the blackout %s (%s, %s to %s %s)", b.ID, b.Reason, b.From, b.To, b.Timezone), nil
	}
	return fmt.Sprintf("the blackout %s (%s to %s %s)", b.ID, b.From, b.To, b.Timezone), nil
}

// holdAt returns the first hold of an account that contains a time.
func holdAt(a *schedctl.Account, at time.Time) (b schedctl.AccountBlackout, held bool) {
	i := slices.IndexFunc(a.Blackouts, func(b schedctl.AccountBlackout) bool { return b.Mode == schedctl.BlackoutHold && b.Contains(at) })
	if i < 0 {
		return b, false
	}
	return a.Blackouts[i], true
}

// holdWarning says which hold a post to an account must wait for. It is empty if the post
// need not wait.
func holdWarning(a *schedctl.Account, at time.Time) string {
	hold, held := holdAt(a, at)
	switch {
	case !held:
		return ""
	case hold.To.IsZero():
		return fmt.Sprintf("the blackout %s holds the account; the post waits until the hold ends", hold.ID)
	}
	return fmt.Sprintf("the blackout %s holds the account until %s; the post waits until then", hold.ID, apiv1.Time{Time: hold.To})
}

// WaitsFor says why a target of an account that is due at a time waits. It is empty if the
// account does not delay the target.
func WaitsFor(a *schedctl.Account, due, now time.Time) string {
	at := due
	if now.After(at) {
		at = now
	}
	switch hold, held := a.HeldAt(at); {
	case a.DisruptedSince.IsZero() && waitsText(a, at) != "":
		return waitsText(a, at)
	case a.Status == schedctl.AccountError && !a.PausedUntil.After(now):
		return "the network rejects the account; it waits until the account is reconnected"
	case held && hold.To.IsZero():
		return fmt.Sprintf("the blackout %s holds the account; it waits until the blackout ends", hold.ID)
	case held && (hold.Contains(at) || !hold.To.After(now)):
		return fmt.Sprintf("the blackout %s holds the account until %s", hold.ID, apiv1.Time{Time: hold.To})
	}
	return ""
}
