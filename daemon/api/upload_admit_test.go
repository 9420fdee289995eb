package api_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// unread fails the test if a body is read.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, io.EOF
}

// sized replaces a body by one of a length that must not be read.
func sized(t *testing.T, length int64) option {
	return func(r *http.Request) { r.Body, r.ContentLength = io.NopCloser(unread{t}), length }
}

// tight are limits with a quota of a few bytes.
func tight(quota int64) media.Limits {
	limits := media.DefaultLimits
	limits.Quota = quota
	return limits
}

const formType = "multipart/form-data; boundary=x"

// form is a form with a file.
func form(file []byte) string {
	return "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.png\"\r\n\r\n" + string(file) + "\r\n--x--\r\n"
}

// A file that cannot be stored is refused by the header of its request.
func TestUploadIsRefusedUnread(t *testing.T) {
	t.Parallel()
	const quota = 1 << 20
	f := newMediaFixture(t, tight(quota), outbound.AllowPrivate)
	largest := media.DefaultLimits.Video
	isForm := header("Content-Type", formType)
	const fields = 64 << 10 // what a form may have besides the file
	for name, c := range map[string]struct {
		o    option
		size int64
		code schedctl.Code
	}{
		"file, quota": {nil, quota + 1, schedctl.MediaQuotaExceeded},
		"form, quota": {isForm, quota + fields + 1, schedctl.MediaQuotaExceeded},
		"file, limit": {nil, largest + 1, schedctl.MediaTooLarge},
		"form, limit": {isForm, largest + fields + 1, schedctl.MediaTooLarge},
	} {
		o := sized(t, c.size)
		if c.o != nil {
			o = all(c.o, o)
		}
		if e := f.do(o, "POST", "/media", "x").refused(c.code); e.Message == "" {
			t.Errorf("%s: no message", name)
		}
	}
	up := f.announce(mediatest.PNG(5, 5))
	f.do(sized(t, 12345), "PUT", up.path(), "x").refused(schedctl.MediaInvalid)
	f.do(header("Content-Type", "multipart/form-data; boundary="+strings.Repeat("x", 71)), "POST", "/media", "x").refused(schedctl.ValidationFailed)
	f.noBlobs()
}

// A client that waits for 100 Continue gets the refusal instead, also after a form that
// would suffice.
func TestRefusalComesBeforeContinue(t *testing.T) {
	t.Parallel()
	f := newMediaFixture(t, tight(1000), outbound.AllowPrivate)
	s := httptest.NewServer(f.handler)
	defer s.Close()
	for length, want := range map[int]string{1001: "HTTP/1.1 413 ", 1000: "HTTP/1.1 100 "} {
		conn, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "POST /api/v1/media HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", f.mine.key, length)
		line, err := bufio.NewReader(conn).ReadString('\n')
		if err != nil || !strings.HasPrefix(line, want) {
			t.Errorf("%d bytes: the response begins with %q, want %q, error %v", length, line, want, err)
		}
		conn.Close()
	}
}

// counted counts the bytes that are read from an endless body.
type counted struct {
	file []byte
	read int64
}

func (c *counted) Read(p []byte) (int, error) {
	n := len(p)
	if c.read < int64(len(c.file)) {
		n = copy(p, c.file[c.read:])
	}
	c.read += int64(n)
	return n, nil
}

// A body of unknown length ends soon after it exceeds the rest of the quota.
func TestQuotaEndsBodiesWithoutLength(t *testing.T) {
	t.Parallel()
	const quota = 3 << 20
	f := newMediaFixture(t, tight(quota), outbound.AllowPrivate)
	head := mediatest.MP4(1 << 20)
	for name, c := range map[string]struct {
		o    option
		file []byte
	}{
		"file": {func(*http.Request) {}, head},
		"form": {header("Content-Type", formType), []byte(strings.TrimSuffix(form(head), "\r\n--x--\r\n"))},
	} {
		body := &counted{file: c.file}
		endless := func(r *http.Request) { r.Body, r.ContentLength = io.NopCloser(body), -1 }
		f.do(all(c.o, endless), "POST", "/media", "x").refused(schedctl.MediaQuotaExceeded)
		if body.read > quota+6<<20 {
			t.Errorf("%s: %d bytes were read of a quota of %d", name, body.read, quota)
		}
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "known") {
			w.Header().Set("Content-Length", fmt.Sprint(quota+1))
		}
		io.Copy(w, &counted{file: head})
	}))
	defer s.Close()
	for _, path := range []string{"/known.mp4", "/unknown.mp4"} {
		f.do(nil, "POST", "/media/from-url", body{"url": s.URL + path}).refused(schedctl.MediaQuotaExceeded)
	}
	f.noBlobs()
}

// held is an upload whose body has arrived in part.
type held struct {
	body     *io.PipeWriter
	response chan *response
	rest     []byte
}

// hold begins an upload and returns when the daemon has read the first bytes.
func (f *fixture) hold(o option, method, path string, file []byte) *held {
	f.t.Helper()
	from, to := io.Pipe()
	h := &held{body: to, response: make(chan *response, 1), rest: file[100:]}
	opened := func(r *http.Request) { r.Body, r.ContentLength = io.NopCloser(from), int64(len(file)) }
	go func() { h.response <- f.do(all(o, opened), method, path, "x") }()
	if _, err := to.Write(file[:100]); err != nil { // returns when they are read
		f.t.Fatal(err)
	}
	return h
}

