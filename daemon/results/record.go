package results

import (
	"cmp"
	"context"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// change is what a reading means for a target.
type change struct {
	metrics *schedctl.Metrics // what the network reported; nil for nothing
	missed  bool              // the network does not have the post
	reason  schedctl.ResultsReason
	next    time.Time // the next reading; zero for the next point
}

// judgment returns what a reading means for a target of a post.
type judgment func(*schedctl.Results, *schedctl.Post) change

// Posts that a network does not have are doubted if they are more than half of a batch of at
// least this size: an account that is suspended, or a response that is wrong.
const doubtedBatch = 5

// judge returns what a reading, or its failure, means for the targets of its batch.
func (r *Reader) judge(rules publish.ResultsRules, accountID string, reading publish.ResultsReading, failure *publish.Error, now time.Time) judgment {
	if failure != nil {
		failed := r.failed(rules, accountID, failure, now)
		return func(*schedctl.Results, *schedctl.Post) change { return failed }
	}
	r.pause(accountID, false)
	gone := 0
	for _, result := range reading.Results {
		if result.Gone {
			gone++
		}
	}
	doubted := len(reading.Results) >= doubtedBatch && 2*gone > len(reading.Results)
	return func(v *schedctl.Results, p *schedctl.Post) change {
		result, told := reading.Results[platformID(p, v.TargetID)]
		switch {
		case !told, result.Gone && doubted:
			return change{reason: schedctl.ResultsRefused}
		case result.Gone:
			return change{missed: true}
		}
		m := withoutOwnReplies(result.Metrics, p.Target(v.TargetID), rules.AllReplies)
		return change{metrics: &m}
	}
}

// withoutOwnReplies subtracts the replies of the account itself. The second part, or the first
// comment, is a direct reply. Further parts reply to the part before them, and count only
// where all replies do.
func withoutOwnReplies(m schedctl.Metrics, t *schedctl.Target, all bool) schedctl.Metrics {
	own := max(0, len(t.Done)-1)
	if !all {
		own = min(own, 1)
	}
	if m.Replies != nil {
		m.Replies = new(max(0, *m.Replies-int64(own)))
	}
	return m
}

// failed returns what a failed reading means for all targets of its batch.
func (r *Reader) failed(rules publish.ResultsRules, accountID string, e *publish.Error, now time.Time) change {
	switch {
	case e.Code == string(publish.HoldScope):
		return change{reason: schedctl.ResultsMissingScope}
	case e.Kind == schedctl.KindRateLimited:
		next := e.RetryAt
		if pause := r.pause(accountID, true); next.IsZero() {
			next = now.Add(pause)
		}
		if latest := now.Add(lastPause); next.After(latest) {
			next = latest
		}
		return change{reason: schedctl.ResultsRateLimited, next: next}
	case e.Kind == schedctl.KindNetwork || e.Kind == schedctl.KindPlatform && e.HTTPStatus >= 500:
		return change{reason: schedctl.ResultsUnreachable, next: now.Add(r.pause(accountID, true))}
	}
	return change{reason: schedctl.ResultsRefused}
}

// record stores what a reading means for the targets of a batch, in one transaction. It skips
// targets that another node has read, and those that are gone with their post.
func (r *Reader) record(ctx context.Context, b batch, now time.Time, judge judgment) error {
	reader, rules, _ := r.rulesOf(&b.account)
	if reader == nil {
		return nil // no longer this node's
	}
	ids := make([]string, len(b.list))
	read := make(map[string]time.Time, len(b.list))
	for i := range b.list {
		ids[i], read[b.list[i].TargetID] = b.list[i].TargetID, b.list[i].NextAt
	}
	return r.cfg.Store.UpdateFromReserve(ctx, func(tx storage.Tx) error {
		list, err := tx.Results(b.account.WorkspaceID, ids)
		if err != nil {
			return err
		}
		for i := range list {
			v := &list[i]
			if !v.NextAt.Equal(read[v.TargetID]) {
				continue
			}
			if err := recordOne(tx, v, rules, now, judge); err != nil {
				return err
			}
		}
		return nil
	})
}

func recordOne(tx storage.Tx, v *schedctl.Results, rules publish.ResultsRules, now time.Time, judge judgment) error {
	p, err := tx.Post(v.WorkspaceID, v.PostID)
	if schedctl.CodeOf(err) == schedctl.NotFound || err == nil && platformID(&p, v.TargetID) == "" {
		v.NextAt, v.Reason = time.Time{}, schedctl.ResultsRefused // nothing can be asked for
		return tx.PutResults(*v)
	}
	if err != nil {
		return err
	}
	c := judge(v, &p)
	switch {
	case c.metrics != nil:
		v.Add(now, *c.metrics)
		v.NextAt = rules.Next(v.PublishedAt, now)
	case c.missed:
		if v.Miss(now) {
			if err := tx.AddEvents(p.GoneEvent(p.Target(v.TargetID), now)); err != nil {
				return err
			}
		}
	default:
		v.Reason = c.reason
		v.NextAt = schedctl.Millis(cmp.Or(c.next, rules.Next(v.PublishedAt, now)))
		if tooLate(rules, v.PublishedAt, v.NextAt) {
			v.NextAt = time.Time{}
		}
	}
	return tx.PutResults(*v)
}

// tooLate reports whether a reading that is tried again would come long after the last point.
func tooLate(rules publish.ResultsRules, published, next time.Time) bool {
	return next.Sub(published) > 2*rules.Last()
}
