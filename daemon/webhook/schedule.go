package webhook

import (
	"math/rand/v2"
	"time"
)

// retries are the pauses after failed attempts.
var retries = [...]time.Duration{
	10 * time.Second, 30 * time.Second, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute,
	time.Hour, 4 * time.Hour, 12 * time.Hour,
}

// longestRetry is longer than any pause, including the random part.
const longestRetry = 14 * time.Hour

// RetryAfter returns how long a delivery waits after this many failed attempts, 1 or
// more: 10 s, 30 s, 2 m, 5 m, 15 m, 1 h, 4 h and 12 h. Each pause is randomly up to 10 %
// longer or shorter, to spread retries of deliveries that failed together. It returns
// false when there are no more retries.
func RetryAfter(failed int) (time.Duration, bool) {
	if failed > len(retries) {
		return 0, false
	}
	wait := retries[max(failed, 1)-1]
	return wait - wait/10 + rand.N(wait/5+1), true
}

// spacing returns the pause of a lane after this many consecutive failed calls: 100 ms,
// doubled each time, up to most.
func spacing(failed int, most time.Duration) time.Duration {
	return min(100*time.Millisecond<<min(failed-1, 10), most)
}
