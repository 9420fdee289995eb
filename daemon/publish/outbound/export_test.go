package outbound

import "time"

// SetStallTimeout changes how long a connection may take no bytes.
func SetStallTimeout(d time.Duration) (restore func()) {
	was := stallTimeout
	stallTimeout = d
	return func() { stallTimeout = was }
}
