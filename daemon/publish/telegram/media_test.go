package telegram_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/publish/telegram"
)

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

// message returns a sent message with further members.
func message(id int, more string) string {
	return fmt.Sprintf(`{"message_id":%d,"chat":{"id":-1001234567890,"username":"release_news","type":"channel"}%s}`, id, more)
}

const photo = `,"photo":[{"file_id":"A","width":90},{"file_id":"B","width":640}]`

// acceptFiles sends files as the Bot API documents it, and passes other requests on.
func acceptFiles(other http.Handler) http.HandlerFunc {
	shown := map[string]string{"sendPhoto": photo, "sendVideo": `,"video":{}`, "sendAnimation": `,"animation":{},"document":{}`, "sendDocument": `,"document":{}`}
	return func(w http.ResponseWriter, r *http.Request) {
		method := path.Base(r.URL.Path)
		switch {
		case shown[method] != "":
			fmt.Fprintf(w, `{"ok":true,"result":%s}`, message(42, shown[method]))
		case method == "sendMediaGroup":
			var list []string
			for _, p := range formOf(r) {
				if p.file != "" {
					list = append(list, message(42+len(list), photo))
				}
			}
			fmt.Fprintf(w, `{"ok":true,"result":[%s]}`, strings.Join(list, ","))
		default:
			other.ServeHTTP(w, r)
		}
	}
}

// publishTo publishes files to a server.
func publishTo(t *testing.T, handler http.HandlerFunc, o schedctl.Options, files ...publish.File) (schedctl.Receipt, error) {
	t.Helper()
	server := httptest.NewServer(handler)
	defer server.Close()
	client := outbound.Client(outbound.AllowPrivate)
	defer client.CloseIdleConnections()
	return telegram.New(client, outbound.AllowPrivate, "test").Publish(t.Context(), publish.Request{
		Content: content, Files: files, Credentials: credentials(server.URL, "@release_news"), Account: schedctl.Account{Options: o},
	})
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

func TestPublishFiles(t *testing.T) {
	t.Parallel()
	jpeg, png, gif := publishtest.TestFile("image/jpeg", 1), publishtest.TestFile("image/png", 2), publishtest.TestFile("image/gif", 3)
	pdf, clip := publishtest.TestFile("application/pdf", 4), publishtest.TestFile("video/mp4", 5)
	clip.Duration = 12600 * time.Millisecond
	chat, caption := part{"chat_id", "", "", "@release_news"}, part{"caption", "", "", content}
	for _, tt := range []struct {
		name    string
		files   []publish.File
		options schedctl.Options
		method  string
		want    []part
	}{
		{"picture", []publish.File{jpeg}, nil, "sendPhoto", []part{chat, caption, {"photo", "holiday 1.jpg", "image/jpeg", bytesOf(t, jpeg)}}},
		{"silent GIF", []publish.File{gif}, schedctl.Options{"silent": true}, "sendAnimation",
			[]part{chat, {"disable_notification", "", "", "true"}, caption, {"animation", "holiday 3.gif", "image/gif", bytesOf(t, gif)}}},
		{"video", []publish.File{clip}, nil, "sendVideo", []part{
			chat, caption, {"width", "", "", "640"}, {"height", "", "", "480"}, {"duration", "", "", "13"},
			{"video", "holiday 5.mp4", "video/mp4", bytesOf(t, clip)},
		}},
		{"document", []publish.File{pdf}, nil, "sendDocument", []part{chat, caption, {"document", "holiday 4.pdf", "application/pdf", bytesOf(t, pdf)}}},
		{"album", []publish.File{jpeg, clip, png}, nil, "sendMediaGroup", []part{
			chat,
			{"media", "", "", `[{"type":"photo","media":"attach://file0","caption":"Version 2 <is> out 🙂"},` +
				`{"type":"video","media":"attach://file1","width":640,"height":480,"duration":13},{"type":"photo","media":"attach://file2"}]`},
			{"file0", "holiday 1.jpg", "image/jpeg", bytesOf(t, jpeg)},
			{"file1", "holiday 5.mp4", "video/mp4", bytesOf(t, clip)},
			{"file2", "holiday 2.png", "image/png", bytesOf(t, png)},
		}},
	} {
		var method string
		var got []part
		receipt, err := publishTo(t, func(w http.ResponseWriter, r *http.Request) {
			method = path.Base(r.URL.Path)
			got = formOf(r)
			fmt.Fprintf(w, `{"ok":true,"result":[%s]}`, strings.TrimSuffix(strings.Repeat(message(42, photo)+",", len(tt.files)), ","))
		}, tt.options, tt.files...)
		if want := (schedctl.Receipt{ID: "42", URL: "https://t.me/release_news/42"}); err != nil || !receipt.Equal(want) {
			t.Errorf("%s: got %+v, %v; want %+v", tt.name, receipt, err, want)
		}
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(part{})); diff != "" || method != tt.method {
			t.Errorf("%s: %s (-want +got):\n%s", tt.name, method, diff)
		}
	}
}

