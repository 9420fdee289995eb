package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob"
)

// getMediaConfig handles GET /media/config.
func (s *Server) getMediaConfig(context.Context, *request) (response, error) {
	l := s.cases.Limits
	return newResponse(http.StatusOK, apiv1.MediaConfig{
		AllowedMIMETypes: schedctl.MediaTypes(), MaxMediaPerPost: l.PerPost,
		ImageMaxSizeBytes: l.Image, GIFMaxSizeBytes: l.GIF, VideoMaxSizeBytes: l.Video, DocumentMaxSizeBytes: l.Document,
	})
}

// listMedia handles GET /media.
func (s *Server) listMedia(ctx context.Context, c *request) (response, error) {
	list := idList{prefix: schedctl.MediaPrefix, of: "media " + c.Key.WorkspaceID}
	q := parseQuery(c.query, []string{"limit", "cursor"}, nil)
	limit, after := q.number("limit", 1, maxLimit, defaultLimit), ""
	if q.err == nil && q.has("cursor") {
		after, q.err = list.position(q.values.Get("cursor"))
	}
	if q.err != nil {
		return response{}, q.err
	}
	page := apiv1.MediaList{Results: []apiv1.MediaAsset{}}
	view := s.view
	if c.Limited() {
		view = s.scanner(c)
	}
	err := view(ctx, func(r storage.Reader) error {
		page.Results, page.NextCursor = page.Results[:0], nil
		assets, err := r.MediaAssets(c.Key.WorkspaceID, after, limit+1)
		if err != nil {
			return err
		}
		seen, looked, err := c.VisibleFiles(r, assets[:min(len(assets), limit)])
		if err != nil {
			return err
		}
		if looked < len(assets) {
			page.NextCursor = new(list.cursor(assets[looked-1].ID))
		}
		for i := range seen {
			shown, err := showAsset(r, seen[i])
			if err != nil {
				return err
			}
			page.Results = append(page.Results, shown)
		}
		return nil
	})
	if err != nil {
		return response{}, err
	}
	page.Count = len(page.Results)
	return newResponse(http.StatusOK, page)
}

// getMedia handles GET /media/{id}.
func (s *Server) getMedia(ctx context.Context, c *request) (a response, err error) {
	err = s.view(ctx, func(r storage.Reader) error {
		asset, err := c.Asset(r, c.ID)
		if err != nil {
			return err
		}
		a, err = assetResponse(r, asset)
		return err
	})
	return a, err
}

// showAsset returns the wire form of an asset. It expires only if no post needs it.
func showAsset(r storage.Reader, a schedctl.MediaAsset) (apiv1.MediaAsset, error) {
	user, err := neededBy(r, &a)
	if err != nil {
		return apiv1.MediaAsset{}, err
	}
	if user != nil {
		a.ExpiresAt = time.Time{}
	}
	return apiv1.NewMediaAsset(a), nil
}

// neededBy returns a post that is not published yet and uses the asset, or nil. Of a
// series it returns the template, with the id of the series.
func neededBy(r storage.Reader, a *schedctl.MediaAsset) (*schedctl.Post, error) {
	ids, err := r.MediaUsers(a.ID, 1) // posts that need it come first
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	if s, err := r.Series(a.WorkspaceID, ids[0]); schedctl.CodeOf(err) != schedctl.NotFound {
		s.Template.ID = s.ID
		return &s.Template, err
	}
	p, err := r.Post(a.WorkspaceID, ids[0])
	if schedctl.CodeOf(err) == schedctl.NotFound {
		return nil, nil
	}
	if err != nil || !p.NeedsMedia() {
		return nil, err
	}
	return &p, nil
}

// assetResponse returns a response with an asset.
func assetResponse(r storage.Reader, asset schedctl.MediaAsset) (response, error) {
	shown, err := showAsset(r, asset)
	if err != nil {
		return response{}, err
	}
	return newResponse(http.StatusOK, apiv1.MediaEnvelope{MediaAsset: shown})
}

