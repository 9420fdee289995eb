package api

import (
	"net/http"
	"time"
)

// Exchange is a request that was answered, as [Config.Observe] is told of it.
type Exchange struct {
	Pattern string // of the route that answered; "/" or empty when there is none
	Method  string
	Status  int // 0 when the connection was cut instead
	Took    time.Duration
}

// observed tells of an exchange. It is to be deferred: it runs when the
// connection is cut, too.
func (s *Server) observed(r *http.Request, w *statusRecorder, start time.Time) {
	s.observe(Exchange{Pattern: r.Pattern, Method: r.Method, Status: w.status, Took: time.Since(start)})
}
