package mastodon_test

import (
	"crypto/md5"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/mastodon"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

var _ publish.Uploader = (*mastodon.Publisher)(nil)

func isGetMedia(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, "/api/v1/media/")
}

func isUpload(r *http.Request) bool {
	return r.URL.Path == "/api/v2/media" || r.URL.Path == "/api/v1/media" || isGetMedia(r) || r.URL.Path == "/api/v2/instance"
}

// uploads is a server with media. Its behavior follows
// https://docs.joinmastodon.org/methods/media/.
type uploads struct {
	mu       sync.Mutex // mu guards the fields below
	files    map[string]*uploaded
	statuses []map[string]any

	polls    int  // how often an upload is 206 before it is ready
	fails    bool // processing fails
	noGet    bool // the server has no GET of media, as snac
	noV2     bool
	forgets  bool // uploads are gone at once, and statuses drop unknown files, as in old versions
	tooLarge bool
	pixelfed bool
	keys     map[string]bool
	count    int
}

type uploaded struct {
	description string
	polls       int
	attached    bool
}

func newUploads() *uploads { return &uploads{files: map[string]*uploaded{}, keys: map[string]bool{}} }

func (s *uploads) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch path := r.URL.Path; {
	case path == "/api/v2/media" && !s.noV2, path == "/api/v1/media" && r.Method == http.MethodPost:
		s.upload(w, r)
	case isGetMedia(r) && !s.noGet:
		s.get(w, strings.TrimPrefix(path, "/api/v1/media/"))
	case path == "/api/v1/statuses" && r.Method == http.MethodPost:
		s.post(w, r)
	case path == "/api/v1/accounts/1/statuses":
		json.NewEncoder(w).Encode(s.statuses)
	case path == "/api/v2/instance":
		io.WriteString(w, `{"configuration":{"statuses":{"max_characters":1000},"media_attachments":{"image_size_limit":5000}}}`)
	default:
		working().ServeHTTP(w, r)
	}
}

func (s *uploads) upload(w http.ResponseWriter, r *http.Request) {
	file, header, err := r.FormFile("file")
	if err != nil {
		http.Error(w, `{"error":"no file"}`, http.StatusUnprocessableEntity)
		return
	}
	data, _ := io.ReadAll(file)
	if s.tooLarge && len(data) > 5000 {
		http.Error(w, `{"error":"Validation failed: File file size must be less than 5 KB"}`, http.StatusUnprocessableEntity)
		return
	}
	s.count++
	id := fmt.Sprint(s.count)
	if s.noGet {
		id = fmt.Sprintf("%x.png", md5.Sum([]byte(header.Filename)))
	}
	s.files[id] = &uploaded{description: r.FormValue("description")}
	if s.forgets {
		delete(s.files, id)
	}
	if s.polls > 0 || s.fails {
		w.WriteHeader(http.StatusAccepted)
	}
	fmt.Fprintf(w, `{"id":%q,"url":null}`, id)
}

func (s *uploads) get(w http.ResponseWriter, id string) {
	f := s.files[id]
	switch {
	case f == nil || f.attached:
		http.Error(w, `{"error":"Record not found"}`, 404)
	case s.fails:
		http.Error(w, `{"error":"Validation failed: the media cannot be transcoded"}`, http.StatusUnprocessableEntity)
	case f.polls < s.polls:
		f.polls++
		w.WriteHeader(http.StatusPartialContent)
		fmt.Fprintf(w, `{"id":%q,"url":null}`, id)
	default:
		fmt.Fprintf(w, `{"id":%q,"url":"https://social.example/%s"}`, id, id)
	}
}

func (s *uploads) post(w http.ResponseWriter, r *http.Request) {
	if key := r.Header.Get("Idempotency-Key"); s.pixelfed && s.keys[key] {
		http.Error(w, `{"error":"Duplicate idempotency key"}`, 400)
		return
	} else {
		s.keys[key] = true
	}
	var post struct {
		Status   string
		MediaIDs []string `json:"media_ids"`
	}
	json.NewDecoder(r.Body).Decode(&post)
	shown := []map[string]string{}
	for _, id := range post.MediaIDs {
		if f := s.files[id]; f != nil {
			f.attached = !s.pixelfed
			shown = append(shown, map[string]string{"id": id, "description": f.description})
		}
	}
	status := map[string]any{
		"id": "109", "url": "https://social.example/@alice/109", "visibility": "public", "text": post.Status,
		"created_at": time.Now().UTC().Format(time.RFC3339Nano), "media_attachments": shown,
	}
	s.statuses = append([]map[string]any{status}, s.statuses...)
	json.NewEncoder(w).Encode(status)
}

