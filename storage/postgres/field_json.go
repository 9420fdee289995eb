package postgres

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/jackc/pgx/v5/pgtype"
)

// jsonField is a value that no query selects by, as a JSON document. The zero value is
// null.
type jsonField[T any] struct {
	doc   *T
	empty func(T) bool
}

func (f jsonField[T]) value() (any, error) {
	if f.empty(*f.doc) {
		return pgtype.Text{}, nil
	}
	return jsonValue(*f.doc)
}

func (f jsonField[T]) same(o field) bool {
	return f.empty(*f.doc) && f.empty(*o.(jsonField[T]).doc) || reflect.DeepEqual(*f.doc, *o.(jsonField[T]).doc)
}

func (f jsonField[T]) ScanBytes(v []byte) (err error) {
	*f.doc, err = parseJSON[T](v)
	return err
}

// docField is a value that is stored as a JSON document of type D.
type docField[V, D any] struct {
	v      *V
	encode func(V) (*D, error) // returns nil for null
	decode func(D) (V, error)  // is not called for null
}

func (f docField[V, D]) value() (any, error) {
	doc, err := f.encode(*f.v)
	if doc == nil || err != nil {
		return pgtype.Text{}, err
	}
	return jsonValue(doc)
}

func (f docField[V, D]) same(o field) bool { return reflect.DeepEqual(*f.v, *o.(docField[V, D]).v) }

func (f docField[V, D]) ScanBytes(v []byte) error {
	*f.v = *new(V)
	if v == nil {
		return nil
	}
	doc, err := parseJSON[D](v)
	if err == nil {
		*f.v, err = f.decode(doc)
	}
	return err
}

// recordField is an optional record as a document of a type with the same fields.
func recordField[V, D any](v **V, encode func(*V) *D, decode func(*D) *V) field {
	return docField[*V, D]{
		v:      v,
		encode: func(v *V) (*D, error) { return encode(v), nil },
		decode: func(doc D) (*V, error) { return decode(&doc), nil },
	}
}

func jsonValue(doc any) (any, error) {
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return string(withoutNUL(text)), nil
}

// parseJSON decodes a column; null is the zero value.
func parseJSON[T any](v []byte) (doc T, err error) {
	if len(v) > 0 {
		err = json.Unmarshal(v, &doc)
	}
	return doc, err
}

// withoutNUL replaces \u0000, which the type jsonb cannot hold, by \ufffd.
func withoutNUL(doc []byte) []byte {
	const nul = `\u0000`
	if !bytes.Contains(doc, []byte(nul)) {
		return doc
	}
	for i := 0; i < len(doc)-1; i++ {
		if doc[i] != '\\' {
			continue
		}
		if bytes.HasPrefix(doc[i:], []byte(nul)) {
			copy(doc[i:], `\ufffd`)
		}
		i++ // skip the escaped character
	}
	return doc
}