// uploadedResponse returns a response with the asset of an upload: a new one, or with status
// 200 an existing one.
func uploadedResponse(r storage.Reader, status int, asset schedctl.MediaAsset) (response, error) {
	shown, err := showAsset(r, asset)
	if err != nil {
		return response{}, err
	}
	a, err := newResponse(status, apiv1.UploadedMedia{MediaAsset: shown, Existing: status == http.StatusOK})
	if a.created = asset.ID; status == http.StatusCreated {
		a.location = prefix + "/media/" + asset.ID
	}
	return a, err
}

// changeAsset changes the asset of the path in a transaction. A change that changes
// nothing stores nothing.
func (s *Server) changeAsset(ctx context.Context, c *request, change func(storage.Tx, *schedctl.MediaAsset) error) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		a, err := c.changedAsset(tx, change)
		if err != nil {
			return response{}, err
		}
		return assetResponse(tx, a)
	})
}

// changedAsset changes the asset of the path, and returns it.
func (c *request) changedAsset(tx storage.Tx, change func(storage.Tx, *schedctl.MediaAsset) error) (schedctl.MediaAsset, error) {
	a, err := c.Asset(tx, c.ID)
	if err != nil {
		return a, err
	}
	if err := c.MayChangeFile(tx, &a); err != nil {
		return a, err
	}
	before := a
	if err := change(tx, &a); err != nil || a == before {
		return a, err
	}
	a.UpdatedAt = schedctl.Millis(c.Now)
	return a, tx.PutMediaAsset(a)
}

// editMedia handles PATCH /media/{id}. No post changes. Posts with the text of before are
// searched on a snapshot, because there can be many.
func (s *Server) editMedia(ctx context.Context, c *request, b apiv1.EditMedia) (response, error) {
	text := *b.AltText // empty for null
	none := usecase.OldText{IDs: []string{}}
	posts, plans := none, none
	err := s.scan(ctx, c, func(r storage.Reader) error {
		a, err := c.Asset(r, c.ID)
		if err != nil || a.AltText == text {
			return err
		}
		posts, plans, err = c.WithText(r, a.ID, a.AltText)
		return err
	})
	if err != nil {
		return response{}, err
	}
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		a, err := c.changedAsset(tx, func(_ storage.Tx, a *schedctl.MediaAsset) error { a.AltText = text; return nil })
		if err != nil {
			return response{}, err
		}
		shown, err := showAsset(tx, a)
		if err != nil {
			return response{}, err
		}
		return newResponse(http.StatusOK, apiv1.EditedMedia{MediaAsset: shown, PostsWithOldText: apiv1.OldText(posts), SeriesWithOldText: apiv1.OldText(plans)})
	})
}

// deleteMedia handles DELETE /media/{id}. An asset that a feed shows becomes invisible
// for clients, and the feed keeps it.
func (s *Server) deleteMedia(ctx context.Context, c *request) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		a, err := c.Asset(tx, c.ID)
		if err != nil {
			return response{}, err
		}
		if err := c.MayChangeFile(tx, &a); err != nil {
			return response{}, err
		}
		user, err := neededBy(tx, &a)
		if err != nil {
			return response{}, err
		}
		if user != nil {
			return response{}, c.mediaInUse(user)
		}
		shown, err := shownInFeed(tx, &a)
		if err != nil {
			return response{}, err
		}
		if shown {
			a.Status, a.ExpiresAt = schedctl.MediaDeleted, schedctl.Millis(c.Now)
			return noContent, tx.PutMediaAsset(a)
		}
		return noContent, tx.DeleteMediaAsset(a.WorkspaceID, a.ID)
	})
}

