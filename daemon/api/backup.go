package api

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/archive"
	"github.com/schedctl/schedctl/storage/blob"
	"github.com/schedctl/schedctl/storage/inventory"
)

// maxBackups is how many backups may run at once. While one runs, the database cannot
// reuse space; a database that outgrows its mapping blocks all requests.
const maxBackups = 2

// mediaBytes is the media type of files whose format is opaque to clients.
const mediaBytes = "application/octet-stream"

// getBackup handles GET /backup with a copy of the whole database, and of the bytes of
// media unless the request excludes them.
func (s *Server) getBackup(ctx context.Context, c *request) (response, error) {
	if c.Limited() {
		return response{}, schedctl.Errorf(schedctl.AccountNotAllowed, "", "this API key is limited to certain accounts, and a backup holds all of them; use another key")
	}
	q := parseQuery(c.query, []string{"media"}, nil)
	withMedia := s.media != nil
	if q.has("media") {
		withMedia = oneOf(q, "media", q.text("media"), []string{"true", "false"}) == "true" && withMedia
	}
	if q.err != nil {
		return response{}, q.err
	}
	if err := s.mayCopyAll(ctx, c); err != nil {
		return response{}, err
	}
	copier, ok := s.store.(storage.Copier)
	if !ok {
		return response{}, lasting("the posts of this daemon are in PostgreSQL; back them up with pg_dump, which includes media files stored there, and keep a copy of secret.key apart from it")
	}
	return response{stream: func(w http.ResponseWriter, r *http.Request) {
		select {
		case s.backups <- struct{}{}:
			defer func() { <-s.backups }()
			b := &backupRun{s: s, w: w, copier: copier, withMedia: withMedia}
			b.send(r, c.Key)
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
	return s.view(ctx, func(r storage.Reader) error {
		all, err := r.Workspaces()
		if err != nil {
			return err
		}
		if len(all) > 1 && !c.Key.Allows(schedctl.ScopeWorkspacesWrite) {
			return insufficientScope("this daemon holds %d workspaces and a backup has all of them; use a key with the scope %s as well", len(all), schedctl.ScopeWorkspacesWrite)
		}
		return nil
	})
}

// backupRun streams one backup.
type backupRun struct {
	s         *Server
	w         http.ResponseWriter
	copier    storage.Copier
	withMedia bool

	out     *pacedWriter
	archive *archive.Writer // nil for a plain database file
	items   []inventory.Item
}

// send streams the copy while it is made. A failure cuts the connection, so that a client
// never mistakes an incomplete copy for a complete one. The connection is also cut when
// the key is revoked or expires.
func (b *backupRun) send(r *http.Request, key schedctl.APIKey) {
	h := b.w.Header()
	h["Cache-Control"] = noStore
	h["X-Content-Type-Options"] = noSniff
	h.Set("Content-Type", mediaBytes)
	b.name("db")
	if r.Method == http.MethodHead {
		b.w.WriteHeader(http.StatusOK)
		return
	}
	b.out = newPacedWriter(b.w)
	defer b.out.done()
	defer b.s.watchKey(r.Context(), key, b.out.stop)()
	if b.withMedia {
		defer b.s.media.Retention().Hold()() // before the database is copied
	}
	n, err := b.copy(r.Context())
	if err == nil && b.archive != nil {
		err = b.copyBlobs(r.Context())
	}
	if err == nil {
		return
	}
	b.s.log.LogAttrs(r.Context(), slog.LevelWarn, "backup not finished",
		slog.String("request", h.Get(requestIDHeader)), slog.Int64("bytes", n), slog.Any("error", err))
	if !b.out.started {
		h.Del("Content-Disposition")
		b.s.fail(b.w, r, storeError(err, "the daemon could not read its database; see its log"))
		return
	}
	panic(http.ErrAbortHandler)
}

// name sets the name under which browsers save the backup.
func (b *backupRun) name(extension string) {
	b.w.Header().Set("Content-Disposition", `attachment; filename="schedctl-`+time.Now().UTC().Format("20060102T150405Z")+"."+extension+`"`)
}

// copy sends the database. It starts an archive if the database needs blobs.
func (b *backupRun) copy(ctx context.Context) (int64, error) {
	snapshots, ok := b.copier.(storage.SnapshotCopier)
	if !ok || !b.withMedia {
		return b.copier.Copy(ctx, b.out)
	}
	return snapshots.CopySnapshot(ctx, func(r storage.Reader, size int64) (io.Writer, error) {
		var err error
		if b.items, err = inventory.Of(r); err != nil || len(b.items) == 0 {
			return b.out, err
		}
		b.name("tar")
		b.archive = archive.NewWriter(b.out, time.Now())
		return b.archive.Database(size)
	})
}

// copyBlobs sends the blobs and the end mark.
func (b *backupRun) copyBlobs(ctx context.Context) error {
	for _, item := range b.items {
		if !item.Required && !b.exists(ctx, item.Key) {
			continue
		}
		result, err := b.archive.Blob(ctx, b.s.media.Blobs(), item.Key)
		if err != nil {
			return err
		}
		if result != archive.Complete {
			b.s.log.LogAttrs(ctx, slog.LevelWarn, "a media file is not in the backup", slog.String("sha256", item.Key.String()), slog.String("bytes", string(result)))
		}
	}
	_, err := b.archive.Close()
	return err
}

// exists reports whether the blob of an unconfirmed upload exists.
func (b *backupRun) exists(ctx context.Context, key blob.Key) bool {
	_, err := b.s.media.Blobs().Stat(ctx, key)
	return !errors.Is(err, blob.ErrNotFound)
}
