package postgres

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// gapPatience is how long a gap may stay before its cause is determined, gapPause the
// pause between two checks, and gapLimit the limit of one check.
const (
	gapPatience = 50 * time.Millisecond
	gapPause    = 20 * time.Millisecond
	gapLimit    = time.Minute
)

// gapRange is how many positions one check covers.
const gapRange = 10_000

// gapResolver determines which missing positions of the outbox stay empty, and records
// them, so that readers can continue after them.
type gapResolver struct {
	pool   *pgxpool.Pool
	log    *slog.Logger
	notify func(storage.Commit)
	wake   chan struct{} // holds one wake-up

	mu    sync.Mutex // mu guards first
	first int64      // the first missing position that a reader has reported, or 0
}

func newGapResolver(pool *pgxpool.Pool, log *slog.Logger, tell func(storage.Commit)) *gapResolver {
	return &gapResolver{pool: pool, log: log, notify: tell, wake: make(chan struct{}, 1)}
}

// report reports a missing position. It does not block.
func (k *gapResolver) report(place int64) {
	k.mu.Lock()
	if k.first == 0 || place < k.first {
		k.first = place
	}
	k.mu.Unlock()
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

func (k *gapResolver) takeFirst() int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	first := k.first
	k.first = 0
	return first
}

// run resolves reported gaps until ctx ends.
func (k *gapResolver) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-k.wake:
		}
		if !schedctl.Sleep(ctx, gapPatience) { // most gaps are filled within this time
			return
		}
		first := k.takeFirst()
		if err := k.resolve(ctx, first); err != nil && ctx.Err() == nil {
			k.log.Warn("outbox gap not resolved yet", "place", first, "error", err)
			k.report(first)
			schedctl.Sleep(ctx, time.Second)
		}
	}
}

// resolve records the positions from the given one on that will stay empty. A missing
// position before an existing event was taken earlier, by a transaction that held the
// outbox lock at that time. When all transactions that hold the lock now have ended,
// the position cannot be filled any more.
func (k *gapResolver) resolve(ctx context.Context, first int64) error {
	ctx, cancel := context.WithTimeout(ctx, gapLimit)
	defer cancel()
	conn, err := k.pool.Acquire(ctx)
	if err != nil {
		return classifyError(err)
	}
	defer conn.Release()
	var last int64
	err = conn.QueryRow(ctx, "SELECT coalesce(max(seq), 0) FROM (SELECT seq FROM events WHERE seq >= $1 ORDER BY seq LIMIT $2) AS found", first, gapRange).
		Scan(&last)
	if err != nil {
		return fmt.Errorf("read the outbox after the gap: %w", err)
	}
	if err := awaitHolders(ctx, conn.Conn()); err != nil {
		return err
	}
	if _, err = conn.Exec(ctx, insertMissing, first, last); err != nil {
		return fmt.Errorf("record empty positions: %w", err)
	}
	k.notify(storage.Commit{Events: 1}) // events after the gap can be read now
	return nil
}

const insertMissing = `INSERT INTO event_gaps (seq)
	SELECT n FROM generate_series(greatest($1::bigint, (SELECT first_seq FROM outbox)), $2::bigint) AS n
	LEFT JOIN (SELECT seq FROM events WHERE seq BETWEEN $1 AND $2) AS found ON seq = n
	WHERE seq IS NULL
	ON CONFLICT DO NOTHING`

// awaitHolders waits until all transactions have ended that hold the outbox lock now.
func awaitHolders(ctx context.Context, conn *pgx.Conn) error {
	before, err := outboxHolders(ctx, conn)
	for err == nil {
		var now map[string]bool
		if now, err = outboxHolders(ctx, conn); err != nil {
			break
		}
		left := false
		for holder := range before {
			left = left || now[holder]
		}
		if !left {
			return nil
		}
		if !schedctl.Sleep(ctx, gapPause) {
			return ctx.Err()
		}
	}
	return fmt.Errorf("query the holders of the outbox lock: %w", err)
}

// outboxHolders returns the transactions that hold the outbox lock.
func outboxHolders(ctx context.Context, conn *pgx.Conn) (map[string]bool, error) {
	rows, err := conn.Query(ctx, `SELECT virtualtransaction FROM pg_locks WHERE locktype = 'advisory' AND granted
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
		AND classid = 'events'::regclass::oid AND objid = 0 AND objsubid = 2`)
	if err != nil {
		return nil, err
	}
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	holders := make(map[string]bool, len(list))
	for _, h := range list {
		holders[h] = true
	}
	return holders, err
}

// insertGaps records positions that hold no event.
const insertGaps = "INSERT INTO event_gaps (seq) SELECT unnest($1::bigint[]) ON CONFLICT DO NOTHING"

// recordGaps records the positions that the transaction has taken as empty.
func (tx *tx) recordGaps() error {
	ctx, cancel := context.WithTimeout(tx.ctx, rollbackLimit)
	defer cancel()
	_, err := tx.conn.Exec(ctx, insertGaps, tx.takenPositions)
	return err
}
