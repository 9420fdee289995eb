package api_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"
)

// example is a file in the examples directory: the request is written by hand, the
// response by -update.
type example struct {
	Name     string            `json:"name"`
	Summary  string            `json:"summary"`
	Path     map[string]string `json:"path,omitempty"`
	Query    string            `json:"query,omitempty"` // of a list
	Header   map[string]string `json:"header,omitempty"`
	Request  json.RawMessage   `json:"request,omitempty"`
	Status   int               `json:"status"`
	Like     string            `json:"like,omitempty"` // another operation with such a response, so that the document shows none
	Response json.RawMessage   `json:"answer,omitempty"`

	first bool // of its status in the file: the document shows its response
}

// TestExamples sends the request of every example of every operation and compares
// the response with the document. Ids in the examples stand for objects that given
// creates. Ids and times in responses are replaced.
func TestExamples(t *testing.T) {
	t.Parallel()
	operations := documentOperations(t)
	for id, op := range operations {
		if id == "putUpload" || id == "putUploadLink" {
			continue // the token of its URL differs each time
		}
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join("examples", id+".json")
			examples := readExamples(t, file)
			succeeds := false
			statuses := map[int]bool{}
			for i := range examples {
				examples[i].first = !statuses[examples[i].Status] && examples[i].Like == ""
				statuses[examples[i].Status] = true
				succeeds = succeeds || examples[i].Status < 400
				t.Run(examples[i].Name, func(t *testing.T) { examples[i].check(t, op) })
			}
			if !succeeds && id != "createMediaFromURL" { // an example cannot name a server that every test reaches
				t.Errorf("%s %s has no example that succeeds: write one into daemon/api/%s like those of the other operations, without its response; "+
					"say in given what it needs; and run go test ./daemon/api -run TestExamples -update", op.method, op.path, file)
			}
			if *update && !t.Failed() {
				writeExamples(t, file, examples)
			}
		})
	}
	for _, file := range exampleFiles(t) {
		if id := strings.TrimSuffix(filepath.Base(file), ".json"); operations[id].Operation == nil {
			t.Errorf("%s is of no operation", file)
		}
	}
}

// operation is an operation of the document.
type operation struct {
	*openapi3.Operation
	method, path string
}

// documentOperations returns the operations of the document by their ids.
func documentOperations(t *testing.T) map[string]operation {
	t.Helper()
	out := map[string]operation{}
	for path, item := range loadDocument(t).Paths.Map() {
		for method, op := range item.Operations() {
			out[op.OperationID] = operation{op, method, path}
		}
	}
	return out
}

// check sends the request and compares its response, or stores the response.
func (e *example) check(t *testing.T, op operation) {
	f := newExampleFixture(t)
	names := f.standIns(e.state(op.OperationID))
	path := op.path
	for name, value := range e.Path {
		path = strings.ReplaceAll(path, "{"+name+"}", value)
	}
	if strings.Contains(path, "{") || e.Summary == "" {
		t.Fatalf("%s: the example needs every parameter of the path, and a summary", path)
	}
	var sent any
	if e.Request != nil {
		sent = names.real(string(e.Request))
		if op.RequestBody.Value.Content["application/json"] == nil { // a file, as a JSON string
			var file string
			if err := json.Unmarshal(e.Request, &file); err != nil {
				t.Fatal(err)
			}
			sent = file
		}
	}
	if e.Query != "" {
		path += "?" + e.Query
	}
	r := f.exchange(e.options(f, names), op.method, names.real(path), sent).want(e.Status)
	got := names.example(t, r)
	if *update {
		e.Response = got
		return
	}
	if diff := cmp.Diff(indented(t, e.Response), indented(t, got)); diff != "" {
		t.Errorf("if this is intended, run with -update (-example +response):\n%s", diff)
	}
	e.checkShown(t, op)
}

// options returns the headers of the request. For a stream of events, it closes the
// stream after the events of one post.
func (e *example) options(f *fixture, names *standIns) option {
	return func(r *http.Request) {
		r.Header.Set("Authorization", "Bearer "+f.mine.key)
		r.Header.Del("If-Match")
		if e.Status == http.StatusUnauthorized {
			r.Header.Del("Authorization")
		}
		for name, value := range e.Header {
			r.Header.Set(name, names.real(value))
		}
		*r = *f.untilCompleted(r)
	}
}

// checkShown compares the example with what the document shows.
func (e *example) checkShown(t *testing.T, op operation) {
	t.Helper()
	response := op.Responses.Status(e.Status)
	if response == nil {
		t.Fatalf("the document has no response %d", e.Status)
	}
	shown := e.Response
	if response.Value.Content[mediaEvents] != nil { // of a stream, the data of the first event
		var stream string
		if err := json.Unmarshal(e.Response, &stream); err != nil {
			t.Fatal(err)
		}
		shown = eventData([]byte(stream))[0]
	}
	if e.first {
		compareShown(t, response.Value.Content, e.Name, shown)
	}
	if op.RequestBody != nil && op.RequestBody.Value.Content["application/json"] != nil && e.Status < 400 {
		compareShown(t, op.RequestBody.Value.Content, e.Name, e.Request)
	}
}

