package mcp

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/schedctl/schedctl/client/apiv1"
)

// schemaMaker makes JSON schemas from Go types, with the tags that the API document is
// made from too.
type schemaMaker struct {
	brief bool // without the limits of values, for lists of tools
}

// object returns the schema of a struct type: all its fields, or only some of them. It
// panics for an unknown field.
func (m schemaMaker) object(t reflect.Type, only ...string) *jsonschema.Schema {
	s := &jsonschema.Schema{
		Type: "object", Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
	m.fields(s, t)
	for _, name := range only {
		if s.Properties[name] == nil {
			panic("mcp: no field " + name)
		}
	}
	for _, name := range slices.Clone(s.PropertyOrder) {
		if only != nil && !slices.Contains(only, name) {
			remove(s, name)
		}
	}
	return s
}

// remove removes a property.
func remove(s *jsonschema.Schema, name string) {
	delete(s.Properties, name)
	s.PropertyOrder = slices.DeleteFunc(s.PropertyOrder, func(n string) bool { return n == name })
	s.Required = slices.DeleteFunc(s.Required, func(n string) bool { return n == name })
}

// fields adds the fields of a struct type to an object. Those of embedded structs come
// first, and fields of the struct itself replace them.
func (m schemaMaker) fields(s *jsonschema.Schema, t reflect.Type) {
	for f := range t.Fields() {
		if f.Anonymous && f.Tag.Get("json") == "" {
			m.fields(s, f.Type)
		}
	}
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" || !f.IsExported() {
			continue
		}
		if _, known := s.Properties[name]; known {
			remove(s, name)
		}
		s.PropertyOrder = append(s.PropertyOrder, name)
		s.Properties[name] = m.property(f)
		if !strings.Contains(options, "omit") && f.Tag.Get("required") != "false" {
			s.Required = append(s.Required, name)
		}
	}
}

// saysNull matches the descriptions of fields that take null.
var saysNull = regexp.MustCompile(`(?i)\bnull\b`)

// property returns the schema of a field. It takes null if the API does, which a tag or the
// description says.
func (m schemaMaker) property(f reflect.StructField) *jsonschema.Schema {
	s := m.value(f.Type)
	constrain(s, f.Tag, m.brief)
	if f.Tag.Get("nullable") == "true" || saysNull.MatchString(f.Tag.Get("doc")) {
		s = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{s, {Type: "null"}}}
	}
	s.Description = f.Tag.Get("doc")
	return s
}

// value returns the schema of a type.
func (m schemaMaker) value(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[apiv1.Time](), reflect.TypeFor[apiv1.PublishTime](), reflect.TypeFor[apiv1.ProposedTime]():
		return &jsonschema.Schema{Type: "string"}
	case reflect.TypeFor[apiv1.LinkPreview]():
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{
			{Type: "string", Enum: []any{apiv1.PreviewAuto, apiv1.PreviewNone}}, m.value(reflect.TypeFor[apiv1.LinkCard]()),
		}}
	case reflect.TypeFor[json.RawMessage]():
		return &jsonschema.Schema{Type: "object"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return m.value(t.Elem())
	case reflect.String:
		return &jsonschema.Schema{Type: "string"}
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.Int, reflect.Int64:
		return &jsonschema.Schema{Type: "integer"}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return &jsonschema.Schema{Type: "string"}
		}
		return &jsonschema.Schema{Type: "array", Items: m.value(t.Elem())}
	case reflect.Map:
		return &jsonschema.Schema{Type: "object"}
	case reflect.Struct:
		return m.object(t)
	}
	panic("mcp: no schema for " + t.String())
}

// constrain sets the limits that the tags give; in brief, only the possible values. Those
// of texts are about the items of a list.
func constrain(s *jsonschema.Schema, tag reflect.StructTag, brief bool) {
	values := s
	if s.Type == "array" {
		values = s.Items
	}
	if names := tag.Get("enum"); names != "" {
		for name := range strings.SplitSeq(names, ",") {
			values.Enum = append(values.Enum, name)
		}
	}
	if brief {
		return
	}
	s.MinItems, s.MaxItems = whole(tag.Get("minItems")), whole(tag.Get("maxItems"))
	s.UniqueItems = tag.Get("uniqueItems") == "true"
	values.MinLength, values.MaxLength = whole(tag.Get("minLength")), whole(tag.Get("maxLength"))
	values.Pattern = tag.Get("pattern")
	if n := whole(tag.Get("minimum")); n != nil {
		values.Minimum = new(float64(*n))
	}
	if n := whole(tag.Get("maximum")); n != nil {
		values.Maximum = new(float64(*n))
	}
}

func whole(text string) *int {
	if n, err := strconv.Atoi(text); err == nil {
		return &n
	}
	return nil
}
