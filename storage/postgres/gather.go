package postgres

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"
)

// bulkStatement describes how statements that differ only in their arguments become one
// statement, with a list for each argument. Its pointer identifies the kind of
// statement.
type bulkStatement struct {
	sql   string // takes an array for each argument
	types []string
	key   []int // arguments that must be unique among the statements, because no row may be written twice; nil for none
}

// statementGroup collects statements that become one.
type statementGroup struct {
	statement
	rows [][]any
	keys map[[3]any]bool
}

// gather returns statements with the same effect, in which those of one kind are
// merged: that costs the server a fraction. A statement may move past statements of
// other kinds that can be merged, and past no others.
func gather(list []statement) []statement {
	if len(list) < 2 {
		return list
	}
	var groups []*statementGroup
	open := map[*bulkStatement]*statementGroup{}
	for _, st := range list {
		if st.bulk == nil {
			clear(open)
			groups = append(groups, &statementGroup{statement: st})
			continue
		}
		g, key := open[st.bulk], keyOf(st)
		if g == nil || g.keys[key] {
			g = &statementGroup{statement: st, keys: map[[3]any]bool{}}
			groups, open[st.bulk] = append(groups, g), g
		}
		g.rows = append(g.rows, st.args)
		g.keys[key] = st.bulk.key != nil
	}
	out := make([]statement, len(groups))
	for i, g := range groups {
		out[i] = g.merged()
	}
	return out
}

func keyOf(st statement) (key [3]any) {
	for i, arg := range st.bulk.key {
		key[i] = st.args[arg]
	}
	return key
}

// merged returns the statement of a group.
func (g *statementGroup) merged() statement {
	if len(g.rows) < 2 {
		return g.statement
	}
	args := make([]any, len(g.bulk.types))
	for i, typ := range g.bulk.types {
		args[i] = column(typ, g.rows, i)
	}
	return statement{sql: g.bulk.sql, args: args, scan: g.scan}
}

// column returns the i-th arguments of all rows.
func column(typ string, rows [][]any, i int) any {
	switch typ {
	case "uuid":
		return columnOf[pgtype.UUID](rows, i)
	case "timestamptz":
		return columnOf[pgtype.Timestamptz](rows, i)
	case "bigint":
		return columnOf[int64](rows, i)
	case "integer":
		return columnOf[int32](rows, i)
	case "boolean":
		return columnOf[bool](rows, i)
	case "bytea":
		return columnOf[[]byte](rows, i)
	case "text":
		return columnOf[string](rows, i)
	}
	all := make([]*string, len(rows)) // documents; each may be null
	for n, row := range rows {
		if doc, ok := row[i].(string); ok {
			all[n] = &doc
		}
	}
	return all
}

func columnOf[T any](rows [][]any, i int) []T {
	all := make([]T, len(rows))
	for n, row := range rows {
		all[n] = row[i].(T)
	}
	return all
}

// isArrayType reports whether a column of this type holds a list. A [bulkStatement]
// cannot write such columns: PostgreSQL requires arrays of arrays to be rectangular.
func isArrayType(typ string) bool { return strings.HasSuffix(typ, "[]") }

// bulkInsert returns the statement that inserts rows with these columns together, or
// nil when one of the columns is an array. into is the text before the rows, and
// conflict the text after them.
func bulkInsert(into, conflict string, types []string, key []int) *bulkStatement {
	lists := make([]string, len(types))
	if slices.ContainsFunc(types, isArrayType) {
		return nil
	}
	for i, typ := range types {
		lists[i] = fmt.Sprintf("$%d::%s[]", i+1, typ)
	}
	return &bulkStatement{sql: into + " SELECT * FROM unnest(" + strings.Join(lists, ", ") + ")" + conflict, types: types, key: key}
}
