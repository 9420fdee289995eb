package api_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/storage/blob"
	"github.com/schedctl/schedctl/storage/blob/dir"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// newMediaFixture returns a fixture whose media service has other limits.
func newMediaFixture(t *testing.T, limits media.Limits, policy outbound.Policy) *fixture {
	t.Helper()
	blobs, err := dir.Open(filepath.Join(t.TempDir(), "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { blobs.Close() })
	f := newFixtureOn(t, storagetest.NewMemory(), func(c *api.Config) {
		c.Media = media.New(media.Config{Blobs: blobs, Limits: limits, Outbound: policy})
	})
	f.blobs = blobs
	return f
}

// noMedia fails the test if my workspace has an asset or the store has a blob.
func (f *fixture) noMedia() {
	f.t.Helper()
	if list := decodeAs[apiv1.MediaList](f.t, f.do(nil, "GET", "/media", nil).want(200)); list.Count != 0 {
		f.t.Errorf("the workspace has %+v", list.Results)
	}
	f.noBlobs()
}

func (f *fixture) noBlobs() {
	f.t.Helper()
	err := f.blobs.List(f.t.Context(), func(b blob.Info) error {
		f.t.Errorf("the store has the blob %s", b.Key)
		return nil
	})
	if err != nil {
		f.t.Error(err)
	}
}

// cutAfter replaces a body by its first bytes and an error of the connection.
func cutAfter(n int, err error) option {
	return func(r *http.Request) {
		r.Body = io.NopCloser(io.MultiReader(io.LimitReader(r.Body, int64(n)), iotest.ErrReader(err)))
	}
}

// An upload that does not arrive completely leaves nothing behind.
func TestIncompleteUpload(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		file := mediatest.PNG(60, 50)
		form := "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.png\"\r\n\r\n" + string(file) + "\r\n--x--\r\n"
		isForm := header("Content-Type", "multipart/form-data; boundary=x")
		for name, c := range map[string]struct {
			err  error
			want string
		}{
			"cut": {io.ErrUnexpectedEOF, "ended early"}, "stalled": {os.ErrDeadlineExceeded, "stalled"},
		} {
			for _, at := range []int{0, 1, 100, len(file) - 1} {
				for what, r := range map[string]*response{
					"file": f.do(cutAfter(at, c.err), "POST", "/media", file),
					"form": f.do(all(isForm, cutAfter(at, c.err)), "POST", "/media", form),
				} {
					if e := r.refused(schedctl.MediaInvalid); !strings.Contains(e.Message, c.want) {
						t.Errorf("%s %s after %d bytes: %s", name, what, at, e.Message)
					}
				}
			}
		}
		f.do(isForm, "POST", "/media", form[:len(form)-40]).refused(schedctl.ValidationFailed)
		f.do(isForm, "POST", "/media", "--").refused(schedctl.ValidationFailed)
		f.do(isForm, "POST", "/media", "--x\r\nbad\r\n\r\n--x--\r\n").refused(schedctl.ValidationFailed)
		f.noMedia()

		up := f.announce(file)
		path := "/media/" + up.MediaAsset.ID
		f.do(cutAfter(100, io.ErrUnexpectedEOF), "PUT", up.path(), file).refused(schedctl.MediaInvalid)
		f.do(nil, "POST", path+"/confirm-upload", nil).refused(schedctl.MediaNotReady)
		f.noBlobs()
		f.do(nil, "PUT", up.path(), file).want(204)
		f.do(nil, "POST", path+"/confirm-upload", nil).want(200)
	})
}

