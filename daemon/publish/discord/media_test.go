package discord_test

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
	"github.com/schedctl/schedctl/daemon/publish/discord"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// acceptFiles posts messages with files as Discord documents it, and passes reading
// requests to connect.
func acceptFiles(connect http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			connect.ServeHTTP(w, r)
			return
		}
		fmt.Fprint(w, reply(r, len(formOf(r))-1))
	}
}

// reply returns a message with so many attachments.
func reply(r *http.Request, attachments int) string {
	if r.URL.Query().Get("wait") != "true" {
		return ""
	}
	list := strings.TrimSuffix(strings.Repeat(`{"id":"1"},`, attachments), ",")
	return `{"id":"1180000000000000042","channel_id":"199737254929760257","attachments":[` + list + `]}`
}

// part is a part of a form.
type part struct{ name, file, mimeType, body string }

// formOf reads the form of a request.
func formOf(r *http.Request) (parts []part) {
	form, err := r.MultipartReader()
	for err == nil {
		p, next := form.NextPart()
		if next != nil {
			break
		}
		body, _ := io.ReadAll(p)
		parts = append(parts, part{p.FormName(), p.FileName(), p.Header.Get("Content-Type"), string(body)})
	}
	return parts
}

func request(url string, files ...publish.File) publish.Request {
	return publish.Request{
		Content: content, Files: files, Credentials: publish.Credentials{"webhook_url": url + webhook},
		Account: schedctl.Account{ProfileURL: channel},
	}
}

func bytesOf(t *testing.T, f publish.File) string {
	t.Helper()
	r, err := f.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// publishTo publishes files to a server.
func publishTo(t *testing.T, handler http.HandlerFunc, files ...publish.File) (schedctl.Receipt, error) {
	t.Helper()
	server := httptest.NewServer(handler)
	defer server.Close()
	client := outbound.Client(outbound.AllowPrivate)
	defer client.CloseIdleConnections()
	return discord.New(client, outbound.AllowPrivate, "test").Publish(t.Context(), request(server.URL, files...))
}

func TestPublishFiles(t *testing.T) {
	t.Parallel()
	picture, clip := publishtest.TestFile("image/jpeg", 1), publishtest.TestFile("video/mp4", 2)
	clip.AltText = ""
	var got []part
	receipt, err := publishTo(t, func(w http.ResponseWriter, r *http.Request) {
		got = formOf(r)
		fmt.Fprint(w, reply(r, 2))
	}, picture, clip)
	if err != nil || receipt.URL != channel+"/1180000000000000042" || receipt.Degraded != (schedctl.Degradation{}) {
		t.Errorf("got %+v, %v", receipt, err)
	}
	var payload, wantPayload any
	if len(got) != 3 || json.Unmarshal([]byte(got[0].body), &payload) != nil {
		t.Fatalf("the form has the parts %q", got)
	}
	err = json.Unmarshal([]byte(`{"content": "Version 2 is out, @everyone 🙂", "allowed_mentions": {"parse": []}, "attachments": [
		{"id": 0, "filename": "holiday 1.jpg", "description": "Alt text of file 1"}, {"id": 1, "filename": "holiday 2.mp4"}]}`), &wantPayload)
	if diff := cmp.Diff(wantPayload, payload); err != nil || diff != "" {
		t.Errorf("payload_json, %v (-want +got):\n%s", err, diff)
	}
	want := []part{
		{"payload_json", "", "application/json", got[0].body},
		{"files[0]", "holiday 1.jpg", "image/jpeg", bytesOf(t, picture)},
		{"files[1]", "holiday 2.mp4", "video/mp4", bytesOf(t, clip)},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(part{})); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
}

func TestDegradedFiles(t *testing.T) {
	t.Parallel()
	receipt, err := publishTo(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, reply(r, 1)) },
		publishtest.TestFile("image/png", 1), publishtest.TestFile("image/png", 2))
	if err != nil || receipt.Degraded.Code != "media" {
		t.Errorf("got %+v, %v, want a receipt that is degraded", receipt, err)
	}
}

