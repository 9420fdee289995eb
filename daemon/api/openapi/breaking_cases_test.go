package openapi_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// Each of these changes must be reported. The name is the reported text.
func TestChangesThatBreakClients(t *testing.T) {
	t.Parallel()
	const posts = "/api/v1/posts"
	for name, change := range map[string]func(*testing.T, object){
		"api-removed-without-deprecation": func(t *testing.T, d object) {
			delete(at(t, d, "paths", posts+"/{id}").(object), "delete")
		},
		"api-path-removed-without-deprecation": func(t *testing.T, d object) {
			delete(at(t, d, "paths").(object), posts+"/{id}/retry")
		},
		"api-operation-id-removed": func(t *testing.T, d object) {
			at(t, d, "paths", posts, "post").(object)["operationId"] = "makePost"
		},
		"request-parameter-removed": func(t *testing.T, d object) { parameter(t, d, "status")["name"] = "state" },
		"request-parameter-became-required": func(t *testing.T, d object) {
			parameter(t, d, "status")["required"] = true
		},
		"request-parameter-enum-value-removed": func(t *testing.T, d object) {
			s := at(t, parameter(t, d, "sort"), "schema").(object)
			s["enum"] = without(s["enum"], "publish_at")
		},
		"request-parameter-default-value-changed": func(t *testing.T, d object) {
			at(t, parameter(t, d, "sort"), "schema").(object)["default"] = "created_at"
		},
		"response-success-status-removed": func(t *testing.T, d object) {
			responses := at(t, d, "paths", posts, "post", "responses").(object)
			responses["200"] = responses["201"]
			delete(responses, "201")
		},
		"response-non-success-status-removed": func(t *testing.T, d object) {
			delete(at(t, d, "paths", posts, "post", "responses").(object), "409")
		},
		"optional-response-header-removed": func(t *testing.T, d object) {
			delete(at(t, d, "paths", posts, "post", "responses", "201", "headers").(object), "Location")
		},
		"response-media-type-removed": func(t *testing.T, d object) {
			content := at(t, d, "paths", posts, "post", "responses", "201", "content").(object)
			content["application/xml"] = content["application/json"]
			delete(content, "application/json")
		},
		"response-required-property-removed": func(t *testing.T, d object) {
			s := schema(t, d, "Post")
			delete(s["properties"].(object), "version")
			s["required"] = without(s["required"], "version")
		},
		"response-property-became-optional": func(t *testing.T, d object) {
			s := schema(t, d, "Post")
			s["required"] = without(s["required"], "version")
		},
		"response-property-became-nullable": func(t *testing.T, d object) {
			property(t, d, "Post", "version")["type"] = []any{"integer", "null"}
		},
		"response-property-type-changed": func(t *testing.T, d object) { property(t, d, "Post", "version")["type"] = "string" },
		"response-property-enum-value-removed": func(t *testing.T, d object) {
			s := property(t, d, "Post", "status")
			s["enum"] = without(s["enum"], "failed")
		},
		"request-property-removed": func(t *testing.T, d object) {
			delete(schema(t, d, "CreatePost")["properties"].(object), "allow_duplicate")
		},
		"new-required-request-property": func(t *testing.T, d object) {
			s := schema(t, d, "CreatePost")
			s["properties"].(object)["mood"] = object{"type": "string"}
			s["required"] = append(required(s), "mood")
		},
		"request-property-became-required": func(t *testing.T, d object) {
			s := schema(t, d, "CreatePost")
			s["required"] = append(required(s), "publish_at")
		},
		"request-property-became-not-nullable": func(t *testing.T, d object) {
			property(t, d, "CreatePost", "not_before")["type"] = "string"
		},
		"request-property-type-changed": func(t *testing.T, d object) {
			property(t, d, "CreatePost", "allow_duplicate")["type"] = "string"
		},
		"request-property-max-length-decreased": func(t *testing.T, d object) {
			property(t, d, "CreatePost", "content")["maxLength"] = 280
		},
		"request-property-pattern-added": func(t *testing.T, d object) {
			property(t, d, "CreatePost", "content")["pattern"] = "^[a-z]"
		},
		"request-body-became-required": func(t *testing.T, d object) {
			at(t, d, "paths", posts+"/{id}/retry", "post", "requestBody").(object)["required"] = true
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			breaks := breakingChanges(t, served(t), changed(t, change))
			for _, told := range breaks {
				if strings.HasSuffix(told, "["+name+"]") {
					return
				}
			}
			t.Errorf("it is reported as %q", breaks)
		})
	}
}

func TestChangesThatBreakNobody(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*testing.T, object){
		"nothing": func(*testing.T, object) {},
		"an operation": func(t *testing.T, d object) {
			paths := at(t, d, "paths").(object)
			paths["/api/v1/you"] = object{"get": object{"operationId": "getYou", "responses": object{"204": object{"description": "None"}}}}
		},
		"an optional parameter": func(t *testing.T, d object) {
			get := at(t, d, "paths", "/api/v1/posts", "get").(object)
			get["parameters"] = append(get["parameters"].([]any), object{"name": "tag", "in": "query", "schema": object{"type": "string"}})
		},
		"a field of a response": func(t *testing.T, d object) {
			schema(t, d, "Post")["properties"].(object)["mood"] = object{"type": "string"}
		},
		"an optional field of a request": func(t *testing.T, d object) {
			schema(t, d, "CreatePost")["properties"].(object)["mood"] = object{"type": "string"}
		},
		"a status of posts": func(t *testing.T, d object) {
			s := property(t, d, "Post", "status")
			s["enum"] = append(s["enum"].([]any), "held")
		},
		"an error code": func(t *testing.T, d object) {
			s := property(t, d, "Error", "code")
			s["enum"] = append(s["enum"].([]any), "OUT_OF_CHEESE")
		},
		"a longer text": func(t *testing.T, d object) { property(t, d, "CreatePost", "content")["maxLength"] = 50_000 },
		"other words":   func(t *testing.T, d object) { at(t, d, "info").(object)["description"] = "other words" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if breaks := breakingChanges(t, served(t), changed(t, change)); len(breaks) > 0 {
				t.Errorf("it is reported as %q", breaks)
			}
		})
	}
}

// changed returns the document with a change.
func changed(t *testing.T, change func(*testing.T, object)) []byte {
	t.Helper()
	var doc object
	if err := json.Unmarshal(served(t), &doc); err != nil {
		t.Fatal(err)
	}
	change(t, doc)
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// required returns the required properties of a schema.
func required(s object) []any {
	list, _ := s["required"].([]any) // missing if all are optional
	return list
}