// A file that is two files at once, or whose type is not accepted, is refused whatever
// its name and its header say.
func TestDisguisedFiles(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for name, c := range map[string]struct {
		file []byte
		code schedctl.Code
	}{
		"a page":                     {mediatest.HTML(), schedctl.MediaTypeNotAllowed},
		"a drawing":                  {mediatest.SVG(), schedctl.MediaTypeNotAllowed},
		"a script":                   {[]byte("<script>alert(1)</script>"), schedctl.MediaTypeNotAllowed},
		"a picture and a page":       {append(mediatest.PNG(5, 5), mediatest.HTML()...), schedctl.MediaInvalid},
		"a photo and a page":         {append(mediatest.JPEG(5, 5), mediatest.HTML()...), schedctl.MediaInvalid},
		"an animation and a script":  {append(mediatest.GIF(5, 5, 2), "<script>alert(1)</script>"...), schedctl.MediaInvalid},
		"a picture and a document":   {append(mediatest.PNG(5, 5), mediatest.PDF()...), schedctl.MediaInvalid},
		"the head of a picture only": {mediatest.PNG(5, 5)[:20], schedctl.MediaInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			f.do(header("Content-Type", "image/png"), "POST", "/media?file_name=a.png", c.file).refused(c.code)
			up := f.announce(c.file)
			f.do(nil, "PUT", up.path(), c.file).refused(c.code)
			f.do(nil, "POST", "/media/"+up.MediaAsset.ID+"/confirm-upload", nil).refused(schedctl.MediaNotReady)
			f.do(nil, "POST", "/media/from-url", body{"url": f.fileServer(c.file) + "/a.png"}).refused(c.code)
			f.do(nil, "DELETE", "/media/"+up.MediaAsset.ID, nil).want(204)
		})
	}
	f.noMedia()
}

func TestFileNamesAreCleaned(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	width := 0
	for name, want := range map[string]string{
		"../../etc/passwd.png": "passwd.png", `C:\Windows\a.png`: "a.png", "a\r\nSet-Cookie: x.png": "aSet-Cookie x.png",
		`a".png`: "a.png", "\u202egnp.exe": "gnp.exe", "..": "file", "dir/": "file", "ü b.png": "ü b.png",
		"a\u009b31m\u2028.png": "a31m.png", strings.Repeat("ü", 300) + ".png": strings.Repeat("ü", 125) + ".png",
	} {
		width++
		r := f.do(nil, "POST", "/media?file_name="+url.QueryEscape(name), mediatest.PNG(width, 3)).want(201)
		a := decodeAs[apiv1.UploadedMedia](t, r).MediaAsset
		announced := f.do(nil, "POST", "/media/uploads", body{"file_name": name, "mime_type": "image/png", "size_bytes": 9}).want(201)
		for _, got := range []string{a.FileName, decodeAs[apiv1.UploadEnvelope](t, announced).MediaAsset.FileName} {
			if got != want {
				t.Errorf("%q becomes %q, want %q", name, got, want)
			}
		}
		h := f.do(nil, "GET", "/media/"+a.ID+"/content", nil).want(200).header
		if d := h.Get("Content-Disposition"); !strings.HasPrefix(d, "attachment; filename") || strings.ContainsAny(d, "\r\n/\\") || h.Get("Set-Cookie") != "" {
			t.Errorf("%q is served with %q", name, d)
		}
	}
}

// A member of the wrong type is not reported as missing, too.
func TestFetchURLOfTheWrongType(t *testing.T) {
	t.Parallel()
	e := newFixture(t).do(nil, "POST", "/media/from-url", body{"url": 3}).refused(schedctl.ValidationFailed)
	if len(e.Details) != 1 || e.Message != "url must be a string, not a number" {
		t.Errorf("refused with %+v", e)
	}
}

func TestFetchRefusals(t *testing.T) {
	t.Parallel()
	public := newMediaFixture(t, media.DefaultLimits, outbound.PublicOnly)
	own := public.fileServer(mediatest.PNG(3, 3))
	for _, address := range []string{
		own + "/a.png", "http://10.1.2.3/a.png", "http://169.254.169.254/latest/meta-data", "http://[::1]/a.png", "http://[::ffff:127.0.0.1]/a.png",
		"ftp://example.org/a.png", "file:///etc/passwd", "https://user:secret@example.org/a.png", "https:///a.png", "a.png",
	} {
		e := public.do(nil, "POST", "/media/from-url", body{"url": address}).refused(schedctl.ValidationFailed)
		if len(e.Details) != 1 || e.Details[0].Field != "url" || strings.Contains(e.Message, "secret") {
			t.Errorf("%s is refused with %+v", address, e)
		}
	}
	public.noMedia()
}

