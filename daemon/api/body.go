package api

import (
	"math"
	"reflect"
	"slices"

	"github.com/schedctl/schedctl/client/apiv1"
)

// read reads a body of a type of package apiv1; see [readAs].
func read[T any](d *decoder) T { return readAs[T, T](d) }

// readAs reads a body with the fields and the limits of the type Wire of package apiv1 into
// a T, whose fields have the same JSON names and the same types, or pointers to them. An
// absent field stays zero. Null sets a pointer to the zero value; see [decoder.wasNull]. If
// the body has a fault, the result is not complete.
//
// The reader checks the limits in [missing], [counts], [numbers] and [checks], and enums.
// The others are rules of package schedctl, which checks them with its own messages.
func readAs[Wire, T any](d *decoder) T {
	body := new(T)
	d.fields(planFor(reflect.TypeFor[Wire](), reflect.TypeFor[T]()), reflect.ValueOf(body).Elem())
	return *body
}

// wasNull reports whether a field of the body was given as null.
func (d *decoder) wasNull(name string) bool { return slices.Contains(d.nulls, name) }

// fields reads an object into the fields of a struct.
func (d *decoder) fields(o *object, to reflect.Value) {
	if d.peek() != '{' {
		d.mismatch("an object")
		return
	}
	d.next()
	var given uint64
	for d.more('}') {
		token, ok := d.next()
		if !ok {
			return
		}
		name := token.String()
		f := o.fields[name]
		if f == nil {
			d.unknown(name, o.names)
			continue
		}
		if f.excludes&given != 0 && d.err == nil && d.faults.Count() {
			d.faults.Add(invalid(name, "media and media_asset_ids do not go together; give one of them"))
		}
		given |= f.bit
		d.field(f, to.FieldByIndex(f.index))
	}
	for _, f := range o.required {
		d.require(given&f.bit != 0, f.name, f.missing)
	}
	if given == 0 && o.unchanged != "" && d.clean() {
		d.unchanged(o.unchanged)
	}
}

// field reads the value of a field. Only a field of the body itself keeps null apart from
// an absent one.
func (d *decoder) field(f *field, to reflect.Value) {
	null := f.nullable && d.null()
	if null && d.json.StackDepth() > 1 {
		return
	}
	if to.Kind() == reflect.Pointer {
		to.Set(reflect.New(to.Type().Elem()))
		to = to.Elem()
	}
	if null {
		d.nulls = append(d.nulls, f.name)
		return
	}
	f.read(d, &f.value, to)
}

func readObject(d *decoder, v *value, to reflect.Value) { d.fields(v.object, to) }

func readText(d *decoder, v *value, to reflect.Value) {
	text, ok := d.text()
	if ok {
		text = v.check(d, v, text)
	}
	to.SetString(text)
}

func readBool(d *decoder, v *value, to reflect.Value) {
	if v.bypass {
		to.SetBool(d.bypass())
		return
	}
	to.SetBool(d.bool())
}

func readNumber(d *decoder, v *value, to reflect.Value) {
	if d.peek() != '0' {
		d.mismatch("a number")
		return
	}
	n := d.number()
	if n < float64(v.least) || n > float64(v.most) || n != math.Trunc(n) {
		d.wrong(v.code, "%s", limitText{v.wrong, 0, v})
		return
	}
	to.SetInt(int64(n))
}

// readList reads a list. It discards the items beyond the limit. The list is not nil.
func readList(d *decoder, v *value, to reflect.Value) {
	if d.peek() != '[' {
		d.mismatch(v.want)
		return
	}
	d.next()
	n := int64(0)
	for d.more(']') {
		if n++; n > v.most {
			d.skip()
			continue
		}
		to.Grow(1)
		to.SetLen(int(n))
		v.items.read(d, v.items, to.Index(int(n-1)))
	}
	if n == 0 {
		to.Set(reflect.MakeSlice(to.Type(), 0, 0))
	}
	d.checkCount(v, n)
}

// readChoices reads a list of distinct known values.
func readChoices(d *decoder, v *value, to reflect.Value) {
	if d.peek() != '[' {
		d.mismatch(v.want)
		return
	}
	d.next()
	n, chosen := int64(0), []string{}
	for d.more(']') {
		n++
		text, ok := d.text()
		switch {
		case !ok:
		case slices.Contains(chosen, text):
			d.fault(v.code, "the %s %s appears twice; name it once", v.noun, text)
		case !slices.Contains(v.enum, text):
			shown := clip(text, maxName)
			d.fault(v.code, "unknown %s %q; %s", v.noun, shown, suggestedName{shown, v.enum})
		default:
			chosen = append(chosen, text)
		}
	}
	to.Set(reflect.MakeSlice(to.Type(), len(chosen), len(chosen)))
	for i, text := range chosen {
		to.Index(i).SetString(text)
	}
	d.checkCount(v, n)
}

// checkCount adds a fault if the list read last has too few or too many items.
func (d *decoder) checkCount(v *value, n int64) {
	text := v.tooFew
	if n >= v.least {
		text = v.tooMany
	}
	if d.err == nil && text != "" && (n < v.least || n > v.most) {
		d.wrong(v.code, "%s", limitText{text, n, v})
	}
}

// readMap reads an object with any names: of texts, or of any values.
func readMap(d *decoder, _ *value, to reflect.Value) {
	to.Set(reflect.MakeMap(to.Type()))
	switch m := to.Addr().Interface().(type) {
	case *map[string]string:
		d.settings(func(name string) { (*m)[name] = d.string() })
	case *map[string]any:
		d.settings(func(name string) { (*m)[name] = d.value() })
	}
}

func readTime(d *decoder, v *value, to reflect.Value) {
	if text, ok := d.text(); ok {
		to.Addr().Interface().(*apiv1.Time).Time = d.time(text, v.code)
	}
}

// readPublishTime reads a time, "now" or "next-slot".
func readPublishTime(d *decoder, v *value, to reflect.Value) {
	if d.peek() != '"' {
		d.mismatch("a string with a time")
		return
	}
	at := to.Addr().Interface().(*apiv1.PublishTime)
	switch text := d.string(); text {
	case apiv1.PublishNow:
		at.Now = true
		if v.later {
			d.wrong(v.code, `"now" is for creating a post; publish this one with POST %s/posts/{id}/publish-now`, prefix)
		}
	case apiv1.PublishNextSlot:
		at.NextSlot = true
	default:
		at.Time = d.time(text, v.code)
	}
}

// readProposedTime reads a time or "next-slot".
func readProposedTime(d *decoder, v *value, to reflect.Value) {
	text, ok := d.text()
	at := to.Addr().Interface().(*apiv1.ProposedTime)
	if at.NextSlot = text == apiv1.PublishNextSlot; ok && !at.NextSlot {
		at.Time = d.time(text, v.code)
	}
}

// readLinkPreview reads "auto", "none" or a card.
func readLinkPreview(d *decoder, v *value, to reflect.Value) {
	preview := to.Addr().Interface().(*apiv1.LinkPreview)
	switch d.peek() {
	case '"':
		if preview.Mode = d.string(); preview.Mode != apiv1.PreviewAuto && preview.Mode != apiv1.PreviewNone {
			d.wrong(v.code, `must be "auto", "none" or a card with a url`)
		}
	case '{':
		preview.Card = new(apiv1.LinkCard)
		d.fields(v.object, reflect.ValueOf(preview.Card).Elem())
	default:
		d.mismatch(`"auto", "none" or a card`)
	}
}
