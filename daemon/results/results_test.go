package results_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/results"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// counter is a network that reports results. Posts have as many reactions as minutes have
// passed since the start.
type counter struct {
	*publishtest.Fake
	started time.Time

	mu     sync.Mutex // mu guards the fields below
	calls  []string   // the age and the number of posts of each reading
	gone   map[string]bool
	hidden map[string]bool
	fail   *publish.Error

	rules   publish.ResultsRules // the default if Batch is 0
	low     time.Time            // until when little of a limit remains
	refuses string               // a metric that is refused by its name
	dropped []string             // the first metric that each reading left out
	slow    time.Duration        // of a reading
}

func (c *counter) ResultsRules(schedctl.Account) publish.ResultsRules {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rules.Batch > 0 {
		return c.rules
	}
	return publish.ResultsRules{Metrics: []string{"reactions", "replies"}, Batch: 20}
}

func (c *counter) Results(_ context.Context, r publish.ResultsRequest) (publish.ResultsReading, error) {
	c.mu.Lock()
	wait := c.slow
	c.mu.Unlock()
	time.Sleep(wait)
	c.mu.Lock()
	defer c.mu.Unlock()
	age := time.Since(c.started)
	c.calls = append(c.calls, fmt.Sprintf("%v %d", age.Round(time.Minute), len(r.IDs)))
	if c.fail != nil {
		return publish.ResultsReading{Requests: 1}, c.fail
	}
	reading := publish.ResultsReading{Requests: 1, Results: map[string]publish.Result{}, Cost: c.rules.Price * int64(len(r.IDs))}
	if time.Now().Before(c.low) {
		reading.NotBefore = c.low
	}
	left := strings.Join(r.Dropped, " ")
	if c.dropped = append(c.dropped, left); c.refuses != "" && left == "" {
		reading.Dropped = []string{c.refuses}
	}
	for _, id := range r.IDs {
		switch {
		case c.hidden[id]:
		case c.gone[id]:
			reading.Results[id] = publish.Result{Gone: true}
		default:
			reading.Results[id] = publish.Result{Metrics: schedctl.Metrics{Reactions: new(int64(age.Minutes())), Replies: new(int64(1))}}
		}
	}
	return reading, nil
}

// set changes the network.
func (c *counter) set(change func(*counter)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(c)
}

// leftOut returns the first metric that each reading left out.
func (c *counter) leftOut() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.dropped)
}

func (c *counter) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	calls := c.calls
	c.calls = nil
	return calls
}

// open has no credentials and no sessions.
type open struct{}

func (open) Open(schedctl.Account) (publish.Credentials, error) { return nil, nil }

func (open) Refresh(context.Context, string, string, publish.Credentials) (publish.Credentials, *publish.Error) {
	return nil, &publish.Error{Kind: schedctl.KindAuth}
}

// rig is a daemon's reader with an account, in a bubble.
type rig struct {
	*testing.T
	store   storage.Store
	network *counter
	account schedctl.Account
	config  func(*results.Config) // changes that of the next reader
}

func newRig(t *testing.T) *rig {
	t.Helper()
	now := schedctl.Millis(time.Now())
	r := &rig{T: t, store: storagetest.NewMemory(), network: &counter{Fake: publishtest.NewFake("fake"), started: time.Now(), gone: map[string]bool{}, hidden: map[string]bool{}}}
	ws := schedctl.NewID(schedctl.WorkspacePrefix, now)
	r.account = schedctl.Account{ID: schedctl.NewID(schedctl.AccountPrefix, now), WorkspaceID: ws, Platform: "fake", Name: "a", Status: schedctl.AccountConnected, CreatedAt: now, UpdatedAt: now}
	r.update(func(tx storage.Tx) error {
		if err := tx.PutWorkspace(schedctl.Workspace{ID: ws, Name: "mine", CreatedAt: now}); err != nil {
			return err
		}
		return tx.PutAccount(r.account)
	})
	return r
}

func (r *rig) update(fn func(storage.Tx) error) {
	r.Helper()
	if err := r.store.Update(context.WithoutCancel(r.Context()), fn); err != nil {
		r.Fatal(err)
	}
}