// TestAgentsFetchNothingPrivate guards that no operation lets the key of an agent reach a
// server in a private network, even if the daemon may connect to it.
func TestAgentsFetchNothingPrivate(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var requests atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		w.Write(mediatest.PNG(3, 3))
	}))
	t.Cleanup(s.Close)
	agent := as(f.newKey(f.mine.workspace, func(k *schedctl.APIKey) { k.Scopes, k.Agent = schedctl.AgentScopes(), true }))
	e := f.do(agent, "POST", "/media/from-url", body{"url": s.URL + "/a.png"}).refused(schedctl.ValidationFailed)
	if e.Details[0].Field != "url" || strings.Contains(e.Message, "--allow-private-networks") || !strings.Contains(e.Message, "public addresses only") {
		t.Errorf("the fetch is refused with %+v", e)
	}
	for path, b := range map[string]body{
		"/posts/validate": {"content": s.URL + "/a"}, "/posts": {"content": s.URL + "/b", "social_account_ids": []string{f.mine.account}},
	} {
		b["link_preview"] = body{"mode": "auto"}
		f.do(agent, "POST", path, b)
	}
	if n := requests.Load(); n != 0 {
		t.Errorf("the server got %d requests for an agent", n)
	}
	f.do(nil, "POST", "/media/from-url", body{"url": s.URL + "/a.png"}).want(201)
	if n := requests.Load(); n != 1 {
		t.Errorf("the server got %d requests for a person, want 1", n)
	}
}

// A server that does not send the file is reported. No asset and no blob is stored.
func TestFetchFromFailingServer(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	file := mediatest.PNG(30, 30)
	mux := http.NewServeMux()
	mux.HandleFunc("/down", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	mux.HandleFunc("/empty", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/moved", http.StatusFound) })
	mux.HandleFunc("/short", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000000")
		w.Write(file)
	})
	mux.HandleFunc("/to-file", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "file:///etc/passwd")
		w.WriteHeader(http.StatusFound)
	})
	s := httptest.NewServer(mux)
	defer s.Close()
	gone := httptest.NewServer(mux)
	gone.Close()
	for address, code := range map[string]schedctl.Code{
		s.URL + "/down": schedctl.MediaInvalid, s.URL + "/missing": schedctl.MediaInvalid, s.URL + "/empty": schedctl.MediaInvalid,
		s.URL + "/moved": schedctl.MediaInvalid, s.URL + "/short": schedctl.MediaInvalid, gone.URL + "/a": schedctl.MediaInvalid,
		s.URL + "/to-file": schedctl.ValidationFailed,
	} {
		f.do(nil, "POST", "/media/from-url", body{"url": address}).refused(code)
	}
	f.noMedia()
}

