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
			`%s is in %s, which %s avoids; use another time, take the next slot of a queue with publish_at: next-slot (--next-slot), or give allow_blackout: true (--allow-blackout)`,
			apiv1.Time{Time: at}, period, accountName(a))
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
		return fmt.Sprintf("the blackout %q (%s to %s %s)", b.Reason, b.From, b.To, b.Timezone), nil
	}
	return fmt.Sprintf("a blackout (%s to %s %s)", b.From, b.To, b.Timezone), nil
}

// holdAt returns the first hold of an account that contains a time and is about posts with
// these labels.
func holdAt(a *schedctl.Account, labels []string, at time.Time) (b schedctl.AccountBlackout, held bool) {
	i := slices.IndexFunc(a.Blackouts, func(b schedctl.AccountBlackout) bool {
		return b.Mode == schedctl.BlackoutHold && b.Contains(at) && (b.Label == "" || slices.Contains(labels, b.Label))
	})
	if i < 0 {
		return b, false
	}
	return a.Blackouts[i], true
}

// holdWarning says which hold a post with labels to an account must wait for. It is empty if
// the post need not wait.
func holdWarning(a *schedctl.Account, labels []string, at time.Time) string {
	hold, held := holdAt(a, labels, at)
	switch {
	case !held:
		return ""
	case hold.To.IsZero():
		return heldBy(hold) + "; the post waits until the hold ends"
	}
	return fmt.Sprintf("%s until %s; the post waits until then", heldBy(hold), apiv1.Time{Time: hold.To})
}

// HoldWarnings says which holds the targets of a post that is published next must wait for. It
// leaves out accounts that the key of the request may not see.
func (c *Request) HoldWarnings(r storage.Reader, p *schedctl.Post) (warnings []string, err error) {
	for i := range p.Targets {
		t := &p.Targets[i]
		due, waiting := t.Due()
		if !waiting {
			continue
		}
		a, err := c.AccountByID(r, t.AccountID)
		if schedctl.CodeOf(err) == schedctl.NotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		labels := p.Labels
		if t.Begun() {
			labels = nil
		}
		if c.Now.After(due) {
			due = c.Now
		}
		if text := holdWarning(&a, labels, due); text != "" {
			warnings = append(warnings, a.Platform+":"+a.Name+": "+text)
		}
	}
	return warnings, nil
}

// heldBy says what holds a target: the label of the hold, or a pause of its account.
func heldBy(b schedctl.AccountBlackout) string {
	if b.Label != "" {
		return fmt.Sprintf("held by label %q", b.Label)
	}
	return "paused"
}

// WaitsFor says why a target that is due at a time waits for its account, or for the end of
// a hold of a label, and until when. It is nil if nothing of that delays the target.
func WaitsFor(a *schedctl.Account, p *schedctl.Post, t *schedctl.Target, due, now time.Time) *apiv1.Waits {
	at := due
	if now.After(at) {
		at = now
	}
	labels := p.Labels
	if t.Begun() {
		labels = nil
	}
	hold, held := a.PostHeldAt(labels, at)
	switch w := accountWaits(a, at); {
	case w != nil && a.DisruptedSince.IsZero():
		return w
	case a.Status == schedctl.AccountError && !a.PausedUntil.After(now):
		return &apiv1.Waits{Reason: apiv1.WaitsHold, Message: "the network rejects the account; it waits until the account is reconnected"}
	case held && hold.To.IsZero():
		return &apiv1.Waits{Reason: holdReason(hold), Message: heldBy(hold) + " until it is resumed"}
	case held && (hold.Contains(at) || !hold.To.After(now)):
		return &apiv1.Waits{Reason: holdReason(hold), Until: apiv1.NewTime(hold.To), Message: heldBy(hold)}
	case w != nil && (t.WaitsForNetwork() || !due.After(now)):
		return w
	}
	return nil
}

func holdReason(hold schedctl.AccountBlackout) string {
	if hold.Label != "" {
		return apiv1.WaitsLabel
	}
	return apiv1.WaitsBlackout
}
