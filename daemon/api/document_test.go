package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/api"
)

// document is the API's own OpenAPI document with a router over it.
var document = sync.OnceValues(func() (routers.Router, error) {
	w := httptest.NewRecorder()
	api.New(api.Config{Version: "test"}).ServeHTTP(w, httptest.NewRequest("GET", "/openapi.json", nil))
	doc, err := openapi3.NewLoader().LoadFromData(w.Body.Bytes())
	if err != nil {
		return nil, err
	}
	return legacy.NewRouter(doc)
})

// checkDocumented fails the test when an exchange does not match the document:
// every response must match, and every accepted request. With -short it compares
// nothing, because under the race detector that takes as long as the exchanges.
func checkDocumented(t *testing.T, r *http.Request, body []byte, res *response) {
	t.Helper()
	if testing.Short() {
		return
	}
	router, err := document()
	if err != nil {
		t.Fatal(err)
	}
	route, params, err := router.FindRoute(r)
	missing := res.status == http.StatusNotFound || res.status == http.StatusMethodNotAllowed
	switch {
	case err != nil && strings.HasPrefix(r.URL.Path, "/api/v1/") && r.Method != http.MethodHead && !missing:
		t.Errorf("%s %s: the status %d is not in the document: %v", r.Method, r.URL, res.status, err)
		return
	case err != nil, slices.Contains(slices.Collect(maps.Values(params)), ""), strings.HasSuffix(r.URL.Path, "/"):
		return // not a route of the document, whose router accepts empty parameters
	}
	if _, seen := documented.LoadOrStore(shape(r, body, res), nil); seen {
		return
	}
	r = r.Clone(t.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	options := &openapi3filter.Options{
		AuthenticationFunc:    openapi3filter.NoopAuthenticationFunc,
		IncludeResponseStatus: true,
		ExcludeRequestBody:    len(body) == 0,
	}
	in := &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route, Options: options}
	// A validation responds with 200 to what a create refuses, and names it as a problem.
	if problem := r.URL.Path == "/api/v1/posts/validate" && bytes.Contains(res.body, []byte(`"allowed":false`)); res.status < http.StatusBadRequest && !problem {
		if err := openapi3filter.ValidateRequest(t.Context(), in); err != nil {
			t.Errorf("%s %s was granted, and the document forbids it: %v", r.Method, r.URL, err)
		}
	}
	options.ExcludeResponseBody = res.header.Get("Content-Type") == mediaEvents // the schema is that of one event
	out := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: in, Status: res.status, Header: res.header,
		Body: io.NopCloser(bytes.NewReader(res.body)), Options: options,
	}
	if err := openapi3filter.ValidateResponse(context.Background(), out); err != nil {
		t.Errorf("%s %s: the response does not match the document: %v", r.Method, r.URL, err)
	}
	if res.header.Get("Content-Type") == mediaEvents {
		checkEvents(t, route.Spec.Components.Schemas["Event"].Value, res.body)
	}
}

// documented has the shapes of exchanges that were compared already. A comparison compiles
// the schemas of the document, and takes longer than the exchange.
var documented sync.Map

// shape returns what the document can tell apart in an exchange: the operation, the status,
// the names of headers, and the outlines of both bodies.
func shape(r *http.Request, body []byte, res *response) string {
	var all bytes.Buffer
	fmt.Fprintf(&all, "%s %s %d\n", r.Method, volatile.ReplaceAllString(r.URL.String(), "$1$2"), res.status)
	for _, header := range []http.Header{r.Header, res.header} {
		fmt.Fprintln(&all, header.Get("Content-Type"), slices.Sorted(maps.Keys(header)))
	}
	for _, text := range [][]byte{body, res.body} {
		var v any
		if err := json.Unmarshal(text, &v); err != nil {
			all.Write(text)
		} else {
			fmt.Fprintln(&all, outline(v))
		}
	}
	return all.String()
}

