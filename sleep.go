package schedctl

import (
	"context"
	"time"
)

// Sleep waits until a duration has passed, or until ctx ends. It reports whether ctx is
// still alive.
func Sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