func TestUploadURLs(t *testing.T) {
	t.Parallel()
	file := mediatest.PNG(6, 5)
	noKey := header("Authorization", "")

	f := newFixture(t)
	first, second := f.announce(file), f.announce(file)
	if first.Upload.ExpiresIn != int((24*time.Hour)/time.Second) || first.Upload.Method != "PUT" || first.Upload.Headers["Content-Type"] != "image/png" {
		t.Errorf("the upload is %+v", first.Upload)
	}
	_, token, _ := strings.Cut(first.path(), "?")
	f.do(noKey, "PUT", "/media/"+second.MediaAsset.ID+"/upload?"+token, file).refused(schedctl.UploadURLInvalid)
	f.do(nil, "POST", "/media/"+first.MediaAsset.ID+"/upload-failure", nil).want(200)
	f.do(noKey, "PUT", first.path(), file).refused(schedctl.MediaNotReady)
	f.do(nil, "POST", "/media/"+first.MediaAsset.ID+"/confirm-upload", nil).refused(schedctl.MediaNotReady)
	f.do(nil, "DELETE", "/media/"+second.MediaAsset.ID, nil).want(204)
	f.do(noKey, "PUT", second.path(), file).refused(schedctl.UploadURLInvalid)

	announcing := f.scoped(schedctl.ScopePostsDraft)
	r := f.do(as(announcing), "POST", "/media/uploads", body{"file_name": "a.png", "mime_type": "image/png", "size_bytes": len(file)}).want(201)
	third := announced{decodeAs[apiv1.UploadEnvelope](t, r), t}
	f.do(nil, "DELETE", "/api-keys/"+f.keyOf(announcing).ID, nil).want(204)
	f.do(noKey, "PUT", third.path(), file).refused(schedctl.UploadURLInvalid)

	limits := media.DefaultLimits
	limits.UploadURL = time.Nanosecond
	brief := newMediaFixture(t, limits, outbound.PublicOnly)
	brief.do(noKey, "PUT", brief.announce(file).path(), file).refused(schedctl.UploadURLInvalid)
	brief.noBlobs()
}

// The client of the original service derives its keys from the path of the file alone.
func TestAnnouncedUploadIsIdempotent(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	announce := func(size int) *response {
		return f.do(key("path"), "POST", "/media/uploads", body{"file_name": "a.png", "mime_type": "image/png", "size_bytes": size})
	}
	first := announce(100).want(201)
	replays(t, first, announce(100))
	announce(101).refused(schedctl.IdempotencyKeyReused)
}

// Failed uploads do not count toward the quota, and known bytes need none if the client says
// that it knows them.
func TestMediaQuota(t *testing.T) {
	t.Parallel()
	limits := media.DefaultLimits
	file := mediatest.PNG(9, 9)
	limits.Quota = int64(len(file)) + 100
	f := newMediaFixture(t, limits, outbound.AllowPrivate)
	up := f.announce(file)
	f.do(nil, "POST", "/media", mediatest.PNG(40, 40)).refused(schedctl.MediaQuotaExceeded)
	f.do(nil, "POST", "/media", file).refused(schedctl.MediaQuotaExceeded)
	f.noBlobs()
	f.do(nil, "POST", "/media/"+up.MediaAsset.ID+"/upload-failure", nil).want(200)
	f.do(nil, "POST", "/media", file).want(201)
	f.do(nil, "POST", "/media", file).refused(schedctl.MediaQuotaExceeded)
	sum := sha256.Sum256(file)
	f.do(header("X-File-Sha256", hex.EncodeToString(sum[:])), "POST", "/media", file).want(200)
	f.do(as(f.other.key), "POST", "/media", file).want(201)
}

// A request that the client gives up is not reported as an error of the file.
func TestCanceledFetch(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx, cancel := context.WithCancel(t.Context())
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}))
	defer s.Close()
	r := f.do(func(r *http.Request) { *r = *r.WithContext(ctx) }, "POST", "/media/from-url", body{"url": s.URL + "/a.png"})
	if r.status < 499 {
		t.Errorf("the response is %d: %s", r.status, r.body)
	}
	if !errors.Is(ctx.Err(), context.Canceled) || bytes.Contains(r.body, []byte(schedctl.MediaInvalid)) {
		t.Errorf("the response is %s", r.body)
	}
	f.noMedia()
}

// Sending the same bytes again changes nothing, so the audit log has one entry.
func TestRepeatedUploadIsAuditedOnce(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		file := mediatest.PNG(6, 7)
		a, noKey := f.announce(file), header("Authorization", "")
		before := len(f.audit())
		for range 3 {
			f.do(noKey, "PUT", a.path(), file).want(204)
		}
		if after := len(f.audit()); after != before+1 {
			t.Errorf("%d entries for three equal uploads, want 1", after-before)
		}
	})
}
