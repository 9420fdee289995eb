package slack_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/publish/slack"
)

var _ publish.Uploader = (*slack.Publisher)(nil)

// isUpload recognizes the requests of an upload.
func isUpload(r *http.Request) bool {
	return strings.HasPrefix(path.Base(r.URL.Path), "files.") || strings.HasPrefix(r.URL.Path, "/upload/")
}

// workspace is a fake of Slack that takes files as Slack documents it: a file has no
// type until it was asked for twice.
type workspace struct {
	other http.Handler // for requests that are not about files

	mu    sync.Mutex // mu guards the fields below
	files []string   // the announced files, as forms
	asked map[string]int
	log   []string // the methods and bodies of all requests
}

func acceptFiles(other http.Handler) http.Handler {
	return &workspace{other: other, asked: map[string]int{}}
}

func (s *workspace) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	method := path.Base(r.URL.Path)
	s.log = append(s.log, method+" "+string(body))
	switch {
	case method == "files.getUploadURLExternal":
		s.files = append(s.files, string(body))
		fmt.Fprintf(w, `{"ok":true,"upload_url":"http://%s/upload/v1/secret%d","file_id":"F0%08d"}`, r.Host, len(s.files), len(s.files))
	case strings.HasPrefix(r.URL.Path, "/upload/"):
		if r.Header.Get("Authorization") != "" {
			w.WriteHeader(http.StatusBadRequest)
		}
		fmt.Fprint(w, "OK - 17")
	case method == "files.completeUploadExternal":
		var sent struct{ Files json.RawMessage }
		_ = json.Unmarshal(body, &sent)
		fmt.Fprintf(w, `{"ok":true,"files":%s}`, sent.Files)
	case method == "files.info":
		id, mimeType := r.URL.Query().Get("file"), ""
		if s.asked[id]++; s.asked[id] == 2 {
			mimeType = "image/png"
		}
		fmt.Fprintf(w, `{"ok":true,"file":{"id":%q,"mimetype":%q}}`, id, mimeType)
	case method == "chat.postMessage":
		var sent struct{ Blocks json.RawMessage }
		_ = json.Unmarshal(body, &sent)
		fmt.Fprintf(w, `{"ok":true,"channel":"C0123456789","ts":"1780412400.000247","message":{"blocks":%s}}`, sent.Blocks)
	default:
		s.other.ServeHTTP(w, r)
	}
}

// uploadedFile returns a file with an upload.
func uploadedFile(n int, alt string) publish.File {
	f := publishtest.TestFile("image/png", n)
	f.AltText, f.Upload = alt, publish.Upload{ID: fmt.Sprintf("F0%08d", n), Ready: true}
	return f
}

// serve starts a server and returns a publisher for it and the credentials of a bot.
func serve(t *testing.T, handler http.Handler) (*slack.Publisher, publish.Credentials) {
	t.Helper()
	server := httptest.NewServer(handler)
	client := outbound.Client(outbound.AllowPrivate)
	t.Cleanup(func() {
		client.CloseIdleConnections()
		server.Close()
	})
	return slack.New(client, outbound.AllowPrivate, "test"), bot(server.URL + "/api")
}

