package mastodon

import (
	"cmp"
	"context"
	"crypto/rand"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

const (
	// maxFiles is Mastodon's limit.
	maxFiles = 4

	// maxAlt is Mastodon's limit and that of GoToSocial.
	maxAlt = 1500

	// Mastodon's limits, for a server that reports none. One that has lower ones by now
	// refuses the upload and is then asked for its own.
	maxImageBytes  = 16 << 20
	maxImagePixels = 16_777_216
	maxVideoBytes  = 99 << 20

	// uploadLife is half the time after which Mastodon deletes unused uploads.
	uploadLife = 12 * time.Hour

	// uncheckable marks the id of an upload on a server that does not report the state of
	// uploads, such as snac.
	uncheckable = "!"
)

// The types of files that Mastodon takes. A server may take fewer.
var (
	imageTypes = []string{"image/jpeg", "image/png", "image/webp"}
	videoTypes = []string{"video/mp4", "video/quicktime", "video/webm"}
)

const gifType = "image/gif"

// MediaRules returns the limits that the server reported when the account was verified last,
// or Mastodon's defaults.
func (p *Publisher) MediaRules(a schedctl.Account) publish.MediaRules {
	l := a.Limits.Files
	image := publish.ClassRules{MaxBytes: cmp.Or(l.ImageBytes, maxImageBytes), MaxPixels: cmp.Or(l.ImagePixels, maxImagePixels)}
	video := publish.ClassRules{MaxBytes: cmp.Or(l.VideoBytes, maxVideoBytes), MaxPixels: l.VideoPixels}
	still := image
	still.Types, video.Types = taken(imageTypes, l.Types), taken(videoTypes, l.Types)
	classes := map[schedctl.MediaClass]publish.ClassRules{schedctl.MediaImage: still, schedctl.MediaGIF: image, schedctl.MediaVideo: video}
	if len(taken([]string{gifType}, l.Types)) == 0 {
		delete(classes, schedctl.MediaGIF)
	}
	if len(video.Types) == 0 {
		delete(classes, schedctl.MediaVideo)
	}
	return publish.MediaRules{MaxFiles: cmp.Or(l.MaxFiles, maxFiles), MaxAlt: cmp.Or(l.MaxAlt, maxAlt), MaxVideos: 1, Classes: classes}
}

// taken returns those of types that a server takes, according to its list; all without one.
func taken(types []string, list string) []string {
	if list == "" {
		return slices.Clone(types)
	}
	accepted := strings.Fields(list)
	return slices.DeleteFunc(slices.Clone(types), func(name string) bool { return !slices.Contains(accepted, name) })
}

// Upload sends one file. The file gets a name of its own: snac derives the id of an
// upload from the name, and overwrites the earlier file of the same name.
func (p *Publisher) Upload(ctx context.Context, r publish.Request, f publish.File) (publish.Upload, error) {
	u, err := parseServer(r.Credentials["instance_url"])
	if err != nil {
		return publish.Upload{}, err
	}
	a, err := p.postMedia(ctx, u, r, f)
	if err != nil {
		return publish.Upload{}, publish.NotPublished(err)
	}
	if a.Status < 200 || a.Status > 299 {
		return publish.Upload{}, p.uploadRefusal(ctx, u, a, r, f)
	}
	id := outbound.Receipt(a).ID
	if id == "" || strings.HasPrefix(id, uncheckable) {
		return publish.Upload{}, &publish.Error{
			Kind: schedctl.KindPlatform, HTTPStatus: a.Status, Outcome: schedctl.OutcomeNotPublished,
			Message: "the server accepted a file but gave it no id; schedctl will upload it again",
		}
	}
	upload := publish.Upload{ID: id, ExpiresAt: time.Now().Add(uploadLife)}
	if a.Status == http.StatusAccepted {
		return upload, nil
	}
	return p.checkUpload(ctx, u, r, upload), nil
}

// postMedia uploads a file. Version 2 of the method is missing on old servers. Each call
// gives the file another name: snac stores files by their names, and may still be writing
// one, with its alt text, that an earlier attempt has sent.
func (p *Publisher) postMedia(ctx context.Context, u *url.URL, r publish.Request, f publish.File) (a outbound.Response, err error) {
	name := rand.Text() + publish.Extension(f.MIMEType)
	for _, path := range []string{"api/v2/media", "api/v1/media"} {
		parts := []outbound.Part{outbound.FilePart("file", name, f)}
		if f.AltText != "" {
			parts = append(parts, outbound.FieldPart("description", f.AltText))
		}
		a, err = outbound.PostBody(ctx, p.client, u.JoinPath(path).String(), p.header(r.Credentials), outbound.Multipart(parts...))
		if err != nil || a.Status != http.StatusNotFound && a.Status != http.StatusMethodNotAllowed {
			break
		}
	}
	return a, err
}

// checkUpload finds out whether a server that reports a file as ready can be asked about
// it later. If it can, the file is checked again before the status is sent: old versions
// of Mastodon publish a status without files that they no longer have.
func (p *Publisher) checkUpload(ctx context.Context, u *url.URL, r publish.Request, upload publish.Upload) publish.Upload {
	a, err := p.getMedia(ctx, u, r, upload.ID)
	switch {
	case err != nil: // asked again by Processed
	case a.Status == http.StatusNotFound, a.Status == http.StatusMethodNotAllowed:
		upload.ID, upload.Ready = uncheckable+upload.ID, true
	case a.Status == http.StatusOK:
		upload.Ready = true
	}
	return upload
}

func (p *Publisher) getMedia(ctx context.Context, u *url.URL, r publish.Request, id string) (outbound.Response, error) {
	return outbound.Get(ctx, p.client, u.JoinPath("api/v1/media", url.PathEscape(id)).String(), p.header(r.Credentials))
}

// Processed asks for the state of an upload: 206 while it is processed, 422 if that
// failed.
func (p *Publisher) Processed(ctx context.Context, r publish.Request, upload publish.Upload) (publish.Upload, error) {
	u, err := parseServer(r.Credentials["instance_url"])
	if err != nil {
		return upload, err
	}
	a, err := p.getMedia(ctx, u, r, upload.ID)
	if err != nil {
		return upload, publish.NotPublished(err)
	}
	switch a.Status {
	case http.StatusPartialContent:
		return upload, nil
	case http.StatusOK:
		upload.Ready = true
		return upload, nil
	case http.StatusNotFound:
		return upload, uploadLost(a.Status)
	case http.StatusUnprocessableEntity:
		e := publish.MediaError("processing_failed", "the server cannot process a file of the post")
		e.HTTPStatus = a.Status
		return upload, outbound.WithErrorText(e, outbound.ErrorText(a, r.Credentials["access_token"]))
	}
	e := outbound.Refusal(a, publish.PurposeStatus, time.Now())
	holdDisabled(e, a, strings.ToLower(outbound.ErrorText(a)))
	return upload, publish.NotPublished(outbound.WithErrorText(e, outbound.ErrorText(a, r.Credentials["access_token"])))
}

// uploadLost is the error of a status that refers to files that the server does not have.
func uploadLost(status int) *publish.Error {
	return publish.UploadLost(status, "the server no longer has an uploaded file; schedctl uploads it again")
}

// uploadRefusal returns the error of a refused upload. It asks the server for its limits
// if the file may be too large.
func (p *Publisher) uploadRefusal(ctx context.Context, u *url.URL, a outbound.Response, r publish.Request, f publish.File) error {
	e := outbound.Refusal(a, publish.PurposeFile, time.Now())
	e.Outcome = schedctl.OutcomeNotPublished
	says := strings.ToLower(outbound.ErrorText(a))
	switch {
	case holdDisabled(e, a, says):
	case a.Status == http.StatusForbidden && lacksScope(a, says):
		// Not of kind auth, which would hold the posts without media too.
		e.Kind, e.Code = schedctl.KindMedia, "missing_scope"
		e.Message = "the access token may not upload media; log in again with schedctl account add mastodon --login, or create a token with the scope write:media, then retry"
	case e.Kind == schedctl.KindContent && a.Status >= 400, a.Status == http.StatusNotFound:
		e.Kind, e.Message = schedctl.KindMedia, "the server refused a file of the post"
		limit := p.sizeLimit(ctx, u, r, f)
		if a.Status == http.StatusRequestEntityTooLarge || limit > 0 && f.Size > limit {
			e.Code, e.MaxBytes, e.Message = publish.CodeFileTooLarge, limit, "the server refused a file of the post because it is too large"
		}
	}
	return outbound.WithErrorText(e, outbound.ErrorText(a, r.Credentials["access_token"], f.AltText))
}

// sizeLimit asks the server how many bytes a file may have: fewer than it has if it has too
// many pixels. It returns 0 if the server does not say.
func (p *Publisher) sizeLimit(ctx context.Context, u *url.URL, r publish.Request, f publish.File) int64 {
	a, err := outbound.Get(ctx, p.client, u.JoinPath("api/v2/instance").String(), p.header(r.Credentials))
	if err != nil || a.Status != http.StatusOK {
		return 0
	}
	i, _ := parseInstance(a)
	bytes, pixels := i.limits.Files.ImageBytes, int64(i.limits.Files.ImagePixels)
	if f.Class() == schedctl.MediaVideo {
		bytes, pixels = i.limits.Files.VideoBytes, int64(i.limits.Files.VideoPixels)
	}
	if n := int64(f.Width) * int64(f.Height); pixels > 0 && n > pixels {
		bytes = min(cmp.Or(bytes, f.Size), int64(float64(f.Size)*float64(pixels)/float64(n)))
	}
	return bytes
}

// mediaIDs returns the ids of the request's files. It asks the server whether it still
// has all of them.
func (p *Publisher) mediaIDs(ctx context.Context, u *url.URL, r publish.Request) ([]string, error) {
	ids := make([]string, len(r.Files))
	errs := make(chan error, len(r.Files))
	for i, f := range r.Files {
		id, skip := strings.CutPrefix(f.Upload.ID, uncheckable)
		if ids[i] = id; id == "" {
			return nil, uploadLost(0)
		}
		if skip {
			errs <- nil
			continue
		}
		go func() { errs <- p.stillThere(ctx, u, r, f.Upload) }()
	}
	var failure error
	for range r.Files {
		if err := <-errs; err != nil {
			failure = err
		}
	}
	return ids, failure
}

// stillThere returns an error unless the server has an upload and has processed it.
func (p *Publisher) stillThere(ctx context.Context, u *url.URL, r publish.Request, upload publish.Upload) error {
	upload.Ready = false
	upload, err := p.Processed(ctx, r, upload)
	if err == nil && !upload.Ready {
		err = unprocessed(http.StatusPartialContent)
	}
	return err
}

// unprocessed is the error of a status that refers to a file that is not ready.
func unprocessed(status int) *publish.Error {
	return &publish.Error{
		Kind: schedctl.KindPlatform, Code: "processing", HTTPStatus: status, Outcome: schedctl.OutcomeNotPublished,
		Message: "the server has not processed the files of the post yet; schedctl will retry",
	}
}
