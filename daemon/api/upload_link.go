package api

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/storage"
)

// uploadLinkPath is the path of upload links below the prefix, before their tokens.
const uploadLinkPath = "/uploads/"

// uploadLinkRoutes are the routes of addresses to which a person or a program without an API
// key sends one file.
func (s *Server) uploadLinkRoutes() []route {
	return []route{{
		method: http.MethodPost, path: "/media/upload-links", id: "createUploadLink", tag: "Media",
		summary: "Make an address for one file",
		description: "Returns a pending asset and a secret address that takes its file without an API key, such as with curl -T FILE URL. " +
			"A person with a browser sends the file at page_url instead. The asset can be attached to drafts at once. The address works for one file and 15 minutes, and ends with the API key that made it.",
		scopes:  writesDrafts,
		request: reflect.TypeFor[apiv1.CreateUploadLink](), optionalBody: true, status: http.StatusCreated, response: reflect.TypeFor[apiv1.UploadLinkEnvelope](),
		handle: withOptionalBody(read[apiv1.CreateUploadLink], s.createUploadLink),
	}, {
		method: http.MethodPut, path: uploadLinkPath + "{token}", id: "putUploadLink", tag: "Media",
		summary: "Send a file to the address of an upload link",
		description: "Use the URL of createUploadLink as it is: its token takes the place of an API key. The body is the file. The asset is ready afterwards, and the address is not found any more; " +
			"neither is one that has expired, or whose API key has ended. A file that is refused leaves the address as it is.",
		codes:  []schedctl.Code{schedctl.NotFound, schedctl.MediaInvalid, schedctl.MediaTooLarge, schedctl.MediaTypeNotAllowed, schedctl.MediaQuotaExceeded},
		params: []*huma.Param{{Name: "token", In: "path", Required: true, Description: "from the URL of createUploadLink", Schema: &huma.Schema{Type: huma.TypeString}}},
		status: http.StatusCreated, response: reflect.TypeFor[apiv1.UploadedMedia](), accepts: rawContent,
		upload: true, grant: s.checkUploadLink, receive: s.receiveLinkedFile, handle: s.putUploadLink,
	}}
}

// createUploadLink handles POST /media/upload-links. The asset is what makes the link one of
// a single file: the token is about the asset, and works while it is pending.
func (s *Server) createUploadLink(ctx context.Context, c *request, b apiv1.CreateUploadLink) (response, error) {
	if s.media == nil || s.signer == nil {
		return response{}, errNoMedia
	}
	base, limits := s.calendarBase(c), s.media.Limits()
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		now := schedctl.Millis(c.Now)
		asset := schedctl.MediaAsset{
			ID: schedctl.NewID(schedctl.MediaPrefix, now), WorkspaceID: c.Key.WorkspaceID,
			FileName: schedctl.CleanFileName(text(b.FileName)), MIMEType: media.OctetStream, AltText: text(b.AltText),
			Status: schedctl.MediaPending, UploadedBy: c.Key.ID, CreatedAt: now, UpdatedAt: now, ExpiresAt: now.Add(media.PendingLife),
		}
		if err := tx.PutMediaAsset(asset); err != nil {
			return response{}, err
		}
		expires := now.Add(media.UploadLinkLife).Truncate(time.Second) // of a token
		token := s.signer.Sign(media.Capability{
			Action: media.ActionLink, WorkspaceID: asset.WorkspaceID, AssetID: asset.ID, KeyID: c.Key.ID, Expires: expires,
		})
		a, err := sealedResponse(http.StatusCreated, apiv1.UploadLinkEnvelope{
			MediaAsset: apiv1.NewMediaAsset(asset),
			UploadLink: apiv1.UploadLink{
				URL: base + prefix + uploadLinkPath + token, Method: http.MethodPut, PageURL: base + uploadPagePath + token, ExpiresAt: apiv1.NewTime(expires), MaxSizeBytes: limits.Largest(),
			},
		})
		a.created, a.location = asset.ID, prefix+"/media/"+asset.ID
		return a, err
	})
}

// text returns the text of a field that may be absent.
func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// errNoUploadLink is the error for every token that takes no file.
var errNoUploadLink error = schedctl.Errorf(schedctl.NotFound, "",
	"this address takes no file: it was used, has expired, or its API key has ended; ask for a new address")

// checkUploadLink checks the token of an upload link, and the API key that made it.
func (s *Server) checkUploadLink(r *http.Request, c *request, now time.Time) (err error) {
	if s.media == nil || s.signer == nil {
		return errNoMedia
	}
	if q := parseQuery(c.query, nil, nil); q.err != nil {
		return q.err
	}
	if c.grant, err = s.signer.Verify(r.PathValue("token"), media.ActionLink, now); err != nil {
		return errNoUploadLink
	}
	c.ID = c.grant.AssetID
	return s.view(r.Context(), func(r storage.Reader) error {
		var valid bool
		switch c.Key, valid, err = grantingKey(r, &c.grant, now); {
		case err != nil:
			return err
		case !valid:
			return errNoUploadLink
		}
		_, err = c.linkedAsset(r)
		return err
	})
}

// linkedAsset returns the asset of an upload link, which still lacks its file.
func (c *request) linkedAsset(r storage.Reader) (schedctl.MediaAsset, error) {
	a, err := r.MediaAsset(c.Key.WorkspaceID, c.ID)
	if schedctl.CodeOf(err) == schedctl.NotFound || err == nil && a.Status != schedctl.MediaPending {
		return a, errNoUploadLink
	}
	return a, err
}

// receiveLinkedFile reads the body of a request to an upload link.
func (s *Server) receiveLinkedFile(w http.ResponseWriter, r *http.Request, c *request) error {
	if err := s.admitFile(r, c, c.origin(), 0, 0); err != nil {
		return err
	}
	limits := s.media.Limits()
	err := s.receiveRaw(w, r, c, limits.Largest()+1)
	if errors.Is(err, errUploadLimit) {
		return schedctl.Errorf(schedctl.MediaTooLarge, "", "the file is larger than %s, the limit of this daemon", media.Size(limits.Largest()))
	}
	return err
}

// putUploadLink handles PUT of an upload link. Of two requests at once, one stores its file.
func (s *Server) putUploadLink(ctx context.Context, c *request) (response, error) {
	if err := s.media.Store(ctx, c.file); err != nil {
		return response{}, storeError(err, "the daemon could not store the file; see its log")
	}
	a, err := s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		a, err := c.linkedAsset(tx)
		if err != nil {
			return response{}, err
		}
		if err := c.CheckQuota(tx, s.media, c.file.Size); err != nil {
			return response{}, err
		}
		c.file.SetFacts(&a)
		if a.FileName == schedctl.CleanFileName("") {
			a.FileName = defaultName(c.file)
		}
		if a.AltText == "" {
			a.AltText = c.altText
		}
		a.Status, a.UpdatedAt, a.ExpiresAt = schedctl.MediaReady, schedctl.Millis(c.Now), usecase.Expiry(&a, c.Now, media.UnusedLife)
		if err := tx.PutMediaAsset(a); err != nil {
			return response{}, err
		}
		return uploadedResponse(tx, http.StatusCreated, a)
	})
	if err == nil {
		c.incoming.Landed(c.file.Size)
	}
	return a, err
}
