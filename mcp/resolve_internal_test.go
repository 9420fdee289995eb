package mcp

import "testing"

func TestIndexOfName(t *testing.T) {
	t.Parallel()
	names := []string{"blog", "Blog", "News", "team", "team"}
	for name, want := range map[string]int{
		"blog": 0, "Blog": 1, "BLOG": severalNames, "news": 2, "team": severalNames, "nothing": noName, "": noName,
	} {
		if got := indexOfName(names, name); got != want {
			t.Errorf("%q has the index %d, want %d", name, got, want)
		}
	}
}