// upload uploads one file to a server until it is processed.
func upload(t *testing.T, p *mastodon.Publisher, r publish.Request, f publish.File) (publish.File, error) {
	t.Helper()
	u, err := p.Upload(t.Context(), r, f)
	for polls := 0; err == nil && !u.Ready && polls < 20; polls++ {
		u, err = p.Processed(t.Context(), r, u)
	}
	f.Upload = u
	return f, err
}

func startUploads(t *testing.T, s http.Handler) (*mastodon.Publisher, publish.Request) {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return mastodon.New(outbound.Client(outbound.AllowPrivate), "test"), publish.Request{
		TargetID: "pt_1", Key: "pt_1", Content: "hello", Credentials: connection(server.URL).Credentials,
	}
}

func TestMediaOfServers(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*uploads){
		"ready at once":       func(*uploads) {},
		"processed later":     func(s *uploads) { s.polls = 3 },
		"without GET (snac)":  func(s *uploads) { s.noGet = true },
		"without version two": func(s *uploads) { s.noV2 = true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newUploads()
			change(s)
			p, r := startUploads(t, s)
			for i := range 2 {
				f, err := upload(t, p, r, publishtest.TestFile("image/png", i+1))
				if err != nil {
					t.Fatal(err)
				}
				r.Files = append(r.Files, f)
			}
			r.Content = ""
			receipt, err := p.Publish(t.Context(), r)
			if err != nil || receipt.Degraded != (schedctl.Degradation{}) {
				t.Errorf("got %+v, %v", receipt, err)
			}
			shown := s.statuses[0]["media_attachments"].([]map[string]string)
			if len(shown) != 2 || shown[0]["description"] != "Alt text of file 1" || shown[1]["description"] != "Alt text of file 2" {
				t.Errorf("shown %v", shown)
			}
		})
	}
}

func TestMediaErrors(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*uploads)
		code   string
		kind   schedctl.ErrorKind
	}{
		"processing fails":    {func(s *uploads) { s.fails = true }, "processing_failed", schedctl.KindMedia},
		"too large":           {func(s *uploads) { s.tooLarge = true }, publish.CodeFileTooLarge, schedctl.KindMedia},
		"processing for ever": {func(s *uploads) { s.polls = 1000 }, "processing", schedctl.KindPlatform},
	} {
		s := newUploads()
		tt.change(s)
		p, r := startUploads(t, s)
		f, err := upload(t, p, r, publishtest.TestFile("image/png", 1))
		if err == nil {
			r.Files = []publish.File{f}
			_, err = p.Publish(t.Context(), r)
		}
		if e := publish.AsError(err); e.Code != tt.code || e.Kind != tt.kind || e.Outcome != schedctl.OutcomeNotPublished {
			t.Errorf("%s: got %+v", name, e)
		} else if tt.code == publish.CodeFileTooLarge && e.MaxBytes != 5000 {
			t.Errorf("%s: limit %d", name, e.MaxBytes)
		}
		if len(s.statuses) > 0 {
			t.Errorf("%s: a status was published", name)
		}
	}
}

// Old versions of Mastodon publish a status without files that they have lost.
func TestLostUploadIsNotPublishedWithout(t *testing.T) {
	t.Parallel()
	s := newUploads()
	p, r := startUploads(t, s)
	f, err := upload(t, p, r, publishtest.TestFile("image/png", 1))
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	clear(s.files)
	s.mu.Unlock()
	r.Files = []publish.File{f}
	_, err = p.Publish(t.Context(), r)
	if e := publish.AsError(err); e.Code != publish.CodeUploadLost || e.Outcome != schedctl.OutcomeNotPublished || len(s.statuses) > 0 {
		t.Errorf("got %+v, %d statuses", e, len(s.statuses))
	}
}

func TestDroppedFilesAreReported(t *testing.T) {
	t.Parallel()
	s := newUploads()
	s.noGet, s.forgets = true, true
	p, r := startUploads(t, s)
	f, err := upload(t, p, r, publishtest.TestFile("image/png", 1))
	if err != nil {
		t.Fatal(err)
	}
	r.Files = []publish.File{f}
	receipt, err := p.Publish(t.Context(), r)
	if err != nil || receipt.Degraded.Code != "media" || !strings.Contains(receipt.Degraded.Message, "0 of the 1 files") {
		t.Errorf("got %+v, %v", receipt, err)
	}
}

