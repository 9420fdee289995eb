package child_test

import (
	"sync"
	"testing"

	"github.com/schedctl/schedctl/bench/child"
)

// TestFreePortIsGivenOnce asks for so many ports at once that random choices alone
// would meet.
func TestFreePortIsGivenOnce(t *testing.T) {
	t.Parallel()
	const count = 1000
	ports := make([]int, count)
	var asking sync.WaitGroup
	for i := range ports {
		asking.Go(func() {
			var err error
			if ports[i], err = child.FreePort(); err != nil {
				t.Error(err)
			}
		})
	}
	asking.Wait()
	seen := map[int]bool{}
	for _, port := range ports {
		if seen[port] {
			t.Fatalf("port %d was returned twice", port)
		}
		seen[port] = true
	}
}