// finish sends the rest, and returns the response.
func (h *held) finish() *response {
	h.body.Write(h.rest)
	h.body.Close()
	return <-h.response
}

// A key has four uploads at work and a workspace sixteen. Those by URL count for the
// workspace only.
func TestUploadsAtWork(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	size := 0
	file := func() []byte { size++; return mediatest.PNG(40+size, 40) }
	var at []*held
	busy := func(o option) {
		t.Helper()
		r := f.do(all(o, sized(t, 5000)), "POST", "/media", "x")
		if e := r.refused(schedctl.RateLimited); r.header.Get("Retry-After") == "" || !strings.Contains(e.Message, "at once") {
			t.Errorf("refused with %q, Retry-After %q", e.Message, r.header.Get("Retry-After"))
		}
	}
	noKey := header("Authorization", "")
	for range media.MaxUploadsOfKey {
		at = append(at, f.hold(func(*http.Request) {}, "POST", "/media", file()))
	}
	busy(func(*http.Request) {})
	f.do(nil, "POST", "/media/from-url", body{"url": "http://127.0.0.1:1/"}).refused(schedctl.RateLimited)
	other := f.scoped(schedctl.ScopePostsDraft)
	for range media.MaxUploadsOfWorkspace - media.MaxUploadsOfKey {
		file := file()
		at = append(at, f.hold(noKey, "PUT", f.announce(file).path(), file))
	}
	busy(as(other))
	f.do(all(noKey, sized(t, int64(len(mediatest.PNG(9, 9))))), "PUT", f.announce(mediatest.PNG(9, 9)).path(), "x").refused(schedctl.RateLimited)
	f.do(as(f.other.key), "POST", "/media", file()).want(201)
	for i, h := range at {
		want := 201
		if i >= media.MaxUploadsOfKey {
			want = 204
		}
		h.finish().want(want)
	}
	f.do(nil, "POST", "/media", file()).want(201)
}

// Uploads at work count toward the quota, from the time that they begin until they end, and
// once only.
func TestUploadsAtWorkCount(t *testing.T) {
	t.Parallel()
	one, two := mediatest.PNG(30, 30), mediatest.PNG(31, 30)
	quota := int64(len(one) + len(two))
	f := newMediaFixture(t, tight(quota), outbound.AllowPrivate)
	plain := func(*http.Request) {}
	first := f.hold(plain, "POST", "/media", one)
	f.do(sized(t, int64(len(two))+1), "POST", "/media", "x").refused(schedctl.MediaQuotaExceeded)
	second := f.hold(plain, "POST", "/media", two)
	f.do(sized(t, 1), "POST", "/media", "x").refused(schedctl.MediaQuotaExceeded)
	first.body.CloseWithError(io.ErrUnexpectedEOF)
	(<-first.response).refused(schedctl.MediaInvalid)
	third := f.hold(plain, "POST", "/media", one)
	second.finish().want(201)
	f.do(sized(t, 1), "POST", "/media", "x").refused(schedctl.MediaQuotaExceeded)
	third.finish().want(201)
	f.do(sized(t, 1), "POST", "/media", "x").refused(schedctl.MediaQuotaExceeded)
}

// The bytes of an announced upload count from the announcement on. A second request for the
// same asset at the same time counts in addition.
func TestAnnouncedUploadCountsOnce(t *testing.T) {
	t.Parallel()
	file := mediatest.PNG(30, 30)
	f := newMediaFixture(t, tight(int64(len(file))), outbound.AllowPrivate)
	up := f.announce(file)
	longer := func(r *http.Request) {
		r.Body, r.ContentLength = io.NopCloser(io.MultiReader(bytes.NewReader(file), &counted{})), -1
	}
	f.do(longer, "PUT", up.path(), "x").refused(schedctl.MediaInvalid)
	first := f.hold(header("Authorization", ""), "PUT", up.path(), file)
	f.do(sized(t, int64(len(file))), "PUT", up.path(), "x").refused(schedctl.MediaQuotaExceeded)
	first.finish().want(204)
	f.do(nil, "PUT", up.path(), file).want(204)
	for _, other := range [][]byte{{}, file[:len(file)-1], append(slices.Clone(file), 0), mediatest.PNG(3, 3)} {
		f.do(nil, "PUT", up.path(), other).refused(schedctl.MediaUploaded)
	}
	f.do(longer, "PUT", up.path(), "x").refused(schedctl.MediaUploaded)
}

// A repeated request gets the stored response although its file has used up the quota.
func TestRepeatedUploadWithoutQuota(t *testing.T) {
	t.Parallel()
	file := mediatest.PNG(30, 30)
	f := newMediaFixture(t, tight(int64(len(file))+10), outbound.AllowPrivate)
	upload := func(idempotencyKey string) *response { return f.do(key(idempotencyKey), "POST", "/media", file) }
	first := upload("a").want(201)
	replays(t, first, upload("a"))
	upload("b").refused(schedctl.MediaQuotaExceeded)
}
