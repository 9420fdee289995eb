package schedctl_test

import (
	"testing"

	"github.com/schedctl/schedctl"
)

// TestSourceExternalID guards that each post of an item has an external id of its own.
func TestSourceExternalID(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for round := 1; round < 13; round++ {
		id := schedctl.SourceExternalID("src_1", "0123", round)
		if seen[id] || !schedctl.IsSourceExternalID(id) || schedctl.CheckExternalID(id) != nil {
			t.Errorf("round %d: %s", round, id)
		}
		seen[id] = true
	}
	if !seen["source/src_1/0123"] || !seen["source/src_1/0123/2"] {
		t.Errorf("%v", seen)
	}
}
