package publish

import "time"

const (
	// requestTime is how long a request without files may take.
	requestTime = 30 * time.Second

	// slowestUpload is the rate in bytes per second at which a slow connection still
	// finishes in time: about one megabit per second.
	slowestUpload = 128 << 10
)

// RequestTime returns how long a request with a body of that many bytes may take: 30
// seconds, and more for files.
func RequestTime(size int64) time.Duration {
	return requestTime + time.Duration(max(size, 0)/slowestUpload)*time.Second
}
