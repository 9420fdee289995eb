package metrics_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/metrics"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// rig is metrics over a store in memory.
type rig struct {
	testing.TB
	*metrics.Metrics
	store     *storagetest.Faulty
	workspace string
	log       bytes.Buffer
	backlog   int
	broken    error // of the backlog
}

func newRig(t testing.TB) *rig {
	r := &rig{TB: t, store: storagetest.NewFaulty(storagetest.NewMemory())}
	r.workspace = r.addWorkspace()
	r.Metrics = metrics.New(metrics.Config{
		Store: r.store, Logger: slog.New(slog.NewTextHandler(&r.log, nil)), Version: "v1.2.3",
		Backlog: func(context.Context) (int, error) { return r.backlog, r.broken },
	})
	return r
}

func (r *rig) update(fn func(storage.Tx) error) {
	r.Helper()
	if err := r.store.Update(r.Context(), fn); err != nil {
		r.Fatal(err)
	}
}

func (r *rig) addWorkspace() string {
	r.Helper()
	id := schedctl.NewID(schedctl.WorkspacePrefix, time.Now())
	r.update(func(tx storage.Tx) error {
		return tx.PutWorkspace(schedctl.Workspace{ID: id, Name: "w", Timezone: "UTC", CreatedAt: schedctl.Millis(time.Now())})
	})
	return id
}

func (r *rig) account(workspace, platform string, status schedctl.AccountStatus) schedctl.Account {
	r.Helper()
	id := schedctl.NewID(schedctl.AccountPrefix, time.Now())
	a := schedctl.Account{ID: id, WorkspaceID: workspace, Platform: platform, Name: id, Status: status, CreatedAt: schedctl.Millis(time.Now())}
	r.update(func(tx storage.Tx) error { return tx.PutAccount(a) })
	return a
}

func (r *rig) post(n schedctl.NewPost) schedctl.Post {
	r.Helper()
	n.WorkspaceID, n.Text = n.Accounts[0].WorkspaceID, "text"
	p, _, err := schedctl.Create(n, time.Now())
	if err != nil {
		r.Fatal(err)
	}
	r.update(func(tx storage.Tx) error { return tx.PutPost(p) })
	return p
}

// scrape requests the metrics like Prometheus.
func (r *rig) scrape() (text string, families map[string]*dto.MetricFamily) {
	r.Helper()
	w := httptest.NewRecorder()
	r.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != http.StatusOK {
		r.Fatalf("%d %s", w.Code, w.Body)
	}
	text = w.Body.String()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		r.Fatalf("the metrics cannot be parsed: %v\n%s", err, text)
	}
	return text, families
}

// want checks lines of a scrape.
func (r *rig) want(lines ...string) {
	r.Helper()
	text, _ := r.scrape()
	for _, line := range lines {
		if !strings.Contains(text, "\n"+line+"\n") {
			r.Errorf("there is no line\n%s\nin\n%s", line, ours(text))
		}
	}
}

// ours returns the lines about schedctl itself.
func ours(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "schedctl_") {
			b.WriteString(line)
		}
	}
	return b.String()
}

