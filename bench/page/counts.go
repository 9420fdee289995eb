package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// leadingCounts come first, in this order; others follow by name.
var leadingCounts = []string{"kills", "acknowledged", "lost", "twice", "stuck"}

// counts formats the counts of a scenario in one line.
func counts(c map[string]int64) string {
	names := slices.SortedFunc(maps.Keys(c), func(a, b string) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	var parts []string
	for _, name := range names {
		parts = append(parts, strings.ReplaceAll(name, "_", " ")+" "+thousands(c[name]))
	}
	return strings.Join(parts, ", ")
}

func rank(name string) int {
	if i := slices.Index(leadingCounts, name); i >= 0 {
		return i
	}
	return len(leadingCounts)
}

// thousands formats a number with commas.
func thousands(n int64) string {
	if n < 0 {
		return "-" + thousands(-n)
	}
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
