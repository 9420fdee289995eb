package main

import (
	"context"
	"net/url"
	"slices"
	"time"

	"github.com/schedctl/schedctl/bench/child"
)

// deliveryOutcome is the outcome of posts.
type deliveryOutcome struct {
	arrived []arrival
	failed  map[string]bool // contents of posts that a daemon reports as failed
}

// outcome returns the outcome of the posts of plans. from is the number of earlier
// calls to the network; see await.
func (b *bench) outcome(ctx context.Context, from int, daemons []*child.Daemon, plans ...*windowPlan) (deliveryOutcome, error) {
	want, asked := 0, dueRange{first: plans[0].first, end: plans[0].end()}
	for _, p := range plans {
		want += p.total()
		asked.end = afterDelay(asked.end, p.end())
	}
	of := func(a arrival) bool {
		return slices.ContainsFunc(plans, func(p *windowPlan) bool { _, found := p.index(a.Key); return found })
	}
	return b.await(ctx, from, want, of, asked, daemons...)
}

// await waits for the wanted number of matching calls, and longer while a daemon
// reports posts as pending. It then queries which of the missing posts have failed; the
// rest is lost.
func (b *bench) await(ctx context.Context, from, want int, these func(arrival) bool, asked dueRange, daemons ...*child.Daemon) (o deliveryOutcome, err error) {
	more := func() (bool, error) { return asked.waiting(ctx, daemons) }
	o.arrived, err = b.network.awaitMatching(awaitRequest{after: from, want: want, match: these, more: more})
	if err == nil && len(o.arrived) < want {
		o.failed, err = asked.failed(ctx, daemons)
	}
	return o, err
}

// dueRange selects posts by due time.
type dueRange struct{ first, end time.Time }

// waiting reports whether any daemon has pending posts.
func (q dueRange) waiting(ctx context.Context, daemons []*child.Daemon) (bool, error) {
	for _, d := range daemons {
		var page listPage
		if err := d.Call(ctx, "GET", q.path("scheduled", "publishing")+"&limit=1", "", &page); err != nil {
			return false, err
		}
		if len(page.Results) > 0 {
			return true, nil
		}
	}
	return false, nil
}

// failed returns the contents of the failed posts.
func (q dueRange) failed(ctx context.Context, daemons []*child.Daemon) (map[string]bool, error) {
	contents := make(map[string]bool)
	for _, d := range daemons {
		first := q.path("failed") + "&limit=100"
		for path := first; path != ""; {
			var page listPage
			if err := d.Call(ctx, "GET", path, "", &page); err != nil {
				return nil, err
			}
			for _, p := range page.Results {
				contents[p.Content] = true
			}
			path = nextPath(first, page)
		}
	}
	return contents, nil
}

// path returns the path of a list of posts with some statuses.
func (q dueRange) path(statuses ...string) string {
	v := url.Values{"status": statuses}
	for name, at := range map[string]time.Time{"publish_after": q.first.Add(-time.Millisecond), "publish_before": q.end.Add(time.Millisecond)} {
		v.Set(name, at.UTC().Format("2006-01-02T15:04:05.000Z"))
	}
	return "/posts?" + v.Encode()
}
