package postgres

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/schedctl/schedctl/storage"
)

// How long a missing place is waited for before it is asked what became of it,
// and how often it is asked.
const (
	gapPatience = 50 * time.Millisecond
	gapPause    = 20 * time.Millisecond
	gapLimit    = time.Minute
)

// gapRange is how many places are looked at in one go.
const gapRange = 10_000

// gapResolver finds out which missing places of the outbox will stay empty, and
// notes them, so that readers go on behind them.
type gapResolver struct {
	pool   *pgxpool.Pool
	log    *slog.Logger
	notify func(storage.Commit)
	wake   chan struct{} // holds one wake-up

	mu    sync.Mutex // mu guards first
	first int64      // the first place that a reader missed, or 0
}

func newGapResolver(pool *pgxpool.Pool, log *slog.Logger, tell func(storage.Commit)) *gapResolver {
	return &gapResolver{pool: pool, log: log, notify: tell, wake: make(chan struct{}, 1)}
}

// report tells of a place that a reader has missed. It does not block.
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

// run looks after missing places until ctx ends.
func (k *gapResolver) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-k.wake:
		}
		if !sleep(ctx, gapPatience) { // most come by themselves
			return
		}
		first := k.takeFirst()
		if err := k.resolve(ctx, first); err != nil && ctx.Err() == nil {
			k.log.Warn("a missing place of the outbox is not explained yet", "place", first, "error", err)
			k.report(first)
			sleep(ctx, time.Second)
		}
	}
}

// sleep waits and reports whether ctx is still alive.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// resolve notes the places from the given one on that will stay empty. A place
// before one that is filled was taken earlier, by a transaction that held the
// lock of the outbox then: when none of those that hold it now is left, what is
// missing cannot come any more.
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
		return fmt.Errorf("look behind it: %w", err)
	}
	if err := awaitHolders(ctx, conn.Conn()); err != nil {
		return err
	}
	if _, err = conn.Exec(ctx, insertMissing, first, last); err != nil {
		return fmt.Errorf("note empty places: %w", err)
	}
	k.notify(storage.Commit{Events: 1}) // some can be read now that could not
	return nil
}

const insertMissing = `INSERT INTO event_gaps (seq)
	SELECT n FROM generate_series(greatest($1::bigint, (SELECT first_seq FROM outbox)), $2::bigint) AS n
	LEFT JOIN (SELECT seq FROM events WHERE seq BETWEEN $1 AND $2) AS found ON seq = n
	WHERE seq IS NULL
	ON CONFLICT DO NOTHING`

// awaitHolders waits for the end of all transactions that hold the lock of the
// outbox.
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
		if !sleep(ctx, gapPause) {
			return ctx.Err()
		}
	}
	return fmt.Errorf("ask who holds the outbox: %w", err)
}

// outboxHolders returns the transactions that hold the lock of the outbox.
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

// insertGaps notes places that hold no event.
const insertGaps = "INSERT INTO event_gaps (seq) SELECT unnest($1::bigint[]) ON CONFLICT DO NOTHING"

// recordGaps notes the places that the transaction had taken.
func (tx *tx) recordGaps() error {
	ctx, cancel := context.WithTimeout(tx.ctx, rollbackLimit)
	defer cancel()
	_, err := tx.conn.Exec(ctx, insertGaps, tx.takenPositions)
	return err
}