func TestUpload(t *testing.T) {
	t.Parallel()
	fake := &workspace{asked: map[string]int{}}
	p, c := serve(t, fake)
	r, f := request(c), publishtest.TestFile("image/png", 1)
	u, err := p.Upload(t.Context(), r, f)
	if err != nil || u.ID != "F000000001" || u.Ready || !u.ExpiresAt.IsZero() {
		t.Fatalf("got %+v, %v", u, err)
	}
	if u, err = p.Processed(t.Context(), r, u); err != nil || u.Ready {
		t.Errorf("before Slack has processed the file: got %+v, %v", u, err)
	}
	if u, err = p.Processed(t.Context(), r, u); err != nil || !u.Ready {
		t.Errorf("after Slack has processed the file: got %+v, %v", u, err)
	}
	b, err := f.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	data, _ := io.ReadAll(b)
	want := []string{
		"files.getUploadURLExternal alt_txt=Alt+text+of+file+1&filename=" + publish.UploadName(r, f) + "&length=" + fmt.Sprint(f.Size),
		"secret1 " + string(data),
		`files.completeUploadExternal {"files":[{"id":"F000000001","title":"holiday 1.png"}]}`,
		"files.info ", "files.info ",
	}
	if diff := cmp.Diff(want, fake.log); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestPublishFiles(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, content string
		options       schedctl.Options
		files         []publish.File
		blocks        string
	}{
		{"text", content, nil, []publish.File{uploadedFile(1, "One & <two>"), uploadedFile(2, "")}, `[
			{"type": "section", "text": {"type": "mrkdwn", "text": "Version 2 is out, &lt;!channel&gt; &amp; all 🙂"}},
			{"type": "image", "slack_file": {"id": "F000000001"}, "alt_text": "One & <two>"},
			{"type": "image", "slack_file": {"id": "F000000002"}, "alt_text": "holiday 2.png"}]`},
		{"plain text", "*x*", schedctl.Options{"mrkdwn": false}, []publish.File{uploadedFile(1, "a")}, `[
			{"type": "section", "text": {"type": "plain_text", "text": "*x*"}},
			{"type": "image", "slack_file": {"id": "F000000001"}, "alt_text": "a"}]`},
		{"no text", " ", nil, []publish.File{uploadedFile(1, "a")}, `[{"type": "image", "slack_file": {"id": "F000000001"}, "alt_text": "a"}]`},
	} {
		fake := &workspace{}
		p, c := serve(t, fake)
		r := request(c)
		r.Content, r.Files, r.Account.Options = tt.content, tt.files, tt.options
		got, err := p.Publish(t.Context(), r)
		if err != nil || !got.Equal(receipt) {
			t.Errorf("%s: got %+v, %v; want %+v", tt.name, got, err, receipt)
		}
		var sent struct{ Blocks, Metadata any }
		var want any
		if len(fake.log) != 1 || json.Unmarshal([]byte(strings.TrimPrefix(fake.log[0], "chat.postMessage ")), &sent) != nil ||
			json.Unmarshal([]byte(tt.blocks), &want) != nil || sent.Metadata == nil {
			t.Fatalf("%s: sent %q", tt.name, fake.log)
		}
		if diff := cmp.Diff(want, sent.Blocks); diff != "" {
			t.Errorf("%s: blocks (-want +got):\n%s", tt.name, diff)
		}
	}
}

