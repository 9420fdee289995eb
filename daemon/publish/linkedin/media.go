package linkedin

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// maxPart is the most bytes of a video that LinkedIn may ask for in one request.
const maxPart = 16 << 20

// MediaRules returns the limits of the APIs for images, videos and documents.
func (p *Publisher) MediaRules(schedctl.Account) publish.MediaRules {
	images := publish.ClassRules{Types: []string{"image/jpeg", "image/png"}, MaxBytes: 10_000_000, MaxPixels: 36_152_320}
	gifs := images
	gifs.Types = []string{"image/gif"}
	return publish.MediaRules{
		MaxFiles: 20, MaxAlt: 4086, MaxVideos: 1,
		Classes: map[schedctl.MediaClass]publish.ClassRules{
			schedctl.MediaImage:    images,
			schedctl.MediaGIF:      gifs,
			schedctl.MediaVideo:    {Types: []string{"video/mp4"}, MaxBytes: 500_000_000, MaxTime: 30 * time.Minute},
			schedctl.MediaDocument: {Types: []string{"application/pdf"}, MaxBytes: 100_000_000},
		},
	}
}

// resource returns the name of the API for a file.
func resource(f publish.File) string {
	switch f.Class() {
	case schedctl.MediaVideo:
		return "videos"
	case schedctl.MediaDocument:
		return "documents"
	}
	return "images"
}

var (
	fileURN = pattern.Lazy(`^urn:li:(image|video|document):[A-Za-z0-9_-]{1,200}$`)
	etag    = pattern.Lazy(`^[!-~]{1,500}$`)
)

// started is the response to the start of an upload.
type started struct {
	Value struct {
		URL      string `json:"uploadUrl"`
		Image    string `json:"image"`
		Video    string `json:"video"`
		Document string `json:"document"`
		Token    string `json:"uploadToken"`
		Parts    []struct {
			URL   string `json:"uploadUrl"`
			First int64  `json:"firstByte"`
			Last  int64  `json:"lastByte"`
		} `json:"uploadInstructions"`
	} `json:"value"`
}

// urn returns the URN of the file.
func (s started) urn() string { return s.Value.Image + s.Value.Video + s.Value.Document }

// initialize is the action that starts an upload.
const initialize = "initializeUpload"

// Upload sends a file. The id of the upload is its URN.
func (p *Publisher) Upload(ctx context.Context, r publish.Request, f publish.File) (publish.Upload, error) {
	a, err := p.parseAuthor(r)
	if err != nil {
		return publish.Upload{}, err
	}
	request := map[string]any{"owner": a.author}
	if f.Class() == schedctl.MediaVideo {
		request["fileSizeBytes"], request["uploadCaptions"], request["uploadThumbnail"] = f.Size, false, false
	}
	response, err := p.mediaRequest(ctx, a, f, initialize, map[string]any{"initializeUploadRequest": request})
	if err != nil {
		return publish.Upload{}, err
	}
	var s started
	// Unmarshal continues after a member of an unexpected type.
	_ = json.Unmarshal(response.Body, &s)
	if response.Cut || !fileURN().MatchString(s.urn()) {
		return publish.Upload{}, unconfirmedUpload(response)
	}
	if f.Class() == schedctl.MediaVideo {
		err = p.sendVideo(ctx, a, f, s, response)
	} else {
		_, err = p.sendBytes(ctx, a, f, s.Value.URL, outbound.FileBody(f), response)
	}
	if err != nil {
		return publish.Upload{}, publish.NotPublished(err)
	}
	upload := publish.Upload{ID: s.urn(), SentAt: p.now()}
	if !a.organization() {
		upload.ReadyAt = p.readyAt(f)
	}
	return upload, nil
}

// How long LinkedIn processes a file whose state it does not report.
const (
	imageWait    = 5 * time.Second
	documentWait = 10 * time.Second
)

// readyAt returns when a file of a person can be published, or zero if LinkedIn can be
// asked: w_member_social lets no one read images and documents.
func (p *Publisher) readyAt(f publish.File) time.Time {
	switch f.Class() {
	case schedctl.MediaVideo:
		return time.Time{}
	case schedctl.MediaDocument:
		return p.now().Add(documentWait)
	}
	return p.now().Add(imageWait)
}

