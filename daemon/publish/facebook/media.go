package facebook

import (
	"context"
	"net/http"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/meta"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// uploadLife is how long an upload is used. Facebook drops those that no post refers to
// after a day.
const uploadLife = 23 * time.Hour

// MediaRules returns the limits of photos
// (https://developers.facebook.com/docs/graph-api/reference/page/photos), which recommends
// PNG only for files of up to 1 MB, and videos
// (https://developers.facebook.com/docs/video-api/guides/publishing).
func (p *Publisher) MediaRules(schedctl.Account) publish.MediaRules {
	return publish.MediaRules{
		MaxFiles: 10, MaxVideos: 1, MaxAlt: 1000,
		Classes: map[schedctl.MediaClass]publish.ClassRules{
			schedctl.MediaImage: {Types: []string{"image/jpeg", "image/png"}, MaxBytes: 4_000_000, MaxPNG: 1_000_000},
			schedctl.MediaVideo: {Types: []string{"video/mp4", "video/quicktime"}, MaxBytes: 1_750_000_000, MaxTime: 45 * time.Minute},
		},
	}
}

// Upload sends a photo that is not published, or the bytes of a video.
func (p *Publisher) Upload(ctx context.Context, r publish.Request, f publish.File) (publish.Upload, error) {
	a, err := p.parseCredentials(r.Credentials)
	if err != nil {
		return publish.Upload{}, err
	}
	expires := p.now().Add(uploadLife).UTC()
	var id string
	if f.Class() == schedctl.MediaVideo {
		id, err = p.sendVideo(ctx, a, r, f)
	} else {
		id, err = p.sendPhoto(ctx, a, r, f)
	}
	if err != nil {
		return publish.Upload{}, publish.NotPublished(err)
	}
	return publish.Upload{ID: id, Ready: true, ExpiresAt: expires}, nil
}

// Processed returns the upload, which is ready at once.
func (p *Publisher) Processed(_ context.Context, _ publish.Request, u publish.Upload) (publish.Upload, error) {
	u.Ready = true
	return u, nil
}

// sendPhoto uploads a photo and returns its id
// (https://developers.facebook.com/docs/graph-api/reference/page/photos).
func (p *Publisher) sendPhoto(ctx context.Context, a access, r publish.Request, f publish.File) (string, error) {
	if f.Open == nil {
		return "", publish.UnreadableFile(nil)
	}
	parts := []outbound.Part{outbound.FieldPart(meta.FieldToken, a.Token), outbound.FieldPart("published", "false")}
	if f.AltText != "" {
		parts = append(parts, outbound.FieldPart("alt_text_custom", f.AltText))
	}
	parts = append(parts, outbound.FilePart("source", publish.UploadName(r, f), f))
	response, err := a.PostBody(ctx, outbound.Multipart(parts...), version, a.page, "photos")
	if err != nil {
		return "", err
	}
	if response.Status != http.StatusOK {
		return "", uploadRefusal(a.API, response, p.now(), f.AltText)
	}
	id := meta.CreatedID(response)
	if id == "" {
		return "", unconfirmedUpload(response)
	}
	return id, nil
}