// outline returns a JSON value without the texts that are not words, with the kinds of
// numbers instead of the numbers, and with each kind of element of a list once. Words can be
// values that the document lists.
func outline(v any) string {
	var parts []string
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			parts = append(parts, name+":"+outline(value))
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, ",") + "}"
	case []any:
		for _, value := range v {
			parts = append(parts, outline(value))
		}
		slices.Sort(parts)
		return "[" + strings.Join(slices.Compact(parts), ",") + "]"
	case string:
		if v == "" || word.MatchString(v) {
			return fmt.Sprintf("%q", v)
		}
		return "text"
	case float64:
		return fmt.Sprint("number ", v == math.Trunc(v), v < 0)
	}
	return fmt.Sprint(v)
}

var (
	word = regexp.MustCompile(`^(?:[a-z]+(?:[_.:-][a-z]+)*|[A-Z][A-Z_]*)$`)

	// volatile matches the parts of URLs that differ between exchanges of the same shape: the
	// random parts of ids, and times.
	volatile = regexp.MustCompile(`\b([a-z]+_)[0-9A-HJKMNP-TV-Z]{26}\b|\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?(Z)\b`)
)

// checkEvents fails the test when the data of a server-sent event does not have
// the schema.
func checkEvents(t *testing.T, schema *openapi3.Schema, stream []byte) {
	t.Helper()
	for _, data := range eventData(stream) {
		var event any
		if err := json.Unmarshal(data, &event); err != nil {
			t.Fatalf("%v in %s", err, data)
		}
		if err := schema.VisitJSON(event, openapi3.EnableJSONSchema2020()); err != nil {
			t.Errorf("an event is not as documented: %v: %s", err, data)
		}
	}
}

// mediaEvents is the media type of server-sent events.
const mediaEvents = "text/event-stream"

// eventData returns the data of server-sent events that have one line each.
func eventData(stream []byte) (data [][]byte) {
	for line := range bytes.Lines(stream) {
		if d, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
			data = append(data, d)
		}
	}
	return data
}

func TestDocument(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	r := f.exchange(header("Authorization", ""), "GET", "/openapi.json", nil).want(http.StatusOK)
	doc, err := openapi3.NewLoader().LoadFromData(r.body)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context()); err != nil {
		t.Error(err)
	}
	if doc.OpenAPI != "3.1.0" || doc.Info.Version != "1.0.0" || doc.Info.Extensions["x-schedctl-version"] != "test" {
		t.Errorf("openapi %s, version %s, %v", doc.OpenAPI, doc.Info.Version, doc.Info.Extensions)
	}
	if len(doc.Servers) != 1 || doc.Info.License == nil {
		t.Errorf("servers %v, license %v", doc.Servers, doc.Info.License)
	}
}