// Processed asks for the state of a file.
func (p *Publisher) Processed(ctx context.Context, r publish.Request, u publish.Upload) (publish.Upload, error) {
	a, err := p.parseAuthor(r)
	if err != nil {
		return u, err
	}
	m := fileURN().FindStringSubmatch(u.ID)
	if m == nil {
		return u, uploadLost(0)
	}
	response, err := p.send(ctx, a, http.MethodGet, a.endpoint("", m[1]+"s", u.ID), nil, nil)
	switch {
	case err != nil:
		return u, publish.NotPublished(err)
	case response.Status == http.StatusNotFound:
		return u, uploadLost(response.Status)
	case response.Status != http.StatusOK:
		return u, uploadRefusal(response, publish.PurposeStatus, p.now(), a)
	}
	var body struct {
		Status any `json:"status"`
	}
	_ = json.Unmarshal(response.Body, &body)
	switch body.Status {
	case "AVAILABLE":
		u.Ready = true
	case "PROCESSING_FAILED":
		return u, publish.MediaError("not_readable", "LinkedIn cannot process a file of the post; convert it to another format, such as JPEG, MP4 or PDF")
	case "PROCESSING", "WAITING_UPLOAD":
	default:
		return u, unconfirmedUpload(response)
	}
	return u, nil
}

// mediaRequest sends an action about a file. Errors have the outcome not_published.
func (p *Publisher) mediaRequest(ctx context.Context, a access, f publish.File, action string, body any) (outbound.Response, error) {
	response, err := p.send(ctx, a, http.MethodPost, a.endpoint("action="+action, resource(f)), outbound.EncodeJSON(body), nil)
	if err != nil {
		return response, publish.NotPublished(err)
	}
	if response.Status < 200 || response.Status > 299 {
		purpose := publish.PurposeFile
		if action == initialize {
			purpose = publish.PurposePublish // it needs the same permission
		}
		return response, uploadRefusal(response, purpose, p.now(), a, f.AltText)
	}
	return response, nil
}

// sendBytes sends bytes to an address that LinkedIn has given, and returns the header
// ETag. The token is only sent to LinkedIn, or to the server of api_url.
func (p *Publisher) sendBytes(ctx context.Context, a access, f publish.File, address string, body outbound.Body, start outbound.Response) (string, error) {
	u, err := p.policy.ParseAddress(address)
	if err != nil || u.Host != a.api.Host && u.Host != "linkedin.com" && !strings.HasSuffix(u.Host, ".linkedin.com") {
		return "", unconfirmedUpload(start)
	}
	if body.Open == nil {
		return "", publish.UnreadableFile(nil)
	}
	response, err := outbound.PutBody(ctx, p.client, u.String(), outbound.Header(p.userAgent, a.token), body)
	if err != nil {
		return "", err
	}
	if response.Status == http.StatusUnauthorized || response.Status == http.StatusForbidden {
		text := outbound.ErrorText(response, a.hidden(f.AltText, address)...)
		return "", outbound.WithErrorText(outbound.FileRefusal(response, p.now()), text)
	}
	if response.Status < 200 || response.Status > 299 {
		return "", uploadRefusal(response, publish.PurposeFile, p.now(), a, f.AltText, address)
	}
	return response.Header.Get("ETag"), nil
}

// sendVideo sends the parts of a video and ends the upload.
func (p *Publisher) sendVideo(ctx context.Context, a access, f publish.File, s started, start outbound.Response) error {
	segments, err := outbound.OpenSegments(ctx, f)
	if err != nil {
		return err
	}
	defer segments.Close()
	tags := []string{}
	for _, part := range s.Value.Parts {
		size := part.Last - part.First + 1
		if part.First != f.Size-segments.Left() || size <= 0 || size > maxPart || size > segments.Left() {
			return unconfirmedUpload(start)
		}
		body, err := segments.Next(size)
		if err != nil {
			return err
		}
		tag, err := p.sendBytes(ctx, a, f, part.URL, body, start)
		if err != nil {
			return err
		}
		if tag = strings.Trim(tag, `"`); !etag().MatchString(tag) {
			return unconfirmedUpload(start)
		}
		tags = append(tags, tag)
	}
	if segments.Left() > 0 {
		return unconfirmedUpload(start)
	}
	_, err = p.mediaRequest(ctx, a, f, "finalizeUpload", map[string]any{
		"finalizeUploadRequest": map[string]any{"video": s.urn(), "uploadToken": s.Value.Token, "uploadedPartIds": tags},
	})
	return err
}

// uploadRefusal returns the error of a refused upload, which has published nothing.
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
	return publish.NotPublished(outbound.Unconfirmed(response, "LinkedIn did not confirm the upload of a file; schedctl will retry"))
}

func uploadLost(status int) *publish.Error {
	return publish.UploadLost(status, "LinkedIn does not have a file that was uploaded for the post; schedctl uploads it again")
}
