package bluesky

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// The servers of Bluesky itself show only videos that its video service has processed
// (https://docs.bsky.app/docs/tutorials/video). The service writes the processed video to
// the server of the account, so a record refers to that blob. On other servers a video is
// a plain blob.
const (
	publicVideoService = "https://video.bsky.app"
	blueskyServers     = ".host.bsky.network"

	// serviceTokenLife is how long the video service may write to the server.
	serviceTokenLife = 30 * time.Minute

	// videoLife is how long a processed video is certainly kept. The specification
	// recommends an hour for blobs to which no record refers
	// (https://atproto.com/specs/blob).
	videoLife = 30 * time.Minute

	// Prefixes of the ids of uploads to the video service.
	jobPrefix   = "job "
	videoPrefix = "video "
)

// authorizedQuery is query with the session of the account.
func (p *Publisher) authorizedQuery(ctx context.Context, u *url.URL, method, token string, parameters url.Values) (outbound.Response, error) {
	target := u.JoinPath("xrpc", method)
	target.RawQuery = parameters.Encode()
	return outbound.Get(ctx, p.client, target.String(), outbound.Header(p.userAgent, token))
}

// blueskyServer returns the host of the account's server if that is one of Bluesky's,
// otherwise the empty string. The address of the account may be that of bsky.social, which
// is not the server.
func (p *Publisher) blueskyServer(ctx context.Context, u *url.URL, r publish.Request) (string, error) {
	a, err := p.authorizedQuery(ctx, u, "com.atproto.server.getSession", r.Credentials[fieldAccess], nil)
	if err != nil {
		return "", publish.NotPublished(err)
	}
	if a.Status != http.StatusOK {
		e := refusal(a, publish.PurposeFile, time.Now(), secrets(r.Credentials)...)
		if e.Kind == schedctl.KindContent || a.Status == http.StatusNotFound || a.Status == http.StatusMethodNotAllowed || a.Status == http.StatusNotImplemented {
			return "", nil // another implementation, without this method
		}
		return "", publish.NotPublished(e)
	}
	var body struct {
		Document struct {
			Services []struct {
				ID       string `json:"id"`
				Endpoint any    `json:"serviceEndpoint"`
			} `json:"service"`
		} `json:"didDoc"`
	}
	if a.Cut || json.Unmarshal(a.Body, &body) != nil {
		return "", nil
	}
	for _, s := range body.Document.Services {
		endpoint, _ := s.Endpoint.(string)
		server, err := url.Parse(endpoint)
		if strings.HasSuffix(s.ID, "#atproto_pds") && err == nil && server.Scheme == "https" && strings.HasSuffix(server.Host, blueskyServers) {
			return server.Host, nil
		}
	}
	return "", nil
}

// serviceToken returns a token with which another service may call a method for the
// account. The audience is the host of the server that checks the token.
func (p *Publisher) serviceToken(ctx context.Context, u *url.URL, r publish.Request, audience, method string) (string, error) {
	a, err := p.authorizedQuery(ctx, u, "com.atproto.server.getServiceAuth", r.Credentials[fieldAccess], url.Values{
		"aud": {"did:web:" + audience}, "lxm": {method}, "exp": {strconv.FormatInt(time.Now().Add(serviceTokenLife).Unix(), 10)},
	})
	if err != nil {
		return "", publish.NotPublished(err)
	}
	if a.Status != http.StatusOK {
		return "", publish.NotPublished(refusal(a, publish.PurposeFile, time.Now(), secrets(r.Credentials)...))
	}
	var body struct {
		Token any `json:"token"`
	}
	token := ""
	if !a.Cut && json.Unmarshal(a.Body, &body) == nil {
		token = matchString(tokenPattern(), body.Token)
	}
	if token == "" {
		return "", unexpectedVideo(a.Status, "the server returned no token for the video service")
	}
	return token, nil
}

func unexpectedVideo(status int, message string) error {
	return &publish.Error{Kind: schedctl.KindPlatform, Code: "video_service", Message: message, HTTPStatus: status, Outcome: schedctl.OutcomeNotPublished}
}

// videoCall returns the URL of a method of the video service.
func (p *Publisher) videoCall(method string, parameters url.Values) (*url.URL, error) {
	u, err := url.Parse(p.videoService)
	if err != nil {
		return nil, err
	}
	u = u.JoinPath("xrpc", method)
	u.RawQuery = parameters.Encode()
	return u, nil
}

