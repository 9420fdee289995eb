package client_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// uploads is a daemon that receives uploads. It refuses the first one with 503.
func uploads(t *testing.T, got *[]byte, alt, name *string) (*client.Client, *atomic.Int32) {
	t.Helper()
	tries := new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if tries.Add(1) == 1 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
			io.WriteString(w, `{"error":{"code":"UNAVAILABLE","message":"later"}}`)
			return
		}
		if r.Header.Get("Authorization") != "Bearer k" || r.Header.Get("Idempotency-Key") != "same" || r.ContentLength <= 0 {
			t.Errorf("the headers are %v, the length is %d", r.Header, r.ContentLength)
		}
		file, header, err := r.FormFile("file")
		if err != nil {
			t.Error(err)
			return
		}
		*got, _ = io.ReadAll(file)
		*alt, *name = r.FormValue("alt_text"), header.Filename
		w.WriteHeader(http.StatusCreated)
		io.WriteString(w, `{"media_asset":{"id":"med_1"}}`)
	}))
	t.Cleanup(s.Close)
	c, err := client.New(client.Config{URL: s.URL, Key: "k"})
	if err != nil {
		t.Fatal(err)
	}
	return c, tries
}

// A retry sends the file again from its start, with the same key.
func TestUploadMedia(t *testing.T) {
	t.Parallel()
	var got []byte
	var alt, name string
	c, tries := uploads(t, &got, &alt, &name)
	file, last := bytes.Repeat([]byte("0123456789"), 50_000), int64(0)
	done, err := c.UploadMedia(t.Context(), client.UploadFile{
		Name: "a\r\n\x1b b.png", Size: int64(len(file)), AltText: "a picture",
		Open:     func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(file)), nil },
		Progress: func(sent int64) { last = sent },
	}, client.IdempotencyKey("same"))
	if err != nil || done.MediaAsset.ID != "med_1" || tries.Load() != 2 {
		t.Fatalf("%v, %v after %d tries", done.MediaAsset.ID, err, tries.Load())
	}
	if !bytes.Equal(got, file) || alt != "a picture" || name != "a b.png" || last != int64(len(file)) {
		t.Errorf("the daemon got %d bytes, %q and %q; progress ended at %d", len(got), alt, name, last)
	}
}

// gate is a daemon whose responses to uploads wait until the test lets them go.
type gate struct {
	begun chan struct{}
	open  chan struct{}
}

// RoundTrip implements [http.RoundTripper].
func (g gate) RoundTrip(r *http.Request) (*http.Response, error) {
	g.begun <- struct{}{}
	<-g.open
	return slowDaemon(0).RoundTrip(r)
}

// The daemon takes four uploads of a key at once, so a client sends four and keeps others
// waiting, for any time.
func TestUploadsWaitForEachOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := gate{make(chan struct{}, 10), make(chan struct{})}
		c, err := client.New(client.Config{URL: "http://daemon.test", Key: "k", Transport: g})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				_, err := c.UploadMedia(t.Context(), client.UploadFile{Name: "a", Size: 1, Open: func() (io.ReadCloser, error) {
					return io.NopCloser(strings.NewReader("a")), nil
				}})
				if err != nil {
					t.Error(err)
				}
			})
		}
		for done := range 10 {
			synctest.Wait()
			if begun, want := len(g.begun), min(10, done+4); begun != want {
				t.Errorf("%d uploads have begun when %d have ended, want %d", begun, done, want)
			}
			g.open <- struct{}{}
		}
		all.Wait()
	})
}

func TestUploadMediaRefused(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		io.WriteString(w, `{"error":{"code":"MEDIA_TOO_LARGE","message":"too large"}}`)
	}))
	defer s.Close()
	c, err := client.New(client.Config{URL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.UploadMedia(t.Context(), client.UploadFile{Name: "a", Size: 3, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader([]byte("abc"))), nil
	}})
	if schedctl.CodeOf(err) != schedctl.MediaTooLarge {
		t.Errorf("the error is %v", err)
	}
}

// slowDaemon responds after a while.
type slowDaemon time.Duration

// RoundTrip implements [http.RoundTripper].
func (d slowDaemon) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case <-r.Context().Done():
		return nil, r.Context().Err()
	case <-time.After(time.Duration(d)):
	}
	return &http.Response{
		StatusCode: http.StatusCreated, Header: http.Header{"Content-Type": {"application/json"}}, Request: r,
		Body: io.NopCloser(strings.NewReader(`{"media_asset":{"id":"med_1"}}`)),
	}, nil
}

// The daemon fetches a file for two minutes. The client waits as long, unless it has a
// timeout of its own.
func TestFetchMediaWaitsForTheDaemon(t *testing.T) {
	t.Parallel()
	for configured, want := range map[time.Duration]time.Duration{0: 2 * time.Minute, 10 * time.Second: 10 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			c, err := client.New(client.Config{URL: "http://daemon.test", Key: "k", Timeout: configured, Transport: slowDaemon(2 * time.Minute)})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			start := time.Now()
			done, err := c.FetchMedia(t.Context(), apiv1.MediaFromURL{URL: "https://example.org/cat.png"})
			if took := time.Since(start); took != want || (err == nil) != (configured == 0) || (done.MediaAsset.ID == "med_1") != (configured == 0) {
				t.Errorf("timeout %v: %v, %v after %v", configured, done.MediaAsset.ID, err, took)
			}
		})
	}
}
