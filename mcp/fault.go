package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

// checker checks values that a client sent against schemas. Its errors are for models: they
// say which value is wrong, what it can be, and which names are known.
type checker struct {
	call *call
	tool *tool
}

// part is a value inside the arguments, and how errors name it, such as posts[2].options.
type part struct {
	schema *jsonschema.Schema
	value  any
	path   string
}

// in returns a member of an object.
func (p part) in(name string) string {
	if p.path == "" {
		return name
	}
	return p.path + "." + name
}

// maxNames is how many characters the known names in an error have.
const maxNames = 500

// names lists known names.
func names(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return clip(strings.Join(list, ", "), maxNames)
}

// check returns the error for a value that does not fit its schema.
func (c checker) check(p part) error {
	if len(p.schema.AnyOf) > 0 {
		return c.any(p)
	}
	if !fitsType(p.schema, p.value) {
		return c.wrong(p, "must be %s, and is %s", typeName(p.schema), kindOf(p.value))
	}
	if len(p.schema.Enum) > 0 && !slices.Contains(p.schema.Enum, p.value) {
		return c.wrong(p, "is %s, and must be one of: %s", quote(fmt.Sprint(p.value), 40), enumText(p.schema))
	}
	switch v := p.value.(type) {
	case string:
		return c.text(p, v)
	case json.Number:
		return c.number(p, v)
	case []any:
		return c.list(p, v)
	case arguments:
		return c.object(p, v)
	}
	return nil
}

// any checks a value that has several schemas, by the one whose type it has.
func (c checker) any(p part) error {
	for _, s := range p.schema.AnyOf {
		if fitsType(s, p.value) {
			return c.check(part{s, p.value, p.path})
		}
	}
	return c.wrong(p, "must be %s, and is %s", typeName(p.schema), kindOf(p.value))
}

// optionsPath matches what is inside options.
var optionsPath = regexp.MustCompile(`^(?:posts\[\d+\]\.)?options\b`)

// wrong returns the error of a value. Those inside options have a tool that describes them.
func (c checker) wrong(p part, format string, args ...any) error {
	field, _, _ := strings.Cut(p.path, ".")
	text := p.path + " " + fmt.Sprintf(format, args...)
	if c.tool.options != nil && optionsPath.MatchString(p.path) {
		text += "; describe_options says what the options take"
	}
	return invalidArgument(field, "%s", text)
}

func (c checker) text(p part, v string) error {
	n, s := utf8.RuneCountInString(v), p.schema
	switch {
	case s.MinLength != nil && *s.MinLength > 0 && n == 0:
		return c.wrong(p, "is empty")
	case s.MinLength != nil && n < *s.MinLength:
		return c.wrong(p, "has %s, and needs %d", plural(n, "character"), *s.MinLength)
	case s.MaxLength != nil && n > *s.MaxLength:
		return c.wrong(p, "has %s, and can have %d", plural(n, "character"), *s.MaxLength)
	case s.Pattern != "" && !regexp.MustCompile(s.Pattern).MatchString(v):
		return c.wrong(p, "cannot be %s; its description says: %s", quote(v, 40), strings.TrimSuffix(s.Description, "."))
	}
	return nil
}

func (c checker) number(p part, v json.Number) error {
	n, err := strconv.ParseInt(v.String(), 10, 64)
	s := p.schema
	switch {
	case err != nil:
		return c.wrong(p, "must be a whole number, and is %s", clip(v.String(), 40))
	case s.Minimum != nil && float64(n) < *s.Minimum:
		return c.wrong(p, "is %d, and must be at least %.0f", n, *s.Minimum)
	case s.Maximum != nil && float64(n) > *s.Maximum:
		return c.wrong(p, "is %d, and must be at most %.0f", n, *s.Maximum)
	}
	return nil
}

func (c checker) list(p part, v []any) error {
	s := p.schema
	switch {
	case s.MinItems != nil && len(v) < *s.MinItems:
		return c.wrong(p, "has %s, and needs %d", plural(len(v), "item"), *s.MinItems)
	case s.MaxItems != nil && len(v) > *s.MaxItems:
		return c.wrong(p, "has %s, and can have %d", plural(len(v), "item"), *s.MaxItems)
	}
	for i, item := range v {
		if s.UniqueItems && slices.ContainsFunc(v[:i], func(earlier any) bool { return reflect.DeepEqual(earlier, item) }) {
			return c.wrong(p, "has the same item twice")
		}
		if err := c.check(part{s.Items, item, fmt.Sprintf("%s[%d]", p.path, i)}); err != nil {
			return err
		}
	}
	return nil
}

