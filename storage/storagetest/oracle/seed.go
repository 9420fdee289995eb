package oracle

import (
	"flag"
	"math/rand/v2"
	"os"
	"strconv"
)

// Random tests draw the same values in every run. The environment variable RAPID_SEED,
// and the flag -rapid.seed, name another seed; 0 asks for a new one each time.
func init() {
	if os.Getenv("RAPID_SEED") == "" {
		flag.Set("rapid.seed", "1")
	}
}

// Seeds returns n consecutive seeds for a test that makes its own random choices. They
// begin at 0, or at RAPID_SEED where that is set, or at a random number where it is 0:
// then there are RAPID_CHECKS of them, if that is set. Such a test names its subtests
// after their seeds, so that RAPID_SEED repeats one that failed.
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
