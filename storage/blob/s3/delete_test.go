package s3_test

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/schedctl/schedctl/storage/blob"
)

// through opens the same store through a proxy that calls a function before each request.
func (s tested) through(t *testing.T, before func(r *http.Request)) blob.Store {
	t.Helper()
	to, err := url.Parse(s.spec.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(to) // the Host stays, which is signed
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		before(r)
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	spec := s.spec
	spec.Endpoint = front.URL
	store, err := open(t, spec, environment)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

// looksForMarks reports whether a request is that of a Put that looks for marks.
func looksForMarks(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.Contains(r.URL.Query().Get("prefix"), "deleting/")
}

// collect is the deletion of another process. It holds the request that deletes the blob
// until put has ended or looks for marks a second time.
func collect(t *testing.T, s blob.Store, key blob.Key, before time.Time, put func(blob.Store)) (bool, error) {
	t.Helper()
	waits, done := make(chan struct{}), make(chan struct{})
	var looks atomic.Int32
	putter := s.(tested).through(t, func(r *http.Request) {
		if looksForMarks(r) && looks.Add(1) == 2 {
			close(waits)
		}
	})
	collector := s.(tested).through(t, func(r *http.Request) {
		if r.Method != http.MethodDelete || !strings.HasSuffix(r.URL.Path, "/"+key.String()) {
			return
		}
		go func() { defer close(done); put(putter) }()
		select {
		case <-waits:
		case <-done:
		}
	})
	deleted, err := collector.DeleteUnmodified(t.Context(), key, before)
	<-done
	return deleted, err
}

// TestMarks guards that a mark that a killed collector has left behind delays Puts only as
// long as its last request may arrive, and that other collectors do not remove it.
func TestMarks(t *testing.T) {
	t.Parallel()
	s := openEmpty(t).(tested)
	key := put(t, s, "abc")
	folder := filepath.Join(s.folder, "deleting", key.String())
	mark := filepath.Join(folder, "left")
	if err := errors.Join(os.MkdirAll(folder, 0o700), os.WriteFile(mark, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if gone, err := s.DeleteUnmodified(t.Context(), key, time.Now().Add(time.Hour)); !gone || err != nil {
		t.Fatalf("DeleteUnmodified returned %v, error %v", gone, err)
	}
	if _, err := os.Stat(mark); err != nil {
		t.Fatalf("the mark of another collector: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var looks atomic.Int32
	waiting := s.through(t, func(r *http.Request) {
		if looksForMarks(r) && looks.Add(1) == 3 {
			cancel()
		}
	})
	if _, err := waiting.Put(ctx, spool(t, waiting, "abc")); !errors.Is(err, context.Canceled) {
		t.Errorf("Put with a mark that counts: error %v", err)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(mark, old, old); err != nil {
		t.Fatal(err)
	}
	put(t, s, "abc")
	if _, err := os.Stat(mark); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the old mark: error %v", err)
	}
}

// spool returns a spool with bytes, which the test closes.
func spool(t *testing.T, s blob.Store, data string) *blob.Spool {
	t.Helper()
	sp, err := s.Spool()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sp.Close() })
	if _, err := sp.Write([]byte(data)); err != nil {
		t.Fatal(err)
	}
	return sp
}

func put(t *testing.T, s blob.Store, data string) blob.Key {
	t.Helper()
	info, err := s.Put(t.Context(), spool(t, s, data))
	if err != nil {
		t.Fatal(err)
	}
	return info.Key
}
