// Package search finds texts in texts the same way in every engine: with their
// case folded, character by character, as strings.EqualFold has it (Unicode
// simple case folding).
package search

import "unicode"

// Needle is a text to look for. The zero value is found in everything.
type Needle struct{ folded []rune }

// For returns the needle for a text.
func For(text string) Needle {
	folded := []rune(text)
	for i, r := range folded {
		folded[i] = fold(r)
	}
	return Needle{folded}
}

// fold returns the one character that stands for all that differ in case
// alone.
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

// In reports whether a text holds the needle.
func (n Needle) In(text string) bool {
	if len(n.folded) == 0 {
		return true
	}
	for i, r := range text {
		if fold(r) == n.folded[0] && n.begins(text[i:]) {
			return true
		}
	}
	return false
}

// begins reports whether a text begins with the needle.
func (n Needle) begins(text string) bool {
	found := 0
	for _, r := range text {
		if found == len(n.folded) || fold(r) != n.folded[found] {
			break
		}
		found++
	}
	return found == len(n.folded)
}
