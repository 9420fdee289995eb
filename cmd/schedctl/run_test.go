package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// machine is a system of buffers with a daemon behind a transport.
type machine struct {
	cli.System
	env      map[string]string
	out, err bytes.Buffer
}

// noon is when the tests are.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// newMachine returns a machine without terminals, whose daemon is the handler.
func newMachine(t *testing.T, daemon http.Handler) *machine {
	t.Helper()
	m := &machine{env: map[string]string{
		"SCHEDCTL_URL": "http://daemon.test", "SCHEDCTL_API_KEY": "sctl_test", "SCHEDCTL_DATA_DIR": t.TempDir(),
	}}
	m.System = cli.System{
		In: strings.NewReader(""), Out: &m.out, Err: &m.err, Width: 100, Goos: runtime.GOOS,
		Getenv: func(name string) string { return m.env[name] },
		Environ: func() (pairs []string) {
			for name, value := range m.env {
				pairs = append(pairs, name+"="+value)
			}
			return pairs
		},
		Now: func() time.Time { return noon }, Local: time.UTC,
		ReadSecret: func(context.Context) (string, error) { return "", io.EOF },
		Transport:  inProcess{daemon}, AskTime: time.Minute,
		ConfigHome: t.TempDir(), StateHome: t.TempDir(), Keyring: noKeyring{},
	}
	return m
}

// terminals puts the machine in front of a person.
func (m *machine) terminals() *machine {
	m.InTerminal, m.OutTerminal, m.ErrTerminal = true, true, true
	return m
}

func (m *machine) run(t *testing.T, args ...string) int {
	t.Helper()
	m.out.Reset()
	m.err.Reset()
	return run(t.Context(), m.System, args)
}

// want runs a command and checks all that it does to be seen.
func (m *machine) want(t *testing.T, status int, out, err string, args ...string) {
	t.Helper()
	got := m.run(t, args...)
	if got != status {
		t.Errorf("%q: exit status %d, want %d", args, got, status)
	}
	if diff := cmp.Diff(out, m.out.String()); diff != "" {
		t.Errorf("%q: standard output, -want +got:\n%s", args, diff)
	}
	if diff := cmp.Diff(err, m.err.String()); diff != "" {
		t.Errorf("%q: standard error, -want +got:\n%s", args, diff)
	}
}

// inProcess calls a handler without a network.
type inProcess struct{ http.Handler }

// RoundTrip calls the handler.
func (p inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	if p.Handler == nil {
		return nil, io.ErrUnexpectedEOF
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	w := httptest.NewRecorder()
	if r.Body == nil {
		r.Body = http.NoBody
	}
	p.ServeHTTP(w, r)
	return w.Result(), nil
}

// routes maps "METHOD /path" to a response.
type routes map[string]any

// refused is an error response.
type refused struct {
	status int
	code   string
}

// ServeHTTP responds with JSON, an error, or 404.
func (routes routes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer, ok := routes[r.Method+" "+strings.TrimPrefix(r.URL.Path, "/api/v1")]
	if !ok {
		answer = refused{http.StatusNotFound, "NOT_FOUND"}
	}
	switch a := answer.(type) {
	case http.HandlerFunc:
		a(w, r)
	case refused:
		w.WriteHeader(a.status)
		json.NewEncoder(w).Encode(apiv1.ErrorEnvelope{Error: apiv1.Error{Code: code(a.code), Message: "the daemon says no", RequestID: "req_1"}})
	case nil:
		w.WriteHeader(http.StatusNoContent)
	default:
		json.NewEncoder(w).Encode(a)
	}
}

func at(offset time.Duration) *apiv1.Time { return apiv1.NewTime(noon.Add(offset)) }

func ptr[T any](v T) *T { return &v }

// answerError refuses a request as invalid.
func answerError(w http.ResponseWriter, e apiv1.Error) {
	w.WriteHeader(http.StatusBadRequest)
	json.NewEncoder(w).Encode(apiv1.ErrorEnvelope{Error: e})
}
