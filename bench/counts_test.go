package main

import (
	"slices"
	"testing"
)

func TestArrivalCounts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		expected int
		keys     []string
		want     counts
	}{
		{"all", 2, []string{"a", "b"}, counts{Checked: 2}},
		{"one is lost", 3, []string{"a", "b"}, counts{Checked: 3, Lost: 1}},
		{"one comes twice", 2, []string{"a", "b", "a"}, counts{Checked: 2, Twice: 1}},
		{"one comes three times", 1, []string{"a", "a", "a"}, counts{Checked: 1, Twice: 2}},
		{"twice does not make up for a loss", 2, []string{"a", "a"}, counts{Checked: 2, Lost: 1, Twice: 1}},
	} {
		var c counts
		c.countArrivals(tt.expected, slices.Values(tt.keys))
		if c != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, c, tt.want)
		}
	}
}

func TestStoredCounts(t *testing.T) {
	t.Parallel()
	var c counts
	c.countStored(5, 5)
	c.countStored(5, 3)
	c.countStored(5, 6)
	if want := (counts{Checked: 15, Lost: 2, Twice: 1}); c != want {
		t.Errorf("%s, want %s", c, want)
	}
}