func TestDegradedFiles(t *testing.T) {
	t.Parallel()
	for name, response := range map[string]string{
		"one message of two": "[" + message(42, photo) + "]",
		"one without file":   "[" + message(42, photo) + "," + message(43, "") + "]",
		"a plain message":    message(42, ""),
	} {
		receipt, err := publishTo(t, func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"ok":true,"result":%s}`, response)
		}, nil, publishtest.TestFile("image/png", 1), publishtest.TestFile("image/png", 2))
		if err != nil || receipt.ID != "42" || receipt.Degraded.Code != "media" {
			t.Errorf("%s: got %+v, %v, want a receipt that is degraded", name, receipt, err)
		}
	}
}

func TestFileRefusals(t *testing.T) {
	t.Parallel()
	const not = schedctl.OutcomeNotPublished
	for _, tt := range []struct {
		status      int
		description string
		kind        schedctl.ErrorKind
		code        string
		outcome     schedctl.Outcome
	}{
		{413, "Request Entity Too Large", schedctl.KindMedia, publish.CodeFileTooLarge, not},
		{400, "Bad Request: file is too big", schedctl.KindMedia, publish.CodeFileTooLarge, not},
		{400, "Bad Request: PHOTO_INVALID_DIMENSIONS", schedctl.KindMedia, "dimensions", not},
		{400, "Bad Request: IMAGE_PROCESS_FAILED", schedctl.KindMedia, "not_readable", not},
		{400, "Bad Request: not enough rights to send photos to the chat", schedctl.KindMedia, "no_rights", not},
		{400, "Bad Request: CHAT_SEND_DOCS_FORBIDDEN", schedctl.KindMedia, "no_rights", not},
		{400, "Bad Request: message caption is too long", schedctl.KindContent, "", not},
		{400, "Bad Request: need administrator rights in the channel chat", schedctl.KindAuth, "no_rights", not},
		{403, "Forbidden: bot was kicked from the channel chat", schedctl.KindAuth, "bot_removed", not},
		{500, "Internal Server Error: file is too big", schedctl.KindPlatform, "", schedctl.OutcomeUnknown},
	} {
		_, err := publishTo(t, func(w http.ResponseWriter, r *http.Request) {
			formOf(r)
			w.WriteHeader(tt.status)
			fmt.Fprintf(w, `{"ok":false,"error_code":%d,"description":%q}`, tt.status, tt.description)
		}, nil, publishtest.TestFile("image/png", 1))
		if e := publish.AsError(err); e.Kind != tt.kind || e.Code != tt.code || e.Outcome != tt.outcome || e.HTTPStatus != tt.status {
			t.Errorf("%s: got %+v", tt.description, e)
		}
	}
}

// A connection that breaks while or after the files are sent leaves the outcome
// unknown, whatever the server did with them.
func TestFilesCut(t *testing.T) {
	t.Parallel()
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
			formOf(r)
			w.Header().Set("Content-Length", "500")
			fmt.Fprint(w, `{"ok":true,"result":`)
		},
	} {
		_, err := publishTo(t, handler, nil, publishtest.TestFile("image/png", 1))
		if e := publish.AsError(err); e.Outcome != schedctl.OutcomeUnknown {
			t.Errorf("%s: got %+v, want an unknown outcome", name, e)
		}
	}
}

func TestCheckWithMedia(t *testing.T) {
	t.Parallel()
	p := telegram.New(nil, outbound.PublicOnly, "test")
	never := func(publish.Media, publish.ClassRules) bool { return false }
	list := func(types ...string) (media []publish.Media) {
		for _, mimeType := range types {
			f := publishtest.TestFile(mimeType, 1)
			media = append(media, publish.Media{MIMEType: mimeType, Size: 1, Width: 640, Height: 480, Duration: f.Duration})
		}
		return media
	}
	large, long, wide := list("image/png"), list("image/png"), list("image/jpeg")
	large[0].Size, long[0].Width, wide[0].Width = 10e6+1, 9601, 9601
	for _, tt := range []struct {
		name  string
		text  string
		media []publish.Media
		codes []string
	}{
		{"no text", "", list("image/png"), nil},
		{"caption", strings.Repeat("é", 1024), list("image/png"), nil},
		{"long caption", strings.Repeat("é", 1025), list("image/png"), []string{"too_long"}},
		{"pictures and videos", "x", list("image/png", "video/mp4", "image/jpeg"), nil},
		{"documents", "x", list("application/pdf", "application/pdf"), nil},
		{"documents and pictures", "x", list("application/pdf", "image/png"), []string{"media"}},
		{"two GIFs", "x", list("image/gif", "image/gif"), []string{"media"}},
		{"a type", "x", list("video/webm"), []string{"media[0]"}},
		{"too large", "x", large, []string{"media[0]"}},
		{"too wide", "x", wide, []string{"media[0]"}},
		{"too long", "x", long, []string{"media[0]"}},
	} {
		c := p.Check(schedctl.Account{Limits: schedctl.Limits{MaxCharacters: 4096}}, publish.Content{Text: tt.text, Media: tt.media})
		publish.CheckMedia(&c, p, schedctl.Account{}, tt.media, never)
		var codes []string
		for _, problem := range c.Problems {
			codes = append(codes, problem.Code)
		}
		if diff := cmp.Diff(tt.codes, codes); diff != "" || c.Limit != 1024 {
			t.Errorf("%s: limit %d (-want +got):\n%s", tt.name, c.Limit, diff)
		}
	}
}
