package oracle

import (
	"flag"
	"os"
)

// Random scripts are the same in every run of the tests. RAPID_SEED, and the flag
// -rapid.seed, name another seed; 0 is a new one each time.
func init() {
	if os.Getenv("RAPID_SEED") == "" {
		flag.Set("rapid.seed", "1")
	}
}
