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
	metrics   *schedctl.Metrics // what the network reported; nil for nothing
	estimated bool
	parts     []schedctl.PartResults
	missed    bool // the network does not have the post
	reason    schedctl.ResultsReason
	next      time.Time // the next reading; zero for the next point
}

// judgment returns what a reading means for a target of a post.
type judgment func(*schedctl.Results, *schedctl.Post) change

// Posts that a network does not have are doubted if they are more than half of a batch of at
// least this size: an account that is suspended, or a response that is wrong.
const doubtedBatch = 5

// all is the judgment that is the same for every target.
func all(c change) judgment {
	return func(*schedctl.Results, *schedctl.Post) change { return c }
}

// judge returns what a reading means for the targets of its batch.
func judge(rules publish.ResultsRules, reading publish.ResultsReading, list []schedctl.Results, posts map[string]*schedctl.Post) judgment {
	gone, told := 0, 0
	for i := range list { // without further parts, which people delete together with the first one
		if result, ok := reading.Results[platformID(posts[list[i].PostID], list[i].TargetID)]; ok {
			told++
			if result.Gone {
				gone++
			}
		}
	}
	doubted := told >= doubtedBatch && 2*gone > told
	return func(v *schedctl.Results, p *schedctl.Post) change {
		result, told := reading.Results[platformID(p, v.TargetID)]
		switch {
		case !told, result.Gone && doubted:
			return change{reason: schedctl.ResultsRefused}
		case result.Gone:
			return change{missed: true}
		}
		t := p.Target(v.TargetID)
		m := withoutOwnReplies(result.Metrics, len(t.Done)-1, rules.AllReplies)
		return change{metrics: &m, estimated: result.Estimated, parts: partsOf(reading, p, t, rules.AllReplies)}
	}
}

// partsOf returns what a reading reports about the further parts of a thread.
func partsOf(reading publish.ResultsReading, p *schedctl.Post, t *schedctl.Target, all bool) (parts []schedctl.PartResults) {
	further := furtherParts(p, t)
	for i, part := range further {
		if result, told := reading.Results[part.ID]; told && !result.Gone {
			parts = append(parts, schedctl.PartResults{Index: i + 1, ID: part.ID, Metrics: withoutOwnReplies(result.Metrics, len(further)-1-i, all)})
		}
	}
	return parts
}

// withoutOwnReplies subtracts the replies of the account itself: its later parts and its first
// comment. Only the first of them is a direct reply. The others reply to the part before them,
// and count only where all replies do.
func withoutOwnReplies(m schedctl.Metrics, own int, all bool) schedctl.Metrics {
	if own = max(0, own); !all {
		own = min(own, 1)
	}
	if m.Replies != nil {
		m.Replies = new(max(0, *m.Replies-int64(own)))
	}
	return m
}

// outcomeOf returns why a failed reading brought no numbers.
func outcomeOf(e *publish.Error) schedctl.ResultsReason {
	switch {
	case e.Code == string(publish.HoldScope):
		return schedctl.ResultsMissingScope
	case e.Kind == schedctl.KindRateLimited:
		return schedctl.ResultsRateLimited
	case e.Kind == schedctl.KindNetwork || e.Kind == schedctl.KindPlatform && e.HTTPStatus >= 500:
		return schedctl.ResultsUnreachable
	}
	return schedctl.ResultsRefused
}

// failed returns what a failed reading means for all targets of its batch. If the network
// refuses the credentials, it is asked about them once. If it refuses them then, the account
// is not read for a day; its state changes only by its daily check.
func (r *Reader) failed(ctx context.Context, a *schedctl.Account, e *publish.Error, now time.Time) change {
	c := change{reason: outcomeOf(e)}
	switch c.reason {
	case schedctl.ResultsRateLimited:
		c.next = e.RetryAt
		if pause := r.pause(a.ID); c.next.IsZero() {
			c.next = now.Add(pause)
		}
		if latest := now.Add(lastPause); c.next.After(latest) {
			c.next = latest
		}
		r.hold(a.ID, c.next, c.reason)
	case schedctl.ResultsUnreachable:
		c.next = now.Add(r.pause(a.ID))
	case schedctl.ResultsRefused:
		if e.Kind == schedctl.KindAuth && r.cfg.Verify != nil && r.firstDoubt(a.ID) && r.cfg.Verify(ctx, *a) {
			r.hold(a.ID, now.Add(lastPause), c.reason)
		}
	}
	return c
}

// entry is what a reading means for an account and its targets.
type entry struct {
	now     time.Time
	reading publish.ResultsReading
	refund  int64                  // of what was reserved
	reason  schedctl.ResultsReason // why there are no numbers; empty if there are
	judge   judgment
}

// record stores what a reading means for the targets of a batch and for its account, in one
// transaction. It skips targets that another node has read, and those that are gone with their
// post.
func (r *Reader) record(ctx context.Context, b batch, e entry) error {
	reader, rules, _, _ := r.rulesOf(&b.account)
	if reader == nil {
		return nil // the account is no longer connected
	}
	due, removed := dueTimes(b.list), 0
	err := r.cfg.Store.UpdateFromReserve(ctx, func(tx storage.Tx) error {
		removed = 0
		list, err := tx.Results(b.account.WorkspaceID, targetIDs(b.list))
		if err != nil {
			return err
		}
		log, err := recordOf(tx, &b.account)
		if err != nil {
			return err
		}
		e.account(&log)
		for i := range list {
			v := &list[i]
			if !v.NextAt.Equal(due[v.TargetID]) {
				continue
			}
			if err := recordOne(tx, v, &log, rules, e); err != nil {
				return err
			}
			if !v.RemovedAt.IsZero() {
				removed++
			}
		}
		return tx.PutAccountResults(log)
	})
	if err == nil && removed > 0 {
		r.observe(Observation{Platform: b.account.Platform, Removed: removed})
	}
	return err
}

// account applies an entry to the record of the account.
func (e *entry) account(log *schedctl.AccountResults) {
	log.CountRequests(e.reading.Requests, e.now)
	log.Spend(-e.refund, e.now)
	log.Drop(e.reading.Dropped, e.now)
	log.Reason = e.reason
	if e.reason == "" {
		log.Lacks = e.reading.Lacks
	}
}

func recordOne(tx storage.Tx, v *schedctl.Results, log *schedctl.AccountResults, rules publish.ResultsRules, e entry) error {
	p, err := tx.Post(v.WorkspaceID, v.PostID)
	if schedctl.CodeOf(err) == schedctl.NotFound || err == nil && platformID(&p, v.TargetID) == "" {
		v.NextAt, v.Reason = time.Time{}, schedctl.ResultsRefused // nothing can be asked for
		return tx.PutResults(*v)
	}
	if err != nil {
		return err
	}
	c := e.judge(v, &p)
	switch {
	case c.metrics != nil:
		v.Add(e.now, *c.metrics)
		v.Estimated, v.NextAt, log.ReadAt = c.estimated, rules.Next(v.PublishedAt, e.now), e.now
		if len(c.parts) > 0 {
			v.Parts = c.parts
		}
		log.Gain(v, e.now)
	case c.missed:
		if v.Miss(e.now) {
			if err := tx.AddEvents(p.GoneEvent(p.Target(v.TargetID), e.now)); err != nil {
				return err
			}
		}
	default:
		v.Reason = c.reason
		v.NextAt = schedctl.Millis(cmp.Or(c.next, rules.Next(v.PublishedAt, e.now)))
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
