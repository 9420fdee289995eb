package api

import (
	"context"
	"log/slog"
	"time"

	"github.com/schedctl/schedctl/storage"
)

const (
	// shareInterval is how often daemons exchange the tokens that were taken from
	// their buckets. A caller that was not part of the last exchange starts one
	// early, but not within sharePause of the last one.
	shareInterval = 250 * time.Millisecond
	sharePause    = 20 * time.Millisecond

	// shareTimeout limits one exchange. While exchanges fail, each daemon counts
	// only its own requests.
	shareTimeout = 5 * time.Second
)

// bucketName is the name of a caller's bucket in the shared store.
func bucketName(caller string) string { return "requests of " + caller }

// share synchronizes the buckets of keys with those of other daemons until ctx
// ends. Requests do not wait for it.
func (l *rateLimits) share(ctx context.Context, store storage.Shared, log *slog.Logger) {
	if store == nil || l.keys == nil {
		return
	}
	failing := false
	tick := time.NewTicker(shareInterval)
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
			return
		case <-l.keys.newCaller:
		case <-tick.C:
		}
		err := l.shareOnce(ctx, store)
		if err != nil && !failing && ctx.Err() == nil {
			log.WarnContext(ctx, "rate limit exchange failed, each daemon limits requests on its own", "error", err)
		}
		failing = err != nil
		pause(ctx, sharePause)
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

// shareOnce reports the tokens taken since the last exchange, for all keys in one
// call, and adopts the resulting state of the buckets.
func (l *rateLimits) shareOnce(ctx context.Context, store storage.Shared) error {
	taken := l.keys.collectSpent(time.Now())
	if len(taken) == 0 {
		return nil
	}
	callers := make([]string, 0, len(taken))
	spendings := make([]storage.TokenUse, 0, len(taken))
	for caller, tokens := range taken {
		callers = append(callers, caller)
		spendings = append(spendings, storage.TokenUse{Bucket: bucketName(caller), Tokens: tokens, Every: l.keys.every})
	}
	ctx, cancel := context.WithTimeout(ctx, shareTimeout)
	defer cancel()
	full, err := store.UseTokens(ctx, spendings)
	if err != nil {
		l.keys.returnSpent(taken)
		return err
	}
	for i, caller := range callers {
		l.keys.adopt(caller, full[i])
	}
	return nil
}
