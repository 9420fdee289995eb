package postgres

import "github.com/jackc/pgx/v5"

// scanOne returns a scan function for at most one row, which it reports in found. Without
// columns it only checks whether there is a row.
func scanOne(found *bool, columns ...any) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		defer rows.Close()
		if *found = rows.Next(); *found && len(columns) > 0 {
			if err := rows.Scan(columns...); err != nil {
				return err
			}
		}
		rows.Close()
		return rows.Err()
	}
}

// scanAll returns a scan function that stores a value of each row in a list.
func scanAll[T any](list *[]T, value pgx.RowToFunc[T]) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*list, err = pgx.CollectRows(rows, value)
		return err
	}
}