func TestCountsWhatItIsTold(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.Attempted(metrics.Attempt{Platform: "feed", Outcome: schedctl.OutcomePublished, Lateness: 20 * time.Millisecond})
	r.Attempted(metrics.Attempt{Platform: "feed", Outcome: schedctl.OutcomePublished, Lateness: -time.Second})
	r.Attempted(metrics.Attempt{Platform: "http", Outcome: schedctl.OutcomeNotPublished, Kind: schedctl.KindNetwork})
	r.Attempted(metrics.Attempt{Outcome: schedctl.OutcomeUnknown, Kind: schedctl.KindUnknown})
	r.Unattempted("mastodon", schedctl.KindMissed)
	r.Delivered(metrics.Delivery{Outcome: "delivered", Took: 30 * time.Millisecond})
	r.Delivered(metrics.Delivery{Outcome: "failed", Took: time.Second})
	r.Delivered(metrics.Delivery{Outcome: "failed", Took: time.Second})
	r.Swept(metrics.Sweep{Took: 4 * time.Millisecond})
	r.Swept(metrics.Sweep{Took: time.Second, Failed: true})
	r.Committed(storage.Commit{Took: 2 * time.Millisecond})
	r.want(
		`schedctl_publish_attempts_total{kind="none",outcome="published",platform="feed"} 2`,
		`schedctl_publish_attempts_total{kind="network",outcome="not_published",platform="http"} 1`,
		`schedctl_publish_attempts_total{kind="unknown",outcome="unknown",platform="none"} 1`,
		`schedctl_publish_unattempted_total{kind="missed",platform="mastodon"} 1`,
		`schedctl_publish_lateness_seconds_count 2`,
		`schedctl_publish_lateness_seconds_bucket{le="0.01"} 1`,
		`schedctl_publish_lateness_seconds_sum 0.02`,
		`schedctl_webhook_attempts_total{outcome="delivered"} 1`,
		`schedctl_webhook_attempts_total{outcome="failed"} 2`,
		`schedctl_webhook_attempt_duration_seconds_bucket{outcome="delivered",le="0.05"} 1`,
		`schedctl_sweep_duration_seconds_bucket{outcome="done",le="0.005"} 1`,
		`schedctl_sweep_duration_seconds_count{outcome="failed"} 1`,
		`schedctl_store_commit_seconds_bucket{le="0.0025"} 1`,
		`schedctl_store_commit_seconds_sum 0.002`,
	)
}

func TestCountsRequests(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, q := range []metrics.Request{
		{Pattern: "POST /api/v1/posts", Method: "POST", Status: 201, Took: 3 * time.Millisecond},
		{Pattern: "POST /api/v1/posts", Method: "POST", Status: 200, Took: 3 * time.Millisecond},
		{Pattern: "GET /api/v1/posts/{id}", Method: "HEAD", Status: 404},
		{Pattern: "GET /feeds/", Method: "GET", Status: 304},
		{Pattern: "/", Method: "POST", Status: 405},
		{Pattern: "", Method: "BREW", Status: 404},
		{Pattern: "GET /api/v1/me", Method: "GET", Status: 0},
		{Pattern: "GET /api/v1/me", Method: "GET", Status: 503},
	} {
		r.Requested(q)
	}
	r.want(
		`schedctl_http_requests_total{method="POST",route="/api/v1/posts",status="2xx"} 2`,
		`schedctl_http_requests_total{method="HEAD",route="/api/v1/posts/{id}",status="4xx"} 1`,
		`schedctl_http_requests_total{method="GET",route="/feeds/",status="3xx"} 1`,
		`schedctl_http_requests_total{method="POST",route="unknown",status="4xx"} 1`,
		`schedctl_http_requests_total{method="other",route="unknown",status="4xx"} 1`,
		`schedctl_http_requests_total{method="GET",route="/api/v1/me",status="cut"} 1`,
		`schedctl_http_requests_total{method="GET",route="/api/v1/me",status="5xx"} 1`,
		`schedctl_http_request_duration_seconds_bucket{method="POST",route="/api/v1/posts",le="0.005"} 2`,
	)
}

// The number of series does not depend on client requests.
func TestClientsCannotMakeSeries(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for i := range 1000 {
		method := "X" + strings.Repeat("Y", i)
		r.Requested(metrics.Request{Pattern: "/", Method: method, Status: 400 + i%100})
	}
	_, families := r.scrape()
	if n := len(families["schedctl_http_requests_total"].Metric); n != 1 {
		t.Errorf("%d series for unknown requests", n)
	}
}

func TestCountsTargetsAndAccounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.backlog = 7
		other := r.addWorkspace()
		a := r.account(r.workspace, "feed", schedctl.AccountConnected)
		b := r.account(other, "feed", schedctl.AccountConnected)
		b.Expiry.At = time.Unix(1_800_000_000, 0).UTC()
		if err := r.store.Update(r.Context(), func(tx storage.Tx) error { return tx.PutAccount(b) }); err != nil {
			r.Fatal(err)
		}
		r.account(other, "mastodon", schedctl.AccountError)
		soon := time.Now().Add(time.Hour)
		r.post(schedctl.NewPost{Accounts: []schedctl.Account{a}})
		r.post(schedctl.NewPost{Accounts: []schedctl.Account{a}, PublishAt: soon})
		r.post(schedctl.NewPost{Accounts: []schedctl.Account{b}, PublishAt: soon.Add(24 * time.Hour)})
		inFlight := r.post(schedctl.NewPost{Accounts: []schedctl.Account{b}, Now: true})
		between := r.post(schedctl.NewPost{Accounts: []schedctl.Account{a}, Now: true})
		r.begin(inFlight)
		r.begin(between)
		r.again(between, time.Now().Add(100*time.Hour))
		r.update(func(tx storage.Tx) error {
			for _, in := range []time.Duration{-time.Minute, time.Minute} {
				v := schedctl.Results{TargetID: schedctl.NewID(schedctl.TargetPrefix, time.Now()), WorkspaceID: r.workspace, NextAt: time.Now().Add(in)}
				if err := tx.PutResults(v); err != nil {
					return err
				}
			}
			for _, in := range []time.Duration{time.Minute, 59 * time.Minute, 2 * time.Hour} {
				id := schedctl.NewID(schedctl.SeriesPrefix, time.Now())
				if err := tx.PutSeries(schedctl.Series{ID: id, WorkspaceID: r.workspace, Name: id, State: schedctl.SeriesActive, SweepAt: time.Now().Add(in)}); err != nil {
					return err
				}
			}
			return nil
		})
		feed := r.source(schedctl.SourceError)
		r.source(schedctl.SourceHeld)
		r.source(schedctl.SourceRemoved)
		time.Sleep(time.Hour)
		r.want(
			`schedctl_sources{state="error"} 1`,
			`schedctl_sources{state="held"} 1`,
			`schedctl_source_last_success_seconds{source="`+feed+`"} 1.8e+09`,
			"schedctl_due_sweeps 2",
			"schedctl_results_overdue 1",
			"schedctl_due_targets 3",     // two scheduled, one before its next attempt
			"schedctl_overdue_targets 3", // one due, one in flight, one before its next attempt
			"schedctl_webhook_backlog 7",
			`schedctl_accounts{platform="feed",status="connected"} 2`,
			`schedctl_account_expires_at_seconds{account="`+b.ID+`",platform="feed"} 1.8e+09`,
			`schedctl_accounts{platform="mastodon",status="error"} 1`,
		)
	})
}

// source puts a source of a feed that was read once, and returns its id.
func (r *rig) source(state schedctl.SourceState) string {
	r.Helper()
	s := schedctl.Source{
		ID: schedctl.NewID(schedctl.SourcePrefix, time.Now()), WorkspaceID: r.workspace, State: state,
		SourceSettings: schedctl.SourceSettings{Kind: schedctl.SourceFeed}, SourceProgress: schedctl.SourceProgress{LastSuccessAt: time.Unix(1_800_000_000, 0).UTC()},
	}
	s.Name = s.ID
	r.update(func(tx storage.Tx) error { return tx.PutSource(s) })
	return s.ID
}

// TestCountsDamagedAccounts guards that an account whose record is damaged neither stops
// the daemon nor hides the other metrics: labels must be valid UTF-8.
func TestCountsDamagedAccounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.account(r.workspace, "\x88eed", "\xffonnected")
		r.Unattempted("\x88eed", schedctl.KindAuth)
		r.want(
			"schedctl_accounts{platform=\"\ufffdeed\",status=\"\ufffdonnected\"} 1",
			"schedctl_publish_unattempted_total{kind=\"auth\",platform=\"\ufffdeed\"} 1",
		)
	})
}

func (r *rig) change(p schedctl.Post, fn func(storage.Tx, *schedctl.Post) error) {
	r.Helper()
	r.update(func(tx storage.Tx) error {
		p, err := tx.Post(p.WorkspaceID, p.ID)
		return errors.Join(err, fn(tx, &p), tx.PutPost(p))
	})
}

