package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/schedctl/schedctl/storage"
)

// bucketSweep is how often full buckets are removed, and bucketSweepRows how many at
// most in one sweep.
const (
	bucketSweep     = time.Minute
	bucketSweepRows = 1000
)

// UseTokens implements [storage.Shared]. Buckets are written in order of their names,
// so that two nodes cannot deadlock. When the connection is lost during the call,
// tokens may be counted twice; no token is given out twice.
func (s *Store) UseTokens(ctx context.Context, spent []storage.TokenUse) ([]time.Time, error) {
	if len(spent) == 0 {
		return nil, nil
	}
	lasts := make(map[string]time.Duration) // time until each bucket is full
	statements := []statement{useTokensStatement(spent, lasts)}
	if s.bucketsDue() {
		statements = append(statements, statement{sql: `DELETE FROM token_buckets WHERE name IN (SELECT name FROM token_buckets
			WHERE full_at < clock_timestamp() - interval '1 minute' LIMIT $1 FOR UPDATE SKIP LOCKED)`, args: []any{bucketSweepRows}})
	}
	if err := s.runOnLifeline(ctx, statements...); err != nil {
		return nil, fmt.Errorf("use tokens: %w", err)
	}
	now := time.Now()
	full := make([]time.Time, len(spent))
	for i := range spent {
		full[i] = now.Add(max(0, lasts[clean(spent[i].Bucket)]))
	}
	return full, nil
}

// useTokensStatement returns the statement that takes tokens and stores in lasts how
// long each bucket needs to be full again. All times are computed on the server, whose
// clock may differ from that of this machine.
func useTokensStatement(spent []storage.TokenUse, lasts map[string]time.Duration) statement {
	taken, looked := make(map[string]time.Duration), make(map[string]bool)
	for _, t := range spent {
		if took := time.Duration(t.Tokens) * t.Every; took > 0 {
			taken[clean(t.Bucket)] += took
		} else {
			looked[clean(t.Bucket)] = true
		}
	}
	names, micros := slices.Sorted(maps.Keys(taken)), []int64{}
	for _, name := range names {
		delete(looked, name)
		micros = append(micros, taken[name].Microseconds())
	}
	return statement{
		sql: `WITH spent AS (
				INSERT INTO token_buckets AS b (name, full_at)
				SELECT name, statement_timestamp() + micros * interval '1 microsecond'
				FROM unnest($1::text[], $2::bigint[]) AS taken (name, micros) ORDER BY name COLLATE "C"
				ON CONFLICT (name) DO UPDATE
				SET full_at = greatest(b.full_at, statement_timestamp()) + (excluded.full_at - statement_timestamp())
				RETURNING name, full_at)
			SELECT name, (extract(epoch FROM full_at - clock_timestamp()) * 1000000)::bigint FROM
				(SELECT name, full_at FROM spent UNION ALL SELECT name, full_at FROM token_buckets WHERE name = ANY($3::text[])) AS left_over`,
		args: []any{names, micros, slices.Sorted(maps.Keys(looked))},
		scan: func(rows pgx.Rows) error {
			var name string
			var micros int64
			_, err := pgx.ForEachRow(rows, []any{&name, &micros}, func() error {
				lasts[name] = time.Duration(micros) * time.Microsecond
				return nil
			})
			return err
		},
	}
}

// bucketsDue reports whether it is time to remove full buckets. It returns true to one
// caller only.
func (s *Store) bucketsDue() bool {
	now, last := time.Now().Unix(), s.bucketsSwept.Load()
	return now-last >= int64(bucketSweep/time.Second) && s.bucketsSwept.CompareAndSwap(last, now)
}
