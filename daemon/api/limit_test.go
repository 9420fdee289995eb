package api_test

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// limitedFixture has a limit of 2 requests a second, 3 at once. It must be in a
// synctest bubble.
func limitedFixture(t *testing.T) *fixture {
	f := newFixtureOn(t, storagetest.NewMemory(), func(c *api.Config) { c.RateLimit = api.RateLimit{PerSecond: 2, Burst: 3} })
	time.Sleep(time.Minute) // the requests that created it are forgotten
	return f
}

func TestRateLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := limitedFixture(t)
		wantLimit := func(r *response, remaining int, full time.Duration) {
			t.Helper()
			reset := strconv.FormatInt(time.Now().Add(full+time.Second-1).Unix(), 10)
			for name, want := range map[string]string{"X-Ratelimit-Limit": "3", "X-Ratelimit-Remaining": strconv.Itoa(remaining), "X-Ratelimit-Reset": reset} {
				if got := r.header.Get(name); got != want {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
			}
		}
		wantLimit(f.do(nil, "GET", "/me", nil).want(200), 2, 500*time.Millisecond)
		wantLimit(f.do(nil, "GET", "/posts/post_0", nil).want(404), 1, time.Second)
		wantLimit(f.do(nil, "POST", "/posts", body{"content": "x"}).want(201), 0, 1500*time.Millisecond)
		for range 3 {
			r := f.do(nil, "POST", "/posts", body{"content": "x"})
			r.refused(schedctl.RateLimited)
			wantLimit(r, 0, 1500*time.Millisecond)
			if got := r.header.Get("Retry-After"); got != "1" {
				t.Errorf("Retry-After: %q", got)
			}
		}
		another := as(f.scoped(schedctl.ScopePostsRead))
		wantLimit(f.do(another, "GET", "/posts", nil).want(200), 2, 500*time.Millisecond)
		wantLimit(f.do(another, "POST", "/posts", body{"content": "x"}).want(403), 1, time.Second)

		time.Sleep(500 * time.Millisecond)
		wantLimit(f.do(nil, "GET", "/me", nil).want(200), 0, 1500*time.Millisecond)
		f.do(nil, "GET", "/me", nil).refused(schedctl.RateLimited)
		time.Sleep(time.Hour)
		wantLimit(f.do(nil, "GET", "/me", nil).want(200), 2, 500*time.Millisecond)
	})
}

// TestReadersOfASharePayForThemselves guards that those who open an address cannot use up the
// requests of the API key that made it, or of another share.
func TestReadersOfASharePayForThemselves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := limitedFixture(t)
		one, other := f.reviewer(body{"name": "Dana", "can": "view"}), f.reviewer(body{"name": "Vera", "can": "view"})
		time.Sleep(time.Minute)
		b := &browser{f: f}
		for range 3 {
			b.send(nil, "GET", one, nil).want(200)
		}
		if r := b.send(nil, "GET", one, nil).want(http.StatusTooManyRequests); r.header.Get("Retry-After") == "" {
			t.Error("a page that is refused does not say when it can be read")
		}
		b.send(nil, "GET", other, nil).want(200)
		f.do(nil, "GET", "/me", nil).want(200)
	})
}

func TestRateLimitIsOffByDefault(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for range 200 {
		if r := f.do(nil, "GET", "/me", nil).want(200); r.header.Get("X-Ratelimit-Limit") != "" {
			t.Fatalf("%v", r.header)
		}
	}
}

// TestRefusedByLimitHasNoEffect guards that a rate-limited request can be repeated
// later with its Idempotency-Key, and then runs for the first time.
func TestRefusedByLimitHasNoEffect(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := limitedFixture(t)
		for range 3 {
			f.do(nil, "GET", "/me", nil)
		}
		f.do(key("k"), "POST", "/posts", body{"content": "x"}).refused(schedctl.RateLimited)
		time.Sleep(time.Second)
		if r := f.do(key("k"), "POST", "/posts", body{"content": "x"}).want(201); r.header.Get("Idempotent-Replayed") != "" {
			t.Error("a refused request has been made")
		}
	})
}

func from(address string) option {
	return func(r *http.Request) { r.RemoteAddr = address }
}

func TestFailedAuthenticationIsLimited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		revoked := f.newKey(f.mine.workspace, func(k *schedctl.APIKey) { k.RevokedAt = time.Now() })
		secret, _ := schedctl.NewKeySecret()
		bad := []struct {
			authorization string
			code          schedctl.Code
		}{
			{"Bearer " + secret, schedctl.InvalidAPIKey}, {"Bearer x", schedctl.InvalidAPIKey},
			{"", schedctl.AuthenticationRequired}, {"Bearer " + revoked, schedctl.APIKeyRevoked},
		}
		fail := func(i int, o option) *response {
			return f.do(all(header("Authorization", bad[i%len(bad)].authorization), o), "GET", "/me", nil)
		}
		for i := range 20 {
			fail(i, from("192.0.2.1:1")).refused(bad[i%len(bad)].code)
		}
		for i := range 5 {
			r := fail(i, all(from("192.0.2.1:2"), header("X-Forwarded-For", fmt.Sprint("203.0.113.", i))))
			r.refused(schedctl.RateLimited)
			if got := r.header.Get("Retry-After"); got != "3" || r.header.Get("WWW-Authenticate") != "" {
				t.Errorf("Retry-After: %q, WWW-Authenticate: %q", got, r.header.Get("WWW-Authenticate"))
			}
		}
		f.do(from("192.0.2.1:3"), "GET", "/me", nil).want(200) // a caller with a key is not delayed
		fail(0, from("192.0.2.2:1")).refused(schedctl.InvalidAPIKey)
		for i := range 20 {
			fail(1, from(fmt.Sprintf("[2001:db8::%x]:1", i))).refused(schedctl.InvalidAPIKey)
		}
		fail(1, from("[2001:db8::ffff]:1")).refused(schedctl.RateLimited)
		fail(1, from("[2001:db8:0:1::1]:1")).refused(schedctl.InvalidAPIKey)

		time.Sleep(3 * time.Second)
		fail(1, from("192.0.2.1:1")).refused(schedctl.InvalidAPIKey)
		fail(1, from("192.0.2.1:1")).refused(schedctl.RateLimited)
	})
}

// TestStoreErrorsAreNotFailures guards that errors other than an invalid key do not
// count as failures.
func TestStoreErrorsAreNotFailures(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for range 30 {
		secret, _ := schedctl.NewKeySecret()
		f.store.FailViews(1)
		f.do(as(secret), "GET", "/me", nil).refused(schedctl.Unavailable)
	}
}
