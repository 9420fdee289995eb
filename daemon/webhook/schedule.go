package webhook

import (
	"math/rand/v2"
	"time"
)

// retries are the waits after failed attempts.
var retries = [...]time.Duration{
	10 * time.Second, 30 * time.Second, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute,
	time.Hour, 4 * time.Hour, 12 * time.Hour,
}

// longestRetry is longer than any of them, a tenth longer as it may be.
const longestRetry = 14 * time.Hour

// RetryAfter returns how long a delivery waits after so many failed attempts, 1
// or more: 10 s, 30 s, 2 m, 5 m, 15 m, 1 h, 4 h and 12 h, each up to a tenth
// longer or shorter, so that what has failed together is not tried together. It
// returns false when the delivery is to be given up.
func RetryAfter(failed int) (time.Duration, bool) {
	if failed > len(retries) {
		return 0, false
	}
	wait := retries[max(failed, 1)-1]
	return wait - wait/10 + rand.N(wait/5+1), true
}

// spacing returns the pause after so many calls of a lane that failed in a row:
// 100 ms, twice as long each time, up to the given most.
func spacing(failed int, most time.Duration) time.Duration {
	return min(100*time.Millisecond<<min(failed-1, 10), most)
}
