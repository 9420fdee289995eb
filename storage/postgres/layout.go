package postgres

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
)

// row maps a record to the columns of a table, in order. Names and types of columns are
// kept only on request, because rows are made by the thousand.
type row struct {
	withNames    bool
	names, types []string
	fields       []field
}

// mostFields is a little more than the number of columns of the widest table.
const mostFields = 32

func newRow() row { return row{fields: make([]field, 0, mostFields)} }

func (r *row) add(name, typ string, f field) {
	if r.withNames {
		r.names, r.types = append(r.names, name), append(r.types, typ)
	}
	r.fields = append(r.fields, f)
}

func (r *row) id(name string, p schedctl.Prefix, id *string) {
	r.add(name, "uuid", &idField{p, id, false})
}
func (r *row) optionalID(name string, p schedctl.Prefix, id *string) {
	r.add(name, "uuid", &idField{p, id, true})
}
func (r *row) ids(name string, p schedctl.Prefix, ids *[]string) {
	r.add(name, "uuid[]", idListField{p, ids})
}
func (r *row) time(name string, t *time.Time) { r.add(name, "timestamptz", timeField{t}) }
func (r *row) bool(name string, b *bool)      { r.add(name, "boolean", boolField{b}) }
func (r *row) bytes(name string, b *[]byte)   { r.add(name, "bytea", bytesField{b}) }
func (r *row) hash(name string, h *[32]byte)  { r.add(name, "bytea", hashField{h}) }

func text[S ~string](r *row, name string, s *S)         { r.add(name, "text", textField[S]{s}) }
func list[S ~string](r *row, name string, s *[]S)       { r.add(name, "text[]", listField[S]{s}) }
func number[I ~int | ~int64](r *row, name string, n *I) { r.add(name, "bigint", intField[I]{n}) }

// destinations returns the arguments of Scan for the columns.
func (r *row) destinations() []any {
	out := make([]any, len(r.fields))
	for i, f := range r.fields {
		out[i] = f
	}
	return out
}

// layout describes the table and the columns of a record type.
type layout[T any] struct {
	table    string
	key      []string // columns of the primary key
	describe func(*row, *T)

	sql     func() statements
	updates sync.Map // *rowUpdate by columnSet, of the sets used so far
}

// statements are the SQL texts derived from a layout.
type statements struct {
	columns string // all columns, qualified by the table
	key     []int  // indexes of the key columns
	insert  string
	upsert  string // insert, or replace the existing row

	bulkInsert, bulkUpsert *bulkStatement // for many rows; nil when a column is an array
}

// newLayout returns a layout. It builds its statements on first use: a process with
// another engine pays nothing for them.
func newLayout[T any](table string, key []string, describe func(*row, *T)) *layout[T] {
	l := &layout[T]{table: table, key: key, describe: describe}
	l.sql = sync.OnceValue(l.write)
	return l
}

func (l *layout[T]) write() statements {
	r := l.namedRow()
	named, places, set := make([]string, len(r.names)), make([]string, len(r.names)), []string{}
	for i, name := range r.names {
		named[i], places[i] = l.table+"."+name, fmt.Sprintf("$%d", i+1)
		if !slices.Contains(l.key, name) {
			set = append(set, name+" = excluded."+name)
		}
	}
	insert := fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", l.table, strings.Join(r.names, ", "), strings.Join(places, ", "))
	replace := fmt.Sprintf(" ON CONFLICT (%s) DO UPDATE SET %s", strings.Join(l.key, ", "), strings.Join(set, ", "))
	into, key := fmt.Sprintf("INSERT INTO %s (%s)", l.table, strings.Join(r.names, ", ")), make([]int, len(l.key))
	for i, name := range l.key {
		key[i] = slices.Index(r.names, name)
	}
	return statements{
		columns: strings.Join(named, ", "), key: key, insert: insert, upsert: insert + replace,
		bulkInsert: bulkInsert(into, "", r.types, key), bulkUpsert: bulkInsert(into, replace, r.types, key),
	}
}

// values returns the column values of a record, or an error about a field that no
// column can hold.
func (l *layout[T]) values(v *T) ([]any, error) {
	r := newRow()
	l.describe(&r, v)
	values := make([]any, len(r.fields))
	for i, f := range r.fields {
		var err error
		if values[i], err = f.value(); err != nil {
			return nil, l.columnError(i, err)
		}
	}
	return values, nil
}

// columnError adds the name of the column to an error.
func (l *layout[T]) columnError(column int, err error) error {
	if schedctl.CodeOf(err) == schedctl.NotFound {
		return err
	}
	return fmt.Errorf("%s: %w", l.namedRow().names[column], err)
}

// namedRow returns a row with the names and types of its columns.
func (l *layout[T]) namedRow() row {
	r := row{withNames: true}
	l.describe(&r, new(T))
	return r
}
