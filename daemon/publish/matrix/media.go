package matrix

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// contentURI matches the address of an upload, which is its id.
var contentURI = pattern.Lazy(`^mxc://[A-Za-z0-9.:\[\]-]{1,230}/[A-Za-z0-9_-]{1,255}$`)

// MediaRules allows files of any type. Homeservers have different limits of the size; a
// file that is too large is refused when it is uploaded.
func (p *Publisher) MediaRules(schedctl.Account) publish.MediaRules {
	return publish.MediaRules{NoAlt: true, Mixed: true, Classes: publish.AnyFile()}
}

// fileInfo describes a file
// (https://spec.matrix.org/latest/client-server-api/#mimage).
type fileInfo struct {
	MIMEType string `json:"mimetype"`
	Size     int64  `json:"size"`
	Width    int    `json:"w,omitempty"`
	Height   int    `json:"h,omitempty"`
	Duration int64  `json:"duration,omitempty"` // in milliseconds
}

var messageTypes = map[schedctl.MediaClass]string{
	schedctl.MediaImage: "m.image", schedctl.MediaGIF: "m.image", schedctl.MediaVideo: "m.video", schedctl.MediaDocument: "m.file",
}

// fileMessage returns the message of a file that was uploaded. The caption may be empty.
func fileMessage(r publish.Request, f publish.File, caption string) message {
	m := message{
		MsgType: messageTypes[f.Class()], Body: caption, FileName: publish.PublicName(f), URL: f.Upload.ID,
		Info: &fileInfo{MIMEType: f.MIMEType, Size: f.Size, Width: f.Width, Height: f.Height},
	}
	if f.Class() == schedctl.MediaVideo {
		m.Info.Duration = f.Duration.Milliseconds()
	}
	switch {
	case strings.TrimSpace(caption) == "":
		m.Body = m.FileName
	case m.Body == m.FileName: // clients would not show the caption
		m.FileName = publish.UploadName(r, f)
	}
	return m
}

// Upload uploads a file to the homeserver. No one can find it before a message refers
// to it.
func (p *Publisher) Upload(ctx context.Context, r publish.Request, f publish.File) (publish.Upload, error) {
	s, err := p.parseRoom(r.Credentials)
	if err != nil {
		return publish.Upload{}, err
	}
	u := s.server.JoinPath("_matrix", "media", "v3", "upload")
	u.RawQuery = url.Values{"filename": {publish.UploadName(r, f)}}.Encode()
	a, err := outbound.PostBody(ctx, p.client, u.String(), outbound.Header(p.userAgent, s.token), outbound.FileBody(f))
	switch {
	case err != nil:
		return publish.Upload{}, publish.NotPublished(err)
	case a.Status == http.StatusRequestEntityTooLarge:
		return publish.Upload{}, publish.FileTooLarge(a.Status, p.maxUpload(ctx, s))
	case a.Status < 200 || a.Status > 299:
		return publish.Upload{}, uploadRefusal(a, s)
	}
	var body struct {
		ContentURI string `json:"content_uri"`
	}
	if a.Cut || json.Unmarshal(a.Body, &body) != nil || !contentURI().MatchString(body.ContentURI) {
		return publish.Upload{}, publish.NotPublished(outbound.Unconfirmed(a, "the homeserver did not confirm the upload of a file; schedctl will retry"))
	}
	return publish.Upload{ID: body.ContentURI, Ready: true}, nil
}

// Processed is never needed: a homeserver processes uploads at once.
func (p *Publisher) Processed(_ context.Context, _ publish.Request, u publish.Upload) (publish.Upload, error) {
	u.Ready = true
	return u, nil
}

// maxUpload returns the size of the largest file that the homeserver takes, or 0 if it
// does not say.
func (p *Publisher) maxUpload(ctx context.Context, s session) int64 {
	u := s.server.JoinPath("_matrix", "client", "v1", "media", "config")
	var config struct {
		Size int64 `json:"m.upload.size"`
	}
	if status, err := p.get(ctx, s, publish.PurposeFile, u, &config); err != nil || status != http.StatusOK || config.Size < 0 {
		return 0
	}
	return config.Size
}

// uploadRefusal returns the error of a refused upload.
func uploadRefusal(a outbound.Response, s session) *publish.Error {
	e := s.refusal(a, publish.PurposeFile, time.Now())
	e.Outcome = schedctl.OutcomeNotPublished
	switch {
	case e.Code == codeForbidden && a.Status == http.StatusForbidden:
		e.Kind, e.Message = schedctl.KindMedia, "the homeserver does not let the user upload files; ask its administrator"
	case e.Kind == schedctl.KindContent && a.Status >= 400:
		e.Kind = schedctl.KindMedia
		e.Message = strings.Replace(e.Message, "refused the post", "refused a file of the post", 1)
	}
	return e
}
