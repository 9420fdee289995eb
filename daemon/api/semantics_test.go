package api_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/schedctl/schedctl"
)

// TestEveryOperationAsDocumented sends rejected requests to every operation, and
// finally an accepted one, and compares all with the document.
func TestEveryOperationAsDocumented(t *testing.T) {
	t.Parallel()
	shared, operations := newFixture(t), documentOperations(t)
	for id, op := range operations {
		t.Run(id, func(t *testing.T) {
			w := newWorld(t, shared.sibling(t))
			a := attempts[id](w)
			w.checkMethods(op, a, methodsOf(operations, op.path))
			w.checkHead(op, a)
			if id != "getMediaContent" { // the asset has any type
				w.try(header("Accept", "image/png"), op, a).refused(schedctl.NotAcceptable)
			}
			w.checkBodies(op, a)
			w.checkGranted(op, a, w.checkIfMatch(op, a))
		})
	}
}

// methodsOf returns the Allow header for the path of an operation. It includes
// operations whose path has a parameter in the same position.
func methodsOf(operations map[string]operation, path string) (allowed []string) {
	for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"} {
		for _, op := range operations {
			if leads(op.path, path) && (op.method == method || (op.method == "GET" && method == "HEAD")) {
				allowed = append(allowed, method)
				break
			}
		}
	}
	return allowed
}

// leads reports whether a path of the document matches a different path.
func leads(general, special string) bool {
	a, b := strings.Split(general, "/"), strings.Split(special, "/")
	return slices.EqualFunc(a, b, func(a, b string) bool { return a == b || strings.HasPrefix(a, "{") })
}

// checkMethods sends requests with every method that a path does not allow.
func (w *world) checkMethods(op operation, a attempt, allowed []string) {
	w.t.Helper()
	for _, method := range []string{"GET", "POST", "PATCH", "DELETE", "PUT", "OPTIONS"} {
		if slices.Contains(allowed, method) {
			continue
		}
		r := w.do(header("Authorization", ""), method, a.path, nil)
		r.refused(schedctl.MethodNotAllowed)
		if got, want := r.header.Get("Allow"), strings.Join(allowed, ", "); got != want {
			w.t.Errorf("%s %s: Allow %q, want %q", method, op.path, got, want)
		}
	}
}

// checkHead compares the headers of HEAD with those of GET. The missing body is the
// work of net/http.
func (w *world) checkHead(op operation, a attempt) {
	w.t.Helper()
	if op.method != http.MethodGet {
		return
	}
	head := op
	head.method = http.MethodHead
	same := header("X-Request-Id", "same")
	got, want := w.try(same, head, a), w.try(same, op, a)
	const length = "Content-Length"
	if got.header.Get(length) != want.header.Get(length) {
		// A time without a fraction, such as last_used_at of one request in a
		// thousand, is shorter.
		got, want = w.try(same, head, a), w.try(same, op, a)
	}
	if got.status != want.status {
		w.t.Errorf("HEAD gets %d, GET %d", got.status, want.status)
	}
	for _, name := range []string{"Content-Type", length, "ETag", "Cache-Control", "X-Request-Id", "Retry-After"} {
		if got, want := got.header.Get(name), want.header.Get(name); got != want {
			w.t.Errorf("%s is %q for HEAD and %q for GET", name, got, want)
		}
	}
}

// checkBodies sends bodies that are rejected before they have an effect.
func (w *world) checkBodies(op operation, a attempt) {
	w.t.Helper()
	if op.RequestBody == nil || op.RequestBody.Value.Content["application/json"] == nil {
		return
	}
	w.do(header("Content-Type", "text/plain"), op.method, a.path, `{}`).refused(schedctl.UnsupportedMediaType)
	w.do(nil, op.method, a.path, strings.Repeat(" ", 1<<20)+"{}").refused(schedctl.BodyTooLarge)
	w.do(nil, op.method, a.path, `{"`).refused(schedctl.InvalidJSON)
	w.do(nil, op.method, a.path, `{"no_such_field":1}`).refused(schedctl.ValidationFailed)
}

// checkIfMatch sends preconditions that fail, and returns one that holds, for
// operations that accept them.
func (w *world) checkIfMatch(op operation, a attempt) option {
	w.t.Helper()
	if op.Parameters.GetByInAndName("header", "If-Match") == nil {
		return all()
	}
	w.try(header("If-Match", `"99"`), op, a).refused(schedctl.VersionMismatch)
	w.try(header("If-Match", `99`), op, a).refused(schedctl.ValidationFailed)
	parts := strings.Split(a.path, "/")
	r := w.do(nil, "GET", strings.Join(parts[:3], "/"), nil).want(200)
	return header("If-Match", r.header.Get("ETag"))
}

// versionTag returns the ETag of the object in a response, which has its version.
func versionTag(t *testing.T, r *response) string {
	t.Helper()
	var sent struct{ Post, Series, Queue, Blackout, Source struct{ Version int64 } }
	if err := json.Unmarshal(r.body, &sent); err != nil {
		t.Fatal(err)
	}
	return strconv.Quote(strconv.FormatInt(max(sent.Post.Version, sent.Series.Version, sent.Queue.Version, sent.Blackout.Version, sent.Source.Version), 10))
}

// unlisted are header fields that every response may have.
var unlisted = []string{
	"Content-Type", "Content-Length", "Cache-Control", "X-Content-Type-Options",
	"Connection", "X-Accel-Buffering", // for proxies, on streams
}

// checkGranted sends the accepted request as a client that prefers images. The
// response has exactly the header fields that the document lists.
func (w *world) checkGranted(op operation, a attempt, o option) {
	w.t.Helper()
	r := w.try(all(o, header("Accept", "image/png, */*;q=0.5")), op, a)
	if r.status >= 300 && op.OperationID != "getBackup" { // these stores cannot be copied
		w.t.Fatalf("%d: %s", r.status, r.body)
	}
	documented := op.Responses.Status(r.status).Value.Headers
	for name := range documented {
		if r.header.Get(name) == "" && name != "Idempotent-Replayed" && name != "Retry-After" && !strings.HasPrefix(name, "X-RateLimit-") {
			w.t.Errorf("the response %d has no %s", r.status, name)
		}
	}
	for name := range r.header {
		listed := func(n string) bool { return http.CanonicalHeaderKey(n) == name }
		if !slices.ContainsFunc(slices.Sorted(maps.Keys(documented)), listed) && !slices.Contains(unlisted, name) {
			w.t.Errorf("the response %d has %s, which is not documented", r.status, name)
		}
	}
	if tag := r.header.Get("ETag"); tag != "" && op.OperationID != "getMediaContent" {
		if want := versionTag(w.t, r); tag != want {
			w.t.Errorf("ETag %s, want %s", tag, want)
		}
	}
}
