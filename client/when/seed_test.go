package when_test

import (
	"flag"
	"os"
)

// Random tests use the same values in every run. RAPID_SEED or the flag -rapid.seed
// sets a different seed; 0 means a new one each time.
func init() {
	if os.Getenv("RAPID_SEED") == "" {
		flag.Set("rapid.seed", "1")
	}
}
