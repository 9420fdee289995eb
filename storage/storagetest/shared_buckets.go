package storagetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/schedctl/schedctl/storage"
)

var bucketParts = []sharedPart{
	{"TokensAreSpent", testTokensAreUsed},
	{"TokensAreSpentByMany", testTokensAreUsedConcurrently},
}

// useTokens takes tokens and returns the time until each bucket is full again.
func (f *sharedFixture) useTokens(s storage.Shared, spent ...storage.TokenUse) []time.Duration {
	f.Helper()
	full, err := s.UseTokens(context.Background(), spent)
	if err != nil {
		f.Fatalf("UseTokens: %v", err)
	}
	now := time.Now()
	if len(full) != len(spent) {
		f.Fatalf("%d buckets returned, want %d", len(full), len(spent))
	}
	left := make([]time.Duration, len(full))
	for i := range full {
		left[i] = full[i].Sub(now)
	}
	return left
}

// wantRefillTimes checks the refill times of buckets, after some time has passed.
func (f *sharedFixture) wantRefillTimes(what string, want, got []time.Duration, began time.Time) {
	f.Helper()
	passed := time.Since(began) + time.Millisecond
	for i := range want {
		if got[i] > want[i] || got[i] < want[i]-passed {
			f.Errorf("%s: bucket %d is full in %v, want %v less the %v that have passed", what, i, got[i], want[i], passed)
		}
	}
}

func testTokensAreUsed(f *sharedFixture) {
	if full, err := f.one.UseTokens(context.Background(), nil); len(full) != 0 || err != nil {
		f.Errorf("no buckets: %v, %v", full, err)
	}
	began := time.Now()
	b := func(name string, tokens int) storage.TokenUse {
		return storage.TokenUse{Bucket: name, Tokens: tokens, Every: time.Minute}
	}
	const m = time.Minute
	f.wantRefillTimes("only read", []time.Duration{0, 0}, f.useTokens(f.one, b("b", 0), b("a", 0)), began)
	f.wantRefillTimes("spent", []time.Duration{3 * m, 1 * m}, f.useTokens(f.one, b("b", 3), b("a", 1)), began)
	f.wantRefillTimes("used by the second process", []time.Duration{1 * m, 5 * m, 0}, f.useTokens(f.two, b("a", 0), b("b", 2), b("c", 0)), began)
	f.wantRefillTimes("twice in one call", []time.Duration{4 * m, 6 * m, 4 * m, 0}, f.useTokens(f.one, b("a", 1), b("b", 1), b("a", 2), b("c", 0)), began)
	f.wantRefillTimes("read and used", []time.Duration{5 * m, 5 * m}, f.useTokens(f.two, b("a", 0), b("a", 1)), began)
	quick := storage.TokenUse{Bucket: "quick", Tokens: 1, Every: time.Microsecond}
	f.useTokens(f.one, quick)
	for quick.Tokens = 0; f.useTokens(f.one, quick)[0] > 0; {
	}
	quick.Tokens, quick.Every = 1, time.Hour
	f.wantRefillTimes("full again", []time.Duration{time.Hour}, f.useTokens(f.one, quick), began)
}

// testTokensAreUsedConcurrently takes tokens from many buckets at once, in any order.
// No use may be lost.
func testTokensAreUsedConcurrently(f *sharedFixture) {
	const spenders, rounds, buckets = 8, 10, 20
	began := time.Now()
	all := make([]storage.TokenUse, buckets)
	for i := range all {
		all[i] = storage.TokenUse{Bucket: fmt.Sprint("bucket ", i), Tokens: 1, Every: time.Hour}
	}
	var spending sync.WaitGroup
	for i := range spenders {
		spending.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(i)))
			for range rounds {
				shuffled := append([]storage.TokenUse(nil), all...)
				random.Shuffle(buckets, func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
				if _, err := []storage.Shared{f.one, f.two}[i%2].UseTokens(context.Background(), shuffled); err != nil {
					f.Errorf("UseTokens: %v", err)
				}
			}
		})
	}
	spending.Wait()
	want := make([]time.Duration, buckets)
	for i := range want {
		want[i], all[i].Tokens = spenders*rounds*time.Hour, 0
	}
	f.wantRefillTimes("used by many", want, f.useTokens(f.one, all...), began)
}
