package api_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// copied is a store in memory whose copies the test provides.
type copied struct {
	storage.Store
	copy func(context.Context, io.Writer) (int64, error)
}

func (c *copied) Copy(ctx context.Context, w io.Writer) (int64, error) { return c.copy(ctx, w) }

// serveCopies makes the fixture serve a store that can be copied.
func (f *fixture) serveCopies(copy func(context.Context, io.Writer) (int64, error)) *fixture {
	f.handler = api.New(api.Config{Store: &copied{f.store, copy}, Publishers: f.publishers, Connector: f.connector, Sealer: f.sealer})
	return f
}

// newLoneFixture is a fixture whose database has only my workspace.
func newLoneFixture(t *testing.T, store storage.Store) *fixture {
	t.Helper()
	f := newFixtureOn(t, storagetest.NewMemory())
	lone := *f
	lone.store = storagetest.NewFaulty(store)
	t.Cleanup(func() { store.Close() })
	lone.handler = api.New(api.Config{Store: store, Publishers: f.publishers, Connector: f.connector, Sealer: f.sealer})
	lone.update(func(tx storage.Tx) error {
		return tx.PutWorkspace(schedctl.Workspace{ID: lone.mine.workspace, Name: "mine", CreatedAt: schedctl.Millis(time.Now())})
	})
	lone.mine.key = lone.newKey(lone.mine.workspace, func(*schedctl.APIKey) {})
	return &lone
}

func TestBackup(t *testing.T) {
	t.Parallel()
	store, err := bolt.Open(filepath.Join(t.TempDir(), "schedctl.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := newLoneFixture(t, store)
	p := f.create(body{"content": "worth keeping"})
	r := f.do(as(f.scoped(schedctl.ScopeKeysWrite)), "GET", "/backup", nil).want(200)
	if got := r.header.Get("Content-Type"); got != "application/octet-stream" {
		t.Errorf("Content-Type: %s", got)
	}
	disposition, params, err := mime.ParseMediaType(r.header.Get("Content-Disposition"))
	if err != nil || disposition != "attachment" || !regexp.MustCompile(`^schedctl-\d{8}T\d{6}Z\.db$`).MatchString(params["filename"]) {
		t.Errorf("Content-Disposition: %s", r.header.Get("Content-Disposition"))
	}
	path := filepath.Join(t.TempDir(), "copy.db")
	if err := os.WriteFile(path, r.body, 0o600); err != nil {
		t.Fatal(err)
	}
	restored, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer restored.Close()
	err = restored.View(t.Context(), func(tx storage.Reader) error {
		got, err := tx.Post(f.mine.workspace, p.ID)
		if got.Text != "worth keeping" {
			t.Errorf("the copy has %+v", got)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestWhoMayBackUp(t *testing.T) {
	t.Parallel()
	f := newFixture(t).serveCopies(func(_ context.Context, w io.Writer) (int64, error) {
		n, err := io.WriteString(w, "copy")
		return int64(n), err
	})
	for name, tt := range map[string]struct {
		scopes   []schedctl.Scope
		accounts []string
		code     schedctl.Code
	}{
		"all scopes":             {schedctl.Scopes(), nil, ""},
		"both scopes":            {[]schedctl.Scope{schedctl.ScopeKeysWrite, schedctl.ScopeWorkspacesWrite}, nil, ""},
		"keys of one of several": {[]schedctl.Scope{schedctl.ScopeKeysWrite}, nil, schedctl.InsufficientScope},
		"workspaces alone":       {[]schedctl.Scope{schedctl.ScopeWorkspacesWrite}, nil, schedctl.InsufficientScope},
		"certain accounts":       {schedctl.Scopes(), []string{f.mine.account}, schedctl.AccountNotAllowed},
	} {
		secret := f.newKey(f.mine.workspace, func(k *schedctl.APIKey) { k.Scopes, k.AccountIDs = tt.scopes, tt.accounts })
		r := f.do(as(secret), "GET", "/backup", nil)
		if tt.code != "" {
			r.refused(tt.code)
		} else if string(r.want(200).body) != "copy" {
			t.Errorf("%s: %s", name, r.body)
		}
	}
	f.do(nil, "GET", "/backup?since=x", nil).refused(schedctl.ValidationFailed)
	f.do(header("Accept", "text/html"), "GET", "/backup", nil).refused(schedctl.NotAcceptable)
	f.do(header("Accept", "application/octet-stream"), "GET", "/backup", nil).want(200)
}

func TestBackupThatDoesNotBegin(t *testing.T) {
	t.Parallel()
	newFixture(t).do(nil, "GET", "/backup", nil).refused(schedctl.Unavailable) // memory has no file

	f := newFixture(t).serveCopies(func(context.Context, io.Writer) (int64, error) { return 0, errors.New("disk on fire") })
	r := f.do(nil, "GET", "/backup", nil)
	r.refused(schedctl.Unavailable)
	if r.header.Get("Content-Disposition") != "" || strings.Contains(string(r.body), "fire") {
		t.Errorf("%v %s", r.header, r.body)
	}
}

// TestBackupThatFails guards that an incomplete copy is never mistaken for a
// complete one.
func TestBackupThatFails(t *testing.T) {
	t.Parallel()
	f := newFixture(t).serveCopies(func(_ context.Context, w io.Writer) (int64, error) {
		n, _ := w.Write(bytes.Repeat([]byte("x"), 1<<20))
		return int64(n), errors.New("disk on fire")
	})
	server := httptest.NewServer(f.handler)
	t.Cleanup(server.Close)
	res := f.get(server, "GET")
	defer res.Body.Close()
	if n, err := io.Copy(io.Discard, res.Body); err == nil || res.StatusCode != 200 {
		t.Errorf("%d, %d bytes, and then %v", res.StatusCode, n, err)
	}
}

func (f *fixture) get(server *httptest.Server, method string) *http.Response {
	f.t.Helper()
	req, err := http.NewRequestWithContext(f.t.Context(), method, server.URL+"/api/v1/backup", nil)
	if err != nil {
		f.t.Fatal(err)
	}
	as(f.mine.key)(req)
	res, err := server.Client().Do(req)
	if err != nil {
		f.t.Fatal(err)
	}
	return res
}

func TestHeadOfABackupCopiesNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t).serveCopies(func(context.Context, io.Writer) (int64, error) {
		t.Error("it is copied")
		return 0, nil
	})
	server := httptest.NewServer(f.handler)
	t.Cleanup(server.Close)
	res := f.get(server, "HEAD")
	defer res.Body.Close()
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "application/octet-stream" {
		t.Errorf("%d %v", res.StatusCode, res.Header)
	}
}

// pipeListener accepts the connections that a test makes.
type pipeListener chan net.Conn

func (l pipeListener) Accept() (net.Conn, error) {
	c, ok := <-l
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (l pipeListener) Close() error   { close(l); return nil }
func (l pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

// backupOverPipe requests an endless backup over a connection without buffers. The
// server allows a minute to read a request.
func backupOverPipe(t *testing.T, client func(net.Conn), failed chan<- error) {
	newFixture(t).backupOverPipe(client, failed)
}

func (f *fixture) backupOverPipe(client func(net.Conn), failed chan<- error) {
	f.serveCopies(func(ctx context.Context, w io.Writer) (n int64, err error) {
		for err == nil {
			if err = ctx.Err(); err == nil {
				_, err = w.Write(make([]byte, 64<<10))
			}
		}
		failed <- err
		return n, err
	})
	server := &http.Server{Handler: f.handler, ReadTimeout: time.Minute}
	listener := make(pipeListener)
	done := make(chan struct{})
	go func() {
		defer close(done)
		server.Serve(listener)
	}()
	ours, theirs := net.Pipe()
	listener <- theirs
	request := "GET /api/v1/backup HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + f.mine.key + "\r\n\r\n"
	if _, err := io.WriteString(ours, request); err != nil {
		f.t.Fatal(err)
	}
	client(ours)
	ours.Close()
	server.Close()
	<-done
}

func TestClientThatTakesNothingIsCutOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		failed, start := make(chan error, 1), time.Now()
		backupOverPipe(t, func(net.Conn) {
			err := <-failed
			if took := time.Since(start); took > 31*time.Second || !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("after %s: %v", took, err)
			}
		}, failed)
	})
}

// take reads this many bytes every 20 s until it has read 100 times or is cut off.
func take(c net.Conn, bytes int) error {
	piece := make([]byte, bytes)
	for range 100 {
		time.Sleep(20 * time.Second)
		if _, err := io.ReadFull(c, piece); err != nil {
			return err
		}
	}
	return nil
}

// TestSlowClientGoesOn guards that a client that keeps reading may take longer than
// the time to read a request.
func TestSlowClientGoesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		failed, start := make(chan error, 1), time.Now()
		backupOverPipe(t, func(c net.Conn) {
			if err := take(c, 20*70<<10); err != nil {
				t.Errorf("after %s: %v", time.Since(start), err)
			}
			select {
			case err := <-failed:
				t.Errorf("it was cut off: %v", err)
			default:
			}
		}, failed)
	})
}