// uploadVideo sends a video to the video service. The id of the upload is that of a job.
func (p *Publisher) uploadVideo(ctx context.Context, u *url.URL, server string, r publish.Request, f publish.File) (publish.Upload, error) {
	if err := p.checkVideoLimits(ctx, u, r, f); err != nil {
		return publish.Upload{}, err
	}
	v := &videoAccess{publisher: p, home: u, server: server, request: r}
	if f.Size > p.partsAbove {
		if upload, served, err := v.uploadParts(ctx, f); served {
			return upload, err
		}
		if f.Size > maxWhole {
			return publish.Upload{}, publish.FileTooLarge(0, maxWhole)
		}
	}
	return v.uploadWhole(ctx, f)
}

// uploadWhole sends a video in one request.
func (v *videoAccess) uploadWhole(ctx context.Context, f publish.File) (publish.Upload, error) {
	header, err := v.header(ctx)
	if err != nil {
		return publish.Upload{}, err
	}
	target, err := v.publisher.videoCall("app.bsky.video.uploadVideo", url.Values{"did": {v.request.Credentials[fieldDID]}, "name": {publish.UploadName(v.request, f)}})
	if err != nil {
		return publish.Upload{}, publish.NotPublished(err)
	}
	a, err := outbound.PostBody(ctx, v.publisher.client, target.String(), header, outbound.FileBody(f))
	if err != nil {
		return publish.Upload{}, publish.NotPublished(err)
	}
	job := parseJob(a)
	switch {
	case job.id != "" && (a.Status >= 200 && a.Status <= 299 || a.Status == http.StatusConflict): // the service has the video
		return job.upload(publish.Upload{ID: jobPrefix + job.id, ExpiresAt: time.Now().Add(videoLife)})
	case job.failure == nameDailyLimit:
		return publish.Upload{}, dailyLimit(a.Status)
	case a.Status >= 200 && a.Status <= 299 && job.failure != "":
		return publish.Upload{}, publish.MediaError(job.failure, "the video service refused the video: %s", job.failure)
	case a.Status >= 200 && a.Status <= 299:
		return publish.Upload{}, unexpectedVideo(a.Status, "the video service did not confirm that it has the video")
	}
	return publish.Upload{}, v.refusal(a, f)
}

// checkVideoLimits returns an error if the video service takes no video of this size from
// the account now. Only a clear refusal counts.
func (p *Publisher) checkVideoLimits(ctx context.Context, u *url.URL, r publish.Request, f publish.File) error {
	service, err := url.Parse(p.videoService)
	if err != nil {
		return publish.NotPublished(err)
	}
	const method = "app.bsky.video.getUploadLimits"
	token, err := p.serviceToken(ctx, u, r, service.Host, method)
	if err != nil {
		return err
	}
	a, err := p.authorizedQuery(ctx, service, method, token, nil)
	if err != nil {
		return publish.NotPublished(err)
	}
	var limits struct {
		CanUpload *bool  `json:"canUpload"`
		Videos    *int64 `json:"remainingDailyVideos"`
		Bytes     *int64 `json:"remainingDailyBytes"`
		Error     any    `json:"error"`
	}
	switch {
	case a.Status != http.StatusOK, a.Cut, json.Unmarshal(a.Body, &limits) != nil, limits.CanUpload == nil:
		return nil
	case *limits.CanUpload && limits.Videos != nil && *limits.Videos <= 0, *limits.CanUpload && limits.Bytes != nil && *limits.Bytes < f.Size:
		return dailyLimit(a.Status)
	case *limits.CanUpload:
		return nil
	case limits.Error == nameDailyLimit:
		return dailyLimit(a.Status)
	}
	e := publish.MediaError("video_refused", "Bluesky takes no videos from the account now; confirm its e-mail address, and try a video in the app")
	if name := matchString(namePattern(), limits.Error); name != "" {
		e.Code = name
	}
	return outbound.WithErrorText(e, outbound.ErrorText(a, secrets(r.Credentials)...))
}

// videoJob is the state of a video at the video service.
type videoJob struct {
	id, state string
	failure   string // the name of an error, or empty
	blob      blob   // of the processed video; its CID is empty before
}

