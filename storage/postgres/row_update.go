package postgres

import (
	"fmt"
	"slices"
	"strings"
)

// A locked and cached row is updated only in the columns that have changed. For a post
// that is being published these are few, and its text is not among them.

// columnSet is a set of columns of a layout, by their numbers.
type columnSet uint32

// rowUpdate holds the statements that update a set of columns: in one row, or in many
// rows where that is possible (see [isArrayType]). Their arguments are the key and then
// the columns.
type rowUpdate struct {
	sql  string
	bulk *bulkStatement
}

// writeFor returns the function that replaces the row was by the row is. It returns nil
// if they are equal. was is nil for a new row. If the transaction has already written
// the row, all columns are written: a bulk update might run before the earlier write.
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

// changedColumns returns the columns in which two rows differ.
func changedColumns(was, is *row) (set columnSet) {
	for i := range is.fields {
		if !is.fields[i].same(was.fields[i]) {
			set |= 1 << i
		}
	}
	return set
}

// update returns the update of a row and its arguments. It returns nothing when the row
// is unchanged, and an error when no column can hold a field.
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

// updateColumns returns the columns that the update of a set uses: the key and the set.
func (l *layout[T]) updateColumns(set columnSet) (columns []int) {
	columns = append(columns, l.sql().key...)
	for i := 0; set>>i != 0; i++ {
		if set>>i&1 != 0 {
			columns = append(columns, i)
		}
	}
	return columns
}

// updateOf returns the update of a set of columns. Its statements are built when the
// set first occurs.
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
