package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
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
		RequestKey string `json:"request_key,omitempty" doc:"A new text makes the same call a new one." minLength:"1" maxLength:"100"`
	}
	paged struct {
		Limit  int    `json:"limit,omitempty" doc:"20 by default." minimum:"1" maximum:"100"`
		Cursor string `json:"cursor,omitempty" doc:"next_cursor of the last page." minLength:"1" maxLength:"2000"`
	}
	zoned struct {
		Timezone string `json:"timezone,omitempty" doc:"Of times; else the workspace's." minLength:"1" maxLength:"100"`
	}
	detailed struct {
		Full bool `json:"full,omitempty" doc:"All fields, whole texts."`
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
func (t *tool) check(text json.RawMessage) (json.RawMessage, error) {
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
		return nil, invalidArgument("", "the arguments are not a JSON object; known arguments: %s", t.known())
	}
	dropNulls(values, t.schema)
	if err := t.checkNames(values); err != nil {
		return nil, err
	}
	clean, err := json.Marshal(values)
	if err != nil {
		return nil, err
	}
	var plain arguments // the validator knows no json.Number
	if err := json.Unmarshal(clean, &plain); err != nil {
		return nil, invalidArgument("", "the arguments have a number that is too large")
	}
	if err := t.checked.Validate(plain); err != nil {
		return nil, invalidArgument("", "the arguments do not fit: %s", faultText(err))
	}
	if err := t.checkOptions(plain); err != nil {
		return nil, err
	}
	return clean, nil
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

// checkNames refuses unknown arguments, and calls without the required ones.
func (t *tool) checkNames(values arguments) error {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		switch {
		case t.schema.Properties[name] != nil:
		case t.options != nil && t.options.Properties[name] != nil:
			return invalidArgument(shown(name), "%q is an option: pass it inside options", name)
		default:
			return invalidArgument(shown(name), "%s has no argument %q; known arguments: %s", t.name, shown(name), t.known())
		}
	}
	for _, name := range t.schema.Required {
		if _, given := values[name]; !given {
			advice := ""
			if name == "version" || name == "id" {
				advice = "; list_posts and get_post have it"
			}
			return invalidArgument(name, "the argument %s is missing%s; known arguments: %s", name, advice, t.known())
		}
	}
	return nil
}

// shown returns the start of a name that a client made up.
func shown(name string) string { return clip(name, 40) }

// known lists the arguments and options of the tool.
func (t *tool) known() string {
	if len(t.schema.PropertyOrder) == 0 {
		return "none"
	}
	text := strings.Join(t.schema.PropertyOrder, ", ")
	if t.options != nil {
		text += "; options: " + strings.Join(t.options.PropertyOrder, ", ")
	}
	return text
}

// checkOptions validates the options of a call, and those of each post in a list of posts.
func (t *tool) checkOptions(values arguments) error {
	items, _ := values["posts"].([]any)
	for _, item := range append([]any{values}, items...) {
		of, _ := item.(arguments)
		given, _ := of["options"].(arguments)
		for _, name := range slices.Sorted(maps.Keys(given)) {
			if t.options.Properties[name] == nil {
				return invalidArgument("options", "%s has no option %q; known options: %s; describe_options says what they take", t.name, shown(name), strings.Join(t.options.PropertyOrder, ", "))
			}
		}
		if len(given) == 0 {
			continue
		}
		if err := t.checkedOptions.Validate(given); err != nil {
			return invalidArgument("options", "the options do not fit: %s; describe_options says what they take", faultText(err))
		}
	}
	return nil
}

// maxFault is the longest message about invalid arguments. It may repeat parts of them.
const maxFault = 500

// faultText describes invalid arguments. The name of the argument is at the start, and its
// limit at the end, so that only the middle of a long text is left out.
func faultText(err error) string {
	message := strings.TrimPrefix(err.Error(), "validating root: ")
	message = strings.ReplaceAll(message, "validating /properties/", "")
	message = strings.ReplaceAll(message, "/properties/", "/")
	message = strings.ReplaceAll(message, "<invalid reflect.Value>", "null")
	text := []rune(message)
	if len(text) <= maxFault {
		return string(text)
	}
	return string(text[:maxFault/2]) + "…" + string(text[len(text)-maxFault/2:])
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
