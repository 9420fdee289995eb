package outbound

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// lowPart is the part of a limit of requests that stays for publishing: readings of results
// stop below it.
const lowPart = 5 // a fifth

// lowWait is how long a limit counts as low if the network does not say when it ends.
const lowWait = time.Hour

// LowUntil returns when a limit of requests ends, if less than a fifth of it remains, and
// otherwise the zero time. It reads X-RateLimit-Limit, -Remaining and -Reset, which X writes with a further
// dash and Discord completes with -Reset-After, RateLimit-Limit and so on, and the fields
// limit, remaining and reset of RateLimit.
func LowUntil(h http.Header, now time.Time) (latest time.Time) {
	for _, prefix := range []string{"X-RateLimit-", "X-Rate-Limit-", "RateLimit-"} {
		reset := h.Get(prefix + "Reset-After")
		if reset == "" {
			reset = h.Get(prefix + "Reset")
		}
		latest = later(latest, lowUntil(h.Get(prefix+"Limit"), h.Get(prefix+"Remaining"), reset, now))
	}
	fields := map[string]string{}
	for _, m := range limitField().FindAllStringSubmatch(h.Get("RateLimit"), 3) {
		fields[m[1]] = m[2]
	}
	return later(latest, lowUntil(fields["limit"], fields["remaining"], fields["reset"], now))
}

// limitField matches a field of the header RateLimit
// (https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers).
var limitField = pattern.Lazy(`\b(limit|remaining|reset)=([0-9]{1,12})`)

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// lowUntil returns when a limit ends of which less than a fifth remains, or the zero time.
func lowUntil(limit, remaining, reset string, now time.Time) time.Time {
	most, err := strconv.ParseFloat(first(limit), 64)
	left, err2 := strconv.ParseFloat(first(remaining), 64)
	if err != nil || err2 != nil || !(most > 0) || !(left >= 0) || left*lowPart >= most {
		return time.Time{}
	}
	at, ok := parseReset(reset, now)
	if !ok {
		return now.Add(lowWait).UTC()
	}
	return limitRetry(at, now)
}

// first returns the first item of a list that is separated by commas.
func first(list string) string {
	item, _, _ := strings.Cut(list, ",")
	return strings.TrimSpace(item)
}
