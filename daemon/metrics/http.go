package metrics

import (
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// addHTTPMetrics creates the metrics of requests and commits.
func (m *Metrics) addHTTPMetrics() {
	m.commits = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name:    "schedctl_store_commit_seconds",
		Help:    "How long it took to write a group of transactions to disk.",
		Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5},
	})
	m.requests = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "schedctl_http_requests_total",
		Help: `HTTP requests by the pattern of their route ("unknown" for none), method and class of status.`,
	}, []string{"route", "method", "status"})
	m.durations = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "schedctl_http_request_duration_seconds",
		Help:    "How long HTTP requests took, event streams to their end.",
		Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 60},
	}, []string{"route", "method"})
}

// Request is a completed HTTP request.
type Request struct {
	Pattern string // of the route, in the syntax of net/http; empty or "/" for an unknown route
	Method  string
	Status  int // 0 when the connection was closed without a response
	Took    time.Duration
}

// Requested counts a request.
func (m *Metrics) Requested(r Request) {
	route, method := routeLabel(r.Pattern), methodLabel(r.Method)
	m.requests.WithLabelValues(route, method, statusClass(r.Status)).Inc()
	m.durations.WithLabelValues(route, method).Observe(r.Took.Seconds())
}

// routeLabel returns the path of a pattern. Unlike request paths, patterns are bounded
// in number.
func routeLabel(pattern string) string {
	if _, path, ok := strings.Cut(pattern, " "); ok {
		pattern = path
	}
	if pattern == "" || pattern == "/" {
		return "unknown"
	}
	return pattern
}

func methodLabel(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPatch, http.MethodDelete, http.MethodPut, http.MethodOptions:
		return method
	}
	return "other"
}

func statusClass(status int) string {
	switch status / 100 {
	case 1:
		return "1xx"
	case 2:
		return "2xx"
	case 3:
		return "3xx"
	case 4:
		return "4xx"
	case 5:
		return "5xx"
	}
	return "cut"
}
