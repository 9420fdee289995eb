package mcp

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/scripts/cost"
)

// FuzzCheckedArguments: the arguments that are accepted are those that fit the schemas, as a
// library for schemas reads them, and errors are short.
func FuzzCheckedArguments(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"content":"a","options":{"poll":{"options":["a","b"],"expires_in_seconds":300}}}`, `{"posts":[{"content":"a","options":{"labels":["a","a"]}}]}`,
		`{"options":{"link_preview":"auto","thread":[{"content":"a","media":[{"id":"m","alt_text":null}]}],"title":null}}`, `{"options":{"link_preview":{"title":"x"}}}`,
		`{"posts":[],"social_account_ids":["` + strings.Repeat("x", 300) + `"]}`, `{"options":null,"id":"","version":0,"media":{},"limit":1000}`, `{"status":["draft","x"]}`,
		`{"options":{"target_overrides":[{"social_account_id":"a","content":5}]}}`, `{"version":1.5}`, `{"occurrence":"2026-12-08T09:00","id":"a","version":1}`, `{"` + strings.Repeat("x", 2000) + `":1}`,
	} {
		f.Add([]byte(seed))
	}
	type library struct{ arguments, options *jsonschema.Resolved }
	libraries := map[*tool]library{}
	resolve := func(s *jsonschema.Schema) *jsonschema.Resolved {
		out, err := s.CloneSchemas().Resolve(nil)
		if err != nil {
			f.Fatal(err)
		}
		return out
	}
	for _, tool := range allTools() {
		tool.describe()
		of := library{arguments: resolve(tool.checked)}
		if tool.options != nil {
			of.options = resolve(tool.options)
		}
		libraries[tool] = of
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		defer cost.Check(t, len(text))()
		for _, tool := range allTools() {
			var plain, exact arguments
			in := json.NewDecoder(bytes.NewReader(text))
			if in.UseNumber(); in.Decode(&exact) != nil || json.Unmarshal(text, &plain) != nil {
				return
			}
			c := &call{Caller: callersOfAllKinds()["a publisher"], tool: tool}
			err := (checker{c, tool}).check(part{tool.checked, exact, ""})
			if err != nil {
				if e, ok := err.(*schedctl.Error); !ok || utf8.RuneCountInString(e.Message) > maxError || e.Message == "" {
					t.Errorf("%s: %s", text, err)
				}
			}
			want := fitsLibrary(libraries[tool].arguments, libraries[tool].options, plain)
			if (err == nil) != want && !hasFraction(exact) {
				t.Errorf("%s: %s: %v", tool.name, text, err)
			}
		}
	})
}

// fitsLibrary reports whether arguments and their options fit.
func fitsLibrary(schema, options *jsonschema.Resolved, values arguments) bool {
	if schema.Validate(values) != nil {
		return false
	}
	items, _ := values["posts"].([]any)
	for _, item := range append([]any{values}, items...) {
		of, _ := item.(arguments)
		if given, isObject := of["options"].(arguments); isObject && options != nil && options.Validate(given) != nil {
			return false
		}
	}
	return true
}

// hasFraction reports whether a value has a number that is no int64: the library reads 1.0
// as a whole number.
func hasFraction(v any) bool {
	switch v := v.(type) {
	case json.Number:
		_, err := v.Int64()
		return err != nil
	case []any:
		return slices.ContainsFunc(v, hasFraction)
	case arguments:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), hasFraction)
	}
	return false
}