func TestFileRefusals(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		status  int
		body    string
		kind    schedctl.ErrorKind
		code    string
		outcome schedctl.Outcome
	}{
		{"too large", 413, `{"message": "Request entity too large", "code": 40005}`, schedctl.KindMedia, publish.CodeFileTooLarge, schedctl.OutcomeNotPublished},
		{"too large for a proxy", 413, "<html>413</html>", schedctl.KindMedia, publish.CodeFileTooLarge, schedctl.OutcomeNotPublished},
		{"too large, as 400", 400, `{"message": "Request entity too large", "code": 40005}`, schedctl.KindMedia, publish.CodeFileTooLarge, schedctl.OutcomeNotPublished},
		{"another refusal", 400, `{"message": "Invalid Form Body", "code": 50035}`, schedctl.KindContent, "50035", schedctl.OutcomeNotPublished},
		{"deleted", 404, `{"message": "Unknown Webhook", "code": 10015}`, schedctl.KindAuth, "10015", schedctl.OutcomeNotPublished},
		{"broken", 500, `{"message": "Request entity too large", "code": 40005}`, schedctl.KindPlatform, "", schedctl.OutcomeUnknown},
	} {
		_, err := publishTo(t, func(w http.ResponseWriter, r *http.Request) {
			formOf(r)
			w.WriteHeader(tt.status)
			fmt.Fprint(w, tt.body)
		}, publishtest.TestFile("image/png", 1))
		if e := publish.AsError(err); e.Kind != tt.kind || e.Code != tt.code || e.Outcome != tt.outcome || e.HTTPStatus != tt.status {
			t.Errorf("%s: got %+v", tt.name, e)
		}
	}
}

// A connection that breaks while or after the files are sent leaves the outcome
// unknown, whatever the server did with them.
func TestFilesCut(t *testing.T) {
	t.Parallel()
	file := publishtest.TestFile("image/png", 1)
	for name, handler := range map[string]http.HandlerFunc{
		"before acceptance": func(_ http.ResponseWriter, r *http.Request) {
			io.ReadFull(r.Body, make([]byte, 1000))
			panic(http.ErrAbortHandler)
		},
		"after acceptance": func(_ http.ResponseWriter, r *http.Request) {
			formOf(r)
			panic(http.ErrAbortHandler)
		},
		"during the response": func(w http.ResponseWriter, r *http.Request) {
			text := reply(r, len(formOf(r))-1)
			w.Header().Set("Content-Length", fmt.Sprint(len(text)))
			fmt.Fprint(w, text[:20])
		},
	} {
		_, err := publishTo(t, handler, file)
		if e := publish.AsError(err); e.Outcome != schedctl.OutcomeUnknown {
			t.Errorf("%s: got %+v, want an unknown outcome", name, e)
		}
	}
}

func TestMediaRules(t *testing.T) {
	t.Parallel()
	p := discord.New(nil, outbound.PublicOnly, "test")
	never := func(publish.Media, publish.ClassRules) bool { return false }
	file := func(mimeType string, size int64, alt int) publish.Media {
		m := publish.Media{MIMEType: mimeType, Size: size, AltText: strings.Repeat("é", alt)}
		if mimeType == "image/gif" {
			m.Duration = time.Second
		}
		return m
	}
	many := make([]publish.Media, 11)
	for i := range many {
		many[i] = file("image/png", 1, 1)
	}
	for _, tt := range []struct {
		name  string
		media []publish.Media
		codes []string
	}{
		{"every type", []publish.Media{file("image/png", 10e6, 1024), file("video/webm", 1, 1), file("application/pdf", 1, 1), file("image/gif", 1, 1)}, nil},
		{"too many", many, []string{"media"}},
		{"too large", []publish.Media{file("video/mp4", 10e6+1, 1)}, []string{"media[0]"}},
		{"long alt text", []publish.Media{file("image/png", 1, 1025)}, []string{"media[0]"}},
	} {
		c := p.Check(schedctl.Account{}, publish.Content{Media: tt.media})
		publish.CheckMedia(&c, p, schedctl.Account{}, tt.media, never)
		var codes []string
		for _, problem := range c.Problems {
			codes = append(codes, problem.Code)
		}
		if diff := cmp.Diff(tt.codes, codes); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
