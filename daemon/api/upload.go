package api

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/media/mediafile"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/storage"
)

func extension(f *media.File) string { return mediafile.Extension(f.Facts.MIMEType) }

// receiveFile reads the body of POST /media: a multipart form, or the file itself. The
// fingerprint is that of the file and the fields: the boundary of a form is a new one at
// each try.
func (s *Server) receiveFile(w http.ResponseWriter, r *http.Request, c *request) error {
	q := parseQuery(c.query, []string{"file_name", "alt_text"}, nil)
	name := q.text("file_name")
	c.altText = q.checked("alt_text", schedctl.CheckAltText)
	if q.err != nil {
		return q.err
	}
	mediaType, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err == nil && mediaType == "multipart/form-data" {
		if params["boundary"] == "" {
			return schedctl.Errorf(schedctl.ValidationFailed, "Content-Type", "the header Content-Type has no boundary; let your HTTP library set it")
		}
		if len(params["boundary"]) > maxBoundary {
			return schedctl.Errorf(schedctl.ValidationFailed, "Content-Type", "the boundary in the header Content-Type has more than %d characters; use a shorter one", maxBoundary)
		}
		if err = s.admitFile(r, c, c.origin(), maxUploadFields, 0); err == nil {
			err = s.receiveForm(w, r, c, params["boundary"])
		}
	} else if err = s.admitFile(r, c, c.origin(), 0, 0); err == nil {
		limits := s.media.Limits()
		err = s.receiveRaw(w, r, c, limits.Largest()+1)
	}
	if err != nil {
		return err
	}
	if name != "" {
		c.file.Name = schedctl.CleanFileName(name)
	}
	c.file.Name = defaultName(c.file)
	c.fingerprintRequest(sha256.Sum256(fmt.Appendf(nil, "%x %q %q", c.file.Key, c.file.Name, c.altText)))
	return nil
}

// createMedia handles POST /media.
func (s *Server) createMedia(ctx context.Context, c *request) (response, error) {
	return s.storeFile(ctx, c, c.file, c.altText)
}

// storeFile stores a file and its asset. If the file is known, the response is the existing
// asset; see [usecase.Request.KnownFile].
func (s *Server) storeFile(ctx context.Context, c *request, f *media.File, altText string) (a response, err error) {
	a, err = s.putFile(ctx, c, f, altText)
	if err == nil && a.status == http.StatusCreated && !a.replayed {
		c.incoming.Landed(f.Size)
	}
	return a, err
}

func (s *Server) putFile(ctx context.Context, c *request, f *media.File, altText string) (response, error) {
	err := s.view(ctx, func(r storage.Reader) error {
		_, found, err := c.KnownFile(r, f.Key, altText)
		if err != nil || found {
			return err
		}
		return c.CheckQuota(r, s.media, f.Size)
	})
	if err != nil {
		return response{}, err
	}
	if err := s.media.Store(ctx, f); err != nil {
		return response{}, storeError(err, "the daemon could not store the file; see its log")
	}
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		asset, known, err := c.PutFile(tx, s.media, f, altText)
		if err != nil {
			return response{}, err
		}
		if known {
			return uploadedResponse(tx, http.StatusOK, asset)
		}
		return uploadedResponse(tx, http.StatusCreated, asset)
	})
}

