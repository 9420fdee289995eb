package main

import (
	"fmt"
	"strings"
)

// wordsOf returns values of a type of text with something between them.
func wordsOf[T ~string](values []T, between string) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	return strings.Join(texts, between)
}

func deref[T any](p *T) T {
	var v T
	if p != nil {
		v = *p
	}
	return v
}

// enumerated returns words as a sentence lists them.
func enumerated(list []string) string {
	if len(list) < 3 {
		return strings.Join(list, " and ")
	}
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " and " + list[last]
}

// plural returns "1 account", "2 accounts".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func isOrAre(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " is"
	}
	return plural(n, noun) + " are"
}
