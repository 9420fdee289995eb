package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
)

// fieldList is the value of --json. Without a value it means all fields.
type fieldList struct {
	Given   bool // whether the result is JSON
	asked   bool // whether errors are JSON: --json itself was given, or agent mode is on
	implied bool // whether only agent mode asks for JSON
	names   []string
}

// Has reports whether the result is JSON with this field.
func (f *fieldList) Has(name string) bool {
	return f.Given && (len(f.names) == 0 || slices.Contains(f.names, name))
}

// allFields is the value of --json when none is given.
const allFields = "*"

// Set reads the value.
func (f *fieldList) Set(text string) error {
	f.Given, f.asked, f.names = true, true, nil
	if text == allFields {
		return nil
	}
	for _, name := range strings.Split(text, ",") {
		f.names = append(f.names, strings.TrimSpace(name))
	}
	return nil
}

// String returns the value.
func (f *fieldList) String() string { return strings.Join(f.names, ",") }

// Type names the value in help texts.
func (*fieldList) Type() string { return "fields" }

// outputFormat is the value of --output: text, or JSON.
type outputFormat struct{ json *fieldList }

// outputType is the name of that flag type.
const outputType = "output"

// Set reads the value.
func (o *outputFormat) Set(text string) error {
	name, fields, some := strings.Cut(text, "=")
	switch {
	case text == "text":
		*o.json = fieldList{}
		return nil
	case name != "json":
		return errors.New("unknown format")
	case some:
		return o.json.Set(fields)
	}
	return o.json.Set(allFields)
}

// String returns the value.
func (o *outputFormat) String() string {
	if o.json == nil || !o.json.asked {
		return ""
	}
	return "json"
}

// Type names the value for errors.
func (*outputFormat) Type() string { return outputType }

// asksForJSON reports whether an invalid command line has a flag that asks for JSON.
func asksForJSON(args []string) bool {
	for i, arg := range args {
		switch {
		case arg == "--json" || strings.HasPrefix(arg, "--json="), strings.HasPrefix(arg, "-ojson"), strings.HasPrefix(arg, "-o=json"),
			strings.HasPrefix(arg, "--output=json"), (arg == "-o" || arg == "--output") && i+1 < len(args) && strings.HasPrefix(args[i+1], "json"):
			return true
		}
	}
	return false
}

// pick returns the document with only the selected fields, in their given order. For a
// list, it selects them in each element.
func (f *fieldList) pick(doc []byte) ([]byte, error) {
	if !bytes.HasPrefix(doc, []byte("[")) {
		return f.pickObject(doc)
	}
	var items []json.RawMessage
	if err := json.Unmarshal(doc, &items); err != nil {
		return nil, err
	}
	for i := range items {
		item, err := f.pickObject(items[i])
		if err != nil {
			return nil, err
		}
		items[i] = item
	}
	return joinJSON(items, '[', ']'), nil
}

func (f *fieldList) pickObject(doc []byte) (json.RawMessage, error) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(doc, &object); err != nil {
		return nil, err
	}
	var members []json.RawMessage
	for _, name := range f.names {
		value, found := object[name]
		if !found { // a list of several kinds of objects
			value = json.RawMessage("null")
		}
		members = append(members, json.RawMessage(`"`+name+`":`+string(value)))
	}
	return joinJSON(members, '{', '}'), nil
}

// joinJSON keeps what is inside byte for byte, which json.Marshal would not.
func joinJSON(parts []json.RawMessage, open, end byte) []byte {
	out := []byte{open}
	for i, p := range parts {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, p...)
	}
	return append(out, end)
}

// fieldsAnnotation holds the names of the fields that a command's --json has.
const fieldsAnnotation = "json-fields"

// DryFieldsAnnotation holds those of --json with --dry-run, where they are
// others.
const DryFieldsAnnotation = "json-fields-dry-run"

// DeclareJSON declares what a command prints with --json.
func DeclareJSON[T any](cmd *cobra.Command) *cobra.Command {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[fieldsAnnotation] = TypeNames(reflect.TypeFor[T]())
	return cmd
}

// DeclareMixedJSON declares that a command prints a list of two kinds of objects with
// --json. A selected field that an object does not have is null.
func DeclareMixedJSON[T, U any](cmd *cobra.Command) *cobra.Command {
	names := fieldsOf(reflect.TypeFor[T]())
	for _, name := range fieldsOf(reflect.TypeFor[U]()) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	cmd.Annotations = map[string]string{fieldsAnnotation: strings.Join(names, ",")}
	return cmd
}

// knownNames holds what typeNames has found: many commands print the same type.
var knownNames sync.Map // reflect.Type to string

func TypeNames(t reflect.Type) string {
	names, known := knownNames.Load(t)
	if !known {
		names, _ = knownNames.LoadOrStore(t, strings.Join(fieldsOf(t), ","))
	}
	return names.(string)
}

// DeclareJSONDocument declares that a command prints JSON of no fixed kind.
func DeclareJSONDocument(cmd *cobra.Command) *cobra.Command {
	cmd.Annotations = map[string]string{fieldsAnnotation: ""}
	return cmd
}

// printsJSON reports whether a command has JSON to print.
func printsJSON(cmd *cobra.Command) bool {
	_, declared := cmd.Annotations[fieldsAnnotation]
	return declared
}

// fieldsOf returns the JSON names of a struct's fields, and of those of structs
// that it embeds.
func fieldsOf(t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		if t.Field(i).Anonymous {
			names = append(names, fieldsOf(t.Field(i).Type)...)
			continue
		}
		if !t.Field(i).IsExported() {
			continue
		}
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

// areFields reports whether an argument is a list of fields for --json, which
// was given without one: other programs take the next argument for that.
func areFields(cmd *cobra.Command, arg string) bool {
	flag := cmd.Flag("json")
	if flag == nil || flag.Value.String() != "" || !flag.Changed {
		return false
	}
	known := knownFields(cmd)
	return !slices.ContainsFunc(strings.Split(arg, ","), func(name string) bool { return !slices.Contains(known, name) })
}

// knownFields returns the fields of what a command prints with the flags that it
// was given, a single empty one for none.
func knownFields(cmd *cobra.Command) []string {
	if dry := cmd.Flag("dry-run"); dry != nil && dry.Changed && cmd.Annotations[DryFieldsAnnotation] != "" {
		return strings.Split(cmd.Annotations[DryFieldsAnnotation], ",")
	}
	return strings.Split(cmd.Annotations[fieldsAnnotation], ",")
}

// completeFields offers the fields that are not in the list yet.
func completeFields(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	before, last := "", typed
	if i := strings.LastIndex(typed, ","); i >= 0 {
		before, last = typed[:i+1], typed[i+1:]
	}
	var out []string
	for _, name := range knownFields(cmd) {
		if name != "" && strings.HasPrefix(name, last) && !slices.Contains(strings.Split(before, ","), name) {
			out = append(out, before+name)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveKeepOrder
}

// checkFields refuses fields that the command's result does not have, before
// anything is done.
func (a *App) checkFields(cmd *cobra.Command) error {
	if err := a.compileFilter(cmd); err != nil || len(a.JSON.names) == 0 {
		return err
	}
	known := knownFields(cmd)
	for _, name := range a.JSON.names {
		if slices.Contains(known, name) {
			continue
		}
		f := UsageError("--json: unknown field %q", name)
		f.Hint = "the fields are " + strings.Join(known, ", ")
		if known[0] == "" {
			f.Hint = cmd.CommandPath() + " prints no object"
		}
		return f
	}
	return nil
}
