// Package search finds a text within another, with the same result in every storage
// engine. It ignores case as strings.EqualFold does: with Unicode simple case folding.
package search

import "unicode"

// Needle is a text to search for. The zero value is found in every text. A
// Needle may be used by several goroutines at once.
type Needle struct {
	folded []rune

	// border holds, for each prefix of folded that ends at this index, the length
	// of the longest shorter prefix that the prefix also ends with (the failure
	// function of Knuth, Morris and Pratt).
	border []int
}

// For returns the needle for a text. It takes linear time.
func For(text string) Needle {
	n := Needle{folded: []rune(text)}
	n.border = make([]int, len(n.folded))
	matched := 0
	for i, r := range n.folded {
		n.folded[i] = fold(r)
		if i > 0 {
			matched = n.advance(matched, n.folded[i])
			n.border[i] = matched
		}
	}
	return n
}

// In reports whether a text contains the needle. It takes linear time for every needle
// and text, and allocates nothing.
func (n Needle) In(text string) bool {
	if len(n.folded) == 0 {
		return true
	}
	matched := 0
	for _, r := range text {
		if matched = n.advance(matched, fold(r)); matched == len(n.folded) {
			return true
		}
	}
	return false
}

// advance reads one more character of the text. It returns how many characters of the
// needle match after it; matched is the number before it.
func (n *Needle) advance(matched int, r rune) int {
	for matched > 0 && n.folded[matched] != r {
		matched = n.border[matched-1]
	}
	if n.folded[matched] == r {
		matched++
	}
	return matched
}

// fold returns the one character that represents all characters that differ from
// it only in case.
func fold(r rune) rune {
	switch {
	case 'A' <= r && r <= 'Z':
		return r + 'a' - 'A'
	case r < unicode.MaxASCII:
		return r
	}
	least := r
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		least = min(least, other)
	}
	if 'A' <= least && least <= 'Z' {
		return least + 'a' - 'A'
	}
	return least
}
