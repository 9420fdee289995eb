package search_test

import (
	"strings"
	"testing"

	"github.com/schedctl/schedctl/storage/search"
)

func TestFoldsAsEqualFoldDoes(t *testing.T) {
	t.Parallel()
	for r := rune(0); r <= 0x1ffff; r++ {
		for _, other := range []rune{r, r + 1, r ^ 0x20} {
			want := strings.EqualFold(string(r), string(other))
			if got := search.For(string(other)).In(string(r)); got != want {
				t.Fatalf("%q in %q: %v, want %v", other, r, got, want)
			}
		}
	}
}

func TestIn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		needle, text string
		want         bool
	}{
		{"", "", true}, {"", "x", true}, {"x", "", false}, {"aab", "aaab", true}, {"aab", "aa", false}, {"Ü", "über", true},
	} {
		if got := search.For(c.needle).In(c.text); got != c.want {
			t.Errorf("%q in %q: %v, want %v", c.needle, c.text, got, c.want)
		}
	}
}
