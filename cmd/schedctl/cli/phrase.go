package cli

import (
	"fmt"
	"strings"
)

// Strings returns values of a type of text as texts.
func Strings[T ~string](values []T) []string {
	return Map(values, func(v T) string { return string(v) })
}

// JoinStrings returns values of a type of text with something between them.
func JoinStrings[T ~string](values []T, between string) string {
	return strings.Join(Strings(values), between)
}

func Deref[T any](p *T) T {
	var v T
	if p != nil {
		v = *p
	}
	return v
}

// Enumerate joins words with commas and "and".
func Enumerate(list []string) string {
	if len(list) < 3 {
		return strings.Join(list, " and ")
	}
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " and " + list[last]
}

// Plural returns "1 account", "2 accounts".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func IsOrAre(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " is"
	}
	return Plural(n, noun) + " are"
}
