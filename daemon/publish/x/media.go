package x

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// segmentSize is how many bytes a request of an upload has at most. X takes up to 5 MB.
const segmentSize = 4 << 20

// MediaRules returns the limits of X
// (https://docs.x.com/x-api/media/quickstart/best-practices).
func (p *Publisher) MediaRules(schedctl.Account) publish.MediaRules {
	return publish.MediaRules{
		MaxFiles: 4, MaxAlt: 1000, MaxVideos: 1,
		Classes: map[schedctl.MediaClass]publish.ClassRules{
			schedctl.MediaImage: {Types: []string{"image/jpeg", "image/png", "image/webp"}, MaxBytes: 5_000_000},
			schedctl.MediaGIF:   {Types: []string{"image/gif"}, MaxBytes: 15_000_000, MaxWidth: 1280, MaxHeight: 1080},
			schedctl.MediaVideo: {Types: []string{"video/mp4", "video/quicktime"}, MaxBytes: 512_000_000, MaxTime: 140 * time.Second},
		},
	}
}

// category returns what X calls the class of a file in a post.
func category(f publish.File) string {
	switch f.Class() {
	case schedctl.MediaGIF:
		return "tweet_gif"
	case schedctl.MediaVideo:
		return "tweet_video"
	}
	return "tweet_image"
}

// Upload sends a file in segments and its alt text. The id of the upload is that of the
// file (https://docs.x.com/x-api/media/quickstart/media-upload-chunked).
func (p *Publisher) Upload(ctx context.Context, r publish.Request, f publish.File) (publish.Upload, error) {
	a, err := p.parseCredentials(r.Credentials)
	if err != nil {
		return publish.Upload{}, err
	}
	started, err := p.mediaRequest(ctx, a, f, map[string]any{"media_type": f.MIMEType, "total_bytes": f.Size, "media_category": category(f)}, "initialize")
	if err != nil {
		return publish.Upload{}, err
	}
	if err := p.appendAll(ctx, a, f, started.id); err != nil {
		return publish.Upload{}, publish.NotPublished(err)
	}
	done, err := p.mediaRequest(ctx, a, f, nil, started.id, "finalize")
	if err != nil {
		return publish.Upload{}, err
	}
	if done.id != started.id {
		return publish.Upload{}, unconfirmedUpload(done.response)
	}
	if f.AltText != "" {
		if err := p.describe(ctx, a, f, done.id); err != nil {
			return publish.Upload{}, err
		}
	}
	return done.upload(p.now())
}

// Processed asks for the state of a file. X processes GIFs and videos for a while.
func (p *Publisher) Processed(ctx context.Context, r publish.Request, u publish.Upload) (publish.Upload, error) {
	a, err := p.parseCredentials(r.Credentials)
	if err != nil {
		return u, err
	}
	address := a.endpoint(url.Values{"command": {"STATUS"}, "media_id": {u.ID}}, "media", "upload")
	response, err := p.get(ctx, a, address)
	if err != nil {
		return u, publish.NotPublished(err)
	}
	if response.Status == http.StatusNotFound || response.Status == http.StatusBadRequest {
		return u, uploadLost(response.Status)
	}
	state, err := p.readUpload(response, publish.PurposeStatus, a)
	if err != nil {
		return u, err
	}
	expires := u.ExpiresAt
	if u, err = state.upload(p.now()); u.ExpiresAt.IsZero() {
		u.ExpiresAt = expires
	}
	return u, err
}

// uploadState is a file in a response.
type uploadState struct {
	id         string
	processing string // empty, pending, in_progress, succeeded or failed
	life       time.Duration
	response   outbound.Response
}

// upload returns the upload. The error is of kind media if X cannot process the file.
func (s uploadState) upload(now time.Time) (publish.Upload, error) {
	u := publish.Upload{ID: s.id, Ready: s.processing == "" || s.processing == "succeeded"}
	if s.life > 0 {
		u.ExpiresAt = now.Add(s.life).UTC()
	}
	if s.processing == "failed" {
		return u, publish.MediaError("not_readable", "X cannot process a file of the post; convert it to another format, such as MP4 with H.264 and AAC")
	}
	return u, nil
}

// mediaRequest sends a request that starts or ends an upload. The body may be nil. Errors
// have the outcome not_published.
func (p *Publisher) mediaRequest(ctx context.Context, a access, f publish.File, body map[string]any, path ...string) (uploadState, error) {
	u := a.endpoint(nil, append([]string{"media", "upload"}, path...)...)
	header, encoded := p.header(a, http.MethodPost, u), []byte(nil)
	if body != nil {
		header.Set("Content-Type", "application/json")
		encoded = outbound.EncodeJSON(body)
	}
	response, err := outbound.Post(ctx, p.client, u.String(), header, encoded)
	if err != nil {
		return uploadState{}, publish.NotPublished(err)
	}
	return p.readUpload(response, publish.PurposeFile, a, f.AltText)
}