var (
	jobPattern     = pattern.Lazy(`^[A-Za-z0-9_:.-]{1,200}$`)
	blobCIDPattern = pattern.Lazy(`^b[a-z2-7]{20,200}$`)
)

// parseJob reads the state of a job. The service responds with it, or with an object that
// holds it.
func parseJob(a outbound.Response) videoJob {
	type state struct {
		ID    any  `json:"jobId"`
		State any  `json:"state"`
		Error any  `json:"error"`
		Blob  blob `json:"blob"`
	}
	var body struct {
		state
		Status *state `json:"jobStatus"`
	}
	if a.Cut || json.Unmarshal(a.Body, &body) != nil {
		return videoJob{}
	}
	s := body.state
	if body.Status != nil {
		s = *body.Status
	}
	j := videoJob{id: matchString(jobPattern(), s.ID), state: matchString(jobNamePattern(), s.State), failure: matchString(jobNamePattern(), s.Error)}
	if blobCIDPattern().MatchString(s.Blob.Ref.CID) && mimeType().MatchString(s.Blob.MIMEType) && s.Blob.Size > 0 {
		j.blob = s.Blob
	}
	return j
}

// jobNamePattern also matches the names of states and errors of the video service.
var jobNamePattern = pattern.Lazy(`^[A-Za-z][A-Za-z0-9_]{0,63}$`)

// upload returns the upload with the state of the job. A job that failed with
// already_exists has the blob of the earlier one.
func (j videoJob) upload(u publish.Upload) (publish.Upload, error) {
	switch {
	case j.blob.Ref.CID != "":
		u.ID, u.Ready = fmt.Sprintf("%s%s %s %d", videoPrefix, j.blob.Ref.CID, j.blob.MIMEType, j.blob.Size), true
	case j.state == "JOB_STATE_FAILED" && j.failure != "already_exists":
		return u, publish.MediaError("processing_failed", "Bluesky cannot process the video; check that it plays, and that it has a usual format such as H.264 with AAC")
	}
	return u, nil
}

// Processed asks the video service for the state of a video. Other blobs can be used at
// once.
func (p *Publisher) Processed(ctx context.Context, r publish.Request, u publish.Upload) (publish.Upload, error) {
	if strings.HasPrefix(u.ID, partsPrefix) {
		return p.finishVideo(ctx, r, u)
	}
	id, isJob := strings.CutPrefix(u.ID, jobPrefix)
	if !isJob {
		u.Ready = true
		return u, nil
	}
	target, err := p.videoCall("app.bsky.video.getJobStatus", url.Values{"jobId": {id}})
	if err != nil {
		return u, publish.NotPublished(err)
	}
	a, err := outbound.Get(ctx, p.client, target.String(), outbound.Header(p.userAgent, ""))
	if err != nil {
		return u, publish.NotPublished(err)
	}
	j := parseJob(a)
	switch {
	case j.blob.Ref.CID != "" || a.Status == http.StatusOK && j.state != "":
		if u, err = j.upload(u); u.Ready {
			u.ExpiresAt = time.Now().Add(videoLife)
		}
		return u, err
	case a.Status == http.StatusNotFound, a.Status == http.StatusBadRequest:
		return u, publish.UploadLost(a.Status, "the video service no longer has the video; schedctl uploads it again")
	case a.Status == http.StatusOK:
		return u, unexpectedVideo(a.Status, "the video service did not respond with the state of the video")
	}
	return u, (&videoAccess{publisher: p, request: r}).refusal(a, publish.File{})
}

// finishVideo finishes a video that was uploaded in parts.
func (p *Publisher) finishVideo(ctx context.Context, r publish.Request, u publish.Upload) (publish.Upload, error) {
	home, err := parseServer(r.Credentials["service_url"])
	if err != nil {
		return u, err
	}
	server, err := p.blueskyServer(ctx, home, r)
	if err != nil {
		return u, err
	}
	v := &videoAccess{publisher: p, home: home, server: server, request: r}
	return v.finishParts(ctx, u)
}

// processedVideo returns the blob of a video that the video service has processed.
func processedVideo(id string) (b blob, ok bool) {
	fields := strings.Fields(strings.TrimPrefix(id, videoPrefix))
	if len(fields) != 3 {
		return blob{}, false
	}
	size, err := strconv.ParseInt(fields[2], 10, 64)
	return blob{Type: "blob", Ref: link{fields[0]}, MIMEType: fields[1], Size: size}, err == nil
}
