package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// fault is a message that is not valid JSON-RPC, or that is not accepted.
type fault struct {
	id      json.RawMessage // null if it cannot be read
	code    int64
	message string
	status  int // over HTTP
}

var (
	errNotJSON   = &fault{code: jsonrpc.CodeParseError, message: "the message is not valid JSON in UTF-8", status: http.StatusBadRequest}
	errBatch     = &fault{code: jsonrpc.CodeInvalidRequest, message: "batches are not supported; send each message alone", status: http.StatusBadRequest}
	errTooLarge  = &fault{code: jsonrpc.CodeInvalidRequest, message: "the message is larger than 4 MiB; pass large files by URL", status: http.StatusRequestEntityTooLarge}
	errCut       = &fault{code: jsonrpc.CodeInvalidRequest, message: "the message ended early; send it again", status: http.StatusBadRequest}
	errTooNested = &fault{code: jsonrpc.CodeInvalidRequest, message: "the message is nested too deeply", status: http.StatusBadRequest}
)

// text returns the response.
func (f *fault) text() []byte {
	id := f.id
	if id == nil {
		id = json.RawMessage("null")
	}
	text, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": f.code, "message": f.message},
	})
	if err != nil {
		panic("mcp: " + err.Error()) // the id was read from JSON
	}
	return text
}

func (f *fault) respond(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.status)
	w.Write(f.text())
}

// readMessage reads a body and checks that it is one message.
func readMessage(body io.Reader) (io.ReadCloser, *fault) {
	text, err := io.ReadAll(body)
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return nil, errTooLarge
	}
	if err != nil {
		return nil, errCut
	}
	if _, f := parseMessage(text); f != nil {
		return nil, f
	}
	return io.NopCloser(bytes.NewReader(text)), nil
}

// maxDepth is far more than a message needs.
const maxDepth = 200

// parseMessage returns the message in a text. It is stricter than the SDK, which ends the
// session after a bad message.
func parseMessage(text []byte) (jsonrpc.Message, *fault) {
	text = bytes.TrimSpace(text)
	switch {
	case !json.Valid(text) || !utf8.Valid(text):
		return nil, errNotJSON
	case text[0] == '[':
		return nil, errBatch
	case tooNested(text):
		return nil, errTooNested
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil {
		return nil, invalid(nil, "the message is not an object")
	}
	id := members["id"]
	switch {
	case len(id) > 0 && id[0] != '"' && (id[0] < '0' || id[0] > '9') && id[0] != '-':
		return nil, invalid(nil, "the id is neither a string nor a number")
	case string(members["jsonrpc"]) != `"2.0"`:
		return nil, invalid(id, `jsonrpc is not "2.0"`)
	}
	if params := members["params"]; len(params) > 0 && params[0] != '{' {
		return nil, invalid(id, "params is not an object")
	}
	message, err := jsonrpc.DecodeMessage(text)
	if err != nil {
		return nil, invalid(id, "the message is neither a request nor a response")
	}
	return message, nil
}

func invalid(id json.RawMessage, message string) *fault {
	return &fault{id: id, code: jsonrpc.CodeInvalidRequest, message: message, status: http.StatusBadRequest}
}

// tooNested reports whether valid JSON is nested deeper than maxDepth.
func tooNested(text []byte) bool {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}
