package postgres

import (
	"slices"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/schedctl/schedctl"
)

// listField is a list of strings, in a column of type text[].
type listField[S ~string] struct{ list *[]S }

func (f listField[S]) value() (any, error) {
	out := make([]string, len(*f.list))
	for i, s := range *f.list {
		out[i] = clean(string(s))
	}
	return out, nil
}

func (f listField[S]) same(o field) bool { return slices.Equal(*f.list, *o.(listField[S]).list) }

func (f listField[S]) SetDimensions(d []pgtype.ArrayDimension) error {
	*f.list = parseList[S](d)
	return nil
}

func (f listField[S]) ScanIndex(i int) any { return textField[S]{&(*f.list)[i]} }

func (f listField[S]) ScanIndexType() any { return textField[S]{} }

// idListField is a list of ids, in a column of type uuid[].
type idListField struct {
	prefix schedctl.Prefix
	list   *[]string
}

func (f idListField) value() (any, error) { return parseAll(f.prefix, *f.list) }

func (f idListField) same(o field) bool { return slices.Equal(*f.list, *o.(idListField).list) }

func (f idListField) SetDimensions(d []pgtype.ArrayDimension) error {
	*f.list = parseList[string](d)
	return nil
}

func (f idListField) ScanIndex(i int) any { return &idField{prefix: f.prefix, id: &(*f.list)[i]} }

func (f idListField) ScanIndexType() any { return &idField{} }

func parseList[S any](d []pgtype.ArrayDimension) []S {
	if len(d) == 0 {
		return nil
	}
	return slices.Grow([]S(nil), int(d[0].Length))[:d[0].Length]
}

// parseAll is parse for a list.
func parseAll(prefix schedctl.Prefix, ids []string) ([]pgtype.UUID, error) {
	out := make([]pgtype.UUID, len(ids))
	for i, id := range ids {
		var err error
		if out[i], err = parse(prefix, id); err != nil {
			return nil, err
		}
	}
	return out, nil
}