// run starts a reader that ends with the test.
func (r *rig) run() {
	r.Helper()
	config := results.Config{Store: r.store, Publishers: publish.NewRegistry(r.network), Sessions: open{}, Logger: slog.New(slog.DiscardHandler)}
	if r.config != nil {
		r.config(&config)
	}
	reader := results.New(config)
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	done := make(chan struct{})
	go func() { defer close(done); _ = reader.Run(ctx) }()
	r.Cleanup(func() { cancel(); <-done })
}

// publish stores a post that was published some time ago, as id.
func (r *rig) publish(id string, age time.Duration) schedctl.Post {
	r.Helper()
	now := schedctl.Millis(time.Now())
	p, _, err := schedctl.Create(schedctl.NewPost{WorkspaceID: r.account.WorkspaceID, Content: schedctl.Content{Text: id}, Accounts: []schedctl.Account{r.account}, PublishAt: now.Add(time.Hour)}, now)
	if err != nil {
		r.Fatal(err)
	}
	p.Targets[0].Status, p.Targets[0].PlatformPostID, p.Targets[0].PublishedAt = schedctl.Published, id, now.Add(-age)
	r.update(func(tx storage.Tx) error { return tx.PutPost(p) })
	return p
}

// of returns the results of a post.
func (r *rig) of(p schedctl.Post) schedctl.Results {
	r.Helper()
	list, err := storage.Read(context.WithoutCancel(r.Context()), r.store.View, func(s storage.Reader) ([]schedctl.Results, error) {
		return s.Results(p.WorkspaceID, []string{p.Targets[0].ID})
	})
	if err != nil || len(list) != 1 {
		r.Fatalf("%d results, %v", len(list), err)
	}
	return list[0]
}

func (r *rig) wantCalls(want ...string) {
	r.Helper()
	if got := r.network.take(); !slices.Equal(got, want) {
		r.Errorf("readings %q, want %q", got, want)
	}
}

func (r *rig) events() []schedctl.Event {
	r.Helper()
	list, err := storage.Read(context.WithoutCancel(r.Context()), r.store.View, func(s storage.Reader) ([]schedctl.Event, error) { return s.Events("", 100) })
	if err != nil {
		r.Fatal(err)
	}
	return list
}

// TestPoints checks the times of the readings of two posts: neighbors share a batch, and there
// is none after 30 days.
func TestPoints(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		first, old := r.publish("1", 0), r.publish("old", 40*24*time.Hour)
		r.run()
		time.Sleep(time.Minute)
		second := r.publish("2", 0)
		time.Sleep(45 * 24 * time.Hour)
		r.wantCalls("15m0s 2", "1h0m0s 2", "3h0m0s 2", "6h0m0s 2", "12h0m0s 2", "24h0m0s 2", "48h0m0s 2", "72h0m0s 2", "120h0m0s 2", "168h0m0s 2", "336h0m0s 2", "720h0m0s 2")
		for _, p := range []schedctl.Post{first, second} {
			v := r.of(p)
			if len(v.Points) != schedctl.MaxResultPoints || !v.NextAt.IsZero() || *v.Latest.Reactions != 30*24*60 || v.Reason != "" {
				t.Errorf("%+v", v)
			}
		}
		list, err := storage.Read(context.WithoutCancel(t.Context()), r.store.View, func(s storage.Reader) ([]schedctl.Results, error) {
			return s.Results(old.WorkspaceID, []string{old.Targets[0].ID})
		})
		if err != nil || len(list) > 0 {
			t.Errorf("a post from before has results: %+v, %v", list, err)
		}
	})
}

// TestMissedPointsAreNotMadeUp stops the reader for days: afterwards, the latest point is read
// once.
func TestMissedPointsAreNotMadeUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.publish("1", 0)
		r.update(func(tx storage.Tx) error {
			return tx.PutResults(schedctl.Results{
				TargetID: p.Targets[0].ID, WorkspaceID: p.WorkspaceID, PostID: p.ID, AccountID: r.account.ID, PublishedAt: p.Targets[0].PublishedAt, NextAt: p.Targets[0].PublishedAt.Add(15 * time.Minute),
			})
		})
		time.Sleep(100 * time.Hour)
		r.run()
		time.Sleep(24 * time.Hour)
		r.wantCalls("100h0m0s 1", "120h0m0s 1")
	})
}