// A response with other images than those that were sent makes the post degraded. One
// without blocks says nothing.
func TestDegradedFiles(t *testing.T) {
	t.Parallel()
	for message, code := range map[string]string{
		`{"blocks":[{"type":"section"},{"type":"image"}]}`: "media",
		`{"blocks":[]}`: "media",
		`{"blocks":[{"type":"section"},{"type":"image"},{"type":"image"}]}`: "",
		`{"text":"Version 2"}`: "",
	} {
		p, c := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"ok":true,"channel":"C0123456789","ts":"1780412400.000247","message":%s}`, message)
		}))
		r := request(c)
		r.Files = []publish.File{uploadedFile(1, "a"), uploadedFile(2, "b")}
		got, err := p.Publish(t.Context(), r)
		if err != nil || got.ID != receipt.ID || got.Degraded.Code != code {
			t.Errorf("%s: got %+v, %v", message, got, err)
		}
	}
}

func TestUploadErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		method, response string // the response of the method; others succeed
		kind             schedctl.ErrorKind
		code, says       string
	}{
		{"files.getUploadURLExternal", `{"ok":false,"error":"missing_scope","needed":"files:write"}`, schedctl.KindMedia, "missing_scope", "no scope files:write,"},
		{"files.getUploadURLExternal", `{"ok":false,"error":"file_upload_size_restricted"}`, schedctl.KindMedia, publish.CodeFileTooLarge, "smaller"},
		{"files.getUploadURLExternal", `{"ok":false,"error":"file_uploads_disabled"}`, schedctl.KindMedia, "file_uploads_disabled", "administrators: file_uploads_disabled"},
		{"files.getUploadURLExternal", `{"ok":false,"error":"invalid_auth"}`, schedctl.KindAuth, "invalid_auth", "reconnect"},
		{"files.getUploadURLExternal", `{"ok":false,"error":"fatal_error"}`, schedctl.KindPlatform, "fatal_error", ""},
		{"files.getUploadURLExternal", `{"ok":true,"upload_url":"ftp://files.example","file_id":"F012345678"}`, schedctl.KindPlatform, "", "did not confirm"},
		{"files.getUploadURLExternal", `{"ok":true,"upload_url":"https://files.example/","file_id":"../x"}`, schedctl.KindPlatform, "", "did not confirm"},
		{"secret1", "", schedctl.KindMedia, publish.CodeFileTooLarge, "smaller"},
		{"secret1", "401", schedctl.KindMedia, publish.CodeUploadRefused, "refused a file"},
		{"secret1", "403", schedctl.KindMedia, publish.CodeUploadRefused, "refused a file"},
		{"files.completeUploadExternal", `{"ok":false,"error":"file_not_found"}`, schedctl.KindMedia, publish.CodeUploadLost, "upload it again"},
		{"files.completeUploadExternal", `{"ok":true,"files":[]}`, schedctl.KindPlatform, "", "did not confirm"},
		{"files.completeUploadExternal", `{"ok":false,"error":"odd_error"}`, schedctl.KindMedia, "odd_error", "refused a file"},
	} {
		fake := &workspace{asked: map[string]int{}}
		p, c := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case path.Base(r.URL.Path) != tt.method:
				fake.ServeHTTP(w, r)
			case tt.response == "401" || tt.response == "403":
				status, _ := strconv.Atoi(tt.response)
				http.Error(w, "the address has expired", status)
			case tt.response == "":
				http.Error(w, "too large", http.StatusRequestEntityTooLarge)
			default:
				fmt.Fprint(w, tt.response)
			}
		}))
		_, err := p.Upload(t.Context(), request(c), publishtest.TestFile("image/png", 1))
		e := publish.AsError(err)
		if e.Kind != tt.kind || e.Code != tt.code || e.Outcome != schedctl.OutcomeNotPublished || !strings.Contains(e.Message, tt.says) {
			t.Errorf("%s: %s: got %+v", tt.method, tt.response, e)
		}
		if strings.Contains(e.Message, token) || strings.Contains(e.Message, "secret1") {
			t.Errorf("%s: %q contains a secret", tt.method, e.Message)
		}
	}
}

// TestMissingFileScopes checks that the message about a missing scope names that one alone,
// never one that the token has, and repeats what Slack said.
func TestMissingFileScopes(t *testing.T) {
	t.Parallel()
	for response, want := range map[string][3]string{ // the scope of an upload and of a question about a file, and Slack's words
		`,"needed":"files:write","provided":"chat:write,files:read"`: {"files:write", "files:write", "missing_scope, needed files:write, provided chat:write,files:read"},
		`,"needed":"files:read","provided":"chat:write,files:write"`: {"files:read", "files:read", "missing_scope, needed files:read, provided chat:write,files:write"},
		`,"needed":"files:read,files:write","provided":"files:read"`: {"files:write", "files:write", "missing_scope, needed files:read,files:write, provided files:read"},
		`,"needed":"files:write","provided":"files:write"`:           {"", "", "missing_scope, needed files:write, provided files:write"},
		`,"needed":17,"provided":["files:read"]`:                     {"files:write", "files:read", "missing_scope"},
		`,"needed":"` + token + `, <b>"`:                             {"files:write", "files:read", "missing_scope"},
		``:                                                           {"files:write", "files:read", "missing_scope"},
	} {
		p, c := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"ok":false,"error":"missing_scope"`+response+`}`)
		}))
		_, uploading := p.Upload(t.Context(), request(c), publishtest.TestFile("image/png", 1))
		_, asking := p.Processed(t.Context(), request(c), publish.Upload{ID: "F000000001"})
		for i, err := range []error{uploading, asking} {
			message := "the app may not handle files; ask an administrator of the workspace: " + want[2]
			if want[i] != "" {
				message = "the token has no scope " + want[i] + ", without which Slack takes no files: add it to the app, reinstall it, reconnect the account with the new token, and retry the post: " + want[2]
			}
			if e := publish.AsError(err); e.Kind != schedctl.KindMedia || e.Code != "missing_scope" || e.Outcome != schedctl.OutcomeNotPublished || e.Message != message {
				t.Errorf("%s, request %d: got %+v", response, i, e)
			}
		}
	}
}

