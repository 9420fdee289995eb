package metrics

import (
	"net/http"
	"strings"
	"time"
)

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
	m.requests.with(method, route, statusClass(r.Status)).Inc()
	m.durations.with(method, route).Update(r.Took.Seconds())
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
