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

// readAccount reads the targets of a batch, as many at once as the network allows. It ends
// early if the account gets busy, has used up a limit, or after a failure.
func (r *Reader) readAccount(ctx context.Context, b batch) {
	for len(b.list) > 0 {
		reader, rules, _, ok := r.rulesOf(&b.account)
		if !ok || r.idle() || ctx.Err() != nil {
			return
		}
		busy, err := r.busy(ctx, b.account.ID, time.Now())
		if err == nil && busy {
			return
		}
		var done int
		if err == nil {
			n := min(len(b.list), max(1, rules.Batch))
			done, err = r.readBatch(ctx, reader, rules, batch{b.account, b.list[:n]}, b.list[n:])
		}
		if err != nil && ctx.Err() == nil {
			r.cfg.Logger.Warn("reading results failed", "account", b.account.ID, "error", err)
		}
		if err != nil || done == 0 {
			return
		}
		b.list = b.list[done:]
	}
}

// readBatch reads some targets with one call, and stores what became of each. It returns how
// many of the batch are done. 0 means that the account cannot be read for now, which is stored
// with the batch and the rest of its targets.
func (r *Reader) readBatch(ctx context.Context, reader publish.ResultsReader, rules publish.ResultsRules, b batch, rest []schedctl.Results) (done int, err error) {
	now := schedctl.Millis(time.Now())
	log, err := r.accountResults(ctx, &b.account)
	if err != nil {
		return 0, err
	}
	n, reason, until := r.limit(&log, &b.account, &rules, len(b.list), now)
	if n == 0 {
		limited := entry{now: now, reason: reason, judge: all(change{reason: reason, next: schedctl.Millis(until)})}
		for list := range slices.Chunk(append(slices.Clone(b.list), rest...), 100) {
			if err := r.record(ctx, batch{b.account, list}, limited); err != nil {
				return 0, err
			}
		}
		return 0, nil
	}
	b.list = b.list[:n]
	posts, err := r.posts(ctx, b.list)
	if err != nil {
		return 0, err
	}
	reserved, ok, err := r.reserve(ctx, &b, &rules, now)
	if err != nil || !ok {
		return n, err
	}
	reading, failure := r.callAll(ctx, reader, b, asked(b.list, posts, rules), max(1, rules.Batch), log.DroppedAt(now))
	if ctx.Err() != nil {
		return 0, ctx.Err() // what it may have cost stays reserved
	}
	e := entry{now: now, reading: reading, refund: reserved - reading.Cost, judge: judge(rules, reading, b.list, posts)}
	if failure != nil {
		r.cfg.Logger.Debug("a network reported no results", "account", b.account.ID, "kind", failure.Kind, "status", failure.HTTPStatus)
		failed := r.failed(ctx, &b.account, failure, now)
		e.reason, e.judge, n = failed.reason, all(failed), 0
	} else {
		r.succeeded(b.account.ID)
	}
	r.hold(b.account.ID, reading.NotBefore, schedctl.ResultsRateLimited)
	return n, r.record(ctx, b, e)
}

// accountResults returns the record of an account, which may be empty.
func (r *Reader) accountResults(ctx context.Context, a *schedctl.Account) (schedctl.AccountResults, error) {
	return storage.Read(ctx, r.cfg.Store.View, func(s storage.Reader) (schedctl.AccountResults, error) { return recordOf(s, a) })
}

func recordOf(s storage.Reader, a *schedctl.Account) (schedctl.AccountResults, error) {
	v, err := s.AccountResults(a.WorkspaceID, a.ID)
	if schedctl.CodeOf(err) == schedctl.NotFound {
		return schedctl.AccountResults{AccountID: a.ID, WorkspaceID: a.WorkspaceID}, nil
	}
	return v, err
}

// claimTime is how long the targets of a reading that costs money are claimed.
const claimTime = 10 * time.Minute