// createUpload handles POST /media/uploads.
func (s *Server) createUpload(ctx context.Context, c *request, b apiv1.CreateUpload) (response, error) {
	if s.media == nil {
		return response{}, errNoMedia
	}
	mimeType := media.OctetStream
	if parsed, _, err := mime.ParseMediaType(b.MIMEType); err == nil {
		mimeType = parsed
	} else if b.MIMEType != "" {
		mimeType = b.MIMEType
	}
	if err := s.media.CheckAnnounced(mimeType, b.SizeBytes); err != nil {
		return response{}, err
	}
	limits := s.media.Limits()
	base := s.baseURL(c)
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		if err := c.CheckQuota(tx, s.media, b.SizeBytes); err != nil {
			return response{}, err
		}
		now := schedctl.Millis(c.Now)
		asset := schedctl.MediaAsset{
			ID: schedctl.NewID(schedctl.MediaPrefix, now), WorkspaceID: c.Key.WorkspaceID,
			FileName: schedctl.CleanFileName(b.FileName), MIMEType: mimeType, Size: b.SizeBytes, Status: schedctl.MediaPending, UploadedBy: c.Key.ID,
			CreatedAt: now, UpdatedAt: now, ExpiresAt: now.Add(max(media.PendingLife, limits.UploadURL)),
		}
		if err := tx.PutMediaAsset(asset); err != nil {
			return response{}, err
		}
		token := s.signer.Sign(media.Capability{
			Action: media.ActionUpload, WorkspaceID: asset.WorkspaceID, AssetID: asset.ID, KeyID: c.Key.ID, Expires: now.Add(limits.UploadURL),
		})
		a, err := sealedResponse(http.StatusCreated, apiv1.UploadEnvelope{
			MediaAsset: apiv1.NewMediaAsset(asset),
			Upload: apiv1.Upload{
				URL: base + prefix + "/media/" + asset.ID + "/upload?token=" + token, Method: http.MethodPut,
				Headers: map[string]string{"Content-Type": mimeType}, ExpiresIn: int(limits.UploadURL / time.Second),
			},
		})
		a.created, a.location = asset.ID, prefix+"/media/"+asset.ID
		return a, err
	})
}

// admitUpload checks the token of an upload URL, and the API key that asked for it.
func (s *Server) admitUpload(rt *route, w http.ResponseWriter, r *http.Request, c *request) error {
	now := time.Now()
	err := rt.grant(r, c, now)
	if err != nil {
		return s.limits.refuse(w, r, now, err)
	}
	return s.limits.spend(w, c.Key.ID, now)
}

// grantingKey returns the API key that asked for a URL, and whether it is still valid.
func grantingKey(r storage.Reader, grant *media.Capability, now time.Time) (key schedctl.APIKey, valid bool, err error) {
	keys, err := r.Keys(grant.WorkspaceID)
	i := slices.IndexFunc(keys, func(k schedctl.APIKey) bool { return k.ID == grant.KeyID })
	if err != nil || i < 0 || keys[i].Check(now) != nil {
		return key, false, err
	}
	return keys[i], true, nil
}

func (s *Server) checkGrant(r *http.Request, c *request, now time.Time) (err error) {
	if s.signer == nil {
		return errNoMedia
	}
	q := parseQuery(c.query, []string{"token"}, nil)
	token := q.text("token")
	if q.err != nil {
		return q.err
	}
	if c.grant, err = s.signer.Verify(token, media.ActionUpload, now); err != nil {
		return err
	}
	if c.grant.AssetID != c.ID {
		return errOtherUpload
	}
	return s.view(r.Context(), func(r storage.Reader) (err error) {
		var valid bool
		if c.Key, valid, err = grantingKey(r, &c.grant, now); err == nil && !valid {
			err = schedctl.Errorf(schedctl.UploadURLInvalid, "", "the API key that asked for this URL was revoked or has expired; ask for a new URL with another key")
		}
		return err
	})
}

var errOtherUpload = schedctl.Errorf(schedctl.UploadURLInvalid, "", "this URL is not that of an announced upload; use it exactly as the daemon returned it")

// receiveUpload reads the body of an announced upload. What can be refused without the
// body is refused first.
func (s *Server) receiveUpload(w http.ResponseWriter, r *http.Request, c *request) error {
	var a schedctl.MediaAsset
	err := s.view(r.Context(), func(reader storage.Reader) (err error) {
		a, err = c.announced(reader)
		if err != nil {
			return err
		}
		switch other := r.ContentLength >= 0 && r.ContentLength != a.Size; {
		case other && a.SHA256 != [32]byte{}:
			return errOtherBytes
		case other:
			return wrongSize(&a, r.ContentLength)
		}
		return nil
	})
	if err != nil {
		return err
	}
	origin := media.Origin{WorkspaceID: c.Key.WorkspaceID, AssetID: a.ID}
	most := a.Size + 1 // one more shows that the file is too long
	if err := s.admitFile(r, c, origin, 0, most); err != nil {
		return err
	}
	err = s.receiveRaw(w, r, c, most)
	switch {
	case !errors.Is(err, errUploadLimit):
		return err
	case a.SHA256 != [32]byte{}:
		return errOtherBytes
	}
	return schedctl.Errorf(schedctl.MediaInvalid, "", "the file has more than the %d bytes that were announced; send the announced file, or announce this one", a.Size)
}