// mediaInUse names the post or the series only to a key that may see it. Of a series it
// gets the template, with the id of the series.
func (c *request) mediaInUse(user *schedctl.Post) error {
	name, advice := "a post", "is not published; remove the file from it, cancel it, or delete it first"
	if _, ok := schedctl.ParseID(schedctl.SeriesPrefix, user.ID); ok {
		name, advice = "a series", "has not ended; remove the file from it, end it, or delete it first"
	}
	if c.MaySee(user) {
		name = user.ID
	}
	return schedctl.Errorf(schedctl.MediaInUse, "", "%s uses this file and %s", name, advice)
}

// maxFeedUsers is how many posts of an asset are searched for an entry of a feed.
const maxFeedUsers = 1000

// shownInFeed reports whether a feed has an entry with the asset.
func shownInFeed(r storage.Reader, a *schedctl.MediaAsset) (bool, error) {
	ids, err := r.MediaUsers(a.ID, maxFeedUsers)
	if err != nil {
		return false, err
	}
	for _, id := range ids {
		p, err := r.Post(a.WorkspaceID, id)
		if schedctl.CodeOf(err) == schedctl.NotFound {
			continue
		}
		if err != nil {
			return false, err
		}
		if media.InFeed(&p) {
			return true, nil
		}
	}
	return false, nil
}

// getMediaContent handles GET /media/{id}/content.
func (s *Server) getMediaContent(ctx context.Context, c *request) (response, error) {
	if s.media == nil {
		return response{}, errNoMedia
	}
	asset, err := storage.Read(ctx, s.view, func(r storage.Reader) (schedctl.MediaAsset, error) { return c.Asset(r, c.ID) })
	if err != nil {
		return response{}, err
	}
	if asset.Status != schedctl.MediaReady {
		return response{}, schedctl.Errorf(schedctl.MediaNotReady, "", "the upload of this file is not confirmed")
	}
	key := c.Key
	return response{stream: func(w http.ResponseWriter, r *http.Request) { s.sendContent(w, r, key, asset) }}, nil
}

// sendContent streams the bytes of an asset, or a range of them. Revoking the key or its
// expiry cuts the connection.
func (s *Server) sendContent(w http.ResponseWriter, r *http.Request, key schedctl.APIKey, asset schedctl.MediaAsset) {
	content, err := s.media.Open(r.Context(), &asset)
	if err != nil {
		const repair = "upload the same file again, or restore the store from a backup"
		switch {
		case errors.Is(err, blob.ErrNotFound):
			err = lasting("the bytes of this file are missing in the daemon's media store; %s: %w", repair, err)
		case errors.Is(err, blob.ErrCorrupt):
			err = lasting("the bytes of this file are damaged in the daemon's media store; %s: %w", repair, err)
		}
		s.fail(w, r, storeError(err, "the daemon could not read the file; see its log"))
		return
	}
	defer content.Close()
	out := newPacedWriter(w)
	defer out.done()
	defer s.watchKey(r.Context(), key, out.stop)()
	media.ContentHeader(w.Header(), &asset, media.Attachment)
	w.Header()["Cache-Control"] = immutable
	http.ServeContent(pacedResponse{w, out}, r, "", time.Time{}, content)
}

// immutable lets only the client keep the bytes, which never change.
var immutable = []string{"private, max-age=31536000, immutable"}

// pacedResponse is a response whose body is written at the pace of the client.
type pacedResponse struct {
	http.ResponseWriter
	body *pacedWriter
}

// Write implements [http.ResponseWriter].
func (p pacedResponse) Write(b []byte) (int, error) { return p.body.Write(b) }

func readMediaFromURL(d *decoder) apiv1.MediaFromURL {
	b := read[apiv1.MediaFromURL](d)
	d.require(b.URL != "", "url", "give the URL of the file")
	return b
}

func readCreateUpload(d *decoder) apiv1.CreateUpload {
	b := read[apiv1.CreateUpload](d)
	d.require(b.FileName != "", "file_name", "give the name of the file")
	d.require(b.MIMEType != "", "mime_type", "give the type of the file, or "+media.OctetStream)
	d.require(b.SizeBytes != 0, "size_bytes", "give the size of the file")
	return b
}