// reserve books what a reading may cost, and claims its targets, so that no other node pays
// for them as well. ok is false if another node has read one of them, or the budget is used up
// by now. It does nothing where reading is free.
func (r *Reader) reserve(ctx context.Context, b *batch, rules *publish.ResultsRules, now time.Time) (cost int64, ok bool, err error) {
	if cost = rules.MostCost(len(b.list)); cost == 0 {
		return 0, true, nil
	}
	claimed := slices.Clone(b.list)
	err = r.cfg.Store.UpdateFromReserve(ctx, func(tx storage.Tx) error {
		ok = false
		list, err := tx.Results(b.account.WorkspaceID, targetIDs(b.list))
		if err != nil {
			return err
		}
		log, err := recordOf(tx, &b.account)
		if err != nil {
			return err
		}
		due := dueTimes(b.list)
		same := func(v schedctl.Results) bool { return v.NextAt.Equal(due[v.TargetID]) }
		if len(list) != len(b.list) || !allOf(list, same) || log.SpentIn(now)+cost > b.account.ResultsSetting().Budget {
			return nil
		}
		for i := range list {
			list[i].NextAt = now.Add(claimTime)
			if err := tx.PutResults(list[i]); err != nil {
				return err
			}
		}
		log.Spend(cost, now)
		ok, claimed = true, list
		return tx.PutAccountResults(log)
	})
	b.list = claimed
	return cost, ok, err
}

func allOf[T any](list []T, is func(T) bool) bool {
	return !slices.ContainsFunc(list, func(v T) bool { return !is(v) })
}

func targetIDs(list []schedctl.Results) []string {
	ids := make([]string, len(list))
	for i := range list {
		ids[i] = list[i].TargetID
	}
	return ids
}

// dueTimes returns the next readings of targets, by target.
func dueTimes(list []schedctl.Results) map[string]time.Time {
	due := make(map[string]time.Time, len(list))
	for i := range list {
		due[list[i].TargetID] = list[i].NextAt
	}
	return due
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

// asked returns the ids to read: those of the posts, and after them those of further parts,
// where a call reads several posts and costs nothing.
func asked(list []schedctl.Results, posts map[string]*schedctl.Post, rules publish.ResultsRules) (ids []string) {
	add := func(id string) {
		if id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	for i := range list {
		add(platformID(posts[list[i].PostID], list[i].TargetID))
	}
	if rules.Batch <= 1 || rules.Price > 0 {
		return ids
	}
	for i := range list {
		if p := posts[list[i].PostID]; platformID(p, list[i].TargetID) != "" {
			for _, part := range furtherParts(p, p.Target(list[i].TargetID)) {
				add(part.ID)
			}
		}
	}
	return ids
}

// furtherParts returns the published parts of a thread after the first one, without a first
// comment.
func furtherParts(p *schedctl.Post, t *schedctl.Target) []schedctl.PublishedPart {
	n := min(len(t.Done), p.PartCount(t))
	if n < 2 {
		return nil
	}
	return t.Done[1:n]
}

// callAll calls the network once, and a second time if further parts do not fit into the
// first call. Of more parts, nothing is read.
func (r *Reader) callAll(ctx context.Context, reader publish.ResultsReader, b batch, ids []string, most int, dropped []string) (reading publish.ResultsReading, failure *publish.Error) {
	if len(ids) == 0 {
		return reading, nil
	}
	n := min(len(ids), most)
	reading, failure = r.call(ctx, reader, b.account, ids[:n], dropped)
	outcome := "ok"
	if failure != nil {
		outcome = string(outcomeOf(failure))
	}
	r.observe(Observation{Platform: b.account.Platform, Outcome: outcome, Cost: reading.Cost})
	if failure != nil || n == len(ids) || !reading.NotBefore.IsZero() {
		return reading, failure
	}
	more, failed := r.call(ctx, reader, b.account, ids[n:min(len(ids), 2*most)], dropped)
	reading.Requests += more.Requests
	if failed == nil {
		maps.Copy(reading.Results, more.Results)
		reading.NotBefore = more.NotBefore
	}
	return reading, nil
}

func (r *Reader) observe(o Observation) {
	if r.cfg.Observe != nil {
		r.cfg.Observe(o)
	}
}

// call reads with the credentials of an account. If the session has expired, it reads again
// with a new one. A panic of the publisher is an error.
func (r *Reader) call(ctx context.Context, reader publish.ResultsReader, a schedctl.Account, ids, dropped []string) (reading publish.ResultsReading, failure *publish.Error) {
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
		got, err := reader.Results(ctx, publish.ResultsRequest{Account: a, Credentials: maps.Clone(credentials), IDs: ids, Dropped: dropped})
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
	again.Requests, again.Cost = again.Requests+reading.Requests, again.Cost+reading.Cost
	return again, failure
}
