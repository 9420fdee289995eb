package api

import (
	"net/http"
	"time"
)

// Exchange is a finished request, for [Config.Observe].
type Exchange struct {
	Pattern string // pattern of the route; "/" or empty without one
	Method  string
	Status  int // 0 when the connection was cut without a response
	Took    time.Duration
}

// observed reports an exchange. Defer it, so that it also runs when the connection
// is cut.
func (s *Server) observed(r *http.Request, w *statusRecorder, start time.Time) {
	s.observe(Exchange{Pattern: r.Pattern, Method: r.Method, Status: w.status, Took: time.Since(start)})
}
