package search_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/schedctl/schedctl/scripts/cost"
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
		{"abab", "abaabab", true}, {"\u212a", "k", true}, {"k", "\u212a", true}, {"\u0130", "i", false}, {"ẞ", "ß", true},
		{"\xff", "a\xfe", true}, {"\ufffd", "\xff", true}, {"abcabd", "abcabcabd", true},
	} {
		if got := search.For(c.needle).In(c.text); got != c.want {
			t.Errorf("%q in %q: %v, want %v", c.needle, c.text, got, c.want)
		}
	}
}

// naive is the simplest search: it compares the needle with the text at every character.
func naive(text, needle string) bool {
	wanted, runes := []rune(needle), []rune(text)
	for start := 0; start+len(wanted) <= len(runes); start++ {
		if strings.EqualFold(string(runes[start:start+len(wanted)]), string(wanted)) {
			return true
		}
	}
	return false
}

// TestAgreesWithTheNaiveSearch uses few characters, so that needles nearly match at many
// positions. The lower case of some characters has a different length in bytes.
func TestAgreesWithTheNaiveSearch(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 1))
	text := func(most int) string {
		alphabet := []rune("aAbkK\u212a\u017fsßẞ")[:2+random.IntN(9)]
		made := make([]rune, random.IntN(most))
		for i := range made {
			made[i] = alphabet[random.IntN(len(alphabet))]
		}
		return string(made)
	}
	for range 20_000 {
		haystack, needle := text(40), text(8)
		if got, want := search.For(needle).In(haystack), naive(haystack, needle); got != want {
			t.Fatalf("%q in %q: %v, want %v", needle, haystack, got, want)
		}
	}
}

func FuzzIn(f *testing.F) {
	for _, c := range [][2]string{{"aab", "aaab"}, {"\u212a", "30 k"}, {"ΌΣ", "Όσος"}, {"\xff", "\xfe"}, {"𐐀", "a𐐨"}, {"ababac", "abababac"}} {
		f.Add(c[0], c[1])
	}
	f.Fuzz(func(t *testing.T, needle, text string) {
		defer cost.Check(t, len(needle)+len(text))()
		if utf8.RuneCountInString(needle) > 200 || len(text) > 2000 {
			return // longer than any request, and slow to check
		}
		if got, want := search.For(needle).In(text), naive(text, needle); got != want {
			t.Errorf("%q in %q: %v, want %v", needle, text, got, want)
		}
	})
}

// TestSearchIsLinear guards against a search that compares the needle with the
// text at every character. If only the end of the needle differs from the text, such a
// search takes 64 times as long when both are eight times as long. The texts are short, so
// at least one of many searches runs without interruption.
func TestSearchIsLinear(t *testing.T) {
	cost := func(size int) time.Duration {
		needle := search.For(strings.Repeat("a", size/2) + "b")
		text := strings.Repeat("A", size)
		best := time.Hour
		for range 100 {
			start := time.Now()
			if needle.In(text) {
				t.Fatal("found a needle that the text does not contain")
			}
			best = min(best, time.Since(start))
		}
		return best
	}
	short, long := cost(1_000), cost(8_000)
	if ratio := float64(long) / float64(short); ratio > 30 {
		t.Errorf("a text and a needle of eight times the size take %.1f times as long, want about 8", ratio)
	}
}
