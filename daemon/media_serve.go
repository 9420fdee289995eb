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
	store      *storage.Readers
	files      *media.Service
	source     *mediaSource // fits files to the limits of publishers
	publishers publish.Registry
	log        *slog.Logger
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
		err = h.serveVariant(w, r, asset, c.Platform, cacheControl)
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
func (h *mediaLinks) serveVariant(w http.ResponseWriter, r *http.Request, a schedctl.MediaAsset, platform, cacheControl string) error {
	var limits publish.ClassRules
	p, takes := h.publishers[platform].(publish.MediaPublisher)
	if takes {
		limits, takes = p.MediaRules(schedctl.Account{Platform: platform}).Classes[schedctl.MediaClassOf(a.MIMEType)]
	}
	if !takes {
		return schedctl.Errorf(schedctl.NotFound, "", "the platform %s takes no files of type %s", platform, a.MIMEType)
	}
	file, facts, err := h.source.fit(r.Context(), variant.Served, a, limits)
	if e, ok := errors.AsType[*publish.Error](err); ok {
		return schedctl.Errorf(schedctl.NotFound, "", "%w", e)
	}
	if err != nil {
		return err
	}
	defer file.Close()
	fitted := publish.File{Media: publish.Media{FileName: a.FileName, MIMEType: facts.MIMEType}}
	a.FileName, a.MIMEType, a.SHA256, a.Size = publish.PublicName(fitted), facts.MIMEType, file.Key(), file.Size()
	media.ServeContent(w, r, &a, media.Attachment, cacheControl, file.Reader())
	return nil
}

// servePublished responds with the file of an asset, without metadata. If it returns an
// error, it has written nothing. Errors: [schedctl.NotFound] for an asset whose bytes are
// missing, [schedctl.MediaInvalid] for one with too many parts.
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
