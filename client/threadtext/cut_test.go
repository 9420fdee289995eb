package threadtext_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"pgregory.net/rapid"

	"github.com/schedctl/schedctl/client/threadtext"
)

// within returns a limit in characters.
func within(most int) func(string) bool {
	return func(text string) bool { return utf8.RuneCountInString(text) <= most }
}

func TestCut(t *testing.T) {
	t.Parallel()
	family := "👩\u200d👩\u200d👧"
	for _, c := range []struct {
		text string
		most int
		want string // empty if nothing fits
	}{
		{"One two three", 13, "One two three"},
		{"One two three", 12, "One two…"},
		{"One, two three", 6, "One…"},
		{"One\n\ntwo", 5, "One…"},
		{"Donaudampfschiff", 6, "Donau…"},
		{"See https://example.org/a-long-path now", 20, "See…"},
		{"https://example.org/a-long-path", 20, ""},
		{"A Donaudampfschifffahrtsgesellschaft", 20, "A Donaudampfschifff…"},
		{family + family, 6, family + "…"},
		{family, 3, ""},
		{"日本語の文章", 4, "日本語…"},
		{"One", 0, ""},
		{"", 0, ""},
	} {
		got, ok := threadtext.Cut(c.text, within(c.most))
		if got != c.want || ok != (c.want != "" || c.text == "") {
			t.Errorf("%q in %d: got %q, %v; want %q", c.text, c.most, got, ok, c.want)
		}
	}
}

// TestCutFits guards that a cut text fits, is a beginning, and splits no grapheme.
func TestCutFits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"a", "word", " ", "\n\n", "é", "e\u0301", "👍🏽", "https://example.org/x", "@me", "語", ",", "."})).Draw(t, "parts"), "")
		most := rapid.IntRange(0, 40).Draw(t, "most")
		got, ok := threadtext.Cut(text, within(most))
		if !ok {
			return
		}
		if !within(most)(got) {
			t.Fatalf("%q does not fit in %d", got, most)
		}
		kept, wasCut := strings.CutSuffix(got, "…")
		if !strings.HasPrefix(text, kept) {
			t.Fatalf("%q is no beginning of %q", kept, text)
		}
		if wasCut && !endsCluster(text, len(kept)) {
			t.Fatalf("%q splits a grapheme of %q", kept, text)
		}
	})
}

// endsCluster reports whether a grapheme cluster of a text ends at an offset.
func endsCluster(text string, at int) bool {
	for clusters := graphemes.FromString(text); clusters.Next(); {
		if clusters.End() == at {
			return true
		}
	}
	return false
}
