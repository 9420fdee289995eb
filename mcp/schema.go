package mcp

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/schedctl/schedctl/client/apiv1"
)

// schemaMaker makes JSON schemas from Go types, with the tags that the API document is
// made from too. Structs become definitions, because posts contain many of them twice.
type schemaMaker struct {
	arguments bool // with descriptions, and without null
	defs      map[string]*jsonschema.Schema
}

// inputSchema returns the schema of a tool's arguments: the fields of a struct type, or
// only some of them. It panics for an unknown field.
func inputSchema(only []string, t reflect.Type) *jsonschema.Schema {
	m := schemaMaker{arguments: true, defs: map[string]*jsonschema.Schema{}}
	s := object()
	m.fields(s, t)
	for _, name := range only {
		if s.Properties[name] == nil {
			panic("mcp: no field " + name)
		}
	}
	for name := range s.Properties {
		if only != nil && !slices.Contains(only, name) {
			m.remove(s, name)
		}
	}
	s.Defs = m.defs
	return s
}

// outputSchema returns the schema of a tool's result.
func outputSchema(t reflect.Type) *jsonschema.Schema {
	m := schemaMaker{defs: map[string]*jsonschema.Schema{}}
	s := object()
	m.fields(s, t)
	s.Defs = m.defs
	return s
}

// object returns the schema of an object without properties.
func object() *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: "object", Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: nothing(),
	}
}

// nothing returns the schema that no value fits.
func nothing() *jsonschema.Schema { return &jsonschema.Schema{Not: &jsonschema.Schema{}} }

// remove removes a property.
func (m *schemaMaker) remove(s *jsonschema.Schema, name string) {
	delete(s.Properties, name)
	s.PropertyOrder = slices.DeleteFunc(s.PropertyOrder, func(n string) bool { return n == name })
	s.Required = slices.DeleteFunc(s.Required, func(n string) bool { return n == name })
}

// fields adds the fields of a struct type to an object. Those of embedded structs come
// first, and fields of the struct itself replace them.
func (m *schemaMaker) fields(s *jsonschema.Schema, t reflect.Type) {
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
		omitted := strings.Contains(options, "omit")
		if _, known := s.Properties[name]; !known {
			s.PropertyOrder = append(s.PropertyOrder, name)
		}
		s.Properties[name] = m.property(f)
		s.Required = slices.DeleteFunc(s.Required, func(n string) bool { return n == name })
		if !omitted && (!m.arguments || f.Tag.Get("required") != "false") {
			s.Required = append(s.Required, name)
		}
	}
}

// property returns the schema of a field. An argument is left out instead of being null.
func (m *schemaMaker) property(f reflect.StructField) *jsonschema.Schema {
	s := m.value(f.Type)
	constrain(s, f.Tag)
	nullable := f.Tag.Get("nullable")
	switch {
	case m.arguments && s.Ref != "":
		s = &jsonschema.Schema{AllOf: []*jsonschema.Schema{s}}
	case !m.arguments && (nullable == "true" || f.Type.Kind() == reflect.Pointer && nullable != "false"):
		s = orNull(s)
	}
	if m.arguments {
		s.Description = f.Tag.Get("doc")
	}
	return s
}

func orNull(s *jsonschema.Schema) *jsonschema.Schema {
	if s.Type != "" && s.Enum == nil {
		s.Types, s.Type = []string{s.Type, "null"}, ""
		return s
	}
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{s, {Type: "null"}}}
}

// value returns the schema of a type.
func (m *schemaMaker) value(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[apiv1.Time](), reflect.TypeFor[apiv1.PublishTime](), reflect.TypeFor[apiv1.ProposedTime]():
		return &jsonschema.Schema{Type: "string"}
	case reflect.TypeFor[apiv1.LinkPreview]():
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{
			{Type: "string", Enum: []any{apiv1.PreviewAuto, apiv1.PreviewNone}}, m.value(reflect.TypeFor[apiv1.LinkCard]()),
		}}
	case reflect.TypeFor[json.RawMessage]():
		return &jsonschema.Schema{}
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
			return &jsonschema.Schema{Type: "string", ContentEncoding: "base64"}
		}
		return &jsonschema.Schema{Type: "array", Items: m.value(t.Elem())}
	case reflect.Map:
		return &jsonschema.Schema{Type: "object"}
	case reflect.Struct:
		return m.definition(t)
	}
	panic("mcp: no schema for " + t.String())
}

// definition returns a reference to the definition of a struct type.
func (m *schemaMaker) definition(t reflect.Type) *jsonschema.Schema {
	if m.defs[t.Name()] == nil {
		s := object()
		m.defs[t.Name()] = s
		m.fields(s, t)
	}
	return &jsonschema.Schema{Ref: "#/$defs/" + t.Name()}
}

// constrain sets the limits that the tags give. Those of texts are about the items of a
// list.
func constrain(s *jsonschema.Schema, tag reflect.StructTag) {
	s.MinItems, s.MaxItems = whole(tag.Get("minItems")), whole(tag.Get("maxItems"))
	s.UniqueItems = tag.Get("uniqueItems") == "true"
	if s.Type == "array" {
		s = s.Items
	}
	s.MinLength, s.MaxLength = whole(tag.Get("minLength")), whole(tag.Get("maxLength"))
	s.Pattern = tag.Get("pattern")
	if n := whole(tag.Get("minimum")); n != nil {
		s.Minimum = new(float64(*n))
	}
	if n := whole(tag.Get("maximum")); n != nil {
		s.Maximum = new(float64(*n))
	}
	if names := tag.Get("enum"); names != "" {
		for name := range strings.SplitSeq(names, ",") {
			s.Enum = append(s.Enum, name)
		}
	}
}

func whole(text string) *int {
	if n, err := strconv.Atoi(text); err == nil {
		return &n
	}
	return nil
}
