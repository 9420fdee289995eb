package api

import (
	"context"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/usecase"
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
		if why := usecase.WaitsFor(&a, p, &p.Targets[i], due, c.arrived); why != nil {
			wire[i].Waits, found = why, true
		}
	}
	return found, nil
}

// refs returns pointers to the elements of a list.
func refs[T any](list []T) []*T {
	out := make([]*T, len(list))
	for i := range list {
		out[i] = &list[i]
	}
	return out
}