// TestPublishingComesFirst checks that an account is not read while it publishes or has
// something due within a minute, and that other accounts do not wait.
func TestPublishingComesFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.publish("1", 0)
		now := schedctl.Millis(time.Now())
		next, _, err := schedctl.Create(schedctl.NewPost{WorkspaceID: r.account.WorkspaceID, Content: schedctl.Content{Text: "next"}, Accounts: []schedctl.Account{r.account}, PublishAt: now.Add(15*time.Minute + 30*time.Second)}, now)
		if err != nil {
			t.Fatal(err)
		}
		r.update(func(tx storage.Tx) error { return tx.PutPost(next) })
		r.run()
		time.Sleep(20*time.Minute + time.Second)
		r.wantCalls() // due soon, and then late
		var attempt schedctl.Attempt
		r.update(func(tx storage.Tx) error {
			p, err := tx.Post(next.WorkspaceID, next.ID)
			if err != nil {
				return err
			}
			attempt, err = p.Begin(schedctl.Claim{TargetID: p.Targets[0].ID, Owner: "o", Lease: time.Hour, Key: "k"}, schedctl.Millis(time.Now()))
			if err != nil {
				return err
			}
			if err := tx.PutPost(p); err != nil {
				return err
			}
			return tx.PutAttempt(attempt)
		})
		time.Sleep(5 * time.Minute)
		r.wantCalls() // in flight
		r.update(func(tx storage.Tx) error {
			attempt.FinishedAt, attempt.Outcome = schedctl.Millis(time.Now()), schedctl.OutcomeNotPublished
			return tx.PutAttempt(attempt)
		})
		time.Sleep(2 * time.Minute)
		r.wantCalls("26m0s 1")
	})
}

// TestRemovedPost checks that a post is removed only after two readings, once, and that its
// numbers stay.
func TestRemovedPost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		back, gone := r.publish("back", 0), r.publish("gone", 0)
		r.run()
		time.Sleep(20 * time.Minute)
		r.network.set(func(c *counter) { c.gone["back"], c.gone["gone"] = true, true })
		time.Sleep(42 * time.Minute)
		for _, p := range []schedctl.Post{back, gone} {
			if v := r.of(p); !v.RemovedAt.IsZero() || v.MissedAt.IsZero() || *v.Latest.Reactions != 15 {
				t.Errorf("after one reading: %+v", v)
			}
		}
		r.network.set(func(c *counter) { c.gone["back"] = false })
		time.Sleep(40 * 24 * time.Hour)
		if v := r.of(back); !v.RemovedAt.IsZero() || !v.MissedAt.IsZero() || *v.Latest.Reactions != 30*24*60 {
			t.Errorf("found again: %+v", v)
		}
		v := r.of(gone)
		if v.RemovedAt.Sub(v.PublishedAt).Round(time.Minute) != time.Hour || !v.NextAt.IsZero() || *v.Latest.Reactions != 15 {
			t.Errorf("gone: %+v", v)
		}
		events := r.events()
		if len(events) != 1 || events[0].Type != schedctl.EventPostRemoved || events[0].TargetID != gone.Targets[0].ID || events[0].Status != schedctl.Published {
			t.Errorf("events %+v", events)
		}
	})
}

// TestDoubtfulBatch checks that posts that are missing together are not removed, and that a
// post that is not reported is not, either.
func TestDoubtfulBatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		var posts []schedctl.Post
		for i := range 6 {
			posts = append(posts, r.publish(fmt.Sprint(i), 0))
		}
		r.network.set(func(c *counter) {
			c.hidden["0"] = true
			for i := 1; i < 5; i++ {
				c.gone[fmt.Sprint(i)] = true
			}
		})
		r.run()
		time.Sleep(10 * 24 * time.Hour)
		for i, p := range posts {
			v := r.of(p)
			if !v.RemovedAt.IsZero() || !v.MissedAt.IsZero() || (i < 5) != (v.Reason == schedctl.ResultsRefused) || (i == 5) != v.Latest.Given() {
				t.Errorf("post %d: %+v", i, v)
			}
		}
		if events := r.events(); len(events) > 0 {
			t.Errorf("events %+v", events)
		}
	})
}