func TestMissingMediaScope(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(routes{"POST /api/v2/media": {403, `{"error":"This action is outside the authorized scopes"}`}})
	defer server.Close()
	r := publish.Request{TargetID: "pt_1", Credentials: connection(server.URL).Credentials}
	_, err := mastodon.New(outbound.Client(outbound.AllowPrivate), "test").Upload(t.Context(), r, publishtest.TestFile("image/png", 1))
	if e := publish.AsError(err); e.Kind != schedctl.KindMedia || e.Code != "missing_scope" || !strings.Contains(e.Message, "log in again") {
		t.Errorf("got %+v", e)
	}
}

// TestForbiddenCalls checks that only the words of a server say what a 403 is about.
func TestForbiddenCalls(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		words              string
		file, parent, held bool // the advice about the scope, and a hold
	}{
		{"This action is outside the authorized scopes", true, true, false},
		{"Your login is currently disabled", false, false, true},
		{"This action is not allowed", false, false, false},
	} {
		response := struct {
			status int
			body   string
		}{403, `{"error":"` + tt.words + `"}`}
		server := httptest.NewServer(routes{"POST /api/v2/media": response, "GET /api/v1/media/1": response, "GET /api/v1/statuses/1": response})
		p := mastodon.New(outbound.Client(outbound.AllowPrivate), "test")
		r := publish.Request{TargetID: "pt_1", Credentials: connection(server.URL).Credentials, Content: "hello"}
		_, file := p.Upload(t.Context(), r, publishtest.TestFile("image/png", 1))
		_, state := p.Processed(t.Context(), r, publish.Upload{ID: "1"})
		r.Part, r.Kind, r.Parent, r.Root = 1, schedctl.PartReply, &schedctl.Receipt{ID: "1"}, &schedctl.Receipt{ID: "1"}
		_, parent := p.Publish(t.Context(), r)
		server.Close()
		for call, err := range map[string]error{"file": file, "state": state, "parent": parent} {
			e := publish.AsError(err)
			advice := call == "file" && tt.file || call == "parent" && tt.parent
			if strings.Contains(e.Message, "log in again") != advice || (e.Kind == schedctl.KindAuth) != tt.held || tt.held && e.Code != "blocked" || e.Outcome != schedctl.OutcomeNotPublished || !strings.Contains(e.Message, tt.words) {
				t.Errorf("%s, %s: %+v", tt.words, call, e)
			}
		}
	}
}

// Pixelfed refuses a repeated key with 400, although the first request may have been
// published. The status is then found by its files.
func TestPixelfedRepeat(t *testing.T) {
	t.Parallel()
	s := newUploads()
	s.pixelfed = true
	p, r := startUploads(t, s)
	for i := range 2 {
		f, err := upload(t, p, r, publishtest.TestFile("image/png", i+1))
		if err != nil {
			t.Fatal(err)
		}
		r.Files = append(r.Files, f)
	}
	r.Content = ""
	started := time.Now()
	if _, err := p.Publish(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	_, err := p.Publish(t.Context(), r)
	if e := publish.AsError(err); e.Outcome != schedctl.OutcomeUnknown {
		t.Errorf("got %+v", e)
	}
	if receipt, found, err := p.Find(t.Context(), r, started); err != nil || !found || receipt.ID != "109" {
		t.Errorf("found %v, %+v, %v", found, receipt, err)
	}
	// After a restart the ids are not known, and a post without text cannot be recognized.
	for i := range r.Files {
		r.Files[i].Upload = publish.Upload{}
	}
	if _, found, err := p.Find(t.Context(), r, started); err == nil || found {
		t.Errorf("found %v, %v without ids", found, err)
	}
}

// A server that took the files may still be processing the status. Until it lists the
// status, the post does not count as absent.
func TestFindWithAttachedFiles(t *testing.T) {
	t.Parallel()
	s := newUploads()
	p, r := startUploads(t, s)
	f, err := upload(t, p, r, publishtest.TestFile("image/png", 1))
	if err != nil {
		t.Fatal(err)
	}
	r.Files = []publish.File{f}
	s.statuses = []map[string]any{{"id": "1", "text": "earlier", "created_at": time.Now().Add(-time.Hour).Format(time.RFC3339)}}
	started := time.Now()
	if _, found, err := p.Find(t.Context(), r, started); err != nil || found {
		t.Errorf("unused: found %v, %v", found, err)
	}
	s.files[f.Upload.ID].attached = true
	if _, found, err := p.Find(t.Context(), r, started); publish.AsError(err).Code != "attached" || found {
		t.Errorf("attached: found %v, %v", found, err)
	}
}
