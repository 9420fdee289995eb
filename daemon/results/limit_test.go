package results_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/results"
	"github.com/schedctl/schedctl/storage"
)

// set stores options of the account.
func (r *rig) set(options schedctl.Options) {
	r.account.Options = options
	r.update(func(tx storage.Tx) error { return tx.PutAccount(r.account) })
}

// log returns what the readings of the account cost.
func (r *rig) log() schedctl.AccountResults {
	r.Helper()
	v, err := storage.Read(context.WithoutCancel(r.Context()), r.store.View, func(s storage.Reader) (schedctl.AccountResults, error) {
		return s.AccountResults(r.account.WorkspaceID, r.account.ID)
	})
	if err != nil {
		r.Fatal(err)
	}
	return v
}

// price makes the network charge for each post like X.
func (r *rig) price() {
	r.network.set(func(c *counter) {
		c.rules = publish.ResultsRules{
			Metrics: []string{"reactions"}, Batch: 1, Price: 1_000, AtLeast: 5, Off: true, Window: 30 * 24 * time.Hour,
			Points: []time.Duration{time.Hour, 24 * time.Hour, 3 * 24 * time.Hour, 7 * 24 * time.Hour, 28 * 24 * time.Hour},
		}
	})
}

// TestCostsOfAMonth reads the posts of a month on a network that charges: each costs what its
// five readings return.
func TestCostsOfAMonth(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.price()
		r.set(schedctl.Options{"results": "on"})
		const posts = 20
		for i := range posts {
			r.publish(fmt.Sprint(i), 0)
		}
		r.run()
		time.Sleep(29 * 24 * time.Hour)
		if n, spent := len(r.network.take()), r.log().Spent; n != 5*posts || spent != 5*posts*1_000 {
			t.Errorf("%d readings for %d millionths of a dollar, want %d for %d: $0.005 a post", n, spent, 5*posts, 5*posts*1_000)
		}
	})
}

// TestCostsMoney checks that results which cost money are read only if the account says so.
func TestCostsMoney(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.price()
		p := r.publish("1", 0)
		r.run()
		time.Sleep(2 * time.Hour)
		r.wantCalls()
		r.set(schedctl.Options{"results": "on"})
		time.Sleep(23 * time.Hour)
		r.wantCalls("24h0m0s 1")
		r.set(schedctl.Options{"results": "off"})
		time.Sleep(3 * 24 * time.Hour)
		r.wantCalls()
		if v := r.of(p); !v.NextAt.Equal(v.PublishedAt.Add(7 * 24 * time.Hour)) {
			t.Errorf("the next reading is at %v: it must not stay due", v.NextAt)
		}
	})
}

// TestBudgetOfAMonth uses up the budget: nothing is read until the month ends.
func TestBudgetOfAMonth(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t) // on the first of January
		r.price()
		r.set(schedctl.Options{"results": "on", "results_budget": 0.006})
		time.Sleep(20 * 24 * time.Hour)
		r.network.set(func(c *counter) { c.started = time.Now() })
		var posts []schedctl.Post
		for i := range 4 {
			posts = append(posts, r.publish(fmt.Sprint(i), 0))
		}
		r.run()
		time.Sleep(2 * time.Hour)
		r.wantCalls("1h0m0s 1", "1h0m0s 1") // each may cost $0.005, and costs $0.001
		log, waits := r.log(), 0
		for _, p := range posts {
			if v := r.of(p); v.Reason == schedctl.ResultsBudget && v.NextAt.Equal(schedctl.MonthOf(time.Now()).AddDate(0, 1, 0)) {
				waits++
			}
		}
		if log.Spent != 2_000 || log.Reason != schedctl.ResultsBudget || waits != 2 {
			t.Errorf("%+v, and %d posts wait", log, waits)
		}
		time.Sleep(10 * 24 * time.Hour)
		r.wantCalls()
		time.Sleep(2 * 24 * time.Hour)
		if n := len(r.network.take()); n == 0 || r.log().Spent > 6_000 {
			t.Errorf("%d readings in the next month, %+v", n, r.log())
		}
	})
}

// TestRequestsOfAnHour checks the option that bounds them.
func TestRequestsOfAnHour(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.set(schedctl.Options{"results_per_hour": 3.0})
		for i := range 200 {
			r.publish(fmt.Sprint(i), 0)
		}
		r.run()
		time.Sleep(59 * time.Minute)
		if got := len(r.network.take()); got != 3 {
			t.Errorf("%d requests in an hour, want 3", got)
		}
		if log := r.log(); log.Reason != schedctl.ResultsBudget || log.RequestsSince(time.Time{}) != 3 {
			t.Errorf("%+v", log)
		}
	})
}

// TestLowLimit checks that an account is left alone while little of a limit remains.
func TestLowLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.network.set(func(c *counter) { c.low = time.Now().Add(2 * time.Hour) })
		p := r.publish("1", 0)
		r.run()
		time.Sleep(90 * time.Minute)
		r.wantCalls("15m0s 1")
		if v := r.of(p); v.Reason != schedctl.ResultsRateLimited || !v.NextAt.Equal(v.PublishedAt.Add(2*time.Hour)) {
			t.Errorf("%+v", v)
		}
		time.Sleep(time.Hour)
		r.wantCalls("2h0m0s 1")
	})
}

