package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

// stream serves events as lines that arrive at their times; every other request goes
// to the daemon.
type stream struct {
	http.RoundTripper
	lines []timedLine
}

type timedLine struct {
	after time.Duration
	text  string
}

func (s stream) RoundTrip(r *http.Request) (*http.Response, error) {
	if !strings.HasSuffix(r.URL.Path, "/events") {
		return s.RoundTripper.RoundTrip(r)
	}
	out, in := io.Pipe()
	go func() {
		defer in.Close()
		for _, l := range s.lines {
			if !post.Pause(r.Context(), l.after) {
				return
			}
			io.WriteString(in, l.text)
		}
		<-r.Context().Done()
	}()
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: out, Request: r}, nil
}

func eventText(typ string, status schedctl.Status) string {
	return fmt.Sprintf("id: evt_1\ndata: {\"id\":\"evt_1\",\"type\":%q,\"created_at\":\"2026-11-21T12:00:00Z\",\"data\":{\"post_id\":\"post_1\",\"status\":%q}}\n\n", typ, status)
}

// TestPostWaitIsWokenByEvents guards that an event ends the wait before the next read.
func TestPostWaitIsWokenByEvents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		posts := as(schedctl.Scheduled, schedctl.Scheduled, schedctl.Published)
		m := newMachine(t, posts)
		m.Transport = stream{inProcess{posts}, []timedLine{{0, ": hello\n\n"}, {3300 * time.Millisecond, eventText("post.completed", schedctl.Published)}}}
		start := time.Now()
		m.want(t, 0, "post_1\n", "", "post", "wait", "post_1", "-q")
		if took := time.Since(start); took != 3300*time.Millisecond {
			t.Errorf("took %v", took)
		}
	})
}

func TestPostWatch(t *testing.T) {
	t.Parallel()
	completed := []timedLine{{time.Second, eventText("post.published", schedctl.Published)}, {time.Second, eventText("post.completed", schedctl.Published)}}
	for name, tc := range map[string]struct {
		posts           *life
		lines           []timedLine
		args            []string
		status          int
		attemptDuration time.Duration
		out, er         string
	}{
		"until the end":           {as(schedctl.Scheduled, schedctl.Scheduled, schedctl.Published), completed, []string{"post_1", "--jq", ".type"}, 0, 2 * time.Second, "post.published\npost.completed\n", ""},
		"ids":                     {as(schedctl.Scheduled, schedctl.Scheduled, schedctl.Published), completed, []string{"post_1", "-q"}, 0, 2 * time.Second, "post_1\n", ""},
		"long ended":              {as(schedctl.Published), nil, []string{"post_1", "-q"}, 0, 0, "post_1\n", ""},
		"an end without an event": {as(schedctl.Scheduled, schedctl.Scheduled, schedctl.Canceled), nil, []string{"post_1", "-q"}, 0, 5 * time.Second, "post_1\n", ""},
		"all, for a while":        {as(schedctl.Scheduled), completed, []string{"--timeout", "3s", "-q"}, 8, 3 * time.Second, "post_1\n", "schedctl: the events were followed for 3s\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := newMachine(t, tc.posts)
				start := time.Now()
				m.Now = func() time.Time { return noon.Add(time.Since(start)) }
				m.Transport = stream{inProcess{tc.posts}, tc.lines}
				m.want(t, tc.status, tc.out, tc.er, append([]string{"post", "watch"}, tc.args...)...)
				if took := time.Since(start); took != tc.attemptDuration {
					t.Errorf("took %v, want %v", took, tc.attemptDuration)
				}
			})
		})
	}
}

// A key that may not listen cannot watch, and waits all the same.
func TestPostWatchNeedsEvents(t *testing.T) {
	t.Parallel()
	refusing := routes{"GET /posts/post_1": apiv1.PostEnvelope{Post: apiv1.Post{ID: "post_1", Status: schedctl.Scheduled}}, "GET /events": refused{http.StatusForbidden, "INSUFFICIENT_SCOPE"}}
	newMachine(t, refusing).want(t, 4, "", "schedctl: the daemon says no\n", "post", "watch", "post_1")
}
