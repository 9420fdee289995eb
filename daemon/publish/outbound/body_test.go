package outbound_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

func body(size int64, r io.Reader) outbound.Body {
	return outbound.Body{ContentType: "image/png", Size: size, Open: func(context.Context) (io.ReadCloser, error) { return io.NopCloser(r), nil }}
}

// endless reads as a pattern of bytes without end.
type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(i)
	}
	return len(b), nil
}

func TestPostBodyStreams(t *testing.T) {
	const size = 64 << 20
	var length, got int64
	var encodings []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		length, encodings = r.ContentLength, r.TransferEncoding
		got, _ = io.Copy(io.Discard, r.Body)
	}))
	defer server.Close()
	client := outbound.Client(outbound.AllowPrivate)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := outbound.PostBody(t.Context(), client, server.URL, nil, body(size, io.LimitReader(endless{}, size))); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if length != size || got != size || len(encodings) > 0 {
		t.Errorf("the server got %d bytes of %d announced, encoded %v; want %d", got, length, encodings, size)
	}
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 4<<20 {
		t.Errorf("sending %d bytes allocated %d", size, allocated)
	}
}

func TestPostBodyUnreadable(t *testing.T) {
	t.Parallel()
	errDisk := errors.New("disk")
	mismatch := publish.MediaError("media_changed", "the stored file has other bytes")
	const size = 100 << 10
	for name, tt := range map[string]struct {
		body    outbound.Body
		outcome schedctl.Outcome
		code    string
	}{
		"missing":              {outbound.Body{Size: size, Open: func(context.Context) (io.ReadCloser, error) { return nil, errDisk }}, schedctl.OutcomeNotPublished, publish.CodeUnreadable},
		"empty":                {body(size, strings.NewReader("")), schedctl.OutcomeNotPublished, publish.CodeUnreadable},
		"small and too long":   {body(10, strings.NewReader("eleven chars")), schedctl.OutcomeNotPublished, publish.CodeUnreadable},
		"short":                {body(size, io.LimitReader(endless{}, size-1)), schedctl.OutcomeUnknown, publish.CodeUnreadable},
		"long":                 {body(size, io.LimitReader(endless{}, size+1)), schedctl.OutcomeUnknown, publish.CodeUnreadable},
		"broken at the start":  {body(size, broken{mismatch}), schedctl.OutcomeNotPublished, "media_changed"},
		"broken at the end":    {body(size, io.MultiReader(io.LimitReader(endless{}, size), broken{mismatch})), schedctl.OutcomeUnknown, "media_changed"},
		"broken in the middle": {body(size, io.MultiReader(io.LimitReader(endless{}, size/2), broken{errDisk})), schedctl.OutcomeUnknown, publish.CodeUnreadable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var complete atomic.Bool
			server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				if _, err := io.Copy(io.Discard, r.Body); err == nil {
					complete.Store(true)
				}
			}))
			_, err := outbound.PostBody(t.Context(), outbound.Client(outbound.AllowPrivate), server.URL, nil, tt.body)
			server.Close()
			e := publish.AsError(err)
			if e.Kind != schedctl.KindMedia || e.Outcome != tt.outcome || e.Code != tt.code {
				t.Errorf("got %s, %s, code %q (%v); want media, %s, %q", e.Kind, e.Outcome, e.Code, e.Err, tt.outcome, tt.code)
			}
			if complete.Load() {
				t.Error("the server got a complete body")
			}
		})
	}
}

type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

func TestPostBodyIsGuarded(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) }))
	defer server.Close()
	const size = 4 << 20
	for name, tt := range map[string]struct {
		allowed int64 // writes
		outcome schedctl.Outcome
		code    string
	}{
		"before the first byte": {1, schedctl.OutcomeNotPublished, publish.CodeLeaseLapsed}, // the first check precedes the connection
		"in the middle":         {5, schedctl.OutcomeUnknown, ""},
	} {
		var checks atomic.Int64
		ctx := publish.WithGuard(t.Context(), func() bool { return checks.Add(1) <= tt.allowed })
		_, err := outbound.PostBody(ctx, outbound.Client(outbound.AllowPrivate), server.URL, nil, body(size, io.LimitReader(endless{}, size)))
		if e := publish.AsError(err); e.Outcome != tt.outcome || e.Code != tt.code {
			t.Errorf("%s: got %s, %q; want %s, %q", name, e.Outcome, e.Code, tt.outcome, tt.code)
		}
	}
}

// A server that refuses a file early must be understood although it does not read it.
func TestPostBodyRefusedEarly(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
	}))
	defer server.Close()
	const size = 200 << 10
	a, err := outbound.PostBody(t.Context(), outbound.Client(outbound.AllowPrivate), server.URL, nil, body(size, io.LimitReader(endless{}, size)))
	if err != nil || a.Status != http.StatusRequestEntityTooLarge {
		t.Errorf("got %d, %v", a.Status, err)
	}
}

// A network that takes no more bytes does not keep the request until its deadline.
func TestPostBodyStalled(t *testing.T) {
	defer outbound.SetStallTimeout(100 * time.Millisecond)()
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer server.Close()
	defer close(release)
	const size = 64 << 20 // more than the kernel buffers
	_, err := outbound.PostBody(t.Context(), outbound.Client(outbound.AllowPrivate), server.URL, nil, body(size, io.LimitReader(endless{}, size)))
	if e := publish.AsError(err); e.Kind != schedctl.KindNetwork || e.Outcome != schedctl.OutcomeUnknown || !strings.Contains(e.Message, "did not respond in time") {
		t.Errorf("got %+v", e)
	}
}

func TestMultipart(t *testing.T) {
	t.Parallel()
	type part struct {
		Name, FileName, Type string
		Hash                 [32]byte
	}
	var got []part
	var length int64
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		length = r.ContentLength
		form, err := r.MultipartReader()
		if err != nil {
			t.Error(err)
			return
		}
		for {
			p, err := form.NextPart()
			if err == io.EOF {
				return
			}
			if err != nil {
				t.Error(err)
				return
			}
			got = append(got, readPart(p))
		}
	}))
	defer server.Close()
	data := strings.Repeat("0123456789\r\n--", 100_000)
	size := int64(len(data))
	file := publish.File{Media: publish.Media{MIMEType: "image/png", Size: size}, Open: body(size, strings.NewReader(data)).Open}
	form := outbound.Multipart(
		outbound.FieldPart("description", "two\r\nlines \"quoted\""), outbound.FilePart("file", `a "b".png`, file), outbound.FieldPart("empty", ""),
	)
	if _, err := outbound.PostBody(t.Context(), outbound.Client(outbound.AllowPrivate), server.URL, nil, form); err != nil {
		t.Fatal(err)
	}
	want := []part{
		{"description", "", "", sha256.Sum256([]byte("two\r\nlines \"quoted\""))},
		{"file", "a %22b%22.png", "image/png", sha256.Sum256([]byte(data))},
		{"empty", "", "", sha256.Sum256(nil)},
	}
	if diff := cmp.Diff(want, got); diff != "" || length != form.Size {
		t.Errorf("%d bytes announced of %d, parts (-want +got):\n%s", length, form.Size, diff)
	}
}

func readPart(p *multipart.Part) (got struct {
	Name, FileName, Type string
	Hash                 [32]byte
}) {
	hash := sha256.New()
	io.Copy(hash, p)
	got.Name, got.FileName, got.Type, got.Hash = p.FormName(), p.FileName(), p.Header.Get("Content-Type"), [32]byte(hash.Sum(nil))
	return got
}