// object checks the members of an object. One without known members takes any.
func (c checker) object(p part, v arguments) error {
	if p.schema.AdditionalProperties == nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		of := p.schema.Properties[name]
		switch {
		case of == nil:
			return c.unknown(p, name)
		case name == "options" && v[name] != nil && c.takesOptions(p.schema):
			of = c.tool.options
		}
		if err := c.check(part{of, v[name], p.in(name)}); err != nil {
			return err
		}
	}
	for _, name := range p.schema.Required {
		if _, given := v[name]; !given {
			return c.missing(p, name)
		}
	}
	return nil
}

// takesOptions reports whether an object has the argument options of the tool.
func (c checker) takesOptions(s *jsonschema.Schema) bool {
	of := s.Properties["options"]
	if c.tool.options == nil || of == nil {
		return false
	}
	if len(of.AnyOf) > 0 { // or null
		of = of.AnyOf[0]
	}
	return of.Type == "object" && len(of.Properties) == 0
}

// unknown returns the error for a name that an object does not have, with those that it has.
func (c checker) unknown(p part, name string) error {
	known, options := p.schema.PropertyOrder, c.tool.options
	text := ""
	switch {
	case p.schema == options:
		text = fmt.Sprintf("%s has no option %s; known options: %s; describe_options says what they take", c.tool.name, quote(name, 40), names(known))
	case c.takesOptions(p.schema) && options.Properties[name] != nil:
		return invalidArgument(name, "%s is an option: pass it inside %s", p.in(name), p.in("options"))
	case p.path == "":
		text = fmt.Sprintf("%s has no argument %s; known arguments: %s", c.tool.name, quote(name, 40), names(known))
	case !c.takesOptions(p.schema):
		return c.wrong(p, "has no field %s; known fields: %s", quote(name, 40), names(known))
	default:
		text = fmt.Sprintf("%s has no field %s; known fields: %s", p.path, quote(name, 40), names(known))
	}
	if c.takesOptions(p.schema) {
		text += "; options: " + names(options.PropertyOrder)
	}
	return invalidArgument(plain(name, 40), "%s", text)
}

// missing returns the error for a member that an object has to have.
func (c checker) missing(p part, name string) error {
	if p.path != "" {
		return c.wrong(p, "has no %s; it has these fields: %s", name, names(p.schema.PropertyOrder))
	}
	advice := ""
	if of := (steps{"list_posts and get_post have it", "the result of the call that made it has it"}); name == "version" || name == "id" {
		if c.tool.ofSeries {
			of[0] = "list_series has it"
		}
		advice = "; " + c.call.first(of)
	}
	return invalidArgument(name, "the argument %s is missing%s; known arguments: %s", name, advice, names(p.schema.PropertyOrder))
}

// fitsType reports whether a value has a type of a schema.
func fitsType(s *jsonschema.Schema, v any) bool {
	if len(s.AnyOf) > 0 {
		return slices.ContainsFunc(s.AnyOf, func(s *jsonschema.Schema) bool { return fitsType(s, v) })
	}
	name := s.Type
	switch v.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case json.Number:
		return name == "integer"
	case string:
		return name == "string"
	case []any:
		return name == "array"
	}
	return name == "object"
}

// typeNames are the types of JSON in errors.
var typeNames = map[string]string{
	"null": "null", "boolean": "true or false", "integer": "a whole number", "string": "a string", "array": "an array", "object": "an object",
}

func typeName(s *jsonschema.Schema) string {
	if len(s.Enum) > 0 {
		return "one of: " + enumText(s)
	}
	if len(s.AnyOf) > 0 {
		var types []string
		for _, of := range s.AnyOf {
			types = append(types, typeName(of))
		}
		return strings.Join(types, " or ")
	}
	if s.Type == "array" {
		return "an array of " + strings.TrimPrefix(strings.TrimPrefix(typeNames[s.Items.Type], "an "), "a ") + "s"
	}
	return typeNames[s.Type]
}

func enumText(s *jsonschema.Schema) string {
	var list []string
	for _, v := range s.Enum {
		list = append(list, fmt.Sprint(v))
	}
	return names(list)
}

// kindOf names the type of a value in errors.
func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return fmt.Sprint(v)
	case json.Number:
		return "the number " + clip(v.String(), 40)
	case string:
		return "the string " + quote(v, 40)
	case []any:
		return "an array"
	}
	return "an object"
}