func (r *rig) begin(p schedctl.Post) {
	r.Helper()
	r.change(p, func(tx storage.Tx, p *schedctl.Post) error {
		a, err := p.Begin(schedctl.Claim{TargetID: p.Targets[0].ID, Owner: "me", Lease: time.Hour}, time.Now())
		return errors.Join(err, tx.PutAttempt(a))
	})
}

func (r *rig) again(p schedctl.Post, at time.Time) {
	r.Helper()
	r.change(p, func(tx storage.Tx, p *schedctl.Post) error {
		_, err := p.Finish(p.Targets[0].ID, schedctl.Result{Error: &schedctl.TargetError{Kind: schedctl.KindNetwork}, RetryAt: at}, time.Now())
		return err
	})
}

// More entries than one snapshot gives.
func TestCountsManyTargets(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.Metrics = metrics.New(metrics.Config{Store: many{r.store, 120_000}, Logger: slog.New(slog.DiscardHandler)})
	r.want("schedctl_due_targets 120000", "schedctl_overdue_targets 60000")
}

// many is a store with a due index of this size, half of it in the past.
type many struct {
	storage.Store
	size int
}

func (m many) View(ctx context.Context, fn func(storage.Reader) error) error {
	return m.Store.View(ctx, func(r storage.Reader) error { return fn(manyReader{r, m.size}) })
}

type manyReader struct {
	storage.Reader
	size int
}

func (m manyReader) Due(from schedctl.Due, fn func(schedctl.Due) bool) error {
	for i := range m.size {
		d := schedctl.Due{At: 1}
		if i >= m.size/2 {
			d.At = time.Now().Add(24 * time.Hour).Truncate(24 * time.Hour).Add(24 * time.Hour).UnixMilli()
		}
		d.Target[0], d.Target[1], d.Target[2] = byte(i>>16), byte(i>>8), byte(i)
		if d.Compare(from) >= 0 && !fn(d) {
			return nil
		}
	}
	return nil
}

// When the store fails, other metrics are still shown and the failure is logged once.
func TestStoreThatFails(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]func(*rig){
		"views":   func(r *rig) { r.store.FailViews(2) },
		"backlog": func(r *rig) { r.broken = errors.New("broken") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.Committed(storage.Commit{})
			fault(r)
			for range 2 {
				text, _ := r.scrape()
				if strings.Contains(text, "schedctl_due_targets") || !strings.Contains(text, "schedctl_store_commit_seconds_count 1") {
					t.Errorf("while the store fails:\n%s", ours(text))
				}
			}
			if n := strings.Count(r.log.String(), "counting targets and accounts failed"); n != 1 {
				t.Errorf("logged %d times:\n%s", n, r.log.String())
			}
			r.broken = nil
			r.want("schedctl_due_targets 0")
		})
	}
}

func TestTellsThatTheStoreIsFull(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.want("schedctl_store_full 0")
	r.store.SetFull()
	r.want("schedctl_store_full 1")
	r.store.SetWritable()
	r.want("schedctl_store_full 0")
}

func TestShowsThatTheClockIsDoubted(t *testing.T) {
	t.Parallel()
	r, doubted := newRig(t), false
	r.want("schedctl_clock_doubted 0")
	r.Metrics = metrics.New(metrics.Config{Store: r.store, Logger: slog.New(slog.DiscardHandler), ClockDoubted: func() bool { return doubted }})
	r.want("schedctl_clock_doubted 0")
	doubted = true
	r.want("schedctl_clock_doubted 1")
}

// Counting takes at most one percent of the time, regardless of the scrape rate.
func TestCountsAreKeptAsLongAsTheyCost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		slow := &slowStore{Store: r.store, delay: time.Second}
		r.Metrics = metrics.New(metrics.Config{Store: slow, Logger: slog.New(slog.DiscardHandler)})
		r.scrape()
		first := slow.views()
		for range 10 {
			time.Sleep(time.Second)
			r.scrape()
		}
		if n := slow.views(); n != first {
			t.Errorf("%d reads for scrapes that followed at once, want none", n-first)
		}
		time.Sleep(10 * time.Minute)
		r.scrape()
		if n := slow.views(); n != 2*first {
			t.Errorf("%d reads ten minutes later, want %d", n-first, first)
		}
	})
}

