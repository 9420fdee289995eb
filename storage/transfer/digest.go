package transfer

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
)

// Tally is the number of records of one kind in a database, with a checksum over all
// their fields that does not depend on their order.
type Tally struct {
	Kind  string `json:"kind"` // plural, such as "posts"
	Count int    `json:"count"`
	Sum   Sum    `json:"sum"`
}

// Sum is a sum of SHA-256 digests, as unsigned 256-bit numbers.
type Sum [4]uint64

// MarshalText returns the sum in hexadecimal.
func (s Sum) MarshalText() ([]byte, error) {
	var b []byte
	for _, word := range s {
		b = binary.BigEndian.AppendUint64(b, word)
	}
	return []byte(hex.EncodeToString(b)), nil
}

// add counts a record.
func (t *Tally) add(record any) {
	digest := sha256.Sum256(appendValue(nil, reflect.ValueOf(record)))
	t.Count++
	carry := uint64(0)
	for i := len(t.Sum) - 1; i >= 0; i-- {
		word := binary.BigEndian.Uint64(digest[8*i:])
		sum := t.Sum[i] + word + carry
		if sum < t.Sum[i] || carry == 1 && sum == t.Sum[i] {
			carry = 1
		} else {
			carry = 0
		}
		t.Sum[i] = sum
	}
}

// appendValue appends a value in an encoding that does not depend on the engine: an
// empty list equals a missing one except where their meaning differs, a time is a number of milliseconds, and text is
// normalized to what every engine can store.
func appendValue(b []byte, v reflect.Value) []byte {
	if t, ok := timeOf(v); ok {
		if t.IsZero() {
			return append(b, 0)
		}
		return binary.AppendVarint(append(b, 1), t.UnixMilli())
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			b = appendValue(b, v.Field(i))
		}
		if t, ok := v.Interface().(schedctl.Target); ok && t.Media != nil {
			b = append(b, 1) // an override without media is not the same as no override
		}
		return b
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return append(b, 0)
		}
		return appendValue(append(b, 1, byte(v.Elem().Kind())), v.Elem())
	case reflect.Slice, reflect.Array:
		b = binary.AppendUvarint(b, uint64(v.Len()))
		for i := range v.Len() {
			b = appendValue(b, v.Index(i))
		}
		return b
	case reflect.Map:
		return appendMap(b, v)
	case reflect.String:
		text := cleanText(v.String())
		return append(binary.AppendUvarint(b, uint64(len(text))), text...)
	case reflect.Bool:
		if v.Bool() {
			return append(b, 1)
		}
		return append(b, 0)
	case reflect.Int, reflect.Int64:
		return binary.AppendVarint(b, v.Int())
	case reflect.Uint8:
		return append(b, byte(v.Uint()))
	case reflect.Float64:
		return binary.BigEndian.AppendUint64(b, math.Float64bits(v.Float()))
	}
	panic(fmt.Sprintf("no checksum is defined for a %s", v.Type()))
}

func timeOf(v reflect.Value) (t time.Time, ok bool) {
	if v.Type() != reflect.TypeFor[time.Time]() {
		return t, false
	}
	return v.Interface().(time.Time), true
}

// appendMap appends a map with string keys, sorted by key.
func appendMap(b []byte, v reflect.Value) []byte {
	byName := make(map[string]reflect.Value, v.Len())
	for _, key := range v.MapKeys() {
		byName[key.String()] = v.MapIndex(key)
	}
	b = binary.AppendUvarint(b, uint64(len(byName)))
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		b = appendValue(appendValue(b, reflect.ValueOf(name)), byName[name])
	}
	return b
}

const replacement = "\ufffd"

// cleanText replaces each run of characters that not every engine can store, NUL and
// invalid UTF-8, with one U+FFFD.
func cleanText(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, replacement), "\x00", replacement)
	for strings.Contains(s, replacement+replacement) {
		s = strings.ReplaceAll(s, replacement+replacement, replacement)
	}
	return s
}
