package api_test

import (
	"bytes"
	"context"
	"io"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// slowReads runs a function of the test between the end of a snapshot and the
// return to its reader.
type slowReads struct {
	storage.Store
	mu    sync.Mutex // mu guards after
	after func()
}

func (s *slowReads) View(ctx context.Context, fn func(storage.Reader) error) error {
	err := s.Store.View(ctx, fn)
	s.mu.Lock()
	after := s.after
	s.after = nil
	s.mu.Unlock()
	if after != nil {
		after()
	}
	return err
}

// TestSlowReaderDoesNotBringAKeyBack lets a request read its key and then wait
// until the key has been revoked. The key must not be cached then.
func TestSlowReaderDoesNotBringAKeyBack(t *testing.T) {
	t.Parallel()
	store := &slowReads{Store: storagetest.NewMemory()}
	f := newFixtureOn(t, store)
	made := f.newAPIKey(nil, body{"name": "x"})
	read, proceed := make(chan struct{}), make(chan struct{})
	store.mu.Lock()
	store.after = func() { close(read); <-proceed }
	store.mu.Unlock()
	var slow *response
	var wg sync.WaitGroup
	wg.Go(func() { slow = f.do(as(made.Secret), "GET", "/posts", nil) })
	<-read
	f.do(nil, "DELETE", "/api-keys/"+made.APIKey.ID, nil).want(204)
	close(proceed)
	wg.Wait()
	slow.want(200) // the request started before
	f.do(as(made.Secret), "GET", "/posts", nil).refused(schedctl.APIKeyRevoked)
}

// TestKeyIsRevokedWhileTheBodyComes guards that a key must be valid when its write
// starts, and not only when its request does.
func TestKeyIsRevokedWhileTheBodyComes(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	made := f.newAPIKey(nil, body{"name": "x"})
	text := []byte(`{"content":"x"}`)
	r := httptest.NewRequest("POST", "/api/v1/posts", &lateBody{bytes.NewReader(text), func() {
		f.do(nil, "DELETE", "/api-keys/"+made.APIKey.ID, nil).want(204)
	}})
	r.ContentLength = int64(len(text))
	as(made.Secret)(r)
	header("Content-Type", "application/json")(r)
	w := httptest.NewRecorder()
	f.handler.ServeHTTP(w, r)
	(&response{t: t, method: "POST", path: "/posts", status: w.Code, header: w.Header(), body: w.Body.Bytes()}).refused(schedctl.APIKeyRevoked)
}

// lateBody runs a function before it is read.
type lateBody struct {
	io.Reader
	before func()
}

func (b *lateBody) Read(p []byte) (int, error) {
	if b.before != nil {
		b.before()
		b.before = nil
	}
	return b.Reader.Read(p)
}