type slowStore struct {
	storage.Store
	delay time.Duration

	mu sync.Mutex // mu guards n
	n  int
}

func (s *slowStore) View(ctx context.Context, fn func(storage.Reader) error) error {
	time.Sleep(s.delay)
	s.mu.Lock()
	s.n++
	s.mu.Unlock()
	return s.Store.View(ctx, fn)
}

func (s *slowStore) views() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}

// Names, units and help texts follow the Prometheus rules.
func TestLint(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.account(r.workspace, "feed", schedctl.AccountConnected)
	r.Attempted(metrics.Attempt{Platform: "feed", Outcome: schedctl.OutcomePublished})
	r.Unattempted("feed", schedctl.KindMissed)
	r.Delivered(metrics.Delivery{Outcome: "delivered", Took: time.Second})
	r.source(schedctl.SourceActive)
	r.SourceFetched("new")
	r.SourceItem(schedctl.ItemPosted)
	r.Swept(metrics.Sweep{Took: time.Second})
	r.Read(metrics.Reading{Platform: "x", Outcome: "ok", Cost: 0.005})
	r.Read(metrics.Reading{Platform: "x", Removed: 2})
	r.Requested(metrics.Request{Pattern: "GET /healthz", Method: "GET", Status: 200})
	text, families := r.scrape()
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	problems = slices.DeleteFunc(problems, func(p promlint.Problem) bool { return !strings.HasPrefix(p.Metric, "schedctl_") }) // others have names that are in use elsewhere
	if err != nil || len(problems) > 0 {
		t.Errorf("%v: %+v", err, problems)
	}
	for _, name := range []string{
		"schedctl_publish_lateness_seconds", "schedctl_publish_attempts_total", "schedctl_publish_unattempted_total",
		"schedctl_source_fetches_total", "schedctl_source_items_total", "schedctl_sources", "schedctl_source_last_success_seconds",
		"schedctl_webhook_attempts_total", "schedctl_webhook_attempt_duration_seconds", "schedctl_webhook_backlog",
		"schedctl_due_targets", "schedctl_overdue_targets", "schedctl_due_sweeps", "schedctl_sweep_duration_seconds", "schedctl_accounts",
		"schedctl_results_reads_total", "schedctl_results_cost_usd_total", "schedctl_posts_removed_total", "schedctl_results_overdue",
		"schedctl_store_commit_seconds", "schedctl_http_requests_total", "schedctl_http_request_duration_seconds",
		"schedctl_build_info", "go_goroutines",
	} {
		if families[name] == nil {
			t.Errorf("there is no metric %s", name)
		}
	}
	for _, line := range []string{`schedctl_results_reads_total{outcome="ok",platform="x"} 1`, `schedctl_results_cost_usd_total{platform="x"} 0.005`, `schedctl_posts_removed_total{platform="x"} 2`} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("there is no line %s", line)
		}
	}
	if !strings.Contains(text, `version="v1.2.3"`) {
		t.Error("the build info is missing")
	}
}

// Scrapes and events come from many goroutines.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 50 {
				r.Requested(metrics.Request{Pattern: "GET /healthz", Method: "GET", Status: 200})
				r.Committed(storage.Commit{})
				w := httptest.NewRecorder()
				r.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
				io.Copy(io.Discard, w.Body)
			}
		})
	}
	wg.Wait()
	r.want(`schedctl_http_requests_total{method="GET",route="/healthz",status="2xx"} 200`, "schedctl_store_commit_seconds_count 200")
}

func BenchmarkRequested(b *testing.B) {
	r := newRig(b)
	b.ReportAllocs()
	for b.Loop() {
		r.Requested(metrics.Request{Pattern: "POST /api/v1/posts", Method: "POST", Status: 201, Took: time.Millisecond})
	}
}
