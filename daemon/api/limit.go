package api

import (
	"errors"
	"math"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// RateLimit is the request limit of one API key: Burst requests at once, and then
// PerSecond a second. The zero value means no limit.
type RateLimit struct {
	PerSecond float64
	Burst     int // default: the requests of one second
}

// Requests without a valid key are limited by address: failureBurst at once, then
// one every failureEvery.
const (
	failureBurst = 20
	failureEvery = 3 * time.Second
	maxAddresses = 1 << 14
)

const (
	maxLimited = 1 << 14 // maximum number of buckets
	maxBurst   = 1_000_000
)

// rateLimits limits requests by key, and failed authentications by address.
type rateLimits struct {
	keys      *buckets[string] // nil without a limit
	perSecond float64
	failures  *buckets[netip.Prefix]
}

// newRateLimits returns the limits of one of several daemons.
func newRateLimits(l RateLimit, shared storage.Shared) rateLimits {
	out := rateLimits{failures: &buckets[netip.Prefix]{every: failureEvery, burst: failureBurst, maxBuckets: maxAddresses}}
	if out.perSecond = l.PerSecond; l.PerSecond > 0 {
		burst := float64(l.Burst)
		if l.Burst <= 0 {
			burst = math.Ceil(l.PerSecond)
		}
		every := min(float64(time.Second)/l.PerSecond, float64(time.Hour))
		out.keys = &buckets[string]{
			every: max(time.Duration(every), 1), burst: int(min(burst, maxBurst)), maxBuckets: maxLimited,
		}
		if shared != nil {
			out.keys.every = max(out.keys.every, time.Microsecond) // the resolution of the database
			out.keys.newCaller = make(chan struct{}, 1)
		}
	}
	return out
}

// spend takes a token of a caller, an API key or a share, and sets the X-RateLimit headers.
// It returns an error when no token is left. A share has its own limit: readers of an
// address never use up the requests of the key that made it.
func (l *rateLimits) spend(w http.ResponseWriter, caller string, now time.Time) error {
	if l.keys == nil {
		return nil
	}
	a := l.keys.take(caller, now)
	h := w.Header()
	h["X-Ratelimit-Limit"] = []string{strconv.Itoa(l.keys.burst)}
	h["X-Ratelimit-Remaining"] = []string{strconv.Itoa(a.remaining)}
	h["X-Ratelimit-Reset"] = []string{strconv.FormatInt(a.full.Add(time.Second-1).Unix(), 10)}
	if a.granted {
		return nil
	}
	return rateLimited(w, a.wait, "this API key has made too many requests; try again in %d s, and see the X-RateLimit headers to stay below the limit")
}

// refuse returns the error for a request without a valid key, upload URL or upload link: refusal, or
// RATE_LIMITED after too many failures from its address. Forwarding headers are
// ignored because clients can forge them.
func (l *rateLimits) refuse(w http.ResponseWriter, r *http.Request, now time.Time, refusal error) error {
	if code := schedctl.CodeOf(refusal); Status(code) != http.StatusUnauthorized && code != schedctl.UploadURLInvalid && !errors.Is(refusal, errNoUploadLink) {
		return refusal
	}
	a := l.failures.take(addressBlock(r.RemoteAddr), now)
	if a.granted {
		return refusal
	}
	return rateLimited(w, a.wait, "too many requests without a valid API key came from your address; check the key and try again in %d s")
}

func rateLimited(w http.ResponseWriter, wait time.Duration, format string) error {
	seconds := int64(math.Ceil(wait.Seconds()))
	w.Header()["Retry-After"] = []string{strconv.FormatInt(seconds, 10)}
	return schedctl.Errorf(schedctl.RateLimited, "", format, seconds)
}

// addressBlock returns the block of addresses that counts as one caller: a single
// IPv4 address, or an IPv6 /64, which one customer usually has. A Unix socket has
// the zero value.
func addressBlock(remote string) netip.Prefix {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Prefix{}
	}
	addr := at.Addr().Unmap().WithZone("")
	bits := addr.BitLen()
	if addr.Is6() {
		bits = 64
	}
	block, _ := addr.Prefix(bits) // cannot fail: bits fits the address
	return block
}

// remoteAddress returns the address without its port, or "unix" for a socket.
func remoteAddress(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return "unix"
	}
	return host
}
