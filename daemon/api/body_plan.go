package api

import (
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// object says how an object is read into a struct.
type object struct {
	names     []string // in the order of the wire type
	fields    map[string]*field
	required  []*field
	unchanged string // what a body without fields is told; empty if it is allowed
}

// field is a field of an object.
type field struct {
	value
	index    []int  // in the struct
	bit      uint64 // of the field among those of the object
	excludes uint64 // the bits of fields that cannot be given with it
	nullable bool
	missing  string // advice if the field is required
}

// value says how a value is read, and which limits it has.
type value struct {
	read func(d *decoder, v *value, to reflect.Value)
	name string        // of the field
	code schedctl.Code // of faults

	check check    // of a text
	enum  []string // the known texts

	least, most int64  // of a number, of the characters of a text, or of the items of a list
	wrong       string // what a number has to be

	items           *value // of a list
	want            string // the type of a list
	noun            string // what an item is
	tooFew, tooMany string // texts about the number of items; see [limitText]

	object *object
	bypass bool // true overrides a check
	later  bool // "now" is refused
}

// plans has an *object for each type that was read, by its [reflect.Type].
var plans sync.Map

// planFor returns how an object with the fields and limits of a wire type is read into a
// struct. A wire type is always read into the same struct type.
func planFor(wire, to reflect.Type) *object {
	known, ok := plans.Load(wire)
	if !ok {
		known, _ = plans.LoadOrStore(wire, newObject(wire, to))
	}
	return known.(*object)
}

// newObject panics if the struct lacks a field of the wire type.
func newObject(wire, to reflect.Type) *object {
	o := &object{fields: map[string]*field{}, unchanged: unchanged[wire.Name()]}
	targets := wireFields(to)
	for _, f := range wireFields(wire) {
		name := wireName(f)
		i := slices.IndexFunc(targets, func(t reflect.StructField) bool { return wireName(t) == name })
		if i < 0 || len(o.names) == 64 {
			panic("api: " + to.String() + " cannot hold " + name)
		}
		made := &field{
			index: targets[i].Index, bit: 1 << len(o.names), nullable: nullable(wire.Name(), f), missing: missing[wire.Name()+"."+name],
			value: newValue(wire.Name(), name, f.Tag, pointee(targets[i].Type)),
		}
		if made.missing != "" {
			o.required = append(o.required, made)
		}
		o.names = append(o.names, name)
		o.fields[name] = made
	}
	if ids := o.fields["media_asset_ids"]; ids != nil {
		media := o.fields["media"]
		ids.excludes, media.excludes = media.bit, ids.bit
	}
	return o
}

// wireFields returns the fields of a struct type with JSON names, also those of embedded
// structs.
func wireFields(t reflect.Type) []reflect.StructField {
	return slices.DeleteFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool {
		return f.Anonymous || wireName(f) == "" || wireName(f) == "-"
	})
}

func wireName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// lenient are lists that can be null, which is not documented.
var lenient = []string{"Part.media", "Poll.options"}

// nullable reports whether a field of a request type can be null.
func nullable(owner string, f reflect.StructField) bool {
	if given := f.Tag.Get("nullable"); given != "" {
		return given == "true"
	}
	if f.Type == reflect.TypeFor[apiv1.PublishTime]() {
		return true // SchedulePost, which has a message for it
	}
	if slices.Contains(lenient, owner+"."+wireName(f)) {
		return true
	}
	omitted := strings.Contains(f.Tag.Get("json"), ",omit")
	return f.Type.Kind() == reflect.Pointer && (!omitted || f.Type.Elem().Kind() == reflect.Struct)
}

// pointee returns the type that a pointer type points to, and other types as they are.
func pointee(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// notNow reports whether publish_at of a request type cannot be "now".
func notNow(owner string) bool { return owner == "EditPost" || owner == "SchedulePost" }

// newValue returns how a value of the type is read. owner is the wire type with the field.
func newValue(owner, name string, tag reflect.StructTag, t reflect.Type) value {
	v := value{name: name, code: schedctl.ValidationFailed, least: math.MinInt64, most: math.MaxInt64}
	switch t {
	case reflect.TypeFor[apiv1.Time]():
		v.read = readTime
		return v
	case reflect.TypeFor[apiv1.PublishTime]():
		v.read, v.code, v.later = readPublishTime, schedctl.InvalidPublishAt, notNow(owner)
		return v
	case reflect.TypeFor[apiv1.ProposedTime]():
		v.read, v.code = readProposedTime, schedctl.InvalidPublishAt
		return v
	case reflect.TypeFor[apiv1.LinkPreview]():
		card := reflect.TypeFor[apiv1.LinkCard]()
		v.read, v.object = readLinkPreview, planFor(card, card)
		return v
	}
	if name == "social_account_ids" {
		v.code = schedctl.InvalidSocialAccounts
	}
	switch t.Kind() {
	case reflect.String:
		v.read, v.enum = readText, texts(tag.Get("enum"), enums[t])
		v.least, v.most = number(tag, "minLength", 0), number(tag, "maxLength", math.MaxInt64)
		v.check = ruleOf(checks, owner, name)
		if v.check == nil {
			v.check = checkEnum
		}
	case reflect.Bool:
		v.read, v.bypass = readBool, slices.Contains(bypasses, name)
	case reflect.Int, reflect.Int64:
		rule := numbers[name]
		v.read, v.wrong = readNumber, rule.wrong
		if v.least, v.most = number(tag, "minimum", -maxNumber), number(tag, "maximum", maxNumber); rule.read > 0 {
			v.least, v.most = -rule.read, rule.read
		}
	case reflect.Slice:
		v.list(owner, tag, t.Elem())
	case reflect.Map:
		v.read = readMap
	case reflect.Struct:
		v.read, v.object = readObject, planFor(t, t)
	default:
		panic("api: no reader of " + t.String())
	}
	return v
}

// list sets how a list is read. Without a text about their number, the caller checks it.
func (v *value) list(owner string, tag reflect.StructTag, item reflect.Type) {
	count := ruleOf(counts, owner, v.name)
	v.tooFew, v.tooMany = count.tooFew, count.tooMany
	v.least = number(tag, "minItems", 0)
	if v.tooMany != "" {
		v.most = number(tag, "maxItems", math.MaxInt64)
	}
	if count.read > 0 {
		v.most = count.read
	}
	v.read, v.want = readList, "a list of strings"
	v.enum = texts(tag.Get("enum"), fieldEnums[owner+"."+v.name], enums[item])
	if item.Kind() == reflect.String && v.enum != nil {
		v.read, v.noun = readChoices, nouns[item]
		return
	}
	items := newValue(owner, v.name, tag, item)
	if v.items = &items; item.Kind() == reflect.Struct {
		v.want = "a list of objects"
	}
	if count.want != "" {
		v.want = count.want
	}
}

// ruleOf returns the rule of a field of a type, or else that of all fields with the name.
func ruleOf[R any](rules map[string]R, owner, name string) R {
	if rule, ok := rules[owner+"."+name]; ok {
		return rule
	}
	return rules[name]
}

// number returns the number of a tag.
func number(tag reflect.StructTag, key string, missing int64) int64 {
	if n, err := strconv.ParseInt(tag.Get(key), 10, 64); err == nil {
		return n
	}
	return missing
}

// texts returns the texts of an enum tag, or else the first list with values.
func texts(tag string, lists ...[]any) (out []string) {
	if tag != "" {
		return strings.Split(tag, ",")
	}
	for _, list := range lists {
		for _, text := range list {
			out = append(out, text.(string))
		}
		if out != nil {
			break
		}
	}
	return out
}