// TestRefusedMetrics checks that a metric that the network has refused is not asked for for 7
// days.
func TestRefusedMetrics(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.network.set(func(c *counter) { c.refuses = "clicks" })
		r.publish("1", 0)
		r.run()
		time.Sleep(13 * time.Hour)
		if got := r.network.leftOut(); len(got) != 5 || got[0] != "" || got[1] != "clicks" || got[4] != "clicks" {
			t.Errorf("left out: %q", got)
		}
		time.Sleep(8 * 24 * time.Hour)
		if got := r.network.leftOut(); got[len(got)-1] != "clicks" || got[len(got)-2] != "clicks" {
			t.Errorf("left out: %q", got)
		}
		time.Sleep(7 * 24 * time.Hour)
		if got := r.network.leftOut(); got[len(got)-1] != "" {
			t.Errorf("left out: %q, want the metric tried again", got)
		}
	})
}

// TestRefusedCredentials checks that the network is asked once about credentials that it has
// refused, and that the account stays as it is.
func TestRefusedCredentials(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		asked := 0
		r.config = func(c *results.Config) {
			c.Verify = func(context.Context, schedctl.Account) bool { asked++; return true }
		}
		failure := publish.Error{Kind: schedctl.KindAuth, HTTPStatus: 401, Outcome: schedctl.OutcomeNotPublished}
		r.network.set(func(c *counter) { c.fail = &failure })
		p := r.publish("1", 0)
		r.run()
		time.Sleep(20 * time.Hour)
		r.wantCalls("15m0s 1")
		if v := r.of(p); asked != 1 || v.Reason != schedctl.ResultsRefused {
			t.Errorf("asked %d times, %+v", asked, v)
		}
		r.network.set(func(c *counter) { c.fail = nil })
		time.Sleep(2 * 24 * time.Hour)
		if v := r.of(p); asked != 1 || v.Reason != "" || v.Latest.Reactions == nil {
			t.Errorf("asked %d times, %+v", asked, v)
		}
	})
}

// TestPartsOfAThread checks that the numbers of further parts come along.
func TestPartsOfAThread(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.publish("1", 0)
		p.Thread = []schedctl.Part{{Content: "two"}, {Content: "three"}}
		p.Targets[0].Done = []schedctl.PublishedPart{{ID: "1"}, {ID: "2"}, {ID: "3"}}
		r.update(func(tx storage.Tx) error { return tx.PutPost(p) })
		r.network.set(func(c *counter) { c.hidden["3"] = true })
		r.run()
		time.Sleep(20 * time.Minute)
		r.wantCalls("15m0s 3")
		v := r.of(p)
		if len(v.Parts) != 1 || v.Parts[0].Index != 1 || v.Parts[0].ID != "2" || *v.Parts[0].Metrics.Reactions != 15 || *v.Parts[0].Metrics.Replies != 0 {
			t.Errorf("parts %+v", v.Parts)
		}
		gains, err := schedctl.UnpackGains(r.log().Gains)
		if err != nil || len(gains) != 1 || gains[0].Engagements.Value != 15 {
			t.Errorf("gains %+v, %v", gains, err)
		}
	})
}

// TestRemovedThread checks that a thread that was deleted with all its parts is one post that
// is missing, and not a batch of posts that is doubted.
func TestRemovedThread(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.publish("0", 0)
		p.Targets[0].Done = []schedctl.PublishedPart{{ID: "0"}}
		for i := range 5 {
			id := fmt.Sprint(i + 1)
			p.Thread, p.Targets[0].Done = append(p.Thread, schedctl.Part{Content: id}), append(p.Targets[0].Done, schedctl.PublishedPart{ID: id})
		}
		r.update(func(tx storage.Tx) error { return tx.PutPost(p) })
		r.network.set(func(c *counter) {
			for i := range 6 {
				c.gone[fmt.Sprint(i)] = true
			}
		})
		r.run()
		time.Sleep(time.Hour)
		if v := r.of(p); v.RemovedAt.IsZero() {
			t.Errorf("not removed: %+v", v)
		}
	})
}

// peer is one of several nodes: it is preferred for an account with others.
type peer struct{ alive bool }

func (peer) Mine(string) bool { return true }
func (p peer) Alive() bool    { return p.alive }

// TestNodesPayOnce lets three nodes read the same posts at the same time: each reading is paid
// for once.
func TestNodesPayOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.price()
		r.network.set(func(c *counter) { c.slow = time.Second })
		r.set(schedctl.Options{"results": "on"})
		var posts []schedctl.Post
		for i := range 5 {
			posts = append(posts, r.publish(fmt.Sprint(i), 0))
		}
		r.config = func(c *results.Config) { c.Member = peer{true} }
		for range 3 {
			r.run()
		}
		time.Sleep(2 * time.Hour)
		if n, log := len(r.network.take()), r.log(); n != len(posts) || log.Spent != int64(n)*1_000 || log.RequestsSince(time.Time{}) != n {
			t.Errorf("%d readings of %d posts, %+v", n, len(posts), log)
		}
		for _, p := range posts {
			if v := r.of(p); len(v.Points) != 1 {
				t.Errorf("%+v", v)
			}
		}
	})
}

// TestDeadNodeReadsNothing checks that a node without a lease does nothing.
func TestDeadNodeReadsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.publish("1", 0)
		r.config = func(c *results.Config) { c.Member = peer{false} }
		r.run()
		time.Sleep(2 * time.Hour)
		r.wantCalls()
	})
}
