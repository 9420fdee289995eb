package bluesky

import (
	"cmp"
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

// Large videos are sent to the video service in parts (the lexicons app.bsky.video.startUpload,
// uploadPart and finishUpload). A service without these methods gets them in one request, up
// to maxWhole bytes.
const (
	partsAbove = 50_000_000
	maxWhole   = 100_000_000

	// maxPart and maxParts bound what a service may ask for. A part is held in memory.
	maxPart  = 64 << 20
	maxParts = 10_000

	// partTries is how often a part is sent. Sending it again changes nothing.
	partTries = 3

	// partsPrefix starts the id of an upload whose parts the service has all. The rest is
	// its id at the service, and it is finished next.
	partsPrefix = "parts "
)

// partUpload is an upload in parts at the video service.
type partUpload struct {
	id      string
	size    int64 // of each part but the last
	expires time.Time
}

// uploadParts sends a video in parts. served is false if the service has no such methods.
func (v *videoAccess) uploadParts(ctx context.Context, f publish.File) (upload publish.Upload, served bool, err error) {
	started, upload, served, err := v.startParts(ctx, f)
	if err != nil || !served || upload.ID != "" {
		return upload, served, err
	}
	if err := v.sendParts(ctx, started, f); err != nil {
		// Until the service drops it, an upload counts against the limit of the account.
		_, _ = v.procedure(ctx, "app.bsky.video.abortUpload", map[string]string{"jobId": started.id})
		return publish.Upload{}, true, err
	}
	return publish.Upload{ID: partsPrefix + started.id, ExpiresAt: started.expires}, true, nil
}

// startParts starts an upload. The result is an upload if the service has processed the same
// video before.
func (v *videoAccess) startParts(ctx context.Context, f publish.File) (started partUpload, upload publish.Upload, served bool, err error) {
	a, err := v.procedure(ctx, "app.bsky.video.startUpload", startInput{
		Size: f.Size, MIMEType: f.MIMEType, Name: publish.UploadName(v.request, f),
		Width: f.Width, Height: f.Height, Milliseconds: f.Duration.Milliseconds(),
	})
	if err != nil {
		return started, upload, true, err
	}
	if job := parseJob(a); job.blob.Ref.CID != "" {
		upload, err = job.upload(publish.Upload{ExpiresAt: time.Now().Add(videoLife)})
		return started, upload, true, err
	}
	if a.Status != http.StatusOK {
		missing := a.Status == http.StatusNotFound || a.Status == http.StatusNotImplemented || errorName(a) == "MethodNotImplemented"
		if missing {
			return started, upload, false, nil
		}
		return started, upload, true, v.refusal(a, f)
	}
	var body struct {
		ID      any    `json:"jobId"`
		Size    int64  `json:"partSizeBytes"`
		Count   int64  `json:"partCount"`
		Expires string `json:"expiresAt"`
	}
	_ = json.Unmarshal(a.Body, &body)
	started = partUpload{id: matchString(jobPattern(), body.ID), size: body.Size}
	usable := !a.Cut && started.id != "" && body.Size > 0 && body.Size <= maxPart && body.Count <= maxParts && body.Count == (f.Size+body.Size-1)/body.Size
	if !usable {
		return started, upload, true, unexpectedVideo(a.Status, "the video service did not say how to send the video")
	}
	if started.expires, err = time.Parse(time.RFC3339, body.Expires); err != nil {
		started.expires = time.Now().Add(videoLife)
	}
	return started, upload, true, nil
}

// startInput is the body of app.bsky.video.startUpload.
type startInput struct {
	Size         int64  `json:"sizeBytes"`
	MIMEType     string `json:"mimeType"`
	Name         string `json:"name"`
	Width        int    `json:"width,omitempty"`
	Height       int    `json:"height,omitempty"`
	Milliseconds int64  `json:"durationMs,omitempty"`
}

// sendParts sends all parts in order.
func (v *videoAccess) sendParts(ctx context.Context, u partUpload, f publish.File) error {
	segments, err := outbound.OpenSegments(ctx, f)
	if err != nil {
		return err
	}
	defer segments.Close()
	for number := 1; segments.Left() > 0; number++ {
		part, err := segments.Next(u.size)
		if err != nil {
			return err
		}
		if err := v.sendPart(ctx, u, number, part, f); err != nil {
			return err
		}
	}
	return nil
}

func (v *videoAccess) sendPart(ctx context.Context, u partUpload, number int, part outbound.Body, f publish.File) error {
	target, err := v.publisher.videoCall("app.bsky.video.uploadPart", url.Values{"jobId": {u.id}, "partNumber": {strconv.Itoa(number)}})
	if err != nil {
		return publish.NotPublished(err)
	}
	for try := 1; ; try++ {
		header, err := v.header(ctx)
		if err != nil {
			return err
		}
		a, err := outbound.PostBody(ctx, v.publisher.client, target.String(), header, part)
		again := try < partTries && ctx.Err() == nil
		switch {
		case err != nil && again:
		case err != nil:
			return publish.NotPublished(err)
		case a.Status >= 200 && a.Status <= 299:
			return nil
		case a.Status < 500 || !again:
			return v.refusal(a, f)
		}
	}
}

// finishParts finishes an upload whose parts the service has all. It may be called again.
func (v *videoAccess) finishParts(ctx context.Context, u publish.Upload) (publish.Upload, error) {
	a, err := v.procedure(ctx, "app.bsky.video.finishUpload", map[string]string{"jobId": strings.TrimPrefix(u.ID, partsPrefix)})
	if err != nil {
		return u, err
	}
	if a.Status != http.StatusOK {
		if name := errorName(a); name == "UploadNotReady" || name == "ServiceOverloaded" {
			return u, nil // the caller asks again
		}
		return u, v.refusal(a, publish.File{})
	}
	var body struct {
		ID any `json:"completedJobId"`
	}
	_ = json.Unmarshal(a.Body, &body)
	id := matchString(jobPattern(), body.ID)
	if a.Cut || id == "" {
		return u, unexpectedVideo(a.Status, "the video service did not confirm that it has the video")
	}
	return parseJob(a).upload(publish.Upload{ID: jobPrefix + id, ExpiresAt: time.Now().Add(videoLife)})
}

// videoAccess sends requests to the video service that act on the account's server.
type videoAccess struct {
	publisher *Publisher
	home      *url.URL // the address of the account
	server    string   // the host of its server
	request   publish.Request

	token  string
	issued time.Time
}

// header returns the headers of a request, with a token that is valid for a while.
func (v *videoAccess) header(ctx context.Context) (http.Header, error) {
	if v.token == "" || time.Since(v.issued) > serviceTokenLife/2 {
		token, err := v.publisher.serviceToken(ctx, v.home, v.request, v.server, "com.atproto.repo.uploadBlob")
		if err != nil {
			return nil, err
		}
		v.token, v.issued = token, time.Now()
	}
	return outbound.Header(v.publisher.userAgent, v.token), nil
}

// procedure calls a method with a body in JSON. Errors have the outcome not_published.
func (v *videoAccess) procedure(ctx context.Context, method string, body any) (outbound.Response, error) {
	header, err := v.header(ctx)
	if err != nil {
		return outbound.Response{}, err
	}
	target, err := v.publisher.videoCall(method, nil)
	if err != nil {
		return outbound.Response{}, publish.NotPublished(err)
	}
	header.Set("Content-Type", "application/json")
	a, err := outbound.Post(ctx, v.publisher.client, target.String(), header, outbound.EncodeJSON(body))
	if err != nil {
		return a, publish.NotPublished(err)
	}
	return a, nil
}

// videoRefusals are the errors of the video service about a file or the account's right to
// upload it. The account can publish everything else.
var videoRefusals = map[string]string{
	"UploadForbidden":        "Bluesky takes no videos from the account",
	"UnsupportedContentType": "Bluesky does not take videos of this type",
	"VideoTooLarge":          "the video has more bytes than Bluesky takes from the account",
	"VideoTooLong":           "the video is longer than Bluesky allows",
	"BadAspectRatio":         "Bluesky does not take videos of this shape",
	"UploadFailed":           "Bluesky refused the video",
}

// refusal returns the error for a response of the video service that is not 2xx. Errors have
// the outcome not_published, and none is about the account.
func (v *videoAccess) refusal(a outbound.Response, f publish.File) error {
	name := errorName(a)
	hidden := append(secrets(v.request.Credentials), v.token)
	switch message := videoRefusals[name]; {
	case name == nameDailyLimit:
		return dailyLimit(a.Status)
	case message != "":
		e := publish.MediaError(name, "%s", message)
		e.HTTPStatus = a.Status
		return outbound.WithErrorText(e, outbound.ErrorText(a, hidden...))
	case name == "UploadExpired", name == "UploadNotFound", name == "UploadAborted", name == "MissingParts":
		return publish.UploadLost(a.Status, "the video service no longer has the video; schedctl uploads it again")
	case name == "TooManyOpenUploads", name == "ServiceOverloaded":
		return outbound.WithErrorText(publish.AsError(unexpectedVideo(a.Status, "the video service takes no upload now")), outbound.ErrorText(a, hidden...))
	}
	e := outbound.FileRefusal(a, time.Now())
	if endedSession(name) { // the token of the service; the session of the account is not affected
		e.Kind, e.Code, e.Message = schedctl.KindMedia, publish.CodeUploadRefused, "the video service refused the token"
	}
	e.Code, e.Outcome = cmp.Or(e.Code, name), schedctl.OutcomeNotPublished
	return outbound.WithErrorText(refusedBlob(e, a, f), outbound.ErrorText(a, hidden...))
}

// nameDailyLimit is the name of an error whose HTTP status is not documented.
const nameDailyLimit = "DailyLimitExceeded"

// dailyLimit returns the error of an account that may upload no more videos today. It is the
// limit of videos only: other posts of the account are published. That the day
// ends at 00:00 UTC is not documented.
func dailyLimit(status int) *publish.Error {
	return &publish.Error{
		Kind: schedctl.KindRateLimited, Code: publish.CodeVideoLimit, HTTPStatus: status, Outcome: schedctl.OutcomeNotPublished,
		RetryAt: time.Now().UTC().Truncate(24 * time.Hour).Add(24 * time.Hour),
		Message: "the account has used its daily limit of videos on Bluesky",
	}
}
