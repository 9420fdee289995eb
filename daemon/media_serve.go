package daemon

import (
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/media/variant"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob"
)

// mediaLinks serves /media/<token>: the files of posts at signed URLs, which receivers of
// the http platform get, and networks that fetch files. A URL works until it expires or the
// asset is deleted.
type mediaLinks struct {
	store  *storage.Readers
	files  *media.Service
	source *mediaSource // keeps files within the limits of platforms
	log    *slog.Logger
}

// verify returns the capability of a token.
func (h *mediaLinks) verify(token string) (media.Capability, error) {
	c, err := h.source.signer.Verify(token, media.ActionDownload, time.Now())
	if err != nil {
		c, err = h.source.signer.Verify(token, media.ActionVariant, time.Now())
	}
	return c, err
}

// mediaLinkPath is the start of the path of signed URLs.
const mediaLinkPath = "/media/"

// ServeHTTP implements [http.Handler].
func (h *mediaLinks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c, err := h.verify(strings.TrimPrefix(r.URL.Path, mediaLinkPath))
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
	const cacheControl = "private, max-age=31536000, immutable"
	switch {
	case err != nil:
	case c.Action == media.ActionVariant:
		err = h.serveVariant(w, r, asset, c, cacheControl)
	default:
		err = servePublished(w, r, h.files, asset, media.Attachment, cacheControl)
	}
	switch {
	case err == nil, r.Context().Err() != nil: // the client has disconnected
	case schedctl.CodeOf(err) == schedctl.NotFound:
		http.NotFound(w, r)
	case schedctl.CodeOf(err) == schedctl.MediaInvalid:
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
	default:
		h.log.Error("media not served", "error", err)
		http.Error(w, "the file cannot be read now; try again later", http.StatusInternalServerError)
	}
}

// serveVariant responds with the file of an asset as a platform takes it. If it returns an
// error, it has written nothing. Errors: [schedctl.NotFound] for an asset whose bytes are
// missing or cannot be made to fit.
func (h *mediaLinks) serveVariant(w http.ResponseWriter, r *http.Request, a schedctl.MediaAsset, c media.Capability, cacheControl string) error {
	limits, err := h.source.limitsOf(c.Platform, a)
	var v media.KeptVariant
	if err == nil {
		v, err = h.source.variant(r.Context(), variant.Served, a, limits, c.Expires)
	}
	if e, ok := errors.AsType[*publish.Error](err); ok {
		return schedctl.Errorf(schedctl.NotFound, "", "%w", e)
	}
	if err != nil {
		return err
	}
	a.FileName = publish.PublicName(publish.File{Media: publish.Media{FileName: a.FileName, MIMEType: v.MIMEType}})
	a.MIMEType, a.SHA256, a.Size = v.MIMEType, v.Key, v.Size
	file, err := h.source.blobs.Open(r.Context(), v.Key)
	if err != nil {
		return err
	}
	defer file.Close()
	media.ServeContent(w, r, &a, media.Attachment, cacheControl, file)
	return nil
}

// servePublished responds with the file of an asset, without metadata. If it returns an
// error, it has written nothing. Errors: [schedctl.NotFound] for an asset whose bytes are
// missing, [schedctl.MediaInvalid] for one with too many parts.
func servePublished(w http.ResponseWriter, r *http.Request, files *media.Service, a schedctl.MediaAsset, d media.Disposition, cacheControl string) error {
	if strings.Contains(r.Header.Get("If-None-Match"), blob.Key(a.SHA256).String()) {
		media.ServeContent(w, r, &a, d, cacheControl, strings.NewReader("")) // 304, without opening the file
		return nil
	}
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
