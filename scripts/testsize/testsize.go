// Package testsize says how much tests do, and how long they wait. "make test" runs a
// small form of tests that are slow by nature: those with many random cases or many
// records. Each small form still fails for the fault that it guards. SCHEDCTL_FULL=1 in
// the environment, which "make full" sets, selects the full forms.
package testsize

import (
	"flag"
	"math/rand/v2"
	"os"
	"strconv"
	"time"

	_ "pgregory.net/rapid" // defines the flags that init sets
)

// Patience is how long a test waits for an event that has to come. No test passes because
// of it: only a fault reaches it, also on a slow machine that runs other tests.
const Patience = 10 * time.Minute

// fewChecks is the number of cases of a random test in its small form.
const fewChecks = "20"

// Random tests draw the same values in every run. The environment variable RAPID_SEED and
// the flag -rapid.seed select different ones; 0 selects a new seed each time. RAPID_CHECKS
// and -rapid.checks select the number of cases.
func init() {
	if os.Getenv("RAPID_SEED") == "" {
		flag.Set("rapid.seed", "1")
	}
	if os.Getenv("RAPID_CHECKS") == "" && !Full() {
		flag.Set("rapid.checks", fewChecks)
	}
}

// Full reports whether tests run in their full forms.
func Full() bool { return os.Getenv("SCHEDCTL_FULL") == "1" }

// Of returns small, or full if tests run in their full forms.
func Of[T any](small, full T) T {
	if Full() {
		return full
	}
	return small
}

// Seeds returns consecutive seeds for a test that makes its own random choices: as many as
// Of returns. They start at 0, or at RAPID_SEED if set, or at a random number if RAPID_SEED
// is 0. RAPID_CHECKS then overrides their number. Such a test must name its subtests after
// the seeds, so that RAPID_SEED repeats one that failed.
func Seeds(small, full int) []uint64 {
	n, first := Of(small, full), uint64(0)
	if text := os.Getenv("RAPID_SEED"); text != "" {
		first, _ = strconv.ParseUint(text, 10, 64)
		if first == 0 {
			first = uint64(rand.Uint32())
			if checks, err := strconv.Atoi(os.Getenv("RAPID_CHECKS")); err == nil && checks > 0 {
				n = checks
			}
		}
	}
	seeds := make([]uint64, n)
	for i := range seeds {
		seeds[i] = first + uint64(i)
	}
	return seeds
}
