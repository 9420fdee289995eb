package bluesky_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/bluesky"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// processedCID refers to the bytes that the video service has made of a video.
const processedCID = "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"

// videoService is a fake of Bluesky's video service.
type videoService struct {
	*httptest.Server

	mu     sync.Mutex // mu guards the fields below
	calls  []string   // method, parameters and token
	upload string     // the response to uploadVideo
	status int        // its status
	jobs   []string   // the responses to getJobStatus, one for each request
	limits string     // the response to getUploadLimits
}

func (v *videoService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	v.mu.Lock()
	defer v.mu.Unlock()
	method := strings.TrimPrefix(r.URL.Path, "/xrpc/")
	v.calls = append(v.calls, method+" "+r.Header.Get("Authorization"))
	switch method {
	case "app.bsky.video.getUploadLimits":
		io.WriteString(w, v.limits)
	case "app.bsky.video.uploadVideo":
		if r.FormValue("did") != did || !strings.HasSuffix(r.FormValue("name"), ".mp4") || r.Header.Get("Content-Type") != "video/mp4" {
			fail(w, 400, "BadUpload")
			return
		}
		w.WriteHeader(v.status)
		io.WriteString(w, v.upload)
	case "app.bsky.video.getJobStatus":
		if r.FormValue("jobId") != "job1" || len(v.jobs) == 0 {
			fail(w, 404, "JobNotFound")
			return
		}
		io.WriteString(w, v.jobs[0])
		v.jobs = v.jobs[1:]
	}
}

