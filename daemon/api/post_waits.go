package api

import (
	"context"
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// addWaits sets why targets of a post wait, if the reason is their account. It reports
// whether it set a reason. wire has the targets of p, in the same order.
func (s *Server) addWaits(ctx context.Context, c *request, p *schedctl.Post, wire []*apiv1.Target) (found bool, err error) {
	for i := range p.Targets {
		due, waiting := p.Targets[i].Due()
		if !waiting {
			continue
		}
		a, err := s.recentAccount(ctx, c, p.Targets[i].AccountID)
		if schedctl.CodeOf(err) == schedctl.NotFound {
			continue
		}
		if err != nil {
			return found, err
		}
		if why := waitsFor(&a, due, c.arrived); why != "" {
			wire[i].Waits, found = &why, true
		}
	}
	return found, nil
}

// waitsFor says why a target of an account that is due at a time waits. It is empty if the
// account does not delay the target.
func waitsFor(a *schedctl.Account, due, now time.Time) string {
	at := due
	if now.After(at) {
		at = now
	}
	switch hold, held := a.HeldAt(at); {
	case a.Status == schedctl.AccountError:
		return "the network rejects the account; it waits until the account is reconnected"
	case held && hold.To.IsZero():
		return fmt.Sprintf("the blackout %s holds the account; it waits until the blackout ends", hold.ID)
	case held && (hold.Contains(at) || !hold.To.After(now)):
		return fmt.Sprintf("the blackout %s holds the account until %s", hold.ID, apiv1.Time{Time: hold.To})
	}
	return ""
}

// refs returns pointers to the elements of a list.
func refs[T any](list []T) []*T {
	out := make([]*T, len(list))
	for i := range list {
		out[i] = &list[i]
	}
	return out
}
