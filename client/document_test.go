package client_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
)

// document is the daemon's OpenAPI document as it is committed.
var document = sync.OnceValues(func() (routers.Router, error) {
	doc, err := openapi3.NewLoader().LoadFromFile("../daemon/api/openapi/openapi.json")
	if err != nil {
		return nil, err
	}
	return legacy.NewRouter(doc)
})

// checkDocumented fails the test when a request is not as the document says.
func checkDocumented(t *testing.T, sent recorded) {
	t.Helper()
	router, err := document()
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), sent.Method, sent.Path+"?"+sent.Query, strings.NewReader(sent.Body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = sent.Header
	route, params, err := router.FindRoute(r)
	if err != nil {
		t.Fatalf("%s %s is not in the document: %v", sent.Method, sent.Path, err)
	}
	r.Body = io.NopCloser(strings.NewReader(sent.Body))
	in := &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route, Options: &openapi3filter.Options{
		AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, ExcludeRequestBody: sent.Body == "",
	}}
	if err := openapi3filter.ValidateRequest(t.Context(), in); err != nil {
		t.Errorf("%s %s is sent, and the document forbids it: %v", sent.Method, sent.Path, err)
	}
}
