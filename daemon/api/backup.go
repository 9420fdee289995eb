package api

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// maxBackups is how many backups may run at once. While one runs, the database cannot
// reuse space; a database that outgrows its mapping blocks all requests.
const maxBackups = 2

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
	out := newPacedWriter(w)
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
