package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"github.com/schedctl/schedctl"
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

// checkDocumented fails the test when an exchange is not as the document says:
// every answer must be, and every request that was granted.
func checkDocumented(t *testing.T, r *http.Request, body []byte, res *response) {
	t.Helper()
	router, err := document()
	if err != nil {
		t.Fatal(err)
	}
	route, params, err := router.FindRoute(r)
	if err != nil || strings.HasSuffix(r.URL.Path, "/") {
		return // not a route of the document; its router takes a trailing slash for nothing
	}
	r = r.Clone(t.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	options := &openapi3filter.Options{
		AuthenticationFunc:    openapi3filter.NoopAuthenticationFunc,
		IncludeResponseStatus: true,
		ExcludeRequestBody:    len(body) == 0,
	}
	in := &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route, Options: options}
	if res.status < http.StatusBadRequest {
		if err := openapi3filter.ValidateRequest(t.Context(), in); err != nil {
			t.Errorf("%s %s was granted, and the document forbids it: %v", r.Method, r.URL, err)
		}
	}
	out := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: in, Status: res.status, Header: res.header,
		Body: io.NopCloser(bytes.NewReader(res.body)), Options: options,
	}
	if err := openapi3filter.ValidateResponse(context.Background(), out); err != nil {
		t.Errorf("%s %s: the answer is not as documented: %v", r.Method, r.URL, err)
	}
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
	if doc.OpenAPI != "3.1.0" || doc.Info.Version != "test" {
		t.Errorf("openapi %s, version %s", doc.OpenAPI, doc.Info.Version)
	}
	for path, methods := range map[string]string{
		"/api/v1/me":                          "GET",
		"/api/v1/social-accounts":             "GET POST",
		"/api/v1/social-accounts/{id}":        "DELETE GET PATCH",
		"/api/v1/social-accounts/{id}/verify": "POST",
		"/api/v1/posts":                       "GET POST",
		"/api/v1/posts/{id}":                  "DELETE GET PATCH",
		"/api/v1/posts/{id}/schedule":         "POST",
		"/api/v1/posts/{id}/publish-now":      "POST",
		"/api/v1/posts/{id}/cancel":           "POST",
		"/api/v1/posts/{id}/retry":            "POST",
	} {
		item := doc.Paths.Value(path)
		if item == nil {
			t.Errorf("no path %s", path)
			continue
		}
		got := []string{}
		for method, op := range item.Operations() {
			got = append(got, method)
			if op.OperationID == "" || op.Summary == "" || op.Description == "" {
				t.Errorf("%s %s lacks an operationId, a summary or a description", method, path)
			}
		}
		slices.Sort(got)
		if strings.Join(got, " ") != methods {
			t.Errorf("%s has %v, want %s", path, got, methods)
		}
	}
	if doc.Paths.Len() != 12 {
		t.Errorf("%d paths: a new one belongs into this test", doc.Paths.Len())
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

func documentSchemas(t *testing.T) openapi3.Schemas {
	t.Helper()
	w := httptest.NewRecorder()
	api.New(api.Config{}).ServeHTTP(w, httptest.NewRequest("GET", "/openapi.json", nil))
	doc, err := openapi3.NewLoader().LoadFromData(w.Body.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return doc.Components.Schemas
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
		if s := api.Status(code); s < 400 || s > 503 || (s == 500) != (code == schedctl.Internal) {
			t.Errorf("%s is answered with %d", code, s)
		}
	}
	if s := api.Status("SOMETHING_ELSE"); s != http.StatusInternalServerError {
		t.Errorf("an unknown code is answered with %d", s)
	}
}
