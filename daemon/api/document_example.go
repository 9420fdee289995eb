package api

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// exampleFiles holds the examples of each operation, in a file named after its
// operationId. A test sends every request and compares the responses.
//
//go:embed examples
var exampleFiles embed.FS

// example is a request and its response, as the document shows them. For a rejected
// request the document shows only the response, because the request need not match
// the schemas.
type example struct {
	Name     string            `json:"name"`    // unique in the operation
	Summary  string            `json:"summary"` // a short description of the request
	Path     map[string]string `json:"path"`    // parameters in the path
	Header   map[string]string `json:"header"`
	Request  json.RawMessage   `json:"request"` // nil for no body
	Status   int               `json:"status"`
	Like     string            `json:"like"`   // another operation with such a response, so that the document shows none
	Response json.RawMessage   `json:"answer"` // nil for no body; a JSON string when the response is not JSON
}

// addExamples adds the examples to their operations.
func addExamples(doc *huma.OpenAPI) error {
	for _, path := range doc.Paths {
		for _, op := range operationsOf(path) {
			examples, err := readExamples(op.OperationID)
			if err != nil {
				return fmt.Errorf("examples of %s: %w", op.OperationID, err)
			}
			for _, e := range examples {
				e.addTo(op)
			}
		}
	}
	return nil
}

// readExamples returns the examples of an operation, or an empty list if it has no
// file.
func readExamples(operationID string) (examples []example, err error) {
	text, err := exampleFiles.ReadFile("examples/" + operationID + ".json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &examples)
	}
	return examples, err
}

func (e *example) addTo(op *huma.Operation) {
	if answered := op.Responses[strconv.Itoa(e.Status)]; answered != nil && e.Like == "" && !hasExample(answered.Content) {
		e.show(answered.Content, e.Response)
	}
	if e.Status >= http.StatusBadRequest {
		return
	}
	if op.RequestBody != nil && op.RequestBody.Content[mediaJSON] != nil {
		e.show(op.RequestBody.Content, e.Request)
	}
	for _, p := range op.Parameters {
		if id, given := e.Path[p.Name]; given && p.In == "path" {
			p.Example = id
		}
	}
}

// hasExample reports whether a body has an example. Each status of an operation shows one
// response: more would double the document, and differ in few fields.
func hasExample(content map[string]*huma.MediaType) bool {
	for _, media := range content {
		if len(media.Examples) > 0 {
			return true
		}
	}
	return false
}

// show adds a value to every media type of a body.
func (e *example) show(content map[string]*huma.MediaType, value json.RawMessage) {
	for name, media := range content {
		if name == mediaEvents {
			value = firstEvent(value)
		}
		if value == nil {
			continue
		}
		if media.Examples == nil {
			media.Examples = map[string]*huma.Example{}
		}
		media.Examples[e.Name] = &huma.Example{Summary: e.Summary, Value: value}
	}
}

// firstEvent returns the data of the first event of a recorded stream, which is what the
// schema of streams describes, or nil for none.
func firstEvent(stream json.RawMessage) json.RawMessage {
	var text string
	if err := json.Unmarshal(stream, &text); err != nil {
		return nil
	}
	for line := range strings.Lines(text) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			return json.RawMessage(strings.TrimSpace(data))
		}
	}
	return nil
}
