package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/schedctl/schedctl"
)

// Arguments that several tools have.
type (
	identified struct {
		ID string `json:"id" doc:"Post id." minLength:"1" maxLength:"100"`
	}
	version struct {
		Version int64 `json:"version" doc:"As last read." minimum:"1"`
	}
	deliberate struct {
		RequestKey string `json:"request_key,omitempty" doc:"Another text: another call." minLength:"1" maxLength:"100"`
	}
	paged struct {
		Limit  int    `json:"limit,omitempty" doc:"20 by default." minimum:"1" maximum:"100"`
		Cursor string `json:"cursor,omitempty" doc:"A next_cursor." minLength:"1" maxLength:"2000"`
	}
	zoned struct {
		Timezone string `json:"timezone,omitempty" doc:"Else the workspace's." minLength:"1" maxLength:"100"`
	}
	detailed struct {
		Full bool `json:"full,omitempty" doc:"Everything."`
	}
)

// arguments are the members of an object, as a client sent them.
type arguments = map[string]any

// invalidArgument returns the error of an argument.
func invalidArgument(name, format string, args ...any) error {
	return schedctl.Errorf(schedctl.ValidationFailed, name, format, args...)
}

// check validates arguments. It returns them with names sorted, without white space, and
// without null where that means the same as leaving the argument out.
func (c *call) check(text json.RawMessage) (json.RawMessage, error) {
	t := c.tool
	if trimmed := bytes.TrimSpace(text); len(trimmed) == 0 || string(trimmed) == "null" {
		text = json.RawMessage("{}")
	}
	if !jsontext.Value(text).IsValid() { // as in the API; encoding/json would change them silently
		return nil, invalidArgument("", `the arguments have a name twice, or half of a surrogate pair such as \ud83d`)
	}
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber() // a float64 would round
	var values arguments
	if err := in.Decode(&values); err != nil || values == nil {
		return nil, invalidArgument("", "the arguments are not a JSON object; known arguments: %s", names(t.schema.PropertyOrder))
	}
	dropNulls(values, t.schema)
	if err := (checker{c, t}).check(part{t.checked, values, ""}); err != nil {
		return nil, err
	}
	return json.Marshal(values)
}

// dropNulls removes members that are null, unless null means something for them.
func dropNulls(values arguments, schema *jsonschema.Schema) {
	maps.DeleteFunc(values, func(name string, v any) bool {
		s := schema.Properties[name]
		return v == nil && s != nil && s.AnyOf == nil
	})
	items, _ := values["posts"].([]any)
	for _, item := range items {
		if of, ok := item.(arguments); ok && schema.Properties["posts"] != nil {
			dropNulls(of, schema.Properties["posts"].Items)
		}
	}
}

// decode reads checked arguments.
func decode[In any](arguments json.RawMessage) (in In, err error) {
	if err := json.Unmarshal(arguments, &in); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			name := wrong.Field[strings.LastIndexByte(wrong.Field, '.')+1:] // without the names of embedded types
			return in, invalidArgument(name, "%s cannot be the %s", name, clip(wrong.Value, 100))
		}
		return in, invalidArgument("", "the arguments cannot be read")
	}
	return in, nil
}

// merged returns the body of a request: the named arguments, and all options.
func merged(values arguments, names ...string) arguments {
	body := arguments{}
	if options, ok := values["options"].(arguments); ok {
		maps.Copy(body, options)
	}
	for _, name := range names {
		if v, given := values[name]; given {
			body[name] = v
		}
	}
	return body
}

// as returns the body of a request as a type of the API.
func as[Out any](body arguments) (out Out, err error) {
	text, err := json.Marshal(body)
	if err != nil {
		return out, fmt.Errorf("encode a request: %w", err)
	}
	return decode[Out](text)
}
