package oracle

import (
	"flag"
	"math/rand/v2"
	"os"
	"strconv"
)

// Random tests use the same seed in every run. The environment variable RAPID_SEED and
// the flag -rapid.seed select another one; 0 selects a new seed each time.
func init() {
	if os.Getenv("RAPID_SEED") == "" {
		flag.Set("rapid.seed", "1")
	}
}

// Seeds returns n consecutive seeds for a test that makes its own random choices. They
// start at 0, or at RAPID_SEED if set, or at a random number if RAPID_SEED is 0.
// RAPID_CHECKS then overrides n. Such a test must name its subtests after the seeds, so
// that RAPID_SEED repeats one that failed.
func Seeds(n int) []uint64 {
	var first uint64
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