var errOtherBytes = schedctl.Errorf(schedctl.MediaUploaded, "", "another file was uploaded to this URL; announce this one with POST %s/media/uploads", prefix)

func wrongSize(a *schedctl.MediaAsset, size int64) error {
	return schedctl.Errorf(schedctl.MediaInvalid, "", "the file has %d bytes, and %d were announced; send the announced file, or announce this one", size, a.Size)
}

// announced returns the asset of an upload URL.
func (c *request) announced(r storage.Reader) (schedctl.MediaAsset, error) {
	a, err := c.Asset(r, c.ID)
	switch {
	case schedctl.CodeOf(err) == schedctl.NotFound:
		return a, schedctl.Errorf(schedctl.UploadURLInvalid, "", "the media asset of this URL was deleted; announce the upload again")
	case err == nil && a.Status == schedctl.MediaFailed:
		return a, schedctl.Errorf(schedctl.MediaNotReady, "", "this upload was reported as failed; announce it again")
	}
	return a, err
}

// putUpload handles PUT of an upload URL. The same bytes can be sent again; others
// cannot, because a post may already show the first ones.
func (s *Server) putUpload(ctx context.Context, c *request) (response, error) {
	if err := s.media.Store(ctx, c.file); err != nil {
		return response{}, storeError(err, "the daemon could not store the file; see its log")
	}
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		a, err := c.announced(tx)
		switch {
		case err != nil:
			return response{}, err
		case a.SHA256 == c.file.Key:
			return response{status: http.StatusNoContent, repeated: true}, nil
		case a.SHA256 != [32]byte{}:
			return response{}, errOtherBytes
		case a.Size != c.file.Size:
			return response{}, wrongSize(&a, c.file.Size)
		}
		c.file.SetFacts(&a)
		a.UpdatedAt = schedctl.Millis(c.Now)
		return noContent, tx.PutMediaAsset(a)
	})
}

// confirmUpload handles POST /media/{id}/confirm-upload.
func (s *Server) confirmUpload(ctx context.Context, c *request) (response, error) {
	return s.changeAsset(ctx, c, func(_ storage.Tx, a *schedctl.MediaAsset) error {
		switch {
		case a.Status == schedctl.MediaReady:
			return nil
		case a.Status == schedctl.MediaFailed:
			return schedctl.Errorf(schedctl.MediaNotReady, "", "this upload was reported as failed; announce it again")
		case a.SHA256 == [32]byte{}:
			return schedctl.Errorf(schedctl.MediaNotReady, "", "the file was not uploaded yet; send it to the upload URL, then confirm it")
		}
		a.Status, a.ExpiresAt = schedctl.MediaReady, usecase.Expiry(a, c.Now, media.UnusedLife)
		return nil
	})
}

// failUpload handles POST /media/{id}/upload-failure.
func (s *Server) failUpload(ctx context.Context, c *request) (response, error) {
	return s.changeAsset(ctx, c, func(_ storage.Tx, a *schedctl.MediaAsset) error {
		if a.Status == schedctl.MediaPending {
			a.Status, a.Reason = schedctl.MediaFailed, "the client reported that the upload failed"
		}
		return nil
	})
}

// fetchMedia handles POST /media/from-url.
func (s *Server) fetchMedia(ctx context.Context, c *request, b apiv1.MediaFromURL) (response, error) {
	if s.media == nil {
		return response{}, errNoMedia
	}
	text := ""
	if b.AltText != nil {
		text = *b.AltText
	}
	if err := s.countFile(ctx, c, c.origin(), media.Free{}, 0); err != nil {
		return response{}, err
	}
	f, err := s.media.Fetch(ctx, b.URL, c.incoming)
	if err != nil {
		return response{}, storeError(err, "the request ended before the file was fetched")
	}
	defer f.Close()
	c.Now = time.Now() // fetching may have taken a while
	return s.storeFile(ctx, c, f, text)
}
