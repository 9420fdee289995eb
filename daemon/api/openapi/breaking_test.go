package openapi_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oasdiff/oasdiff/checker"
	"github.com/oasdiff/oasdiff/diff"
	"github.com/oasdiff/oasdiff/load"
)

// severities differ from the defaults of oasdiff.
var severities = map[string]checker.Level{
	// Clients depend on error codes, headers and operation names as well.
	checker.ResponseNonSuccessStatusRemovedId:     checker.ERR,
	checker.OptionalResponseHeaderRemovedId:       checker.ERR,
	checker.ResponseOptionalPropertyRemovedId:     checker.ERR,
	checker.ResponsePropertyEnumValueRemovedId:    checker.ERR,
	checker.APIOperationIdRemovedId:               checker.ERR,
	checker.RequestParameterDefaultValueChangedId: checker.ERR,
	checker.RequestParameterDefaultValueRemovedId: checker.ERR,
	checker.RequestPropertyDefaultValueChangedId:  checker.ERR,
	checker.RequestPropertyDefaultValueRemovedId:  checker.ERR,
	checker.ResponseMediaTypeEnumValueRemovedId:   checker.ERR,

	// The document requires clients to ignore unknown values.
	checker.ResponsePropertyEnumValueAddedId: checker.INFO,
}

// breakingChanges returns the changes that break clients of the old document,
// sorted.
func breakingChanges(t *testing.T, before, after []byte) []string {
	t.Helper()
	changes, sources, err := diff.GetWithOperationsSourcesMap(diff.NewConfig(), spec(t, before), spec(t, after))
	if err != nil {
		t.Fatal(err)
	}
	config := checker.NewConfig(checker.GetAllChecks(), checker.WithSeverityLevels(severities))
	localize := checker.NewDefaultLocalizer()
	var told []string
	for _, c := range checker.CheckBackwardCompatibility(config, changes, sources) {
		told = append(told, c.GetOperation()+" "+c.GetPath()+": "+c.GetUncolorizedText(localize)+" ["+c.GetId()+"]")
	}
	slices.Sort(told)
	return told
}

func spec(t *testing.T, text []byte) *load.SpecInfo {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatal(err)
	}
	return &load.SpecInfo{Url: documentFile, Spec: doc}
}

// object is a JSON object.
type object = map[string]any

// at returns the value at a path of names in a document.
func at(t *testing.T, doc any, path ...string) any {
	t.Helper()
	for _, name := range path {
		fields, ok := doc.(object)
		if !ok || fields[name] == nil {
			t.Fatalf("the document has no %s in %s", name, strings.Join(path, " "))
		}
		doc = fields[name]
	}
	return doc
}

// parameter returns a parameter of GET /posts.
func parameter(t *testing.T, doc object, name string) object {
	t.Helper()
	for _, p := range at(t, doc, "paths", "/api/v1/posts", "get", "parameters").([]any) {
		if p.(object)["name"] == name {
			return p.(object)
		}
	}
	t.Fatalf("GET /posts has no parameter %s", name)
	return nil
}

func schema(t *testing.T, doc object, name string) object {
	t.Helper()
	return at(t, doc, "components", "schemas", name).(object)
}

func property(t *testing.T, doc object, name, field string) object {
	t.Helper()
	return at(t, schema(t, doc, name), "properties", field).(object)
}

func without(list any, value string) []any {
	return slices.DeleteFunc(slices.Clone(list.([]any)), func(v any) bool { return v == value })
}
