package api_test

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/storage"
)

// spendFails is a database whose buckets are unavailable.
type spendFails struct {
	storage.Shared
	failing atomic.Bool
	calls   atomic.Int64
}

func (s *spendFails) UseTokens(ctx context.Context, spent []storage.TokenUse) ([]time.Time, error) {
	s.calls.Add(1)
	if s.failing.Load() {
		return nil, errors.New("no database")
	}
	return s.Shared.UseTokens(ctx, spent)
}

// askFor uses a key on all daemons, 50 times a second on each, and returns the
// number of accepted requests.
func askFor(d time.Duration, peers []*fixture, key string) (granted int) {
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		for _, p := range peers {
			if p.do(as(key), "GET", "/me", nil).status == http.StatusOK {
				granted++
			}
		}
	}
	return granted
}

// Several daemons together accept as many requests as one would, plus those that
// they have not exchanged yet.
func TestRateLimitOfSeveralDaemons(t *testing.T) {
	t.Parallel()
	if _, err := document(); err != nil { // read outside of the bubble: it is shared
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		_, stores := inMemory(2)
		fails := &spendFails{Shared: stores[1]}
		peers := newPeers(t, []storage.Shared{stores[0], fails}, func(c *api.Config) {
			c.RateLimit = api.RateLimit{PerSecond: 10, Burst: 20}
		})
		time.Sleep(time.Minute)
		const seconds = 3
		if n := askFor(seconds*time.Second, peers, peers[0].mine.key); n < 20+10*seconds-5 || n > 20+10*seconds+20 {
			t.Errorf("%d requests within %d s, with 10 a second and 20 at once", n, seconds)
		}

		// A caller that has spent all tokens at one daemon has none left at the
		// others.
		time.Sleep(time.Minute)
		first := askFor(time.Second, peers[:1], peers[0].mine.key)
		if n := askFor(time.Second, peers[1:], peers[0].mine.key); first < 28 || n > 10+20 {
			t.Errorf("%d requests at one daemon, and %d in the next second at the other", first, n)
		}

		// Requests do not wait for a database that does not respond, and are not
		// charged later.
		time.Sleep(time.Minute)
		fails.failing.Store(true)
		askFor(seconds*time.Second, peers[1:], peers[0].mine.key)
		if n := askFor(seconds*time.Second, peers[1:], peers[0].mine.key); n < 10*seconds-1 || n > 10*seconds+1 {
			t.Errorf("%d requests within %d s at a daemon that limits alone", n, seconds)
		}
		fails.failing.Store(false)
		time.Sleep(time.Second)
		if n := askFor(seconds*time.Second, peers[1:], peers[0].mine.key); n < 10*seconds-1 {
			t.Errorf("%d requests within %d s after the database is back", n, seconds)
		}

		// Without requests there are no exchanges.
		time.Sleep(time.Minute)
		before := fails.calls.Load()
		time.Sleep(time.Hour)
		if n := fails.calls.Load() - before; n > 0 {
			t.Errorf("the database is asked %d times while nothing happens", n)
		}
	})
}
