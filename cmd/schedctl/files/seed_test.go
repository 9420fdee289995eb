package files

import (
	"flag"
	"os"
)

// Random tests draw the same values in every run. RAPID_SEED, and the flag
// -rapid.seed, name another seed; 0 is a new one each time.
func init() {
	if os.Getenv("RAPID_SEED") == "" {
		flag.Set("rapid.seed", "1")
	}
}
