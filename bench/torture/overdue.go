package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

const (
	overduePosts  = 10_000
	outageLength  = 30 * time.Hour         // from the first due time to the start
	maxLateness   = 24 * time.Hour         // the daemon's default
	ownPacing     = 200 * time.Millisecond // of accounts with their own pacing
	defaultPacing = time.Second            // of a social network
)

// restartOverdue starts a daemon that was down for more than a day, with 10,000 overdue
// posts. The posts of each account must be published oldest first, with the pacing of
// the network or the account. Posts that are too late must be missed and not sent. The
// quick run is the same.
func restartOverdue(ctx context.Context, h *harness) (result, error) {
	w, err := h.newWorld(setting{name: "overdue", args: []string{"--max-lateness", maxLateness.String()}})
	if err != nil {
		return result{}, err
	}
	defer w.end()
	if err := w.start(ctx); err != nil {
		return result{}, err
	}
	pacing, err := w.connectPaced(ctx)
	if err != nil {
		return result{}, err
	}
	started := time.Now()
	if err := w.seed(ctx, overduePlan(w, pacing, started)); err != nil {
		return result{}, err
	}
	w.late = time.Now().Add(-maxLateness)
	if err := w.start(ctx); err != nil {
		return result{}, err
	}
	if err := w.settle(ctx, settleLimit); err != nil {
		return result{}, err
	}
	w.late = time.Now().Add(-maxLateness) // some posts became too late while they waited
	posts, err := w.posts(ctx)
	if err != nil {
		return result{}, err
	}
	o := overdueCheck{verdictCollector: w.judged, started: started, seen: w.network.seen()}
	o.judge(posts)
	for account, space := range pacing {
		if err := w.judgeSpacing(ctx, account, space, posts); err != nil {
			return result{}, err
		}
	}
	err = w.check(ctx)
	return w.judged.result(map[string]int64{
		"overdue": overduePosts, "sent": o.sent, "missed": o.missed, "settled_ms": w.settled.Milliseconds(),
	}), err
}

// connectPaced connects all accounts and returns the pacing of those that have one.
func (w *world) connectPaced(ctx context.Context) (map[string]time.Duration, error) {
	pacing := map[string]time.Duration{}
	for range 10 {
		id, err := w.connectOne(ctx, idempotent, map[string]any{"pacing": ownPacing.String()})
		if err != nil {
			return nil, err
		}
		pacing[id] = ownPacing
	}
	for range 5 {
		id, err := w.connectOne(ctx, readable, nil)
		if err != nil {
			return nil, err
		}
		pacing[id] = defaultPacing
	}
	for range 200 {
		if _, err := w.connectOne(ctx, blind, nil); err != nil {
			return nil, err
		}
	}
	return pacing, nil
}

// overduePlan spreads the posts over the outage, with only a few for accounts with
// pacing.
func overduePlan(w *world, pacing map[string]time.Duration, now time.Time) []plannedPost {
	posts := make([]plannedPost, overduePosts)
	first, step := now.Add(-outageLength), (outageLength-2*time.Minute)/overduePosts
	for i := range posts {
		account := w.accounts[blind][i%len(w.accounts[blind])]
		switch {
		case i%1000 < len(w.accounts[readable]):
			account = w.accounts[readable][i%1000]
		case i%500 >= 490:
			account = w.accounts[idempotent][i%500-490]
		}
		posts[i] = plannedPost{account: account, at: first.Add(time.Duration(i) * step)}
	}
	return posts
}

// overdueCheck checks the promises about overdue posts.
type overdueCheck struct {
	*verdictCollector
	started      time.Time // before the restart
	seen         map[string]delivery
	sent, missed int64
}

func (o *overdueCheck) judge(posts map[string]apiv1.Post) {
	accounts := map[string][]apiv1.Target{}
	for _, p := range posts {
		for _, t := range p.Targets {
			o.judgeLate(t)
			if t.Status == schedctl.Published {
				accounts[t.SocialAccountID] = append(accounts[t.SocialAccountID], t)
			}
		}
	}
	for account, targets := range accounts {
		slices.SortFunc(targets, func(a, b apiv1.Target) int { return cmp.Compare(o.seen[a.ID].order, o.seen[b.ID].order) })
		if !slices.IsSortedFunc(targets, func(a, b apiv1.Target) int { return a.PublishAt.Compare(b.PublishAt.Time) }) {
			o.violation(wrongStatus, "the posts of account %s were published in another order than their times", account)
		}
	}
}

// judgeLate checks that exactly the posts that were too late at the restart were
// missed; see observation for posts that became too late afterwards.
func (o *overdueCheck) judgeLate(t apiv1.Target) {
	tooLate := t.PublishAt.Before(o.started.Add(-maxLateness))
	switch missed := t.Error != nil && t.Error.Kind == schedctl.KindMissed; {
	case missed && o.seen[t.ID].calls > 0:
		o.violation(wrongStatus, "target %s is missed, and the network was called", t.ID)
	case tooLate && !missed:
		o.violation(wrongStatus, "target %s was too late, and is %s", t.ID, t.Status)
	case missed:
		o.missed++
	default:
		o.sent++
	}
}

// judgeSpacing checks the times between the attempts of an account.
func (w *world) judgeSpacing(ctx context.Context, account string, space time.Duration, posts map[string]apiv1.Post) error {
	var begun []time.Time
	for _, p := range posts {
		if t := p.Targets[0]; t.SocialAccountID != account || t.Status != schedctl.Published {
			continue
		}
		var timeline apiv1.Timeline
		if err := w.daemon().Call(ctx, "GET", "/posts/"+p.ID+"/timeline", "", &timeline); err != nil {
			return fmt.Errorf("read a timeline: %w", err)
		}
		begun = append(begun, timeline.Targets[0].Attempts[0].StartedAt.Time)
	}
	slices.SortFunc(begun, time.Time.Compare)
	for i := 1; i < len(begun); i++ {
		if gap := begun[i].Sub(begun[i-1]); gap < space {
			w.judged.violation(wrongStatus, "account %s: %s between two overdue posts, want %s", account, gap, space)
		}
	}
	return nil
}