// TestDripIsCutOff guards that a client that reads a little now and then is cut
// off: it would keep the database from reusing space for days.
func TestDripIsCutOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		failed, start := make(chan error, 1), time.Now()
		backupOverPipe(t, func(c net.Conn) {
			if take(c, 20*10<<10) == nil {
				t.Error("it goes on")
			}
			if err := <-failed; !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(start) > 2*time.Minute {
				t.Errorf("after %s: %v", time.Since(start), err)
			}
		}, failed)
	})
}

// TestBackupEndsWithItsKey guards that a revoked key ends its backup, whether the
// client reads or not.
func TestBackupEndsWithItsKey(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		takes bool
		end   func(*schedctl.APIKey)
		code  schedctl.Code
	}{
		"revoked": {true, func(k *schedctl.APIKey) { k.RevokedAt = time.Now() }, schedctl.APIKeyRevoked},
		"expired": {true, func(k *schedctl.APIKey) { k.ExpiresAt = time.Now() }, schedctl.APIKeyExpired},
		"the key was revoked while the client read none of the backup": {false, func(k *schedctl.APIKey) { k.RevokedAt = time.Now() }, schedctl.APIKeyRevoked},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f, failed := newFixture(t), make(chan error, 1)
				f.backupOverPipe(func(c net.Conn) {
					read := make(chan struct{})
					if tt.takes {
						go func() {
							defer close(read)
							for {
								if _, err := io.CopyN(io.Discard, c, 64<<10); err != nil {
									return
								}
								time.Sleep(100 * time.Millisecond)
							}
						}()
					} else {
						close(read)
					}
					time.Sleep(10500 * time.Millisecond)
					k := f.keyOf(f.mine.key)
					tt.end(&k)
					f.update(func(tx storage.Tx) error { return tx.PutKey(k) })
					ended := time.Now()
					err := <-failed
					if took := time.Since(ended); took > 2*time.Second {
						t.Errorf("the backup ended after %s", took)
					}
					if schedctl.CodeOf(err) != tt.code {
						t.Errorf("it ended with %v, want %s", err, tt.code)
					}
					c.Close()
					<-read
				}, failed)
			})
		})
	}
}