// startVideo returns a publisher on a server of Bluesky with a video service that accepts
// videos.
func startVideo(t *testing.T) (*network, *videoService, *bluesky.Publisher, publish.Request) {
	t.Helper()
	n, p := start(t)
	v := &videoService{status: 200, upload: `{"did":"` + did + `","jobId":"job1","state":"JOB_STATE_CREATED"}`, limits: `{"canUpload":true,"remainingDailyVideos":25,"remainingDailyBytes":1000000000}`}
	v.Server = httptest.NewServer(v)
	t.Cleanup(v.Close)
	p.SetVideoService(v.URL)
	r := connected(t, n, p)
	n.on("com.atproto.server.getSession", func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer access-") {
			fail(w, 400, "InvalidToken")
			return
		}
		io.WriteString(w, `{"did":"`+did+`","didDoc":{"service":[{"id":"#atproto_pds","type":"AtprotoPersonalDataServer","serviceEndpoint":"https://morel.us-east.host.bsky.network"}]}}`)
	})
	n.on("com.atproto.server.getServiceAuth", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"token":"%s/%s"}`, r.FormValue("aud"), r.FormValue("lxm"))
	})
	return n, v, p, r
}

func job(fields string) string {
	return `{"jobStatus":{"jobId":"job1","did":"` + did + `",` + fields + `}}`
}

const processedBlob = `"blob":{"$type":"blob","ref":{"$link":"` + processedCID + `"},"mimeType":"video/mp4","size":12345}`

// TestVideoService uploads a video, waits for its processing, and publishes it.
func TestVideoService(t *testing.T) {
	t.Parallel()
	n, v, p, r := startVideo(t)
	v.jobs = []string{job(`"state":"JOB_STATE_ENCODING","progress":40`), job(`"state":"JOB_STATE_COMPLETED",` + processedBlob)}
	f := publishtest.TestFile("video/mp4", 1)
	u, err := p.Upload(t.Context(), r, f)
	if err != nil || u.Ready || time.Until(u.ExpiresAt) < 10*time.Minute {
		t.Fatalf("upload %+v, %v", u, err)
	}
	host := strings.TrimPrefix(v.URL, "http://")
	want := []string{
		"app.bsky.video.getUploadLimits Bearer did:web:" + host + "/app.bsky.video.getUploadLimits",
		"app.bsky.video.uploadVideo Bearer did:web:morel.us-east.host.bsky.network/com.atproto.repo.uploadBlob",
	}
	if diff := cmp.Diff(want, v.calls); diff != "" {
		t.Errorf("calls of the video service (-want +got):\n%s", diff)
	}
	for i, ready := range []bool{false, true} {
		if u, err = p.Processed(t.Context(), r, u); err != nil || u.Ready != ready {
			t.Fatalf("state %d: %+v, %v", i, u, err)
		}
	}
	f.Upload = u
	r.Files = []publish.File{f}
	if _, err := p.Publish(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	var stored struct{ Embed map[string]any }
	if err := json.Unmarshal(n.records[key], &stored); err != nil {
		t.Fatal(err)
	}
	wantEmbed := map[string]any{
		"$type": "app.bsky.embed.video", "alt": f.AltText, "aspectRatio": map[string]any{"width": 640., "height": 480.},
		"video": map[string]any{"$type": "blob", "ref": map[string]any{"$link": processedCID}, "mimeType": "video/mp4", "size": 12345.},
	}
	if diff := cmp.Diff(wantEmbed, stored.Embed); diff != "" {
		t.Errorf("embed (-want +got):\n%s", diff)
	}
	for _, call := range n.take() {
		if call == "com.atproto.repo.uploadBlob" {
			t.Error("the video was also uploaded as a blob")
		}
	}
	if ahead := p.MediaRules(schedctl.Account{Username: "alice.bsky.social"}).Classes[schedctl.MediaVideo].Ahead; ahead != 15*time.Minute {
		t.Errorf("videos are uploaded %s before the post", ahead)
	}
}

// TestVideoServiceRepeats guards that a video that the service has is not an error: the
// upload has a conflict, and the job fails with the blob of the earlier one.
func TestVideoServiceRepeats(t *testing.T) {
	t.Parallel()
	_, v, p, r := startVideo(t)
	v.status, v.upload = 409, `{"did":"`+did+`","error":"already_exists","jobId":"job1","message":"Video already processed","state":"JOB_STATE_COMPLETED"}`
	v.jobs = []string{job(`"state":"JOB_STATE_FAILED","error":"already_exists",` + processedBlob)}
	u, err := p.Upload(t.Context(), r, publishtest.TestFile("video/mp4", 1))
	if err != nil || u.Ready {
		t.Fatalf("upload %+v, %v", u, err)
	}
	if u, err = p.Processed(t.Context(), r, u); err != nil || !u.Ready || !strings.Contains(u.ID, processedCID) {
		t.Errorf("job: %+v, %v", u, err)
	}
}

// TestVideoServiceRefuses checks the errors of uploads and of jobs.
func TestVideoServiceRefuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		set  func(*network, *videoService)
		kind schedctl.ErrorKind
		code string
	}{
		"failed": {func(_ *network, v *videoService) {
			v.jobs = []string{job(`"state":"JOB_STATE_FAILED","error":"bad_codec"`)}
		}, schedctl.KindMedia, "processing_failed"},
		"lost":        {func(*network, *videoService) {}, schedctl.KindPlatform, publish.CodeUploadLost},
		"not a job":   {func(_ *network, v *videoService) { v.jobs = []string{`{}`} }, schedctl.KindPlatform, "video_service"},
		"not allowed": {func(_ *network, v *videoService) { v.limits = `{"canUpload":false,"error":"Unconfirmed"}` }, schedctl.KindMedia, "Unconfirmed"},
		"daily limit": {func(_ *network, v *videoService) { v.limits = `{"canUpload":true,"remainingDailyVideos":0}` }, schedctl.KindRateLimited, "daily_videos"},
		"unconfirmed": {func(_ *network, v *videoService) {
			v.upload = `{"jobStatus":{"did":"","error":"unconfirmed_email","jobId":"","state":""}}`
		}, schedctl.KindMedia, "unconfirmed_email"},
		"no response":   {func(_ *network, v *videoService) { v.upload = `` }, schedctl.KindPlatform, "video_service"},
		"refused token": {func(_ *network, v *videoService) { v.status = 401 }, schedctl.KindMedia, publish.CodeUploadRefused},
		"too large":     {func(_ *network, v *videoService) { v.status, v.upload = 413, `{}` }, schedctl.KindMedia, publish.CodeFileTooLarge},
		"no token": {func(n *network, _ *videoService) {
			n.on("com.atproto.server.getServiceAuth", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{}`) })
		}, schedctl.KindPlatform, "video_service"},
		"no session": {func(n *network, _ *videoService) { n.refuse("com.atproto.server.getSession", 400, "ExpiredToken") }, schedctl.KindAuth, publish.CodeSessionExpired},
		"server fails": {func(n *network, _ *videoService) {
			n.refuse("com.atproto.server.getSession", 500, "InternalServerError")
		}, schedctl.KindPlatform, "InternalServerError"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, v, p, r := startVideo(t)
			tc.set(n, v)
			u, err := p.Upload(t.Context(), r, publishtest.TestFile("video/mp4", 1))
			if err == nil {
				_, err = p.Processed(t.Context(), r, u)
			}
			e := publish.AsError(err)
			if err == nil || e.Kind != tc.kind || e.Code != tc.code || e.Outcome != schedctl.OutcomeNotPublished {
				t.Errorf("error %+v, want %s %s", e, tc.kind, tc.code)
			}
		})
	}
}

// TestVideoOnOtherServers guards that a server that is not Bluesky's gets a plain blob.
func TestVideoOnOtherServers(t *testing.T) {
	t.Parallel()
	for name, document := range map[string]string{
		"own server": `{"didDoc":{"service":[{"id":"did:plc:x#atproto_pds","serviceEndpoint":"https://pds.example.com"}]}}`,
		"no server":  `{"did":"did:plc:x"}`,
		"similar":    `{"didDoc":{"service":[{"id":"#atproto_pds","serviceEndpoint":"https://host.bsky.network.example.com"}]}}`,
		"not JSON":   `-`,
	} {
		n, v, p, r := startVideo(t)
		n.on("com.atproto.server.getSession", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, document) })
		u, err := p.Upload(t.Context(), r, publishtest.TestFile("video/mp4", 1))
		if err != nil || !u.Ready || len(v.calls) > 0 {
			t.Errorf("%s: %+v, %v, calls %v", name, u, err, v.calls)
		}
		if u, err = p.Processed(t.Context(), r, u); err != nil || !u.Ready {
			t.Errorf("%s: %+v, %v", name, u, err)
		}
	}
}
