package matrix_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// uploaded returns files with uploads.
func uploaded(files ...publish.File) []publish.File {
	for i := range files {
		files[i].Upload = publish.Upload{ID: "mxc://example.org/abc" + string(rune('0'+i)), Ready: true}
	}
	return files
}

// gallery returns a request with a text, two pictures and a document.
func gallery(r publish.Request) publish.Request {
	r.Attempt, r.Files = 1, uploaded(
		publishtest.TestFile("image/png", 1), publishtest.TestFile("image/png", 2), publishtest.TestFile("application/pdf", 3))
	return r
}

var galleryBodies = []string{content, "holiday 1.png", "holiday 2.png", "holiday 3.pdf"}

func TestSeveralFiles(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, content string
		want          []string
	}{
		{"with a text", content, galleryBodies},
		{"without a text", " ", galleryBodies[1:]},
	} {
		s := newRoomServer(t)
		p, r := serve(t, s.ServeHTTP)
		r = gallery(r)
		r.Content = tt.content
		got, err := p.Publish(t.Context(), r)
		if want := (schedctl.Receipt{ID: "$1", URL: eventURL("1")}); err != nil || !got.Equal(want) {
			t.Errorf("%s: got %+v, %v; want %+v", tt.name, got, err, want)
		}
		if diff := cmp.Diff(tt.want, s.bodies()); diff != "" {
			t.Errorf("%s: events (-want +got):\n%s", tt.name, diff)
		}
		keys := []string{r.Key, r.Key + ".1", r.Key + ".2", r.Key + ".3"}[:len(tt.want)]
		for i, e := range s.events {
			if e.key != keys[i] || e.content["io.github.schedctl.key"] != keys[i] {
				t.Errorf("%s: event %d has the transaction id %s and the key %v", tt.name, i, e.key, e.content["io.github.schedctl.key"])
			}
		}
		if found, ok, err := p.Find(t.Context(), r, since); err != nil || !ok || !found.Equal(got) {
			t.Errorf("%s: found %+v, %v, %v", tt.name, found, ok, err)
		}
	}
}

// A repeat sends the events that are missing, even if the homeserver has forgotten the
// transaction ids, and keeps their order.
func TestAnInterruptedGalleryIsCompleted(t *testing.T) {
	t.Parallel()
	for broken := range len(galleryBodies) {
		for _, forget := range []bool{false, true} {
			s := newRoomServer(t)
			p, r := serve(t, s.ServeHTTP)
			r = gallery(r)
			s.refuse = func(index int) (int, string, bool) { return 0, "", index == broken }
			_, err := p.Publish(t.Context(), r)
			if e := publish.AsError(err); e.Kind != schedctl.KindNetwork || e.Outcome != schedctl.OutcomeUnknown {
				t.Errorf("event %d: got %+v", broken, e)
			}
			if _, found, err := p.Find(t.Context(), r, since); err != nil || found {
				t.Errorf("event %d: found %v, %v", broken, found, err)
			}
			s.mu.Lock()
			s.refuse = nil
			s.mu.Unlock()
			if forget {
				s.forget()
			}
			r.Attempt = 2
			got, err := p.Publish(t.Context(), r)
			if err != nil || got.ID != "$1" || got.Degraded != (schedctl.Degradation{}) {
				t.Errorf("event %d, repeated: got %+v, %v", broken, got, err)
			}
			if diff := cmp.Diff(galleryBodies, s.bodies()); diff != "" {
				t.Errorf("event %d, forgotten %v: events (-want +got):\n%s", broken, forget, diff)
			}
		}
	}
}

func TestRefusedEventsOfAGallery(t *testing.T) {
	t.Parallel()
	const unknown = schedctl.OutcomeUnknown
	for _, tt := range []struct {
		name    string
		index   int
		status  int
		body    string
		kind    schedctl.ErrorKind // empty if the post counts as published
		outcome schedctl.Outcome
		retryIn time.Duration
		says    string
	}{
		{"too large at first", 0, 413, `{"errcode":"M_TOO_LARGE"}`, schedctl.KindContent, schedctl.OutcomeNotPublished, 0, "shorten"},
		{"too large later", 2, 413, `{"errcode":"M_TOO_LARGE"}`, "", "", 0, "shows 1 of the 3 files"},
		{"too large at the end", 3, 400, `{"errcode":"M_BAD_JSON"}`, "", "", 0, "shows 2 of the 3 files"},
		{"busy at first", 0, 429, `{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":5000}`, schedctl.KindRateLimited, schedctl.OutcomeNotPublished, 20 * time.Second, ""},
		{"busy later", 2, 429, `{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":5000}`, schedctl.KindRateLimited, unknown, 10 * time.Second, "2 of the 4 messages"},
		{"left the room", 1, 403, `{"errcode":"M_FORBIDDEN"}`, schedctl.KindAuth, unknown, 0, "1 of the 4 messages"},
		{"broken", 1, 502, "", schedctl.KindPlatform, unknown, 0, "1 of the 4 messages"},
	} {
		s := newRoomServer(t)
		s.refuse = func(index int) (int, string, bool) { return tt.status, tt.body, index == tt.index }
		p, r := serve(t, s.ServeHTTP)
		before := time.Now()
		got, err := p.Publish(t.Context(), gallery(r))
		if tt.kind == "" {
			if err != nil || got.ID != "$1" || got.Degraded.Code != "media" || !strings.Contains(got.Degraded.Message, tt.says) {
				t.Errorf("%s: got %+v, %v", tt.name, got, err)
			}
			continue
		}
		e := publish.AsError(err)
		if e.Kind != tt.kind || e.Outcome != tt.outcome || !strings.Contains(e.Message, tt.says) || len(s.requests) != tt.index+1 {
			t.Errorf("%s: got %+v after %d requests", tt.name, e, len(s.requests))
		}
		if wait := e.RetryAt.Sub(before); tt.retryIn > 0 && (wait <= tt.retryIn-5*time.Second || wait > tt.retryIn+time.Minute) || tt.retryIn == 0 && !e.RetryAt.IsZero() {
			t.Errorf("%s: retry in %s, want %s", tt.name, wait, tt.retryIn)
		}
	}
}

// If the room cannot be searched, a repeat could publish events twice.
func TestARepeatNeedsTheRoom(t *testing.T) {
	t.Parallel()
	s := newRoomServer(t)
	p, r := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/messages") {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		s.ServeHTTP(w, r)
	})
	r = gallery(r)
	r.Attempt = 2
	if _, err := p.Publish(t.Context(), r); publish.AsError(err).Kind != schedctl.KindPlatform || len(s.events) > 0 {
		t.Errorf("got %v and %d events", err, len(s.events))
	}
	r.Files = slices.Clone(r.Files[:1])
	if _, err := p.Publish(t.Context(), r); err != nil || len(s.events) != 1 {
		t.Errorf("one file: got %v and %d events", err, len(s.events))
	}
}
