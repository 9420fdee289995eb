package results

import (
	"context"
	"fmt"
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

// due returns the targets that are due, by account.
func (r *Reader) due(ctx context.Context, now time.Time) (batches []batch, err error) {
	err = r.cfg.Store.View(ctx, func(s storage.Reader) error {
		batches = nil
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
			if schedctl.CodeOf(err) == schedctl.NotFound {
				continue
			}
			if err != nil {
				return err
			}
			if _, _, ok := r.rulesOf(&a); ok {
				batches = append(batches, batch{a, byAccount[id]})
			}
		}
		return nil
	})
	return batches, err
}

// mayRead reports whether a target may be read now, together with one that is due.
func mayRead(v *schedctl.Results, now time.Time) bool {
	if !v.MissedAt.IsZero() {
		return !now.Before(v.NextAt)
	}
	return !now.Before(v.NextAt.Add(-v.NextAt.Sub(v.PublishedAt) / publish.EarlyReading))
}

// readAccount reads the targets of a batch, as many at once as the network allows. It ends
// early if the account gets busy, or after a failure.
func (r *Reader) readAccount(ctx context.Context, b batch) {
	reader, rules, ok := r.rulesOf(&b.account)
	if !ok {
		return
	}
	for list := range slices.Chunk(b.list, max(1, rules.Batch)) {
		busy, err := r.busy(ctx, b.account.ID, time.Now())
		if err == nil && !busy && ctx.Err() == nil {
			err = r.readBatch(ctx, reader, batch{b.account, list})
		}
		if err != nil && ctx.Err() == nil {
			r.cfg.Logger.Warn("reading results failed", "account", b.account.ID, "error", err)
		}
		if busy || err != nil || ctx.Err() != nil {
			return
		}
	}
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

// readBatch reads some targets with one call, and stores what became of each.
func (r *Reader) readBatch(ctx context.Context, reader publish.ResultsReader, b batch) error {
	now := schedctl.Millis(time.Now())
	if until, ok := r.allow(b.account.ID, 0, now); !ok {
		return r.record(ctx, b, now, func(*schedctl.Results, *schedctl.Post) change {
			return change{reason: schedctl.ResultsBudget, next: until}
		})
	}
	posts, err := r.posts(ctx, b.list)
	if err != nil {
		return err
	}
	var ids []string
	for i := range b.list {
		if id := platformID(posts[b.list[i].PostID], b.list[i].TargetID); id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	var reading publish.ResultsReading
	var failure *publish.Error
	if len(ids) > 0 {
		reading, failure = r.call(ctx, reader, b.account, ids)
		r.allow(b.account.ID, reading.Requests, now)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	judge := r.judge(reader.ResultsRules(b.account), b.account.ID, reading, failure, now)
	if failure != nil {
		r.cfg.Logger.Debug("a network reported no results", "account", b.account.ID, "kind", failure.Kind, "status", failure.HTTPStatus)
	}
	return r.record(ctx, b, now, judge)
}

// posts reads the posts of targets, by id.
func (r *Reader) posts(ctx context.Context, list []schedctl.Results) (posts map[string]*schedctl.Post, err error) {
	err = r.cfg.Store.View(ctx, func(s storage.Reader) error {
		posts = make(map[string]*schedctl.Post, len(list))
		for i := range list {
			p, err := s.Post(list[i].WorkspaceID, list[i].PostID)
			if err != nil && schedctl.CodeOf(err) != schedctl.NotFound {
				return err
			}
			if err == nil {
				posts[p.ID] = &p
			}
		}
		return nil
	})
	return posts, err
}

// platformID returns the network's id of a target that is published, or "".
func platformID(p *schedctl.Post, targetID string) string {
	if p == nil {
		return ""
	}
	if t := p.Target(targetID); t != nil && t.Status == schedctl.Published {
		return t.PlatformPostID
	}
	return ""
}

// call reads with the credentials of an account. If the session has expired, it reads again
// with a new one. A panic of the publisher is an error.
func (r *Reader) call(ctx context.Context, reader publish.ResultsReader, a schedctl.Account, ids []string) (reading publish.ResultsReading, failure *publish.Error) {
	credentials, err := r.cfg.Sessions.Open(a)
	if err != nil {
		return reading, publish.AsError(err)
	}
	a.Credentials = nil
	once := func() (got publish.ResultsReading, failure *publish.Error) {
		ctx, cancel := context.WithTimeout(ctx, readingTimeout)
		defer cancel()
		defer func() {
			if p := recover(); p != nil {
				r.cfg.Logger.Error("a publisher panicked while it read results", "account", a.ID, "panic", fmt.Sprint(p))
				got, failure = publish.ResultsReading{Requests: 1}, publish.AsError(fmt.Errorf("panic: %v", p))
			}
		}()
		got, err := reader.Results(ctx, publish.ResultsRequest{Account: a, Credentials: maps.Clone(credentials), IDs: ids})
		if err != nil {
			return got, publish.AsError(err)
		}
		return got, nil
	}
	reading, failure = once()
	if failure == nil || failure.Code != publish.CodeSessionExpired {
		return reading, failure
	}
	fresh, refused := r.cfg.Sessions.Refresh(ctx, a.WorkspaceID, a.ID, credentials)
	if refused != nil {
		return reading, refused
	}
	credentials = fresh
	again, failure := once()
	again.Requests += reading.Requests
	return again, failure
}
