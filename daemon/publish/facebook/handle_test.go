package facebook_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// videoCalls are the requests that upload or publish a video, in order.
type videoCalls struct {
	mu    sync.Mutex // mu guards calls
	calls []string
}

// watch records the requests to a fake, and lets mishap decide about them.
func (v *videoCalls) watch(fake *publishtest.FakeFacebook, mishap func(call string) publishtest.Mishap) {
	fake.Respond(func(r *http.Request) publishtest.Mishap {
		call := ""
		switch {
		case strings.HasSuffix(r.URL.Path, "/uploads"):
			call = "start"
		case strings.Contains(r.URL.Path, "/upload:"):
			call = "bytes"
		case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/videos"):
			call = "videos"
		default:
			return publishtest.Mishap{}
		}
		v.mu.Lock()
		v.calls = append(v.calls, call)
		v.mu.Unlock()
		return mishap(call)
	})
}

func (v *videoCalls) list() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.calls)
}

// startVideo connects with a token and returns a request with a video that is not uploaded yet.
func startVideo(t *testing.T, fake *publishtest.FakeFacebook, token string) (publish.Uploader, publish.Request, publish.File) {
	t.Helper()
	p, r := start(t, fake)
	r.Credentials["access_token"] = token
	profile, err := p.Connect(t.Context(), publish.Connection{Credentials: r.Credentials})
	if err != nil {
		t.Fatal(err)
	}
	r.Credentials = profile.Credentials
	return p, r, publishtest.TestFile("video/mp4", 1)
}

// TestVideoWithTheApp uploads with the Resumable Upload API, and in parts where Facebook refuses
// to start that, whatever the reason.
func TestVideoWithTheApp(t *testing.T) {
	t.Parallel()
	none := func(string) publishtest.Mishap { return publishtest.Mishap{} }
	refused := func(status int) func(string) publishtest.Mishap {
		return func(call string) (m publishtest.Mishap) {
			if call == "start" {
				m = metaError(status, 10, 0, "(#10) Application does not have permission for this action")
			}
			return m
		}
	}
	for name, tt := range map[string]struct {
		token   string
		refuses bool
		mishap  func(string) publishtest.Mishap
		want    string
	}{
		"a person":               {publishtest.FacebookUserToken, false, none, "start bytes videos"},
		"a Page's token":         {publishtest.FacebookPageToken, false, none, "start bytes videos"},
		"no role in the app":     {publishtest.FacebookUserToken, true, none, "start videos"},
		"refused with 400":       {publishtest.FacebookUserToken, false, refused(400), "start videos"},
		"not served, 404":        {publishtest.FacebookPageToken, false, refused(404), "start videos"},
		"too many requests, 429": {publishtest.FacebookPageToken, false, refused(429), "start videos"},
	} {
		fake, calls := publishtest.NewFakeFacebook(), &videoCalls{}
		fake.NoUploads = tt.refuses
		p, r, f := startVideo(t, fake, tt.token)
		calls.watch(fake, tt.mishap)
		var err error
		if f.Upload, err = p.Upload(t.Context(), r, f); err != nil || !f.Upload.Ready {
			t.Errorf("%s: %v", name, err)
			continue
		}
		r.Files = []publish.File{f}
		receipt, err := p.(publish.Publisher).Publish(t.Context(), r)
		posts := fake.Posts()
		if got := strings.Join(slices.Compact(calls.list()), " "); err != nil || len(posts) != 1 || posts[0].Video != receipt.ID || posts[0].Message != content || got != tt.want {
			t.Errorf("%s: %v, %v, posts %+v", name, got, err, posts)
		}
	}
}

// TestFailedVideoUploads guards that only a refused start leads to the other API, and that
// nothing is published by an upload.
func TestFailedVideoUploads(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		call   string
		mishap publishtest.Mishap
		kind   schedctl.ErrorKind
		want   string
	}{
		"start fails with 500":    {"start", metaError(500, 1, 0, "unknown"), schedctl.KindPlatform, "start"},
		"start is cut":            {"start", publishtest.Mishap{Cut: true}, schedctl.KindNetwork, "start"},
		"start without a session": {"start", publishtest.Mishap{Status: 200, Body: `{"id":"17"}`}, schedctl.KindPlatform, "start"},
		"bytes are refused":       {"bytes", metaError(400, 100, 0, "Invalid parameter"), schedctl.KindMedia, "start bytes"},
		"bytes are cut":           {"bytes", publishtest.Mishap{Cut: true}, schedctl.KindNetwork, "start bytes"},
		"no handle":               {"bytes", publishtest.Mishap{Status: 200, Body: `{"h":"a\nb"}`}, schedctl.KindPlatform, "start bytes"},
	} {
		fake, calls := publishtest.NewFakeFacebook(), &videoCalls{}
		p, r, f := startVideo(t, fake, publishtest.FacebookPageToken)
		calls.watch(fake, func(call string) (m publishtest.Mishap) {
			if call == tt.call {
				m = tt.mishap
			}
			return m
		})
		_, err := p.Upload(t.Context(), r, f)
		e := publish.AsError(err)
		if got := strings.Join(calls.list(), " "); e.Kind != tt.kind || e.Outcome != schedctl.OutcomeNotPublished || got != tt.want || len(fake.Posts()) != 0 {
			t.Errorf("%s: %v, %+v", name, got, e)
		}
	}
}

// TestVideoIsFinishedOnce guards that after a byte of the request that publishes a video no
// other request publishes it: neither the same one, nor that of the other API.
func TestVideoIsFinishedOnce(t *testing.T) {
	t.Parallel()
	for name, mishap := range map[string]publishtest.Mishap{
		"cut after it was accepted": {Accept: true, Cut: true},
		"cut before":                {Cut: true},
		"500":                       metaError(500, 1, 0, "unknown"),
		"400":                       metaError(400, 100, 0, "Invalid parameter"),
	} {
		fake, calls := publishtest.NewFakeFacebook(), &videoCalls{}
		p, r, f := startVideo(t, fake, publishtest.FacebookUserToken)
		calls.watch(fake, func(call string) (m publishtest.Mishap) {
			if call == "videos" {
				m = mishap
			}
			return m
		})
		var err error
		if f.Upload, err = p.Upload(t.Context(), r, f); err != nil {
			t.Fatal(err)
		}
		r.Files = []publish.File{f}
		_, err = p.(publish.Publisher).Publish(t.Context(), r)
		if got := strings.Join(calls.list(), " "); err == nil || got != "start bytes videos" {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		if e := publish.AsError(err); mishap.Cut && e.Outcome != schedctl.OutcomeUnknown {
			t.Errorf("%s: %+v", name, e)
		}
		if mishap.Accept {
			found, ok, err := p.(publish.Finder).Find(t.Context(), r, time.Now())
			if posts := fake.Posts(); err != nil || !ok || len(posts) != 1 || found.ID != posts[0].Video {
				t.Errorf("%s: found %+v, %v, %v", name, found, ok, err)
			}
		}
	}
}
