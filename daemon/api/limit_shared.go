package api

import (
	"context"
	"log/slog"
	"time"

	"github.com/schedctl/schedctl/storage"
)

const (
	// spendEvery is how often daemons tell each other what was taken out of their
	// buckets, and spendPause how soon after the last time they do when a caller
	// comes who was not there then.
	spendEvery = 250 * time.Millisecond
	spendPause = 20 * time.Millisecond

	// spendLimit is how long that may take. Until it has succeeded, each daemon
	// limits what it sees itself.
	spendLimit = 5 * time.Second
)

// bucketOf is the name of a key's bucket for all daemons.
func bucketOf(keyID string) string { return "requests of " + keyID }

// share brings the buckets of keys in line with those of other daemons, until ctx
// ends. Requests do not wait for it.
func (l *rateLimits) share(ctx context.Context, store storage.Shared, log *slog.Logger) {
	if store == nil || l.keys == nil {
		return
	}
	failing := false
	tick := time.NewTicker(spendEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
			return
		case <-l.keys.stranger:
		case <-tick.C:
		}
		err := l.spendShared(ctx, store)
		if err != nil && !failing && ctx.Err() == nil {
			log.WarnContext(ctx, "each daemon limits requests for itself, for the database cannot be asked", "error", err)
		}
		failing = err != nil
		pause(ctx, spendPause)
	}
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// spendShared tells what was taken since the last time, of all keys in one call,
// and takes over what all daemons have left.
func (l *rateLimits) spendShared(ctx context.Context, store storage.Shared) error {
	taken := l.keys.takeSpent(time.Now())
	if len(taken) == 0 {
		return nil
	}
	callers := make([]string, 0, len(taken))
	spendings := make([]storage.TokenUse, 0, len(taken))
	for caller, tokens := range taken {
		callers = append(callers, caller)
		spendings = append(spendings, storage.TokenUse{Bucket: bucketOf(caller), Tokens: tokens, Every: l.keys.every})
	}
	ctx, cancel := context.WithTimeout(ctx, spendLimit)
	defer cancel()
	full, err := store.UseTokens(ctx, spendings)
	if err != nil {
		l.keys.giveBack(taken)
		return err
	}
	for i, caller := range callers {
		l.keys.adopt(caller, full[i])
	}
	return nil
}