// TestFailuresPause checks when an account is read again after each kind of failure, and that a
// failure changes no number.
func TestFailuresPause(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		failure publish.Error
		reason  schedctl.ResultsReason
		calls   []string // until 4 h
	}{
		"rate limit":           {publish.Error{Kind: schedctl.KindRateLimited}, schedctl.ResultsRateLimited, []string{"1h0m0s 1", "1h15m0s 1", "1h45m0s 1", "2h45m0s 1"}},
		"no response":          {publish.Error{Kind: schedctl.KindNetwork}, schedctl.ResultsUnreachable, []string{"1h0m0s 1", "1h15m0s 1", "1h45m0s 1", "2h45m0s 1"}},
		"refused":              {publish.Error{Kind: schedctl.KindContent, HTTPStatus: 400}, schedctl.ResultsRefused, []string{"1h0m0s 1", "3h0m0s 1"}},
		"credentials refused":  {publish.Error{Kind: schedctl.KindAuth, HTTPStatus: 401}, schedctl.ResultsRefused, []string{"1h0m0s 1", "3h0m0s 1"}},
		"no permission for it": {publish.Error{Kind: schedctl.KindContent, Code: "missing_scope"}, schedctl.ResultsMissingScope, []string{"1h0m0s 1", "3h0m0s 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				p := r.publish("1", 0)
				r.run()
				time.Sleep(30 * time.Minute)
				r.wantCalls("15m0s 1")
				failure := tt.failure
				failure.Outcome = schedctl.OutcomeNotPublished
				r.network.set(func(c *counter) { c.fail = &failure })
				time.Sleep(3*time.Hour + 30*time.Minute)
				r.wantCalls(tt.calls...)
				if v := r.of(p); v.Reason != tt.reason || *v.Latest.Reactions != 15 || len(v.Points) != 1 {
					t.Errorf("%+v", v)
				}
				r.network.set(func(c *counter) { c.fail = nil })
				time.Sleep(24 * time.Hour)
				if v := r.of(p); v.Reason != "" || *v.Latest.Reactions != 24*60 {
					t.Errorf("afterwards: %+v", v)
				}
				account, err := storage.Read(context.WithoutCancel(t.Context()), r.store.View, func(s storage.Reader) (schedctl.Account, error) {
					return s.Account(r.account.WorkspaceID, r.account.ID)
				})
				if err != nil || account.Status != schedctl.AccountConnected || account.UpdatedAt != r.account.UpdatedAt {
					t.Errorf("the account changed: %+v, %v", account, err)
				}
			})
		})
	}
}

// TestBudget checks that an account costs at most 60 requests an hour.
func TestBudget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		for i := range 1_500 {
			r.publish(fmt.Sprint(i), 0)
		}
		r.run()
		time.Sleep(59 * time.Minute)
		if got := len(r.network.take()); got != 60 {
			t.Errorf("%d requests in an hour, want 60", got)
		}
	})
}

// TestOwnReplyDoesNotCount checks that the second part of a thread is not a reply.
func TestOwnReplyDoesNotCount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.publish("1", 0)
		p.Targets[0].Done = []schedctl.PublishedPart{{ID: "1"}, {ID: "2"}}
		r.update(func(tx storage.Tx) error { return tx.PutPost(p) })
		r.run()
		time.Sleep(20 * time.Minute)
		if v := r.of(p); *v.Latest.Replies != 0 {
			t.Errorf("%d replies, want 0", *v.Latest.Replies)
		}
	})
}

// TestTwoNodesCountOnce lets two readers read the same posts: a reading that another one has
// stored is not stored again.
func TestTwoNodesCountOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.publish("1", 0)
		r.run()
		r.run()
		time.Sleep(40 * 24 * time.Hour)
		if v := r.of(p); len(v.Points) != schedctl.MaxResultPoints || v.Points[0].At.Sub(v.PublishedAt).Round(time.Minute) != 15*time.Minute {
			t.Errorf("points %+v", v.Points)
		}
	})
}
