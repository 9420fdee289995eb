package daemon

import (
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob"
)

// mediaLinks serves /media/<token>: the files of posts at signed URLs, which receivers of
// the http platform get. A URL works until it expires or the asset is deleted.
type mediaLinks struct {
	store  *storage.Readers
	files  *media.Service
	signer *media.Signer
	log    *slog.Logger
}

// mediaLinkPath is the start of the path of signed URLs.
const mediaLinkPath = "/media/"

// ServeHTTP implements [http.Handler].
func (h *mediaLinks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c, err := h.signer.Verify(strings.TrimPrefix(r.URL.Path, mediaLinkPath), media.ActionDownload, time.Now())
	if err != nil {
		http.Error(w, "this URL is not valid or has expired", http.StatusForbidden)
		return
	}
	var asset schedctl.MediaAsset
	err = h.store.View(r.Context(), func(r storage.Reader) (err error) {
		asset, err = r.MediaAsset(c.WorkspaceID, c.AssetID)
		return err
	})
	if err == nil && asset.Status != schedctl.MediaReady {
		err = schedctl.Errorf(schedctl.NotFound, "", "%s was deleted", asset.ID)
	}
	if err == nil {
		err = servePublished(w, r, h.files, asset, media.Attachment, "private, max-age=31536000, immutable")
	}
	switch {
	case err == nil, r.Context().Err() != nil: // the client has disconnected
	case schedctl.CodeOf(err) == schedctl.NotFound:
		http.NotFound(w, r)
	default:
		h.log.Error("media not served", "error", err)
		http.Error(w, "the file cannot be read now; try again later", http.StatusInternalServerError)
	}
}

// servePublished responds with the file of an asset, without metadata. If it returns an
// error, it has written nothing. Errors: [schedctl.NotFound] for an asset whose bytes are
// missing.
func servePublished(w http.ResponseWriter, r *http.Request, files *media.Service, a schedctl.MediaAsset, d media.Disposition, cacheControl string) error {
	file, err := files.OpenPublished(r.Context(), a)
	if errors.Is(err, blob.ErrNotFound) {
		return schedctl.Errorf(schedctl.NotFound, "", "%w", err)
	}
	if err != nil {
		return err
	}
	defer file.Close()
	file.Serve(w, r, d, cacheControl)
	return nil
}
