package bolt

import "unicode"

// fold returns the characters of s with their case folded, one for one (Unicode
// simple case folding, as strings.EqualFold has it).
func fold(s string) []rune {
	folded := []rune(s)
	for i, r := range folded {
		folded[i] = foldRune(r)
	}
	return folded
}

// foldRune returns the one character that stands for all that differ in case
// alone.
func foldRune(r rune) rune {
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

// containsFold reports whether s holds the needle, which is folded.
func containsFold(s string, needle []rune) bool {
	if len(needle) == 0 {
		return true
	}
	for i, r := range s {
		if foldRune(r) == needle[0] && hasPrefixFold(s[i:], needle) {
			return true
		}
	}
	return false
}

func hasPrefixFold(s string, needle []rune) bool {
	n := 0
	for _, r := range s {
		if n == len(needle) || foldRune(r) != needle[n] {
			break
		}
		n++
	}
	return n == len(needle)
}
