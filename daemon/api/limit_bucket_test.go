package api

import (
	"testing"
	"time"
)

func TestBucket(t *testing.T) {
	t.Parallel()
	b := &buckets[string]{every: time.Second, burst: 3, maxBuckets: 10}
	now := time.Unix(1000, 0)
	for i, want := range []grant{
		{granted: true, remaining: 2, full: now.Add(time.Second)},
		{granted: true, remaining: 1, full: now.Add(2 * time.Second)},
		{granted: true, remaining: 0, full: now.Add(3 * time.Second)},
		{wait: time.Second, full: now.Add(3 * time.Second)},
		{wait: time.Second, full: now.Add(3 * time.Second)}, // a refused request costs no token
	} {
		if got := b.take("a", now); got != want {
			t.Errorf("%d: %+v, want %+v", i, got, want)
		}
	}
	if got := b.take("b", now); !got.granted || got.remaining != 2 {
		t.Errorf("another caller gets %+v", got)
	}
	now = now.Add(400 * time.Millisecond)
	if got := b.take("a", now); got.granted || got.wait != 600*time.Millisecond {
		t.Errorf("too early: %+v", got)
	}
	now = now.Add(600 * time.Millisecond)
	if got := b.take("a", now); !got.granted || got.remaining != 0 {
		t.Errorf("after a second: %+v", got)
	}
	now = now.Add(time.Hour)
	if got := b.take("a", now); !got.granted || got.remaining != 2 {
		t.Errorf("after an hour there is more than the burst: %+v", got)
	}
}

// TestBucketsInALongRun guards that a caller that never stops gets the burst and
// the rate.
func TestBucketsInALongRun(t *testing.T) {
	t.Parallel()
	b := &buckets[int]{every: 100 * time.Millisecond, burst: 5, maxBuckets: 1}
	start := time.Unix(1000, 0)
	granted := 0
	for ms := range 10_000 {
		if b.take(1, start.Add(time.Duration(ms)*time.Millisecond)).granted {
			granted++
		}
	}
	if granted != 5+99 {
		t.Errorf("%d are granted in ten seconds", granted)
	}
}

func TestBucketsAreBounded(t *testing.T) {
	t.Parallel()
	const most = 8
	b := &buckets[int]{every: time.Second, burst: 2, maxBuckets: most}
	now := time.Unix(1000, 0)
	for caller := 1; caller <= most; caller++ {
		b.take(caller, now)
	}
	granted := 0
	for caller := most + 1; caller <= 100; caller++ {
		if b.take(caller, now).granted {
			granted++
		}
	}
	if granted != 2 || len(b.full) > most+1 {
		t.Errorf("%d of those who share a bucket are granted, %d buckets are kept", granted, len(b.full))
	}
	if got := b.take(1, now); !got.granted {
		t.Error("a caller with a bucket has lost it")
	}
	now = now.Add(time.Minute)
	if got := b.take(101, now); !got.granted || got.remaining != 1 || len(b.full) != 1 {
		t.Errorf("full buckets are kept: %+v, %d", got, len(b.full))
	}
}

func TestRateLimitsAreSane(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		limit RateLimit
		burst int
		every time.Duration
	}{
		{RateLimit{PerSecond: 20}, 20, 50 * time.Millisecond},
		{RateLimit{PerSecond: 20, Burst: 3}, 3, 50 * time.Millisecond},
		{RateLimit{PerSecond: 0.5}, 1, 2 * time.Second},
		{RateLimit{PerSecond: 1e-12}, 1, time.Hour},
		{RateLimit{PerSecond: 1e12}, maxBurst, 1},
	} {
		l := newRateLimits(tt.limit, nil)
		if l.keys.burst != tt.burst || l.keys.every != tt.every {
			t.Errorf("%+v is %d at once, one each %s", tt.limit, l.keys.burst, l.keys.every)
		}
		if !l.keys.take("k", time.Now()).granted {
			t.Errorf("%+v grants nothing", tt.limit)
		}
	}
	if l := newRateLimits(RateLimit{Burst: 5}, nil); l.keys != nil {
		t.Error("no rate is a limit")
	}
}

func TestAddressBlock(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"192.0.2.1:1", "192.0.2.1:2", true},
		{"192.0.2.1:1", "192.0.2.2:1", false},
		{"192.0.2.1:1", "[::ffff:192.0.2.1]:1", true},
		{"[2001:db8::1]:1", "[2001:db8::ffff:1]:1", true},
		{"[2001:db8::1]:1", "[2001:db8:0:1::1]:1", false},
		{"[fe80::1%eth0]:1", "[fe80::2%eth1]:1", true},
		{"@", "", true},
		{"@", "192.0.2.1:1", false},
	} {
		if same := addressBlock(tt.a) == addressBlock(tt.b); same != tt.same {
			t.Errorf("%s and %s count as one caller: %v", tt.a, tt.b, same)
		}
	}
}
