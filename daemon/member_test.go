package daemon

import (
	"net"
	"path/filepath"
	"testing"
)

// TestNodeNames guards that daemons on one machine have different names.
func TestNodeNames(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, at := range [][2]string{{"tcp", "127.0.0.1:0"}, {"tcp", "127.0.0.1:0"}, {"unix", filepath.Join(t.TempDir(), "s")}} {
		l, err := net.Listen(at[0], at[1])
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		names[nodeName(l)] = true
	}
	if len(names) != 3 {
		t.Errorf("three daemons have the names %v", names)
	}
}
