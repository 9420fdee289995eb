package postgres

import (
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// reader implements [storage.Reader] on a snapshot or in a transaction.
type reader struct {
	session
	tx       *tx // its transaction, or nil
	prepared prepared
}

// tx implements [storage.SharedTx]. It locks what it reads until it ends.
//
// New records are written without checking that their ids are free: conflicts are rare,
// and the database refuses the second record. After a conflict the transaction is rerun
// with verifyWrites: each write then checks first, so that the function learns which
// one is refused. The transaction is also rerun when its function has failed after
// unchecked writes.
type tx struct {
	reader
	verifyWrites  bool
	wrote         bool
	hasUnverified bool // the database may refuse some of the buffered writes
	mark          commitMark

	posts          map[string]*cachedPost
	accounts       map[string]schedctl.Account // current state
	keys           map[string]schedctl.APIKey  // current state
	rows           map[string]bool             // existence, by table and id
	owners         map[string]string           // workspace of each webhook, queue, blackout, series, calendar feed and collection; "" for a missing one
	series         map[string]seriesRow        // current state
	idempotency    map[[32]byte]bool           // existence, by hash
	locks          map[lockKey]bool            // locks held
	takenPositions []int64                     // outbox positions taken

	attempted map[string]bool // targets with a written attempt

	changedAccounts []string
	changedWebhooks []string
	addedEvents     int
}

var _ storage.SharedTx = (*tx)(nil)

func newTx(s session, careful bool) *tx {
	tx := &tx{
		reader: reader{session: s}, verifyWrites: careful, posts: make(map[string]*cachedPost),
		accounts: make(map[string]schedctl.Account), keys: make(map[string]schedctl.APIKey), rows: make(map[string]bool),
		owners: make(map[string]string), idempotency: make(map[[32]byte]bool), locks: make(map[lockKey]bool),
		attempted: make(map[string]bool), series: make(map[string]seriesRow),
	}
	tx.reader.tx = tx
	tx.mark.self = newUUID()
	tx.begin = append(s.store.mode.beginUpdate(), tx.mark.readNumber())
	return tx
}

// unverified reports whether the buffered writes include some that the database may
// refuse.
func (tx *tx) unverified() bool { return tx.hasUnverified && len(tx.writes) > 0 }

// put buffers a write.
func (tx *tx) put(sql string, args ...any) {
	tx.write(sql, args...)
	tx.wrote = true
}

// putUnverified is put for a write that the database may refuse.
func (tx *tx) putUnverified(sql string, args ...any) {
	if len(tx.writes) == 0 {
		tx.hasUnverified = false // earlier writes were sent and accepted
	}
	tx.put(sql, args...)
	tx.hasUnverified = true
}

// putRow is put for a statement that writes one row and can be merged with others.
func (tx *tx) putRow(sql string, m *bulkStatement, values []any) {
	tx.put(sql, values...)
	tx.writes[len(tx.writes)-1].bulk = m
}

// putRowUnverified is putUnverified for such a statement.
func (tx *tx) putRowUnverified(sql string, m *bulkStatement, values []any) {
	tx.putUnverified(sql, values...)
	tx.writes[len(tx.writes)-1].bulk = m
}

// queryNow queries the database without sending the buffered writes: a refused write
// must not be discovered here. Use it only for records that this transaction has not
// written.
func (tx *tx) queryNow(st statement) error {
	waiting := tx.writes
	tx.writes = nil
	err := tx.send(st)
	tx.writes = waiting
	return err
}

// summary returns the commit that the transaction reports.
func (tx *tx) summary() storage.Commit {
	c := storage.Commit{Accounts: tx.changedAccounts, Webhooks: tx.changedWebhooks, Events: tx.addedEvents}
	for _, p := range tx.posts {
		for _, d := range p.due {
			if !slices.Contains(p.dueBefore, d) {
				c.Due = append(c.Due, d)
			}
		}
	}
	slices.SortFunc(c.Due, schedctl.Due.Compare)
	return c
}

// abandon rolls the transaction back. It records the outbox positions that it had taken
// as empty at once, so that readers need not find that out.
func (tx *tx) abandon() {
	if len(tx.takenPositions) == 0 || tx.lost || tx.conn == nil || tx.end("ROLLBACK") != nil {
		tx.rollback()
		return
	}
	if err := tx.recordGaps(); err != nil {
		tx.store.log.Warn("cannot record empty outbox positions", "error", err)
	}
	tx.rollback()
}

// appendNew adds an id to a list of ids that a commit reports.
func appendNew(ids []string, id string) []string {
	if slices.Contains(ids, id) {
		return ids
	}
	return append(ids, id)
}

// forUpdate returns the suffix of a query for one record. A transaction locks what it
// reads.
func (r *reader) forUpdate() string {
	if r.tx == nil {
		return ""
	}
	return " FOR NO KEY UPDATE"
}

// lockKey identifies an advisory lock by a table and a number.
type lockKey struct {
	table     string
	of        int32
	exclusive bool
}

func lockOf(table string, id [16]byte) lockKey {
	h := fnv.New32a()
	h.Write(id[:])
	return lockKey{table: table, of: int32(h.Sum32())}
}

// statement returns the statement that takes the lock until the end of the transaction.
// The table's oid distinguishes the locks of several schemas.
func (k lockKey) statement() statement {
	shared := "_shared"
	if k.exclusive {
		shared = ""
	}
	return statement{sql: fmt.Sprintf("SELECT pg_advisory_xact_lock%s('%s'::regclass::oid::int4, $1)", shared, k.table), args: []any{k.of}, bulk: k.bulk()}
}

// bulkLocks are the statements that take many shared locks, by table.
var bulkLocks = map[string]*bulkStatement{
	"targets": {sql: "SELECT pg_advisory_xact_lock_shared('targets'::regclass::oid::int4, of) FROM unnest($1::int4[]) AS of", types: []string{"integer"}},
	"posts":   {sql: "SELECT pg_advisory_xact_lock_shared('posts'::regclass::oid::int4, of) FROM unnest($1::int4[]) AS of", types: []string{"integer"}},
	mediaUses: {sql: "SELECT pg_advisory_xact_lock_shared('" + mediaUses + "'::regclass::oid::int4, of) FROM unnest($1::int4[]) AS of", types: []string{"integer"}},
}

// bulk returns how locks of this kind are taken together. Exclusive locks are taken one
// by one.
func (k lockKey) bulk() *bulkStatement {
	if k.exclusive {
		return nil
	}
	return bulkLocks[k.table]
}

// lock buffers the statement that takes a lock, unless the transaction holds it.
func (tx *tx) lock(k lockKey) {
	if tx.locks[k] {
		return
	}
	tx.locks[k] = true
	tx.writes = append(tx.writes, k.statement())
}

// lockList prevents others from adding to a list, or removing from it, until the end of
// the transaction. On a snapshot it does nothing.
func (r *reader) lockList(table string, owner pgtype.UUID) {
	if r.tx == nil {
		return
	}
	k := lockOf(table, owner.Bytes)
	k.exclusive = true
	r.tx.lock(k)
}

// lockTable is lockList for lists that transactions rarely read: it prevents all other
// writes to the tables.
func (r *reader) lockTable(tables string) {
	k := lockKey{table: tables}
	if r.tx == nil || r.tx.locks[k] {
		return
	}
	r.tx.locks[k] = true
	r.tx.write("LOCK TABLE " + tables + " IN SHARE ROW EXCLUSIVE MODE")
}

// query reads all rows of a layout. condition is the text after the table's name.
func query[T any](r *reader, l *layout[T], condition string, args ...any) ([]T, error) {
	var found []T
	err := r.send(selects(l, &found, condition, args...))
	return found, err
}

// queryWorkspace reads and locks all rows of a workspace.
func queryWorkspace[T any](r *reader, l *layout[T], workspaceID string) ([]T, error) {
	ws, err := parse(schedctl.WorkspacePrefix, workspaceID)
	if err != nil {
		return nil, err
	}
	r.lockList(l.table, ws)
	return query(r, l, "WHERE workspace_id = $1 ORDER BY id"+r.forUpdate(), ws)
}

// selects returns the statement that appends rows of a layout to a list.
func selects[T any](l *layout[T], to *[]T, condition string, args ...any) statement {
	return statement{
		sql:  "SELECT " + l.sql().columns + " FROM " + l.table + " " + condition,
		args: args,
		scan: func(rows pgx.Rows) error {
			var v T
			r := newRow()
			l.describe(&r, &v)
			destinations := r.destinations()
			for rows.Next() {
				if err := rows.Scan(destinations...); err != nil {
					return fmt.Errorf("read %s: %w", l.table, err)
				}
				*to = append(*to, v)
			}
			return rows.Err()
		},
	}
}

// queryOne reads a row that is unique by condition.
func queryOne[T any](r *reader, l *layout[T], condition string, args ...any) (v T, found bool, err error) {
	list, err := query(r, l, condition, args...)
	if err != nil || len(list) == 0 {
		return v, false, err
	}
	return list[0], true, nil
}
