// Package metrics exposes the metrics of a daemon to Prometheus.
//
// Other packages do not depend on it. They call plain functions for each event, and
// package daemon connects those with [Metrics]. States, such as the number of waiting
// targets, are counted at each scrape; see [Metrics.Handler].
//
// # Labels
//
// No label holds an id, a path or any other value that a client can choose. The number
// of time series is therefore bounded: by route patterns, known methods and status
// classes.
package metrics

import (
	"bytes"
	"log/slog"
	"net/http"
	"runtime"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// Config configures [New]. Store and Logger are required.
type Config struct {
	Store storage.Store // read at each scrape

	// Backlog counts the events still to be sent to webhooks; nil to leave out the
	// metric.
	Backlog Backlog

	// ClockDoubted reports whether the wall clock has leapt ahead and is not trusted
	// yet; nil for a clock that is always trusted.
	ClockDoubted func() bool

	NoResults bool // the daemon reads no results, and none are overdue

	Logger  *slog.Logger
	Version string // of the daemon
}

// Metrics counts events. Its methods may be called from any goroutine. Only the handler
// of [Metrics.Handler] may block.
type Metrics struct {
	set     *metrics.Set
	states  *collector
	scrapes chan struct{} // a place for each scrape that may be served at a time

	lateness, commits           *metrics.PrometheusHistogram
	attempts, unattempted       *family[*metrics.Counter]
	deliveries, requests        *family[*metrics.Counter]
	fetches, items              *family[*metrics.Counter]
	webhookDurations, durations *family[*metrics.PrometheusHistogram]
	sweeps                      *family[*metrics.PrometheusHistogram]
	readings, removals          *family[*metrics.Counter]
	costs                       *family[*metrics.FloatCounter]
}

// help has the texts of all metrics of schedctl.
var help = map[string]string{
	"schedctl_publish_lateness_seconds":         "Time from when a target was due, or was last retried by a user, until its network accepted it.",
	"schedctl_publish_attempts_total":           "Completed attempts to publish a target, by outcome; kind is the kind of error.",
	"schedctl_publish_unattempted_total":        "Targets that failed without a network request, such as those that were too late.",
	"schedctl_webhook_attempts_total":           "Completed attempts to send an event to a webhook, by outcome.",
	"schedctl_webhook_attempt_duration_seconds": "How long attempts to send an event to a webhook took.",
	"schedctl_source_fetches_total":             "Fetches of the feeds of sources, by outcome: new, unchanged, held or failed.",
	"schedctl_source_items_total":               "Items of sources, by the state that they got.",
	"schedctl_sources":                          "Sources by state: active, paused, held or error.",
	"schedctl_source_last_success_seconds":      "When the feed of an active or failing source was last read, as a Unix time; absent before.",
	"schedctl_sweep_duration_seconds":           "How long sweeps of a series took; outcome is done or failed.",
	"schedctl_results_reads_total":              "Readings of the results of published posts, by outcome: ok, or why there are no numbers.",
	"schedctl_results_cost_usd_total":           "What networks charge for the readings, in US dollars.",
	"schedctl_posts_removed_total":              "Published posts that their network no longer has, as readings found out.",
	"schedctl_results_overdue":                  "Published posts whose results should have been read an hour ago, up to 1,000.",
	"schedctl_store_commit_seconds":             "How long it took to write a group of transactions to disk.",
	"schedctl_http_requests_total":              `HTTP requests by the pattern of their route ("unknown" for none), method and class of status.`,
	"schedctl_http_request_duration_seconds":    "How long HTTP requests took, event streams to their end.",
	"schedctl_build_info":                       "Always 1; the labels show the running version.",
	"schedctl_store_full":                       "1 while the disk is full and writes are refused, else 0.",
	"schedctl_clock_doubted":                    "1 while posts are held because the clock has leapt ahead and is not confirmed, else 0.",
	"schedctl_blobs":                            "Stored files of media, counted once an hour.",
	"schedctl_blob_bytes":                       "Bytes of the stored files of media, counted once an hour.",
	"schedctl_due_targets":                      "Targets that wait for their publish time or for their next attempt.",
	"schedctl_overdue_targets":                  "Targets whose publish time has passed and that are neither published nor failed.",
	"schedctl_webhook_backlog":                  "Events still to be sent, counted once for each webhook, up to 10,000.",
	"schedctl_due_sweeps":                       "Series whose posts should have been made by now, up to 1,000.",
	"schedctl_accounts":                         "Social accounts by platform and status.",
	"schedctl_account_expires_at_seconds":       "When the credentials of an account end, as a Unix time; absent if they do not end.",
	"schedctl_media_assets":                     "Media assets by status.",
}

// The upper bounds of histograms, in seconds.
var (
	latenessBounds = []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200, 21600, 86400}
	deliveryBounds = []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}
	sweepBounds    = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5}
	commitBounds   = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5}
	requestBounds  = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 60}
)

