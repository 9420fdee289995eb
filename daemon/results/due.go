package results

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// batch are targets of one account that may be read now; at least one of them is due.
type batch struct {
	account schedctl.Account
	list    []schedctl.Results
}

// due returns the targets that are due, by account. Those of accounts that no node reads are
// parked until their next point, so that they do not crowd out others.
func (r *Reader) due(ctx context.Context, now time.Time) (batches []batch, err error) {
	var parked []schedctl.Results
	err = r.cfg.Store.View(ctx, func(s storage.Reader) error {
		batches, parked = nil, nil
		found, err := s.ResultsDue(now.Add(lookAhead), maxDue)
		if err != nil {
			return err
		}
		byAccount, isDue := map[string][]schedctl.Results{}, map[string]bool{}
		for i := range found {
			if v := &found[i]; mayRead(v, now) {
				byAccount[v.AccountID] = append(byAccount[v.AccountID], *v)
				isDue[v.AccountID] = isDue[v.AccountID] || !now.Before(v.NextAt)
			}
		}
		for _, id := range slices.Sorted(maps.Keys(isDue)) {
			if !isDue[id] {
				continue
			}
			a, err := s.Account(byAccount[id][0].WorkspaceID, id)
			if err != nil && schedctl.CodeOf(err) != schedctl.NotFound {
				return err
			}
			_, rules, wanted, ok := r.rulesOf(&a)
			switch {
			case ok:
				batches = append(batches, batch{a, byAccount[id]})
			case !wanted:
				parked = append(parked, park(byAccount[id], rules, now)...)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return batches, r.storeParked(ctx, parked)
}

// park returns targets with their next point, or without one. Rules of an account that cannot be read are the
// default.
func park(list []schedctl.Results, rules publish.ResultsRules, now time.Time) (parked []schedctl.Results) {
	for _, v := range list {
		if now.Before(v.NextAt) {
			continue
		}
		v.NextAt = rules.Next(v.PublishedAt, now)
		parked = append(parked, v)
	}
	return parked
}

// storeParked stores the next points of targets that are still due.
func (r *Reader) storeParked(ctx context.Context, parked []schedctl.Results) error {
	for list := range slices.Chunk(parked, 100) {
		err := r.cfg.Store.UpdateFromReserve(ctx, func(tx storage.Tx) error {
			for i := range list {
				v := &list[i]
				known, err := tx.Results(v.WorkspaceID, []string{v.TargetID})
				if err != nil {
					return err
				}
				if len(known) == 1 && known[0].NextAt.Before(time.Now()) && !known[0].NextAt.IsZero() {
					known[0].NextAt = v.NextAt
					if err := tx.PutResults(known[0]); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// mayRead reports whether a target may be read now, together with one that is due.
func mayRead(v *schedctl.Results, now time.Time) bool {
	if !v.MissedAt.IsZero() {
		return !now.Before(v.NextAt)
	}
	return !now.Before(v.NextAt.Add(-v.NextAt.Sub(v.PublishedAt) / publish.EarlyReading))
}

// busy reports whether an account publishes, or has something due within a minute.
func (r *Reader) busy(ctx context.Context, accountID string, now time.Time) (busy bool, err error) {
	const most = 1_000 // entries; with more of them, publishing has a backlog
	until := now.Add(quiet).UnixMilli()
	err = r.cfg.Store.View(ctx, func(s storage.Reader) error {
		running, err := s.RunningAttempts()
		if err != nil {
			return err
		}
		busy = slices.ContainsFunc(running, func(a schedctl.Attempt) bool { return a.AccountID == accountID })
		var waiting []string
		if err := s.Due(schedctl.Due{}, func(d schedctl.Due) bool {
			if d.At <= until {
				waiting = append(waiting, d.TargetID())
			}
			return d.At <= until && len(waiting) < most
		}); err != nil {
			return err
		}
		if busy = busy || len(waiting) >= most; busy {
			return nil
		}
		if err := storage.Prepare(s, waiting); err != nil {
			return err
		}
		for _, id := range waiting {
			route, err := s.Route(id)
			if err == nil && route.AccountID == accountID {
				busy = true
			}
		}
		return nil
	})
	return busy, err
}
