package queue

import (
	"slices"
	"strings"
	"testing"
)

// A moved post and the posts between its places are ordered; the others are left alone.
func TestMovedPosts(t *testing.T) {
	t.Parallel()
	ids := strings.Split("abcde", "")
	for _, tc := range []struct {
		from, to int
		want     string
	}{{3, 0, "dabc"}, {0, 4, "bcdea"}, {1, 3, "cdb"}, {3, 1, "dbc"}, {2, 2, "c"}, {1, 2, "cb"}} {
		if got := strings.Join(moved(ids, tc.from, tc.to), ""); got != tc.want {
			t.Errorf("%d to %d: got %s, want %s", tc.from, tc.to, got, tc.want)
		}
	}
	if !slices.Equal(ids, strings.Split("abcde", "")) {
		t.Errorf("the list was changed: %v", ids)
	}
}
