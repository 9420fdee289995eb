package api

import (
	"log/slog"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
)

const requestIDHeader = "X-Request-Id"

// requestID returns the client's request id if it has 1–128 visible ASCII
// characters, else a new one.
func requestID(r *http.Request, now time.Time) string {
	if id := r.Header.Get(requestIDHeader); visibleASCII(id, 128) {
		return id
	}
	return schedctl.NewID(schedctl.RequestPrefix, now)
}

// visibleASCII reports whether s is 1 to limit characters from "!" to "~".
func visibleASCII(s string, limit int) bool {
	if s == "" || len(s) > limit {
		return false
	}
	for i := range len(s) {
		if s[i] < '!' || s[i] > '~' {
			return false
		}
	}
	return true
}

// cleanPath reports whether a path is in canonical form. A trailing slash is
// allowed.
func cleanPath(p string) bool {
	trimmed := strings.TrimSuffix(p, "/")
	return p == "/" || (strings.HasPrefix(trimmed, "/") && trimmed != "/" && path.Clean(trimmed) == trimmed)
}

// statusRecorder records the status of a response.
type statusRecorder struct {
	http.ResponseWriter
	path   string // of the public URL, below which Location has to be
	status int    // 0 before the headers are sent
}

// WriteHeader records the status and sends it.
func (w *statusRecorder) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.status = status
		if location := w.Header().Get("Location"); w.path != "" && strings.HasPrefix(location, prefix+"/") {
			w.Header().Set("Location", w.path+location)
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter]. A first call without WriteHeader means
// status 200.
func (w *statusRecorder) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *statusRecorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// logRequest logs one request. It logs the pattern instead of the path, and no
// headers or bodies.
func (s *Server) logRequest(r *http.Request, w *statusRecorder, start time.Time) {
	if !s.log.Enabled(r.Context(), slog.LevelDebug) {
		return
	}
	s.log.LogAttrs(r.Context(), slog.LevelDebug, "request",
		slog.String("method", r.Method), slog.String("route", r.Pattern), slog.Int("status", w.status),
		slog.Duration("duration", time.Since(start)), slog.String("request", w.Header().Get(requestIDHeader)))
}

// methods are those that any route has, in the order Allow names them.
var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// notFound handles requests that match no route: 405 when the path has routes for
// other methods, otherwise 404.
func (s *Server) notFound(w http.ResponseWriter, r *http.Request) {
	err := schedctl.Errorf(schedctl.NotFound, "", "no route has this path; /openapi.json lists all paths")
	if allowed := s.allowed(r); allowed != nil {
		list := strings.Join(allowed, ", ")
		w.Header().Set("Allow", list)
		err = schedctl.Errorf(schedctl.MethodNotAllowed, "", "this path does not allow that method; it allows %s", list)
	}
	if strings.HasPrefix(r.URL.Path, sharePath) { // people see it in a browser
		pageHeader(w.Header())
		s.refusePage(w, r, err)
		return
	}
	s.fail(w, r, err)
}

// allowed returns the methods that the request's path has routes for.
func (s *Server) allowed(r *http.Request) []string {
	if !cleanPath(r.URL.Path) {
		return nil
	}
	var allowed []string
	for _, method := range methods {
		probe := &http.Request{Method: method, URL: r.URL, Host: r.Host}
		if _, pattern := s.mux.Handler(probe); pattern != "/" {
			allowed = append(allowed, method)
		}
	}
	return allowed
}
