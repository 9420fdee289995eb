package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/media/mediafile"
	"github.com/schedctl/schedctl/storage/blob"
)

// Published is the file of an asset as anyone may see it: without metadata such as the
// place where a picture was taken.
type Published struct {
	asset schedctl.MediaAsset
	blob  blob.Reader
	view  *mediafile.View
}

// OpenPublished opens the file of a ready asset. The caller must close it. The first
// caller walks through the file; the views of files that were opened before are kept as
// long as memory allows. ctx limits the whole life of the file.
//
// The error wraps [blob.ErrNotFound] if the bytes are missing. It has the code
// MEDIA_INVALID if the file was stored before the number of its parts was limited, and has
// too many.
func (s *Service) OpenPublished(ctx context.Context, a schedctl.MediaAsset) (*Published, error) {
	r, err := s.blobs.Open(ctx, a.SHA256)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", a.ID, err)
	}
	size := r.Info().Size
	view, err := s.views.get(ctx, a.WorkspaceID, viewKey{a.SHA256, a.MIMEType, size}, func() (*mediafile.View, error) {
		return mediafile.NewView(ctx, readerAt(r), size, a.MIMEType)
	})
	if err != nil {
		r.Close()
		if errors.Is(err, mediafile.ErrTooManyParts) {
			return nil, schedctl.Errorf(schedctl.MediaInvalid, "", "%w", err)
		}
		return nil, fmt.Errorf("open %s: %w", a.ID, err)
	}
	return &Published{asset: a, blob: r, view: view}, nil
}

// Close releases the file.
func (p *Published) Close() error { return p.blob.Close() }

// Serve responds with the file or the ranges that r asks for. A client that takes too
// few bytes is disconnected.
func (p *Published) Serve(w http.ResponseWriter, r *http.Request, d Disposition, cacheControl string) {
	ServeContent(w, r, &p.asset, d, cacheControl, p.view.Reader(r.Context(), readerAt(p.blob)))
}

// ServeContent responds with content, which a describes, as [Published.Serve] does.
func ServeContent(w http.ResponseWriter, r *http.Request, a *schedctl.MediaAsset, d Disposition, cacheControl string, content io.ReadSeeker) {
	ContentHeader(w.Header(), a, d)
	w.Header().Set("Cache-Control", cacheControl)
	paced := &pacedWriter{ResponseWriter: w, control: http.NewResponseController(w)}
	http.ServeContent(paced, r, "", time.Time{}, content)
}

// readerAt returns a reader at any offset of a blob, for one goroutine at a time.
func readerAt(r blob.Reader) io.ReaderAt {
	if at, ok := r.(io.ReaderAt); ok {
		return at
	}
	return seekerAt{r}
}

// seekerAt reads at any offset of a reader. It must be used by one goroutine at a time.
type seekerAt struct{ r io.ReadSeeker }

// ReadAt implements [io.ReaderAt].
func (s seekerAt) ReadAt(b []byte, offset int64) (int, error) {
	if _, err := s.r.Seek(offset, io.SeekStart); err != nil {
		return 0, err
	}
	n, err := io.ReadFull(s.r, b)
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	return n, err
}

const (
	// paceChunk bytes must be taken within paceTime: two kilobytes per second.
	paceChunk = 64 << 10
	paceTime  = 30 * time.Second
)

// pacedWriter gives each part of a body a deadline of its own, because a large file may
// take longer than other responses.
type pacedWriter struct {
	http.ResponseWriter
	control *http.ResponseController
}

// Write implements [io.Writer].
func (w *pacedWriter) Write(b []byte) (n int, err error) {
	for len(b) > 0 && err == nil {
		part := b[:min(len(b), paceChunk)]
		_ = w.control.SetWriteDeadline(time.Now().Add(paceTime)) // not supported in tests
		var m int
		m, err = w.ResponseWriter.Write(part)
		n, b = n+m, b[len(part):]
	}
	return n, err
}
