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
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

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

	Logger  *slog.Logger
	Version string // of the daemon
}

// Metrics counts events. Its methods may be called from any goroutine. Only the handler
// of [Metrics.Handler] may block.
type Metrics struct {
	registry *prometheus.Registry
	log      *slog.Logger

	lateness         prometheus.Histogram
	attempts         *prometheus.CounterVec
	unattempted      *prometheus.CounterVec
	deliveries       *prometheus.CounterVec
	webhookDurations *prometheus.HistogramVec
	sweeps           *prometheus.HistogramVec
	commits          prometheus.Histogram
	requests         *prometheus.CounterVec
	durations        *prometheus.HistogramVec
	blobs            prometheus.Gauge
	blobBytes        prometheus.Gauge
}

// New returns metrics that start at zero.
func New(c Config) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry(), log: c.Logger}
	m.addPublishMetrics()
	m.addHTTPMetrics()
	m.addBlobMetrics()
	info := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "schedctl_build_info", Help: "Always 1; the labels show the running version.",
	}, []string{"version", "goversion"})
	info.WithLabelValues(c.Version, runtime.Version()).Set(1)
	full := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "schedctl_store_full", Help: "1 while the disk is full and writes are refused, else 0.",
	}, func() float64 {
		if c.Store.Full() != nil {
			return 1
		}
		return 0
	})
	doubted := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "schedctl_clock_doubted", Help: "1 while posts are held because the clock has leapt ahead and is not confirmed, else 0.",
	}, func() float64 {
		if c.ClockDoubted != nil && c.ClockDoubted() {
			return 1
		}
		return 0
	})
	m.registry.MustRegister(
		m.lateness, m.attempts, m.unattempted, m.deliveries, m.webhookDurations, m.sweeps, m.commits, m.requests, m.durations,
		info, full, doubted, newCollector(c), collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return m
}

// addPublishMetrics creates the metrics of publishing and of webhooks.
func (m *Metrics) addPublishMetrics() {
	m.lateness = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name:    "schedctl_publish_lateness_seconds",
		Help:    "Time from when a target was due, or was last retried by a user, until its network accepted it.",
		Buckets: []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200, 21600, 86400},
	})
	m.attempts = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "schedctl_publish_attempts_total",
		Help: "Completed attempts to publish a target, by outcome; kind is the kind of error.",
	}, []string{"platform", "outcome", "kind"})
	m.unattempted = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "schedctl_publish_unattempted_total",
		Help: "Targets that failed without a network request, such as those that were too late.",
	}, []string{"platform", "kind"})
	m.deliveries = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "schedctl_webhook_attempts_total",
		Help: "Completed attempts to send an event to a webhook, by outcome.",
	}, []string{"outcome"})
	m.webhookDurations = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "schedctl_webhook_attempt_duration_seconds", Help: "How long attempts to send an event to a webhook took.",
		Buckets: []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
	}, []string{"outcome"})
	m.sweeps = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "schedctl_sweep_duration_seconds", Help: "How long sweeps of a series took; outcome is done or failed.",
		Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5},
	}, []string{"outcome"})
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
	m.attempts.WithLabelValues(labelValue(a.Platform), string(a.Outcome), labelValue(string(a.Kind))).Inc()
	if a.Outcome == schedctl.OutcomePublished {
		m.lateness.Observe(max(a.Lateness, 0).Seconds())
	}
}

// Unattempted counts a target that failed without an attempt.
func (m *Metrics) Unattempted(platform string, kind schedctl.ErrorKind) {
	m.unattempted.WithLabelValues(labelValue(platform), string(kind)).Inc()
}

// noneLabel is the value of empty labels, because Prometheus treats an empty label as a
// missing one.
const noneLabel = "none"

// labelValue returns the text of a label, which must be valid UTF-8: Prometheus panics
// otherwise, and a damaged record can have any bytes.
func labelValue(value string) string {
	if value == "" {
		return noneLabel
	}
	return strings.ToValidUTF8(value, "\ufffd")
}

// Delivery is a completed attempt to send an event to a webhook.
type Delivery struct {
	Outcome string // one of the outcomes of package webhook
	Took    time.Duration
}

// Delivered counts an attempt to send an event to a webhook.
func (m *Metrics) Delivered(d Delivery) {
	m.deliveries.WithLabelValues(d.Outcome).Inc()
	m.webhookDurations.WithLabelValues(d.Outcome).Observe(d.Took.Seconds())
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
	m.sweeps.WithLabelValues(outcome).Observe(s.Took.Seconds())
}

// Committed counts a commit of the store.
func (m *Metrics) Committed(c storage.Commit) { m.commits.Observe(c.Took.Seconds()) }

// Handler serves the metrics in the formats that Prometheus reads. States that cannot
// be counted because the store fails are left out and logged.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorLog: errorLogger{m.log}, ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: maxScrapes,
	})
}

// maxScrapes is how many scrapes are served at a time. Scrapes need no API key, so
// without a limit anyone could overload the daemon.
const maxScrapes = 4

// errorLogger implements [promhttp.Logger].
type errorLogger struct{ log *slog.Logger }

// Println logs an error.
func (l errorLogger) Println(v ...any) {
	l.log.Warn("collecting metrics failed", "error", v[len(v)-1])
}
