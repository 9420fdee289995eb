package matrix_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/matrix"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// isUpload recognizes uploads, and the question how large they may be.
func isUpload(r *http.Request) bool {
	return strings.HasPrefix(r.URL.Path, "/_matrix/media/") || r.URL.Path == "/_matrix/client/v1/media/config"
}

// acceptFiles stores uploads as homeservers do, and passes other requests on.
func acceptFiles(other http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if isUpload(r) {
			fmt.Fprint(w, `{"content_uri":"mxc://example.org/AQwafuaFswefuhsfAFAgsw"}`)
			return
		}
		other.ServeHTTP(w, r)
	}
}

// serve starts a homeserver and returns a publisher and a request for it.
func serve(t *testing.T, handler http.HandlerFunc) (*matrix.Publisher, publish.Request) {
	t.Helper()
	server := httptest.NewServer(handler)
	client := outbound.Client(outbound.AllowPrivate)
	t.Cleanup(func() {
		client.CloseIdleConnections()
		server.Close()
	})
	r := request()
	r.Credentials["homeserver_url"] = server.URL
	return matrix.New(client, outbound.AllowPrivate, "test"), r
}

func TestUpload(t *testing.T) {
	t.Parallel()
	f := publishtest.TestFile("image/png", 1)
	var got string
	p, r := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = strings.Join([]string{r.Method, r.URL.String(), r.Header.Get("Authorization"), r.Header.Get("Content-Type"), string(body)}, "\n")
		acceptFiles(nil)(w, r)
	})
	u, err := p.Upload(t.Context(), r, f)
	if want := (publish.Upload{ID: "mxc://example.org/AQwafuaFswefuhsfAFAgsw", Ready: true}); err != nil || u != want {
		t.Errorf("got %+v, %v; want %+v", u, err, want)
	}
	b, err := f.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	data, _ := io.ReadAll(b)
	want := strings.Join([]string{
		"POST", "/_matrix/media/v3/upload?filename=" + publish.UploadName(r, f), "Bearer " + token, "image/png", string(data),
	}, "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

func TestUploadErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		status   int
		body     string
		config   string // the response to the question for the limit
		kind     schedctl.ErrorKind
		code     string
		maxBytes int64
	}{
		{"too large", 413, `{"errcode":"M_TOO_LARGE"}`, `{"m.upload.size": 1000000}`, schedctl.KindMedia, publish.CodeFileTooLarge, 1000000},
		{"too large, unknown limit", 413, `{"errcode":"M_TOO_LARGE"}`, `{}`, schedctl.KindMedia, publish.CodeFileTooLarge, 0},
		{"too large for a proxy", 413, `<html>`, `<html>`, schedctl.KindMedia, publish.CodeFileTooLarge, 0},
		{"forbidden", 403, `{"errcode":"M_FORBIDDEN"}`, "", schedctl.KindMedia, "M_FORBIDDEN", 0},
		{"logged out", 401, `{"errcode":"M_UNKNOWN_TOKEN"}`, "", schedctl.KindAuth, "M_UNKNOWN_TOKEN", 0},
		{"busy", 429, `{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":2000}`, "", schedctl.KindRateLimited, "M_LIMIT_EXCEEDED", 0},
		{"another address", 200, `{"content_uri":"https://example.org/x"}`, "", schedctl.KindPlatform, "", 0},
		{"broken", 502, "", "", schedctl.KindPlatform, "", 0},
	} {
		p, r := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/config") {
				fmt.Fprint(w, tt.config)
				return
			}
			w.WriteHeader(tt.status)
			fmt.Fprint(w, tt.body)
		})
		_, err := p.Upload(t.Context(), r, publishtest.TestFile("image/png", 1))
		e := publish.AsError(err)
		if e.Kind != tt.kind || e.Code != tt.code || e.MaxBytes != tt.maxBytes || e.Outcome != schedctl.OutcomeNotPublished {
			t.Errorf("%s: got %+v", tt.name, e)
		}
	}
}

func TestPublishFile(t *testing.T) {
	t.Parallel()
	clip := publishtest.TestFile("video/mp4", 1)
	clip.Duration = 12600 * time.Millisecond
	document := publishtest.TestFile("application/pdf", 1)
	document.Width, document.Height = 0, 0
	gif := publishtest.TestFile("image/gif", 1)
	for _, tt := range []struct {
		name, content string
		file          publish.File
		want          string
	}{
		{"picture", content, publishtest.TestFile("image/png", 1),
			`{"msgtype": "m.image", "body": "Version 2 <is> out, @room 🙂", "filename": "holiday 1.png", "info": {"mimetype": "image/png", "size": 16031, "w": 640, "h": 480}}`},
		{"no caption", " ", gif, `{"msgtype": "m.image", "body": "holiday 1.gif", "filename": "holiday 1.gif", "info": {"mimetype": "image/gif", "size": 16031, "w": 640, "h": 480}}`},
		{"video", "x", clip,
			`{"msgtype": "m.video", "body": "x", "filename": "holiday 1.mp4", "info": {"mimetype": "video/mp4", "size": 16031, "w": 640, "h": 480, "duration": 12600}}`},
		{"document", "x", document, `{"msgtype": "m.file", "body": "x", "filename": "holiday 1.pdf", "info": {"mimetype": "application/pdf", "size": 16031}}`},
		{"caption like the name", "holiday 1.pdf", document,
			`{"msgtype": "m.file", "body": "holiday 1.pdf", "filename": "` + publish.UploadName(request(), document) + `", "info": {"mimetype": "application/pdf", "size": 16031}}`},
	} {
		homeserver := &rooms{events: map[string]string{}}
		p, r := serve(t, homeserver.ServeHTTP)
		tt.file.Upload = publish.Upload{ID: "mxc://example.org/abc", Ready: true}
		r.Content, r.Files = tt.content, []publish.File{tt.file}
		if _, err := p.Publish(t.Context(), r); publish.AsError(err).Outcome != schedctl.OutcomeUnknown {
			t.Errorf("%s: the lost response: got %v", tt.name, err)
		}
		if got, err := p.Publish(t.Context(), r); err != nil || got.ID != "$1" {
			t.Errorf("%s: repeated: got %+v, %v", tt.name, got, err)
		}
		var got, want map[string]any
		for _, event := range homeserver.events {
			_ = json.Unmarshal([]byte(event), &got)
		}
		if err := json.Unmarshal([]byte(tt.want), &want); err != nil {
			t.Fatal(err)
		}
		want["info"].(map[string]any)["size"] = float64(tt.file.Size)
		want["url"], want["m.mentions"], want["io.github.schedctl.key"] = "mxc://example.org/abc", map[string]any{}, r.Key
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