// TestWritesAreNamed guards that clients know the operations of the audit log by name.
func TestWritesAreNamed(t *testing.T) {
	t.Parallel()
	var want []string
	for id, op := range documentOperations(t) {
		if op.method != http.MethodGet {
			want = append(want, id)
		}
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, apiv1.Writes()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Every operation has a description, a documented tag, and all error codes that any
// operation can return.
func TestDocumentDescribesEveryOperation(t *testing.T) {
	t.Parallel()
	doc := loadDocument(t)
	for id, op := range documentOperations(t) {
		if id == "" || op.Summary == "" || op.Description == "" {
			t.Errorf("%s %s lacks an operationId, a summary or a description", op.method, op.path)
		}
		if len(op.Tags) != 1 || doc.Tags.Get(op.Tags[0]) == nil {
			t.Errorf("%s has the tags %v; exactly one must be described in document.go", id, op.Tags)
		}
		want := []int{401, 406, 500, 503}
		if op.RequestBody != nil {
			want = append(want, 400, 413, 415)
		}
		if op.Parameters.GetByInAndName("header", "If-Match") != nil {
			want = append(want, 400, 412)
		}
		if op.Parameters.GetByInAndName("header", "Idempotency-Key") != nil {
			want = append(want, 400, 409)
		}
		if strings.Contains(op.path, "{") && op.method != http.MethodPut && !strings.HasSuffix(id, "Collection") { // the URL of a missing asset is invalid; what a name stands for is created
			want = append(want, 404)
		}
		for _, status := range want {
			if op.Responses.Status(status) == nil {
				t.Errorf("%s %s has no response %d", op.method, op.path, status)
			}
		}
		for status, answer := range op.Responses.Map() {
			if answer.Value.Headers["X-Request-Id"] == nil {
				t.Errorf("%s %s: the response %s has no X-Request-Id", op.method, op.path, status)
			}
		}
	}
}

// The description of the document names every status that the document lists with no
// operation.
func TestDocumentTellsWhatIsCommon(t *testing.T) {
	t.Parallel()
	about := loadDocument(t).Info.Description
	for _, word := range []string{
		"HEAD", "405 METHOD_NOT_ALLOWED", "`Allow`", "404 NOT_FOUND", "406 NOT_ACCEPTABLE", "413 BODY_TOO_LARGE",
		"415 UNSUPPORTED_MEDIA_TYPE", "412 VERSION_MISMATCH", "`ETag`", "`If-Match`", "`Idempotency-Key`", "`X-Request-Id`",
	} {
		if !strings.Contains(about, word) {
			t.Errorf("the description of the document does not mention %s", word)
		}
	}
}

func TestDocumentDescribesEveryField(t *testing.T) {
	t.Parallel()
	for name, ref := range documentSchemas(t) {
		if ref.Value.Description == "" {
			t.Errorf("schema %s has no description", name)
		}
		for property, p := range ref.Value.Properties {
			if p.Value.Description == "" {
				t.Errorf("%s.%s has no description", name, property)
			}
		}
	}
}

func TestDocumentListsEveryCode(t *testing.T) {
	t.Parallel()
	listed := documentSchemas(t)["Error"].Value.Properties["code"].Value.Enum
	for _, code := range schedctl.Codes() {
		if !slices.Contains(listed, any(string(code))) {
			t.Errorf("%s is not in the document", code)
		}
	}
	if len(listed) != len(schedctl.Codes()) {
		t.Errorf("the document has %d codes, there are %d", len(listed), len(schedctl.Codes()))
	}
}

// loadDocument returns the API's own OpenAPI document.
func loadDocument(t *testing.T) *openapi3.T {
	t.Helper()
	w := httptest.NewRecorder()
	api.New(api.Config{}).ServeHTTP(w, httptest.NewRequest("GET", "/openapi.json", nil))
	doc, err := openapi3.NewLoader().LoadFromData(w.Body.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func documentSchemas(t *testing.T) openapi3.Schemas {
	t.Helper()
	return loadDocument(t).Components.Schemas
}

func TestDocumentAsYAML(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	r := f.exchange(nil, "GET", "/openapi.yaml", nil).want(http.StatusOK)
	fromYAML, err := openapi3.NewLoader().LoadFromData(r.body)
	if err != nil {
		t.Fatal(err)
	}
	fromJSON, err := openapi3.NewLoader().LoadFromData(f.exchange(nil, "GET", "/openapi.json", nil).body)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(fromYAML)
	b, _ := json.Marshal(fromJSON)
	if !bytes.Equal(a, b) {
		t.Error("the YAML says something else than the JSON")
	}
}

func TestEveryCodeHasAStatus(t *testing.T) {
	t.Parallel()
	for _, code := range schedctl.Codes() {
		if s := api.Status(code); s < 400 || s > 507 || (s == 500) != (code == schedctl.Internal) {
			t.Errorf("%s has the status %d", code, s)
		}
	}
	if s := api.Status("SOMETHING_ELSE"); s != http.StatusInternalServerError {
		t.Errorf("an unknown code has the status %d", s)
	}
}
