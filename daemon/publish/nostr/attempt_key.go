package nostr

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
)

// keyStep is the least distance of two keys in microseconds. It leaves room for the
// further parts of a thread.
const keyStep = schedctl.MaxThread + 2

// keyDigits is the length of a key: microseconds since 1970 until the year 5138.
const keyDigits = 17

// NewKey returns a key for now, which fixes the creation time of the event. The keys of
// one publisher are unique and in order.
func (p *Publisher) NewKey(now time.Time) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = max(now.UnixMicro(), p.last+keyStep)
	return fmt.Sprintf("%0*d", keyDigits, p.last)
}

// parseKey returns what a key fixes: the creation time of an event, and a number that no
// other event of the account has. Each part of a thread is created a second after the
// one before it, so that apps show them in order.
func parseKey(key string) (created time.Time, number string, ok bool) {
	first, suffix, hasPart := strings.Cut(key, "-")
	micros, err := strconv.ParseInt(first, 10, 64)
	part := 0
	if hasPart && err == nil {
		part, err = strconv.Atoi(suffix)
	}
	if err != nil || len(first) != keyDigits || micros <= 0 || part < 0 || part > schedctl.MaxThread+1 {
		return time.Time{}, "", false
	}
	return time.UnixMicro(micros).Add(time.Duration(part) * time.Second).UTC(), strconv.FormatInt(micros+int64(part), 10), true
}
