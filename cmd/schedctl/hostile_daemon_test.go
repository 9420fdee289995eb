package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// evil has everything that a terminal obeys, and a line that is not the program's.
const evil = "\x1b[31;44;5mevil\x1b]0;t\a\x1bPq\x1b\\\u009b2J\u202e\b\r\x00\nFORGED"

// tamed is what the start of evil becomes.
const tamed = "\ufffd[31;44;5mevil"

// kindOfText is a kind of texts in the responses of a daemon.
type kindOfText int

const (
	freeText kindOfText = 1 << iota
	wordText            // statuses, scopes, types and the like
	idText
)

var (
	anID   = regexp.MustCompile(`^[a-z]+_[0-9A-Z]{26}$`)
	aWord  = regexp.MustCompile(`^[a-z][a-z_:.]*$`)
	atName = []string{"name", "content", "title", "text", "note"}
)

// kindOf returns the kind of a text, or 0 for a time.
func kindOf(name, text string) kindOfText {
	_, err := time.Parse(time.RFC3339, text)
	switch {
	case err == nil:
		return 0
	case anID.MatchString(text):
		return idText
	case aWord.MatchString(text) && !slices.Contains(atName, name):
		return wordText
	}
	return freeText
}

// poison adds evil to all texts of some kinds in a JSON value.
func poison(v any, name string, kinds kindOfText) any {
	switch v := v.(type) {
	case map[string]any:
		for n := range v {
			v[n] = poison(v[n], n, kinds)
		}
	case []any:
		for i := range v {
			v[i] = poison(v[i], name, kinds)
		}
	case string:
		if kindOf(name, v)&kinds != 0 {
			return v + evil
		}
	}
	return v
}

// hostileDaemon responds with the examples of the API document, after evil was added to
// their texts.
type hostileDaemon struct {
	operations []apiOperation
	kinds      kindOfText
	choice     int  // which of the examples of an operation
	refuses    bool // refuses everything but who it is
	end        func()
}

// apiOperation is an operation of the API with its successful responses.
type apiOperation struct {
	method  string
	path    *regexp.Regexp
	id      string
	answers []exampleAnswer
}

type exampleAnswer struct {
	Status int             `json:"status"`
	Answer json.RawMessage `json:"answer"`
}

var pathParameter = regexp.MustCompile(`\\\{[^}]*\\\}`)

// apiOperations returns the operations of the API document that have examples.
func apiOperations(t *testing.T) (all []apiOperation) {
	t.Helper()
	var doc struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	readJSON(t, filepath.Join(repository, "daemon", "api", "openapi", "openapi.json"), &doc)
	for path, methods := range doc.Paths {
		pattern := pathParameter.ReplaceAllString(regexp.QuoteMeta(path), `[^/]+`)
		for method, raw := range methods {
			var operation struct {
				ID string `json:"operationId"`
			}
			if json.Unmarshal(raw, &operation) != nil || operation.ID == "" {
				continue
			}
			o := apiOperation{method: strings.ToUpper(method), path: regexp.MustCompile("^" + pattern + "$"), id: operation.ID}
			file := filepath.Join(repository, "daemon", "api", "examples", operation.ID+".json")
			if _, err := os.Stat(file); err != nil {
				continue
			}
			var answers []exampleAnswer
			readJSON(t, file, &answers)
			for _, a := range answers {
				if a.Status < http.StatusBadRequest {
					o.answers = append(o.answers, a)
				}
			}
			if len(o.answers) > 0 {
				all = append(all, o)
			}
		}
	}
	return all
}

func readJSON(t *testing.T, path string, v any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// RoundTrip responds to a request. The end of the event stream interrupts the command.
func (d *hostileDaemon) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	at := slices.IndexFunc(d.operations, func(o apiOperation) bool {
		return o.method == r.Method && o.path.MatchString(r.URL.Path)
	})
	switch {
	case at < 0 || d.refuses && d.operations[at].id != "getMe":
		return d.refusal(), nil
	case d.operations[at].id == "streamEvents":
		event := poison(map[string]any{
			"id": "evt_01K2M4N6P8QARCTDVEWFXGYHZ1", "type": "post.published", "created_at": "2036-06-02T15:00:00Z",
			"data": map[string]any{"post_id": "post_01K2M4N6P8QARCTDVEWFXGYHZ1", "social_account_id": "acct_01K2M4N6P8QARCTDVEWFXGYHZ1", "status": "published", "error": map[string]any{"message": "no"}},
		}, "", d.kinds)
		text, _ := json.Marshal(event)
		stream := "event: post.published\nid: evt_01K2M4N6P8QARCTDVEWFXGYHZ1\ndata: " + string(text) + "\n\n"
		return response(http.StatusOK, "text/event-stream", io.MultiReader(strings.NewReader(stream), endingReader{d.end})), nil
	}
	answers := d.operations[at].answers
	a := answers[d.choice%len(answers)]
	var v any
	if json.Unmarshal(a.Answer, &v) != nil || v == nil {
		return response(a.Status, "application/json", http.NoBody), nil
	}
	text, err := json.Marshal(poison(v, "", d.kinds))
	return response(a.Status, "application/json", strings.NewReader(string(text))), err
}

// refusal refuses a request for two reasons.
func (d *hostileDaemon) refusal() *http.Response {
	detail := map[string]any{"field": "content", "code": "INVALID", "message": "no", "social_account_id": "acct_01K2M4N6P8QARCTDVEWFXGYHZ1"}
	v := map[string]any{"error": map[string]any{"code": "VALIDATION_FAILED", "message": "refused", "request_id": "req_1", "details": []any{detail, detail}}}
	copied, _ := json.Marshal(v)
	json.Unmarshal(copied, &v)
	text, _ := json.Marshal(poison(v, "", freeText|wordText|idText))
	return response(http.StatusConflict, "application/json", strings.NewReader(string(text)))
}

func response(status int, contentType string, body io.Reader) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {contentType}, "Etag": {`"7"`}}, Body: io.NopCloser(body)}
}

// endingReader has nothing to read, and calls a function when it is read.
type endingReader struct{ end func() }

// Read implements [io.Reader].
func (r endingReader) Read([]byte) (int, error) {
	r.end()
	return 0, io.EOF
}
