package postgres

import (
	"fmt"
	"slices"
	"strings"
)

// A row that is there, locked and known is updated in the columns alone that have
// changed: of a post on its way these are a few, and its text is not among them.

// columnSet is a set of columns of a layout, by their numbers.
type columnSet uint32

// rowUpdate are the statements that update a set of columns, in one row, or in many, if
// that can be (see [isArrayType]). Their
// arguments are the key and then the columns.
type rowUpdate struct {
	sql  string
	bulk *bulkStatement
}

// writeFor returns what writes a row that was as given, or was not there, and nil when it
// is as it was. A row that the transaction has written before is written in its
// place behind that: gathered statements are moved.
func (l *layout[T]) writeFor(was, is *T, written bool) (func(*tx), error) {
	if was != nil && !written {
		c, values, err := l.update(was, is)
		if c == nil || err != nil {
			return nil, err
		}
		return func(tx *tx) { tx.putRow(c.sql, c.bulk, values) }, nil
	}
	values, err := l.values(is)
	switch {
	case err != nil:
		return nil, err
	case was == nil:
		return func(tx *tx) { tx.putRowUnverified(l.sql().insert, l.sql().bulkInsert, values) }, nil
	}
	return func(tx *tx) { tx.put(l.sql().upsert, values...) }, nil
}

// changedColumns returns which columns of a row are others than before.
func changedColumns(was, is *row) (set columnSet) {
	for i := range is.fields {
		if !is.fields[i].same(was.fields[i]) {
			set |= 1 << i
		}
	}
	return set
}

// update returns what a row is updated with, nothing when it is as it was, or an error
// about a field that no column can hold.
func (l *layout[T]) update(was, is *T) (*rowUpdate, []any, error) {
	before, after := newRow(), newRow()
	l.describe(&before, was)
	l.describe(&after, is)
	set := changedColumns(&before, &after)
	if set == 0 {
		return nil, nil, nil
	}
	columns := l.updateColumns(set)
	values := make([]any, len(columns))
	for i, column := range columns {
		var err error
		if values[i], err = after.fields[column].value(); err != nil {
			return nil, nil, l.columnError(column, err)
		}
	}
	return l.updateOf(set), values, nil
}

// updateColumns returns the columns that an update of a set names: the key and the set.
func (l *layout[T]) updateColumns(set columnSet) (columns []int) {
	columns = append(columns, l.sql().key...)
	for i := 0; set>>i != 0; i++ {
		if set>>i&1 != 0 {
			columns = append(columns, i)
		}
	}
	return columns
}

// updateOf returns the statements of a set, which are written when it first occurs.
func (l *layout[T]) updateOf(set columnSet) *rowUpdate {
	if known, there := l.updates.Load(set); there {
		return known.(*rowUpdate)
	}
	known, _ := l.updates.LoadOrStore(set, l.writeUpdate(set))
	return known.(*rowUpdate)
}

func (l *layout[T]) writeUpdate(set columnSet) *rowUpdate {
	names, types := l.namedRow().names, l.namedRow().types
	var one, all, where, which, as, lists, kinds []string
	for i, column := range l.updateColumns(set) {
		name := names[column]
		as = append(as, name)
		lists, kinds = append(lists, fmt.Sprintf("$%d::%s[]", i+1, types[column])), append(kinds, types[column])
		if i < len(l.key) {
			where = append(where, fmt.Sprintf("%s = $%d", name, i+1))
			which = append(which, fmt.Sprintf("%s.%s = new.%s", l.table, name, name))
			continue
		}
		one = append(one, fmt.Sprintf("%s = $%d", name, i+1))
		all = append(all, name+" = new."+name)
	}
	key := make([]int, len(l.key))
	for i := range key {
		key[i] = i
	}
	c := &rowUpdate{sql: fmt.Sprintf("UPDATE %s SET %s WHERE %s", l.table, strings.Join(one, ", "), strings.Join(where, " AND "))}
	if !slices.ContainsFunc(kinds, isArrayType) {
		c.bulk = &bulkStatement{
			sql: fmt.Sprintf("UPDATE %s SET %s FROM unnest(%s) AS new (%s) WHERE %s", l.table,
				strings.Join(all, ", "), strings.Join(lists, ", "), strings.Join(as, ", "), strings.Join(which, " AND ")),
			types: kinds, key: key,
		}
	}
	return c
}