func TestProcessedErrors(t *testing.T) {
	t.Parallel()
	for response, code := range map[string]string{
		`{"ok":false,"error":"file_not_found"}`:                      publish.CodeUploadLost,
		`{"ok":false,"error":"file_deleted"}`:                        publish.CodeUploadLost,
		`{"ok":false,"error":"missing_scope","needed":"files:read"}`: "missing_scope",
		`{"ok":true,"file":{"mimetype":"application/octet-stream"}}`: "not_readable",
	} {
		p, c := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, response) }))
		_, err := p.Processed(t.Context(), request(c), publish.Upload{ID: "F000000001"})
		if e := publish.AsError(err); e.Kind != schedctl.KindMedia || e.Code != code || e.Outcome != schedctl.OutcomeNotPublished {
			t.Errorf("%s: got %+v", response, e)
		}
	}
}

// Every way in which a message with files can fail: refused, with a file that Slack
// does not have, and cut before and after acceptance.
func TestPublishFilesErrors(t *testing.T) {
	t.Parallel()
	respond := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) }
	}
	const not, unknown = schedctl.OutcomeNotPublished, schedctl.OutcomeUnknown
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc
		kind    schedctl.ErrorKind
		code    string
		outcome schedctl.Outcome
	}{
		{"lost", respond(`{"ok":false,"error":"invalid_blocks","errors":["invalid slack file [json-pointer:/blocks/0/slack_file]"]}`),
			schedctl.KindMedia, publish.CodeUploadLost, not},
		{"other blocks", respond(`{"ok":false,"error":"invalid_blocks","errors":["must be less than 3001 characters"]}`), schedctl.KindContent, "invalid_blocks", not},
		{"cut", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, schedctl.KindNetwork, "", unknown},
		{"cut in the response", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "500")
			fmt.Fprint(w, `{"ok":true,`)
		}, schedctl.KindPlatform, "no_answer", unknown},
	} {
		p, c := serve(t, tt.handler)
		r := request(c)
		r.Files = []publish.File{uploadedFile(1, "a")}
		_, err := p.Publish(t.Context(), r)
		if e := publish.AsError(err); e.Kind != tt.kind || e.Code != tt.code || e.Outcome != tt.outcome {
			t.Errorf("%s: got %+v", tt.name, e)
		}
	}
}

func TestMediaRules(t *testing.T) {
	t.Parallel()
	p := slack.New(nil, outbound.PublicOnly, "test")
	never := func(publish.Media, publish.ClassRules) bool { return false }
	picture := publish.Media{MIMEType: "image/png", AltText: "a"}
	many := make([]publish.Media, 50)
	for i := range many {
		many[i] = picture
	}
	for _, tt := range []struct {
		name, profile, text string
		media               []publish.Media
		codes               []string
	}{
		{"pictures", channel, "", []publish.Media{picture, {MIMEType: "image/gif", Duration: time.Second}}, nil},
		{"a bot without an address", "", "", []publish.Media{picture}, nil},
		{"a webhook", "https://hooks.slack.com", "x", []publish.Media{picture}, []string{"media"}},
		{"too many", channel, "x", many, []string{"media"}},
		{"video", channel, "x", []publish.Media{{MIMEType: "video/mp4", AltText: "a"}}, []string{"media[0]"}},
		{"text at the limit", channel, strings.Repeat("&", 600), []publish.Media{picture}, nil},
		{"long text", channel, strings.Repeat("&", 601), []publish.Media{picture}, []string{"too_long"}},
	} {
		account := schedctl.Account{ProfileURL: tt.profile}
		c := p.Check(account, publish.Content{Text: tt.text, Media: tt.media})
		publish.CheckMedia(&c, p, account, tt.media, never)
		var codes []string
		for _, problem := range c.Problems {
			codes = append(codes, problem.Code)
		}
		if diff := cmp.Diff(tt.codes, codes); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