// readUpload reads a response about an upload.
func (p *Publisher) readUpload(response outbound.Response, purpose publish.Purpose, a access, hidden ...string) (uploadState, error) {
	if response.Status < 200 || response.Status > 299 {
		return uploadState{}, uploadRefusal(response, purpose, p.now(), a, hidden...)
	}
	var body struct {
		Data struct {
			ID         any `json:"id"`
			Expires    any `json:"expires_after_secs"`
			Processing struct {
				State any `json:"state"`
			} `json:"processing_info"`
		} `json:"data"`
	}
	// Unmarshal continues after a member of an unexpected type.
	_ = json.Unmarshal(response.Body, &body)
	s := uploadState{response: response}
	s.id, _ = body.Data.ID.(string)
	s.processing, _ = body.Data.Processing.State.(string)
	if seconds, _ := body.Data.Expires.(float64); seconds > 0 && seconds < 1e8 {
		s.life = time.Duration(seconds) * time.Second
	}
	if response.Cut || !numericID().MatchString(s.id) {
		return uploadState{}, unconfirmedUpload(response)
	}
	return s, nil
}

// appendAll sends the bytes of a file.
func (p *Publisher) appendAll(ctx context.Context, a access, f publish.File, id string) error {
	segments, err := outbound.OpenSegments(ctx, f)
	if err != nil {
		return err
	}
	defer segments.Close()
	u := a.endpoint(nil, "media", "upload", id, "append")
	for index := 0; segments.Left() > 0; index++ {
		segment, err := segments.Next(segmentSize)
		if err != nil {
			return err
		}
		if err := p.appendSegment(ctx, a, u, index, segment); err != nil {
			return err
		}
	}
	return nil
}

func (p *Publisher) appendSegment(ctx context.Context, a access, u *url.URL, index int, segment outbound.Body) error {
	parts := outbound.Multipart(outbound.FieldPart("segment_index", strconv.Itoa(index)), outbound.Part{Name: "media", FileName: "segment", Body: segment})
	response, err := outbound.PostBody(ctx, p.client, u.String(), p.header(a, http.MethodPost, u), parts)
	if err != nil {
		return err
	}
	if response.Status < 200 || response.Status > 299 {
		return uploadRefusal(response, publish.PurposeFile, p.now(), a)
	}
	return nil
}

// describe sets the alt text of a file.
func (p *Publisher) describe(ctx context.Context, a access, f publish.File, id string) error {
	u := a.endpoint(nil, "media", "metadata")
	body := map[string]any{"id": id, "metadata": map[string]any{"alt_text": map[string]any{"text": f.AltText}}}
	response, err := outbound.Post(ctx, p.client, u.String(), p.jsonHeader(a, u), outbound.EncodeJSON(body))
	if err != nil {
		return publish.NotPublished(err)
	}
	if response.Status < 200 || response.Status > 299 {
		err := uploadRefusal(response, publish.PurposeFile, p.now(), a, f.AltText)
		if response.Status == http.StatusForbidden && publish.AsError(err).Kind == schedctl.KindMedia {
			return nil // the file itself is accepted
		}
		return err
	}
	return nil
}

// uploadRefusal returns the error of a refused upload, which has published nothing. What holds
// an account holds it on an upload too: X means every call then.
func uploadRefusal(response outbound.Response, purpose publish.Purpose, now time.Time, a access, hidden ...string) error {
	e := refusal(response, purpose, now, a, hidden...)
	e.Outcome = schedctl.OutcomeNotPublished
	switch {
	case response.Status == http.StatusRequestEntityTooLarge:
		return publish.FileTooLarge(response.Status, 0)
	case e.Kind == schedctl.KindContent && response.Status >= 400:
		e.Kind = schedctl.KindMedia
		e.Message = strings.Replace(e.Message, "refused the post", "refused a file of the post", 1)
	}
	return e
}

func unconfirmedUpload(response outbound.Response) error {
	return publish.NotPublished(outbound.Unconfirmed(response, "X did not confirm the upload of a file; schedctl will retry"))
}

func uploadLost(status int) *publish.Error {
	return publish.UploadLost(status, "X does not have a file that was uploaded for the post; schedctl uploads it again")
}