func compareShown(t *testing.T, content openapi3.Content, name string, want json.RawMessage) {
	t.Helper()
	if want == nil {
		return
	}
	for media, c := range content {
		ref := c.Examples[name]
		if ref == nil {
			t.Errorf("the document does not show the example %s of %s", name, media)
			continue
		}
		shown, err := json.Marshal(ref.Value.Value)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(sorted(t, want), sorted(t, shown)); diff != "" {
			t.Errorf("the document shows another example %s of %s (-example +document):\n%s", name, media, diff)
		}
	}
}

// standIns maps the ids of the examples to real ids.
type standIns struct {
	pairs  []string // example, real, example, real …
	counts map[string]int
}

// exampleID is the start of example ids, after their prefix. A digit follows.
const exampleID = "01K2M4N6P8QARCTDVEWFXGYHZ"

// add maps the next example id of its kind to a real id.
func (s *standIns) add(real string) (example string) {
	prefix, _, _ := strings.Cut(real, "_")
	s.counts[prefix]++
	example = fmt.Sprintf("%s_%s%X", prefix, exampleID, s.counts[prefix])
	s.pairs = append(s.pairs, example, real)
	return example
}

// real replaces example ids in a text with real ids.
func (s *standIns) real(text string) string { return strings.NewReplacer(s.pairs...).Replace(text) }

var (
	anyID   = regexp.MustCompile(`\b[a-z]{2,5}_[0-9A-HJKMNP-TV-Z]{26}\b`)
	anyTime = regexp.MustCompile(`\b20(2\d|3[0-5])-\d\d-\d\dT[0-9:.]+Z`)
)

// secrets are replaced as well. Each kind has an invalid placeholder.
var secrets = map[*regexp.Regexp]string{
	regexp.MustCompile(`\bsctl_[0-9A-Za-z]{40,}`):     "sctl_4fKq0VxY7sTn2LwZ9bRc5HjD8mGp3QeA6uXi1NvB0aSWd7Ty",
	regexp.MustCompile(`"digest":"[0-9a-f]{64}"`):     `"digest":"` + strings.Repeat("0123456789abcdef", 4) + `"`,
	regexp.MustCompile(`token=[0-9A-Za-z_-]{100,}`):   "token=AQAAAABqHgZ4",
	regexp.MustCompile(`uploads/[0-9A-Za-z_-]{100,}`): "uploads/BAAAAABqHgZ4",
	regexp.MustCompile(`/u/[0-9A-Za-z_-]{100,}`):      "/u/BAAAAABqHgZ4",
	regexp.MustCompile(`/s/[0-9A-Za-z]{43}\b`):        "/s/4fKq0VxY7sTn2LwZ9bRc5HjD8mGp3QeA6uXi1NvB0aS",
	regexp.MustCompile(`\bsctlcal_[0-9A-Za-z]{40,}`):  "sctlcal_4fKq0VxY7sTn2LwZ9bRc5HjD8mGp3QeA6uXi1NvB0aSWd7Ty",
	regexp.MustCompile(`\bwhsec_[0-9A-Za-z+/=]{24,}`): "whsec_b2Ygd2hhdCBpcyBzZW50LCBhbiBleGFtcGxl",
}

// example returns the body of a response as examples show it, or nil without a
// body.
func (s *standIns) example(t *testing.T, r *response) json.RawMessage {
	t.Helper()
	text := string(r.body)
	switch r.header.Get("Content-Type") {
	case "application/json":
	case mediaEvents:
		quoted, err := json.Marshal(text[:strings.LastIndex(text, "\n\n")+2])
		if err != nil {
			t.Fatal(err)
		}
		text = string(quoted)
	default:
		return nil // no body, or an ignored one
	}
	for i := 0; i < len(s.pairs); i += 2 {
		text = strings.ReplaceAll(text, s.pairs[i+1], s.pairs[i])
	}
	text = anyID.ReplaceAllStringFunc(text, func(id string) string {
		for i := 0; i < len(s.pairs); i += 2 {
			if id == s.pairs[i] || id == s.pairs[i+1] {
				return s.pairs[i]
			}
		}
		if strings.Contains(id, exampleID) {
			return id // no existing object has this id
		}
		return s.add(id)
	})
	text = anyTime.ReplaceAllString(text, "2026-06-01T08:30:00Z")
	text = dayLabel.ReplaceAllString(text, `"label":"2026-06-01"`)
	for secret, instead := range secrets {
		text = secret.ReplaceAllString(text, instead)
	}
	return json.RawMessage(indented(t, []byte(text)))
}

// indented returns JSON with one field a line, in the original order.
func indented(t *testing.T, text []byte) string {
	t.Helper()
	var b bytes.Buffer
	if len(text) == 0 {
		return ""
	}
	if err := json.Indent(&b, bytes.TrimSpace(text), "", "  "); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return b.String()
}

// sorted returns JSON with its fields sorted.
func sorted(t *testing.T, text []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	out, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func exampleFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("examples/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	return files
}

// readExamples returns the examples of a file, or none if the file is missing.
func readExamples(t *testing.T, file string) (examples []example) {
	t.Helper()
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&examples); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return examples
}

func writeExamples(t *testing.T, file string, examples []example) {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(examples); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// dayLabel matches the days of gains, which depend on the day of the test.
var dayLabel = regexp.MustCompile(`"label":"[0-9-]{10}"`)
