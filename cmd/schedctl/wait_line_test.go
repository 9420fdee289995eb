package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
)

// limiting refuses requests until a time, as a daemon with a rate limit does.
type limiting struct {
	until  time.Time
	status int
	after  string
	then   http.Handler
	keys   map[string]bool // idempotency keys of the writes
}

func (l *limiting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		l.keys[r.Header.Get("Idempotency-Key")] = true
	}
	if time.Now().Before(l.until) {
		w.Header().Set("Retry-After", l.after)
		w.WriteHeader(l.status)
		json.NewEncoder(w).Encode(apiv1.ErrorEnvelope{Error: apiv1.Error{Code: "RATE_LIMITED", Message: "the daemon says no"}})
		return
	}
	l.then.ServeHTTP(w, r)
}

func TestCommandsWaitWhileTheDaemonLimitsThem(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		args       []string
		prepare    func(*machine)
		status     int // of the responses
		after      string
		limitedFor time.Duration
		out        string
		err        string
		exit       int
		least      time.Duration
	}{
		"a list":                {args: []string{"post", "show", "post_1", "-q"}, status: 429, after: "7", limitedFor: 20 * time.Second, out: "post_1\n", least: 20 * time.Second},
		"a write":               {args: []string{"post", "cancel", "post_1", "-q"}, status: 429, after: "7", limitedFor: 20 * time.Second, out: "post_1\n", least: 20 * time.Second},
		"several writes":        {args: []string{"post", "cancel", "post_1", "post_1", "-q"}, status: 503, after: "7", limitedFor: 20 * time.Second, out: "post_1\npost_1\n", least: 20 * time.Second},
		"a call":                {args: []string{"api", "POST", "/posts/post_1/cancel", "--jq", ".post.id"}, status: 429, after: "7", limitedFor: 20 * time.Second, out: "post_1\n", least: 20 * time.Second},
		"longer than a minute":  {args: []string{"post", "show", "post_1", "-q"}, status: 429, after: "61", limitedFor: time.Hour, err: "schedctl: the daemon says no\n", exit: 10},
		"longer than --timeout": {args: []string{"post", "show", "post_1", "-q", "--timeout", "5s"}, status: 429, after: "7", limitedFor: time.Hour, err: "schedctl: the daemon says no\n", exit: 10},
		"as long as --timeout":  {args: []string{"post", "show", "post_1", "-q", "--timeout", "10m"}, status: 429, after: "500", limitedFor: 500 * time.Second, out: "post_1\n", least: 500 * time.Second},
		"on a terminal": {
			args: []string{"post", "cancel", "post_1", "--yes", "--jq", ".id"}, prepare: func(m *machine) { m.ErrTerminal = true }, status: 429, after: "7", limitedFor: 5 * time.Second,
			out: "post_1\n", err: "\r\x1b[Ktoo many requests: trying again in 7s\r\x1b[K", least: 7 * time.Second,
		},
		"a daemon that is away": {
			args: []string{"post", "cancel", "post_1", "--yes", "--jq", ".id"}, prepare: func(m *machine) { m.ErrTerminal = true }, status: 503, after: "7", limitedFor: 5 * time.Second,
			out: "post_1\n", err: "\r\x1b[Kthe daemon is unavailable: trying again in 7s\r\x1b[K", least: 7 * time.Second,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				post := apiv1.PostEnvelope{Post: apiv1.Post{ID: "post_1", Status: "canceled"}}
				start := time.Now()
				l := &limiting{
					until: start.Add(tc.limitedFor), status: tc.status, after: tc.after, keys: map[string]bool{},
					then: routes{"GET /posts/post_1": post, "POST /posts/post_1/cancel": post},
				}
				m := newMachine(t, l)
				if tc.prepare != nil {
					tc.prepare(m)
				}
				m.want(t, tc.exit, tc.out, tc.err, tc.args...)
				if took := time.Since(start); took < tc.least || took > tc.least+10*time.Second {
					t.Errorf("took %v, want about %v", took, tc.least)
				}
				if len(l.keys) > strings.Count(tc.out, "\n") || l.keys[""] {
					t.Errorf("idempotency keys %v: a repeated write must keep its key", l.keys)
				}
			})
		})
	}
}
