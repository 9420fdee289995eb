package bluesky_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/bluesky"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// partService is a fake of the video service with uploads in parts, written from the lexicons.
// Requests for other methods go to rest.
type partService struct {
	rest *videoService

	mu      sync.Mutex // mu guards the fields below
	size    int64      // of the video
	parts   map[int][]byte
	done    []byte
	calls   []string
	respond func(call string, n int) (status int, body string) // for the nth call of a method; 0 for the usual response
}

const partSize = 1000

func (s *partService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	method := strings.TrimPrefix(r.URL.Path, "/xrpc/app.bsky.video.")
	if !slices.Contains([]string{"startUpload", "uploadPart", "finishUpload", "abortUpload"}, method) {
		if status, text := s.responseTo(method); status != 0 {
			w.WriteHeader(status)
			io.WriteString(w, text)
			return
		}
		s.rest.ServeHTTP(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	call := strings.TrimSpace(method + " " + r.FormValue("partNumber"))
	s.calls = append(s.calls, call)
	n := 0
	for _, c := range s.calls {
		if c == call {
			n++
		}
	}
	if s.respond != nil {
		if status, text := s.respond(call, n); status != 0 {
			w.WriteHeader(status)
			io.WriteString(w, text)
			return
		}
	}
	if r.Header.Get("Authorization") != "Bearer did:web:morel.us-east.host.bsky.network/com.atproto.repo.uploadBlob" {
		fail(w, 401, "AuthMissing")
		return
	}
	s.carryOut(w, r, method, body)
}

// responseTo returns the response that a test has set for a method, or 0.
func (s *partService) responseTo(method string) (status int, body string) {
	if s.respond == nil {
		return 0, ""
	}
	return s.respond(method, 0)
}

// carryOut gives the usual response. The caller holds mu.
func (s *partService) carryOut(w http.ResponseWriter, r *http.Request, method string, body []byte) {
	var input struct {
		Size  int64  `json:"sizeBytes"`
		Type  string `json:"mimeType"`
		JobID string `json:"jobId"`
	}
	_ = json.Unmarshal(body, &input)
	switch method {
	case "startUpload":
		if input.Size <= 0 || input.Type != "video/mp4" {
			fail(w, 400, "UnsupportedContentType")
			return
		}
		s.size, s.parts = input.Size, map[int][]byte{}
		fmt.Fprintf(w, `{"jobId":"up1","partSizeBytes":%d,"partCount":%d,"expiresAt":%q}`, partSize, (input.Size+partSize-1)/partSize, time.Now().Add(time.Hour).UTC().Format(time.RFC3339))
	case "uploadPart":
		number, _ := strconv.Atoi(r.FormValue("partNumber"))
		expected := min(partSize, s.size-int64(number-1)*partSize)
		if r.FormValue("jobId") != "up1" || int64(len(body)) != expected || r.ContentLength != expected {
			fail(w, 400, "PartSizeMismatch")
			return
		}
		s.parts[number] = body
		fmt.Fprintf(w, `{"partNumber":%d,"sizeBytes":%d}`, number, len(body))
	case "finishUpload":
		s.done = nil
		for _, number := range slices.Sorted(maps.Keys(s.parts)) {
			s.done = append(s.done, s.parts[number]...)
		}
		if input.JobID != "up1" || int64(len(s.done)) != s.size {
			fail(w, 400, "MissingParts")
			return
		}
		io.WriteString(w, `{"completedJobId":"job1","jobStatus":{"jobId":"job1","did":"`+did+`","state":"JOB_STATE_CREATED"}}`)
	case "abortUpload":
		io.WriteString(w, `{"state":"aborted"}`)
	}
}

func (s *partService) list() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// startParts is startVideo with a service that takes videos in parts.
func startParts(t *testing.T) (*network, *partService, *bluesky.Publisher, publish.Request, publish.File) {
	t.Helper()
	n, v, p, r := startVideo(t)
	s := &partService{rest: v}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	p.SetVideoService(server.URL)
	p.SetPartsAbove(partSize)
	data := bytes.Repeat([]byte("0123456789"), 250) // two and a half parts
	f := publishtest.TestFile("video/mp4", 1)
	f.Size, f.SHA256 = int64(len(data)), sha256.Sum256(data)
	f.Open = func(context.Context) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
	return n, s, p, r, f
}

// TestVideoInParts uploads a large video in parts, some of them twice, and waits for it.
func TestVideoInParts(t *testing.T) {
	t.Parallel()
	_, s, p, r, f := startParts(t)
	s.respond = func(call string, n int) (int, string) {
		switch {
		case call == "uploadPart 2" && n < 3:
			return 503, `{"error":"ServiceOverloaded"}`
		case call == "finishUpload" && n == 1:
			return 400, `{"error":"UploadNotReady","message":"A finish is in progress"}`
		}
		return 0, ""
	}
	s.rest.jobs = []string{job(`"state":"JOB_STATE_ENCODING"`), job(`"state":"JOB_STATE_COMPLETED",` + processedBlob)}
	u, err := p.Upload(t.Context(), r, f)
	if err != nil || u.Ready || time.Until(u.ExpiresAt) < 10*time.Minute {
		t.Fatalf("upload %+v, %v", u, err)
	}
	for i, ready := range []bool{false, false, false, true} {
		if u, err = p.Processed(t.Context(), r, u); err != nil || u.Ready != ready {
			t.Fatalf("state %d: %+v, %v", i, u, err)
		}
	}
	want := "startUpload uploadPart 1 uploadPart 2 uploadPart 2 uploadPart 2 uploadPart 3 finishUpload finishUpload"
	if got := strings.Join(s.list(), " "); got != want || !strings.Contains(u.ID, processedCID) || sha256.Sum256(s.done) != f.SHA256 {
		t.Errorf("calls %q, upload %+v, %d bytes", got, u, len(s.done))
	}
}

// TestVideoServiceWithoutParts guards that a service that does not have the methods gets the
// video in one request, and that one which is too large for that fails.
func TestVideoServiceWithoutParts(t *testing.T) {
	t.Parallel()
	for name, response := range map[string]struct {
		status int
		body   string
	}{
		"501": {501, `{"error":"MethodNotImplemented","message":"Method Not Implemented"}`},
		"404": {404, `{"error":"XRPCNotSupported"}`},
		"400": {400, `{"error":"MethodNotImplemented"}`},
	} {
		_, s, p, r, f := startParts(t)
		s.respond = func(call string, _ int) (int, string) {
			if call != "startUpload" {
				return 0, ""
			}
			return response.status, response.body
		}
		u, err := p.Upload(t.Context(), r, f)
		if err != nil || u.ID != "job job1" || strings.Join(s.list(), " ") != "startUpload" {
			t.Errorf("%s: %+v, %v, calls %v", name, u, err, s.list())
		}
		f.Size = 100_000_001
		_, err = p.Upload(t.Context(), r, f)
		if e := publish.AsError(err); e.Kind != schedctl.KindMedia || e.Code != publish.CodeFileTooLarge {
			t.Errorf("%s, too large: %v", name, err)
		}
	}
}

// TestVideoServiceRefusesParts checks what each error of the service means. The account is
// never refused.
func TestVideoServiceRefusesParts(t *testing.T) {
	t.Parallel()
	named := func(name string) string { return `{"error":"` + name + `","message":"the words"}` }
	for _, tt := range []struct {
		call   string
		status int
		body   string
		kind   schedctl.ErrorKind
		code   string
	}{
		{"startUpload", 400, named("DailyLimitExceeded"), schedctl.KindRateLimited, "daily_videos"},
		{"startUpload", 403, named("DailyLimitExceeded"), schedctl.KindRateLimited, "daily_videos"},
		{"startUpload", 429, named("DailyLimitExceeded"), schedctl.KindRateLimited, "daily_videos"},
		{"startUpload", 503, named("DailyLimitExceeded"), schedctl.KindRateLimited, "daily_videos"},
		{"startUpload", 403, named("UploadForbidden"), schedctl.KindMedia, "UploadForbidden"},
		{"startUpload", 400, named("UnsupportedContentType"), schedctl.KindMedia, "UnsupportedContentType"},
		{"startUpload", 400, named("VideoTooLarge"), schedctl.KindMedia, "VideoTooLarge"},
		{"startUpload", 400, named("VideoTooLong"), schedctl.KindMedia, "VideoTooLong"},
		{"startUpload", 400, named("BadAspectRatio"), schedctl.KindMedia, "BadAspectRatio"},
		{"startUpload", 400, named("TooManyOpenUploads"), schedctl.KindPlatform, "video_service"},
		{"startUpload", 503, named("ServiceOverloaded"), schedctl.KindPlatform, "video_service"},
		{"startUpload", 401, named("AuthMissing"), schedctl.KindMedia, publish.CodeUploadRefused},
		{"startUpload", 403, named("AuthMissing"), schedctl.KindMedia, publish.CodeUploadRefused},
		{"startUpload", 403, `error code: 1010`, schedctl.KindPlatform, publish.CodeBlockedOnTheWay},
		{"startUpload", 200, `{"jobId":"up1","partSizeBytes":1000,"partCount":2}`, schedctl.KindPlatform, "video_service"},
		{"startUpload", 200, `{"jobId":"up1","partSizeBytes":0,"partCount":3}`, schedctl.KindPlatform, "video_service"},
		{"startUpload", 200, `{"jobId":"up1","partSizeBytes":1000000000,"partCount":1}`, schedctl.KindPlatform, "video_service"},
		{"uploadPart 2", 400, named("UploadExpired"), schedctl.KindPlatform, publish.CodeUploadLost},
		{"uploadPart 3", 404, named("UploadNotFound"), schedctl.KindPlatform, publish.CodeUploadLost},
		{"uploadPart 1", 503, named("ServiceOverloaded"), schedctl.KindPlatform, "video_service"},
		{"finishUpload", 400, named("UploadExpired"), schedctl.KindPlatform, publish.CodeUploadLost},
		{"finishUpload", 404, named("UploadNotFound"), schedctl.KindPlatform, publish.CodeUploadLost},
		{"finishUpload", 400, named("MissingParts"), schedctl.KindPlatform, publish.CodeUploadLost},
		{"finishUpload", 400, named("UploadFailed"), schedctl.KindMedia, "UploadFailed"},
		{"finishUpload", 200, `{}`, schedctl.KindPlatform, "video_service"},
	} {
		_, s, p, r, f := startParts(t)
		s.respond = func(call string, _ int) (int, string) {
			if call == tt.call {
				return tt.status, tt.body
			}
			return 0, ""
		}
		u, err := p.Upload(t.Context(), r, f)
		if err == nil {
			_, err = p.Processed(t.Context(), r, u)
		}
		e := publish.AsError(err)
		if err == nil || e.Kind != tt.kind || e.Code != tt.code || e.Outcome != schedctl.OutcomeNotPublished {
			t.Errorf("%s %d %s: %+v", tt.call, tt.status, tt.body, e)
		}
		if now := time.Now().UTC(); e.Kind == schedctl.KindRateLimited && (e.RetryAt.Hour() != 0 || e.RetryAt.Minute() != 0 || !e.RetryAt.After(now) || e.RetryAt.Sub(now) > 24*time.Hour) {
			t.Errorf("%s %d: retry at %v", tt.call, tt.status, e.RetryAt)
		}
		calls := s.list()
		if sent := strings.HasPrefix(tt.call, "uploadPart"); sent != (calls[len(calls)-1] == "abortUpload") {
			t.Errorf("%s: calls %v", tt.call, calls)
		}
	}
}

// TestVideoServiceNeverHolds guards that no refusal of the video service holds the account, and
// that no refused question counts as a video that is ready.
func TestVideoServiceNeverHolds(t *testing.T) {
	t.Parallel()
	for _, call := range []string{"startUpload", "uploadPart 1", "finishUpload", "getJobStatus", "getUploadLimits", "uploadVideo"} {
		for _, status := range []int{400, 401, 403} {
			for _, name := range []string{"InvalidToken", "ExpiredToken", "AuthMissing", "InsufficientScope", "AuthFactorTokenRequired", "AccountTakedown", "AccountNotFound", "SomethingElse"} {
				_, s, p, r, f := startParts(t)
				s.respond = func(got string, _ int) (int, string) {
					if got == call {
						return status, `{"error":"` + name + `","message":"the words"}`
					}
					if got == "startUpload" && call == "uploadVideo" {
						return 404, `{"error":"MethodNotImplemented","message":"no"}`
					}
					return 0, ""
				}
				u, err := p.Upload(t.Context(), r, f)
				for range 2 {
					if err == nil && !u.Ready {
						u, err = p.Processed(t.Context(), r, u)
					}
				}
				if e := publish.AsError(err); err == nil && call != "getUploadLimits" || err != nil && (e.Kind == schedctl.KindAuth || e.Code == publish.CodeNotKnown || e.Outcome != schedctl.OutcomeNotPublished) {
					t.Errorf("%s %d %s: %+v", call, status, name, err)
				}
			}
		}
	}
}

// TestDailyLimitByName guards that the daily limit is known by its name in one request, too.
func TestDailyLimitByName(t *testing.T) {
	t.Parallel()
	for _, status := range []int{200, 400, 403, 429, 500} {
		for _, body := range []string{`{"error":"DailyLimitExceeded","message":"the words"}`, `{"jobStatus":{"jobId":"","state":"","error":"DailyLimitExceeded"}}`} {
			_, v, p, r := startVideo(t)
			v.status, v.upload = status, body
			_, err := p.Upload(t.Context(), r, publishtest.TestFile("video/mp4", 1))
			if e := publish.AsError(err); e.Kind != schedctl.KindRateLimited || e.Code != "daily_videos" || e.RetryAt.IsZero() {
				t.Errorf("%d %s: %+v", status, body, e)
			}
		}
	}
}