// New returns metrics that start at zero.
func New(c Config) *Metrics {
	metrics.ExposeMetadata(true)
	set := metrics.NewSet()
	m := &Metrics{
		set: set, states: &collector{store: c.Store, backlog: c.Backlog, noResults: c.NoResults, log: c.Logger}, scrapes: make(chan struct{}, maxScrapes),
		lateness:         set.NewPrometheusHistogramExt("schedctl_publish_lateness_seconds", latenessBounds),
		commits:          set.NewPrometheusHistogramExt("schedctl_store_commit_seconds", commitBounds),
		attempts:         counters(set, "schedctl_publish_attempts_total", "kind", "outcome", "platform"),
		unattempted:      counters(set, "schedctl_publish_unattempted_total", "kind", "platform"),
		deliveries:       counters(set, "schedctl_webhook_attempts_total", "outcome"),
		fetches:          counters(set, "schedctl_source_fetches_total", "outcome"),
		items:            counters(set, "schedctl_source_items_total", "state"),
		requests:         counters(set, "schedctl_http_requests_total", "method", "route", "status"),
		webhookDurations: histograms(set, "schedctl_webhook_attempt_duration_seconds", deliveryBounds, "outcome"),
		durations:        histograms(set, "schedctl_http_request_duration_seconds", requestBounds, "method", "route"),
		readings:         counters(set, "schedctl_results_reads_total", "outcome", "platform"),
		removals:         counters(set, "schedctl_posts_removed_total", "platform"),
		costs:            &family[*metrics.FloatCounter]{name: "schedctl_results_cost_usd_total", labels: []string{"platform"}, create: set.GetOrCreateFloatCounter, made: map[[3]string]*metrics.FloatCounter{}},
		sweeps:           histograms(set, "schedctl_sweep_duration_seconds", sweepBounds, "outcome"),
	}
	info := seriesName("schedctl_build_info", []string{"goversion", "version"}, []string{runtime.Version(), c.Version})
	set.NewGauge(info, func() float64 { return 1 })
	set.NewGauge("schedctl_store_full", func() float64 { return number(c.Store.Full() != nil) })
	set.NewGauge("schedctl_clock_doubted", func() float64 { return number(c.ClockDoubted != nil && c.ClockDoubted()) })
	return m
}

// number returns 1 for true, and 0 for false.
func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Attempt is a completed attempt to publish.
type Attempt struct {
	Platform string // empty when the account was deleted
	Outcome  schedctl.Outcome
	Kind     schedctl.ErrorKind // empty for a success
	Lateness time.Duration      // of a success
}

// Attempted counts an attempt to publish.
func (m *Metrics) Attempted(a Attempt) {
	m.attempts.with(string(a.Kind), string(a.Outcome), a.Platform).Inc()
	if a.Outcome == schedctl.OutcomePublished {
		m.lateness.Update(max(a.Lateness, 0).Seconds())
	}
}

// Unattempted counts a target that failed without an attempt.
func (m *Metrics) Unattempted(platform string, kind schedctl.ErrorKind) {
	m.unattempted.with(string(kind), platform).Inc()
}

// Delivery is a completed attempt to send an event to a webhook.
type Delivery struct {
	Outcome string // one of the outcomes of package webhook
	Took    time.Duration
}

// Delivered counts an attempt to send an event to a webhook.
func (m *Metrics) Delivered(d Delivery) {
	m.deliveries.with(d.Outcome).Inc()
	m.webhookDurations.with(d.Outcome).Update(d.Took.Seconds())
}

// Sweep is a completed sweep of a series.
type Sweep struct {
	Took   time.Duration
	Failed bool
}

// Swept counts a sweep of a series.
func (m *Metrics) Swept(s Sweep) {
	outcome := "done"
	if s.Failed {
		outcome = "failed"
	}
	m.sweeps.with(outcome).Update(s.Took.Seconds())
}

// Reading is a reading of results, or posts that one has found to be removed.
type Reading struct {
	Platform string
	Outcome  string  // empty for removals
	Cost     float64 // in US dollars
	Removed  int
}

// Read counts a reading of results.
func (m *Metrics) Read(r Reading) {
	if r.Outcome != "" {
		m.readings.with(r.Outcome, r.Platform).Inc()
	}
	if r.Cost > 0 {
		m.costs.with(r.Platform).Add(r.Cost)
	}
	if r.Removed > 0 {
		m.removals.with(r.Platform).Add(r.Removed)
	}
}

// SourceFetched counts a fetch of the feed of a source.
func (m *Metrics) SourceFetched(outcome string) { m.fetches.with(outcome).Inc() }

// SourceItem counts an item of a source that got a state.
func (m *Metrics) SourceItem(state schedctl.ItemState) { m.items.with(string(state)).Inc() }

// Committed counts a commit of the store.
func (m *Metrics) Committed(c storage.Commit) { m.commits.Update(c.Took.Seconds()) }

// maxScrapes is how many scrapes are served at a time. Scrapes need no API key, so
// without a limit anyone could overload the daemon.
const maxScrapes = 4

// Handler serves the metrics in the text format that Prometheus reads. States that cannot
// be counted because the store fails are left out and logged.
func (m *Metrics) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		select {
		case m.scrapes <- struct{}{}:
			defer func() { <-m.scrapes }()
		default:
			http.Error(w, "too many scrapes at a time; try again later", http.StatusServiceUnavailable)
			return
		}
		var text bytes.Buffer
		m.set.WritePrometheus(&text)
		m.states.write(&text)
		metrics.WriteProcessMetrics(&text)
		metrics.WriteFDMetrics(&text)
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		w.Write(withHelp(text.Bytes()))
	})
}
