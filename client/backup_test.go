package client_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
)

// larger than the limit of other responses
const backupSize = 80 << 20

func TestBackupIsStreamed(t *testing.T) {
	t.Parallel()
	piece := bytes.Repeat([]byte("0123456789abcdef"), 1<<12)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != "GET" || r.URL.Path != "/api/v1/backup" || r.Header.Get("Authorization") != "Bearer "+secret {
			t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
		}
		if accept := r.Header.Values("Accept"); len(accept) != 1 || !strings.Contains(accept[0], "application/octet-stream") {
			t.Errorf("Accept: %q", accept)
		}
		for range backupSize / len(piece) {
			w.Write(piece)
		}
	}))
	t.Cleanup(server.Close)
	c := newClient(t, client.Config{URL: server.URL, Key: secret})
	out := &counting{}
	n, err := c.Backup(t.Context(), out)
	if err != nil || n != backupSize || out.n != backupSize {
		t.Fatalf("Backup = %d, %v; %d bytes were written", n, err, out.n)
	}
	if out.largest > 1<<20 {
		t.Errorf("%d bytes were written at once: it was not streamed", out.largest)
	}
}

type counting struct {
	n       int64
	largest int
}

func (c *counting) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	c.largest = max(c.largest, len(p))
	return len(p), nil
}

// A limited request for a backup is repeated, because no data was written yet.
func TestBackupWaitsForALimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fake{answers: []answer{limited(2), limited(2), {status: http.StatusOK, body: "all posts"}}}
		c := newClient(t, client.Config{URL: "http://daemon.example", Transport: f, Timeout: 5 * time.Second})
		var out bytes.Buffer
		if n, err := c.Backup(t.Context(), &out); err != nil || n != 9 || out.String() != "all posts" {
			t.Errorf("got %q, %d bytes: %v", &out, n, err)
		}
		f.answers = []answer{limited(2)}
		if _, err := c.Backup(t.Context(), &out); schedctl.CodeOf(err) != schedctl.RateLimited {
			t.Errorf("got %v, want the refusal", err)
		}
		if n := len(f.seen()); n != 6 {
			t.Errorf("%d requests, want 3 and 3", n)
		}
	})
}

func TestBackupIsRefused(t *testing.T) {
	t.Parallel()
	_, c := serve(t, refusal(http.StatusForbidden, "INSUFFICIENT_SCOPE", nil))
	var out bytes.Buffer
	n, err := c.Backup(t.Context(), &out)
	if n != 0 || out.Len() != 0 || schedctl.CodeOf(err) != schedctl.InsufficientScope {
		t.Errorf("Backup = %d, %v", n, err)
	}
	_, c = serve(t, answer{status: 404, body: "<html>Not found</html>"})
	if _, err := c.Backup(t.Context(), &out); err == nil || !strings.Contains(err.Error(), "is it a schedctl daemon?") || out.Len() != 0 {
		t.Errorf("from a web server: %v, %d bytes", err, out.Len())
	}
}

func TestBackupThatBreaksOff(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write(make([]byte, 100_000))
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(server.Close)
	c := newClient(t, client.Config{URL: server.URL})
	var unreachable *client.UnreachableError
	_, err := c.Backup(t.Context(), io.Discard)
	if !errors.As(err, &unreachable) || !strings.Contains(err.Error(), "the backup ended early") {
		t.Errorf("got %v", err)
	}
	server.Close()
	if _, err := c.Backup(t.Context(), io.Discard); !errors.As(err, &unreachable) || !strings.Contains(err.Error(), "is the daemon running?") {
		t.Errorf("without a daemon: %v", err)
	}
}

// The disk of the copy is full.
func TestBackupThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	full := errors.New("no space left")
	_, c := serve(t, answer{status: 200, body: "the database"})
	_, err := c.Backup(t.Context(), failingWriter{full})
	var unreachable *client.UnreachableError
	if !errors.Is(err, full) || errors.As(err, &unreachable) || !strings.HasPrefix(err.Error(), "write the backup: ") {
		t.Errorf("got %v", err)
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

// slow is a network whose response arrives in chunks, one after each pause.
type slow []time.Duration

func (s slow) RoundTrip(r *http.Request) (*http.Response, error) {
	reader, writer := io.Pipe()
	go func() {
		for _, pause := range s {
			select {
			case <-time.After(pause):
			case <-r.Context().Done():
				writer.CloseWithError(context.Cause(r.Context()))
				return
			}
			writer.Write([]byte("piece"))
		}
		writer.Close()
	}()
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: reader, Request: r}, nil
}

func TestBackupTakesAsLongAsItTakes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		pauses slow
		ok     bool
		takes  time.Duration
	}{
		{"slow", slow{50 * time.Second, 50 * time.Second, 50 * time.Second}, true, 150 * time.Second},
		{"stalled", slow{50 * time.Second, 61 * time.Second}, false, 110 * time.Second},
		{"never begun", slow{time.Hour}, false, time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := newClient(t, client.Config{URL: "http://daemon.example", Transport: test.pauses})
				started := time.Now()
				_, err := c.Backup(t.Context(), io.Discard)
				if (err == nil) != test.ok || time.Since(started) != test.takes {
					t.Errorf("got %v after %s", err, time.Since(started))
				}
				if err != nil && !strings.Contains(err.Error(), "did not respond in time") {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

func TestBackupIsInterrupted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, client.Config{URL: "http://daemon.example", Transport: slow{time.Second, time.Hour}})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(2*time.Second, cancel)
		if _, err := c.Backup(ctx, io.Discard); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}
