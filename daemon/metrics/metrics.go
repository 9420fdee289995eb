// Package metrics counts what the parts of a daemon tell it and shows the
// counts to Prometheus.
//
// The parts know nothing of it: each takes a plain function that it calls when
// something has happened, and the daemon connects the two. What is a state and
// not a happening, such as how many targets wait, is counted when it is asked
// for; see [Metrics.Handler].
//
// # Labels
//
// No label holds an id, a path or anything else that a client can choose, so
// that the number of time series is bounded by the program: routes by their
// patterns, methods by those that routes have, statuses by their class.
package metrics

import (
	"log/slog"
	"net/http"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// Config is what metrics are made of. Store and Logger are required.
type Config struct {
	Store storage.Store // counted in at a scrape

	// Backlog tells how many events still have to be told to a webhook; nil
	// shows none.
	Backlog Backlog

	// ClockDoubted reports whether the wall clock has leapt ahead and is not believed
	// yet; nil when it always is.
	ClockDoubted func() bool

	Logger  *slog.Logger
	Version string // the daemon's
}

// Metrics counts. All methods may be called from any goroutine, and none blocks
// but [Metrics.Handler]'s.
type Metrics struct {
	registry *prometheus.Registry
	log      *slog.Logger

	lateness         prometheus.Histogram
	attempts         *prometheus.CounterVec
	unattempted      *prometheus.CounterVec
	deliveries       *prometheus.CounterVec
	webhookDurations *prometheus.HistogramVec
	commits          prometheus.Histogram
	requests         *prometheus.CounterVec
	durations        *prometheus.HistogramVec
}

// New returns metrics that have counted nothing.
func New(c Config) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry(), log: c.Logger}
	m.addPublishMetrics()
	m.addHTTPMetrics()
	info := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "schedctl_build_info", Help: "Always 1; the labels tell what is running.",
	}, []string{"version", "goversion"})
	info.WithLabelValues(c.Version, runtime.Version()).Set(1)
	full := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "schedctl_store_full", Help: "1 while there is no space for the database and writes are refused, else 0.",
	}, func() float64 {
		if c.Store.Full() != nil {
			return 1
		}
		return 0
	})
	doubted := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "schedctl_clock_doubted", Help: "1 while the clock has leapt ahead, is not confirmed, and holds posts, else 0.",
	}, func() float64 {
		if c.ClockDoubted != nil && c.ClockDoubted() {
			return 1
		}
		return 0
	})
	m.registry.MustRegister(
		m.lateness, m.attempts, m.unattempted, m.deliveries, m.webhookDurations, m.commits, m.requests, m.durations,
		info, full, doubted, newCollector(c), collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return m
}

// addPublishMetrics makes what counts posts on their way out.
func (m *Metrics) addPublishMetrics() {
	m.lateness = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name:    "schedctl_publish_lateness_seconds",
		Help:    "From when a target was due, or a person last asked for it, to when its network had it.",
		Buckets: []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200, 21600, 86400},
	})
	m.attempts = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "schedctl_publish_attempts_total",
		Help: "Attempts to publish a target that have ended, by what is known of them; kind says why one did not publish.",
	}, []string{"platform", "outcome", "kind"})
	m.unattempted = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "schedctl_publish_unattempted_total",
		Help: "Targets that failed when their turn came and no network was called, such as those found too late.",
	}, []string{"platform", "kind"})
	m.deliveries = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "schedctl_webhook_attempts_total",
		Help: "Attempts to tell a webhook of an event, by what became of them.",
	}, []string{"outcome"})
	m.webhookDurations = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "schedctl_webhook_attempt_duration_seconds", Help: "How long the attempts to tell a webhook took.",
		Buckets: []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
	}, []string{"outcome"})
}

// Attempt is an attempt to publish that has ended.
type Attempt struct {
	Platform string // empty when the account is gone
	Outcome  schedctl.Outcome
	Kind     schedctl.ErrorKind // empty when it published
	Lateness time.Duration      // of one that published
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

// noneLabel stands in a label for what there is not: Prometheus takes an empty label
// for a missing one.
const noneLabel = "none"

func labelValue(value string) string {
	if value == "" {
		return noneLabel
	}
	return value
}

// Delivery is an attempt to tell a webhook of an event.
type Delivery struct {
	Outcome string // one of a few words of the dispatcher's
	Took    time.Duration
}

// Delivered counts an attempt to tell a webhook.
func (m *Metrics) Delivered(d Delivery) {
	m.deliveries.WithLabelValues(d.Outcome).Inc()
	m.webhookDurations.WithLabelValues(d.Outcome).Observe(d.Took.Seconds())
}

// Committed counts a commit of the store.
func (m *Metrics) Committed(c storage.Commit) { m.commits.Observe(c.Took.Seconds()) }

// Handler serves the metrics in the formats that Prometheus reads. What cannot be
// counted, because the store fails, is left out and logged.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorLog: errorLogger{m.log}, ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: maxScrapes,
	})
}

// maxScrapes is how many requests are answered at a time: nobody needs a key for
// them, and each costs more than one that is refused.
const maxScrapes = 4

// errorLogger is a daemon's log as promhttp wants it.
type errorLogger struct{ log *slog.Logger }

// Println logs an error.
func (l errorLogger) Println(v ...any) {
	l.log.Warn("metrics cannot be shown whole", "error", v[len(v)-1])
}
