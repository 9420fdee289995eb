package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// A backup stream is cut when the client reads nothing for [backupStall], or less
// than [backupRate] bytes a second on average. While a backup runs, the database
// cannot reuse space, and a database that outgrows its mapping blocks all requests.
const (
	backupStall = 30 * time.Second
	backupRate  = 64 << 10
	maxBackups  = 2 // at once
)

// mediaBytes is the media type of files whose format is opaque to clients.
const mediaBytes = "application/octet-stream"

// getBackup handles GET /backup with a copy of the whole database.
func (s *Server) getBackup(ctx context.Context, c *request) (response, error) {
	if c.limited() {
		return response{}, schedctl.Errorf(schedctl.AccountNotAllowed, "", "this API key is limited to certain accounts, and a backup holds all of them; use another key")
	}
	if err := s.mayCopyAll(ctx, c); err != nil {
		return response{}, err
	}
	copier, ok := s.store.(storage.Copier)
	if !ok {
		return response{}, schedctl.Errorf(schedctl.Unavailable, "", "the posts of this daemon are in PostgreSQL; back them up with pg_dump, and keep a copy of secret.key apart from it")
	}
	return response{stream: func(w http.ResponseWriter, r *http.Request) {
		select {
		case s.backups <- struct{}{}:
			defer func() { <-s.backups }()
			s.sendBackup(w, r, c.key, copier)
		default:
			s.fail(w, r, errManyBackups)
		}
	}}, nil
}

var errManyBackups = schedctl.Errorf(schedctl.RateLimited, "",
	"%d backups of this daemon are running; repeat the request when one of them has ended", maxBackups)

// mayCopyAll returns nil when the key may read everything in a backup. Sealed
// values stay sealed in the copy.
func (s *Server) mayCopyAll(ctx context.Context, c *request) error {
	if q := parseQuery(c.query, nil, nil); q.err != nil {
		return q.err
	}
	return s.view(ctx, func(r storage.Reader) error {
		all, err := r.Workspaces()
		if err != nil {
			return err
		}
		if len(all) > 1 && !c.key.Allows(schedctl.ScopeWorkspacesWrite) {
			return insufficientScope("this daemon holds %d workspaces and a backup has all of them; use a key with the scope %s as well", len(all), schedctl.ScopeWorkspacesWrite)
		}
		return nil
	})
}

// sendBackup streams the copy while it is made. A failure cuts the connection, so
// that a client never mistakes an incomplete copy for a complete one. The
// connection is also cut when the key is revoked or expires.
func (s *Server) sendBackup(w http.ResponseWriter, r *http.Request, key schedctl.APIKey, copier storage.Copier) {
	h := w.Header()
	h["Cache-Control"] = noStore
	h["X-Content-Type-Options"] = noSniff
	h.Set("Content-Type", mediaBytes)
	h.Set("Content-Disposition", `attachment; filename="schedctl-`+time.Now().UTC().Format("20060102T150405Z")+`.db"`)
	if r.Method == http.MethodHead {
		w.WriteHeader(http.StatusOK)
		return
	}
	out := &backupWriter{to: w, control: http.NewResponseController(w), start: time.Now()}
	defer out.done()
	defer s.watchKey(r.Context(), key, out.stop)()
	n, err := copier.Copy(r.Context(), out)
	if err == nil {
		return
	}
	s.log.LogAttrs(r.Context(), slog.LevelWarn, "backup not finished",
		slog.String("request", h.Get(requestIDHeader)), slog.Int64("bytes", n), slog.Any("error", err))
	if !out.begun {
		h.Del("Content-Disposition")
		s.fail(w, r, storeError(err, "the daemon could not read its database; see its log"))
		return
	}
	panic(http.ErrAbortHandler)
}

// backupWriter writes to a client that must read at least [backupRate] bytes a
// second, with a tolerance of [backupStall].
type backupWriter struct {
	to      http.ResponseWriter
	control *http.ResponseController
	start   time.Time
	taken   int64
	begun   bool

	mu      sync.Mutex // mu guards the fields below
	stopped error      // why the copy was stopped, or nil
}

// backupChunk is the number of bytes with a common write deadline. net/http writes
// to a connection in chunks of this size, so any progress extends the deadline.
const backupChunk = 4 << 10

// Write writes in chunks, each with its own deadline.
func (s *backupWriter) Write(b []byte) (n int, err error) {
	s.begun = s.begun || len(b) > 0
	for len(b) > 0 {
		if err := s.allowUntil(s.nextDeadline(time.Now())); err != nil {
			return n, err
		}
		part := b[:min(len(b), backupChunk)]
		m, err := s.to.Write(part)
		n, s.taken = n+m, s.taken+int64(m)
		if err != nil {
			return n, fmt.Errorf("send backup: %w", cmp.Or(s.stopReason(), err))
		}
		b = b[len(part):]
	}
	return n, nil
}

// nextDeadline returns the time by which the client must have read the next chunk.
func (s *backupWriter) nextDeadline(now time.Time) time.Time {
	steadily := s.start.Add(time.Duration(s.taken) * time.Second / backupRate)
	if steadily.After(now) {
		steadily = now
	}
	return steadily.Add(backupStall)
}

// allowUntil sets the write deadline of the next chunk, unless the copy was
// stopped.
func (s *backupWriter) allowUntil(until time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped != nil {
		return s.stopped
	}
	return s.deadline(until)
}

// stop ends the copy and a write in progress. Any goroutine may call it.
func (s *backupWriter) stop(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = why
	s.deadline(time.Now())
}

// stopReason returns why the copy was stopped, or nil.
func (s *backupWriter) stopReason() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopped
}

// done clears the deadline, so that the connection can serve other requests.
func (s *backupWriter) done() { s.deadline(time.Time{}) }

// deadline sets the write deadline. It ignores connections without deadlines.
func (s *backupWriter) deadline(at time.Time) error {
	if err := s.control.SetWriteDeadline(at); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return fmt.Errorf("set deadline: %w", err)
	}
	return nil
}
