package api_test

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// eachDocumented runs a test for every operation of the document, each with a
// world of its own in memory.
func eachDocumented(t *testing.T, test func(t *testing.T, w *world, op operation, a attempt)) {
	t.Helper()
	shared := newFixture(t)
	for id, op := range documentOperations(t) {
		t.Run(id, func(t *testing.T) {
			w := newWorld(t, shared.sibling(t))
			test(t, w, op, attempts[id](w))
		})
	}
}

// methodsOf returns what Allow names for the path of an operation, which those
// operations are on as well whose path has a parameter in its place.
func methodsOf(operations map[string]operation, path string) (allowed []string) {
	for _, method := range []string{"GET", "HEAD", "POST", "PATCH", "DELETE"} {
		for _, op := range operations {
			if leads(op.path, path) && (op.method == method || (op.method == "GET" && method == "HEAD")) {
				allowed = append(allowed, method)
				break
			}
		}
	}
	return allowed
}

// leads reports whether a path of the document leads where another one does.
func leads(general, special string) bool {
	a, b := strings.Split(general, "/"), strings.Split(special, "/")
	return slices.EqualFunc(a, b, func(a, b string) bool { return a == b || strings.HasPrefix(a, "{") })
}

func TestOtherMethodsOnEveryPath(t *testing.T) {
	t.Parallel()
	operations := documentOperations(t)
	eachDocumented(t, func(t *testing.T, w *world, op operation, a attempt) {
		allowed := methodsOf(operations, op.path)
		for _, method := range []string{"GET", "POST", "PATCH", "DELETE", "PUT", "OPTIONS"} {
			if slices.Contains(allowed, method) {
				continue
			}
			r := w.do(header("Authorization", ""), method, a.path, nil)
			r.refused(schedctl.MethodNotAllowed)
			if got, want := r.header.Get("Allow"), strings.Join(allowed, ", "); got != want {
				t.Errorf("%s %s: Allow %q, want %q", method, a.path, got, want)
			}
		}
	})
}

// HEAD is answered as GET is. That its body stays away is net/http's work, so
// it is looked at in TestHeadAnswersAsGetDoes.
func TestHeadOnEveryPath(t *testing.T) {
	t.Parallel()
	eachDocumented(t, func(t *testing.T, w *world, op operation, a attempt) {
		if op.method != http.MethodGet {
			return
		}
		head := op
		head.method = http.MethodHead
		same := header("X-Request-Id", "same")
		got, want := w.try(same, head, a), w.try(same, op, a)
		if got.status != want.status {
			t.Errorf("HEAD answers %d, GET %d", got.status, want.status)
		}
		for _, name := range []string{"Content-Type", "Content-Length", "ETag", "Cache-Control", "X-Request-Id", "Retry-After"} {
			if got, want := got.header.Get(name), want.header.Get(name); got != want {
				t.Errorf("%s is %q for HEAD and %q for GET", name, got, want)
			}
		}
	})
}

func TestAcceptOnEveryOperation(t *testing.T) {
	t.Parallel()
	eachDocumented(t, func(t *testing.T, w *world, op operation, a attempt) {
		w.try(header("Accept", "image/png"), op, a).refused(schedctl.NotAcceptable)
		for _, media := range mediaOf(op) {
			r := w.try(header("Accept", "image/png, "+media+";q=0.5"), op, a)
			if r.status == http.StatusNotAcceptable {
				t.Errorf("Accept: %s answers %d: %s", media, r.status, r.body)
			}
			return // a second call may find the thing gone
		}
	})
}

// mediaOf returns the media types of an operation's successes.
func mediaOf(op operation) (media []string) {
	for status, answer := range op.Responses.Map() {
		if strings.HasPrefix(status, "2") {
			for m := range answer.Value.Content {
				media = append(media, m)
			}
		}
	}
	return media
}

// A body that is too large or of another type is refused by every operation
// that takes one, before anything is done.
func TestBodiesOnEveryOperation(t *testing.T) {
	t.Parallel()
	eachDocumented(t, func(t *testing.T, w *world, op operation, a attempt) {
		if op.RequestBody == nil {
			return
		}
		w.do(header("Content-Type", "text/plain"), op.method, a.path, `{}`).refused(schedctl.UnsupportedMediaType)
		w.do(nil, op.method, a.path, strings.Repeat(" ", 1<<20)+"{}").refused(schedctl.BodyTooLarge)
		w.do(nil, op.method, a.path, `{"`).refused(schedctl.InvalidJSON)
		w.do(nil, op.method, a.path, `{"no_such_field":1}`).refused(schedctl.ValidationFailed)
		if r := w.try(all(), op, a); r.status >= 300 {
			t.Errorf("afterwards it answers %d: %s", r.status, r.body)
		}
	})
}

func TestIfMatchAsDocumented(t *testing.T) {
	t.Parallel()
	eachDocumented(t, func(t *testing.T, w *world, op operation, a attempt) {
		if op.Parameters.GetByInAndName("header", "If-Match") == nil {
			return
		}
		w.try(header("If-Match", `"99"`), op, a).refused(schedctl.VersionMismatch)
		w.try(header("If-Match", `99`), op, a).refused(schedctl.ValidationFailed)
		id := strings.Split(a.path, "/")[2]
		tag := w.do(nil, "GET", "/posts/"+id, nil).want(200).header.Get("ETag")
		if r := w.try(header("If-Match", tag), op, a); r.status >= 300 {
			t.Errorf("If-Match: %s answers %d: %s", tag, r.status, r.body)
		}
	})
}

// unlisted are header fields that every answer may have without being listed.
var unlisted = []string{
	"Content-Type", "Content-Length", "Cache-Control", "X-Content-Type-Options",
	"Connection", "X-Accel-Buffering", // for proxies, on streams
}

// An answer has the header that the document lists, and no other.
func TestHeadersAsDocumented(t *testing.T) {
	t.Parallel()
	eachDocumented(t, func(t *testing.T, w *world, op operation, a attempt) {
		r := w.try(all(), op, a)
		documented := op.Responses.Status(r.status).Value.Headers
		for name := range documented {
			if r.header.Get(name) == "" && name != "Idempotent-Replayed" && name != "Retry-After" && !strings.HasPrefix(name, "X-RateLimit-") {
				t.Errorf("the answer %d has no %s", r.status, name)
			}
		}
		for name := range r.header {
			listed := func(n string) bool { return http.CanonicalHeaderKey(n) == name }
			if !slices.ContainsFunc(slices.Sorted(maps.Keys(documented)), listed) && !slices.Contains(unlisted, name) {
				t.Errorf("the answer %d has %s, which is not documented", r.status, name)
			}
		}
		if tag := r.header.Get("ETag"); tag != "" {
			if p := decodeAs[apiv1.PostEnvelope](t, r).Post; tag != strconv.Quote(strconv.FormatInt(p.Version, 10)) {
				t.Errorf("ETag %s of version %d", tag, p.Version)
			}
		}
	})
}
