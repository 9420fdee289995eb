package worddiff_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/schedctl/schedctl/daemon/page/worddiff"
	"github.com/schedctl/schedctl/scripts/cost"
)

// check fails the test unless the pieces are both texts.
func check(t *testing.T, before, after string) []worddiff.Piece {
	t.Helper()
	var a, b strings.Builder
	pieces := worddiff.Diff(before, after)
	for _, p := range pieces {
		a.WriteString(p.Same + p.Deleted)
		b.WriteString(p.Same + p.Inserted)
	}
	if a.String() != before || b.String() != after {
		t.Fatalf("%q to %q gives %q, which is %q to %q", before, after, pieces, a.String(), b.String())
	}
	return pieces
}

func TestDiff(t *testing.T) {
	t.Parallel()
	type pieces = []worddiff.Piece
	for _, c := range []struct {
		before, after string
		want          pieces
	}{
		{"", "", nil},
		{"same text", "same text", pieces{{Same: "same text"}}},
		{"", "new", pieces{{Inserted: "new"}}},
		{"old", "", pieces{{Deleted: "old"}}},
		{"We open at 9 on Monday.", "We open at 10 on Monday.", pieces{{Same: "We open at ", Deleted: "9", Inserted: "10"}, {Same: " on Monday."}}},
		{"a red door here", "a green gate here", pieces{{Same: "a ", Deleted: "red door", Inserted: "green gate"}, {Same: " here"}}},
		{"one two", "one two three", pieces{{Same: "one two", Inserted: " three"}}},
		{"see https://a.example/x now", "see https://a.example/y now", pieces{{Same: "see ", Deleted: "https://a.example/x", Inserted: "https://a.example/y"}, {Same: " now"}}},
		{"今日は雨です", "今日は晴です", pieces{{Same: "今日は", Deleted: "雨", Inserted: "晴"}, {Same: "です"}}},
		{"a 👩\u200d👧 b", "a 👩\u200d👦 b", pieces{{Same: "a ", Deleted: "👩\u200d👧", Inserted: "👩\u200d👦"}, {Same: " b"}}},
		{"x\ny", "x\n\ny", pieces{{Same: "x", Deleted: "\n", Inserted: "\n\n"}, {Same: "y"}}},
	} {
		if got := check(t, c.before, c.after); !slices.Equal(got, c.want) {
			t.Errorf("%q to %q: %q, want %q", c.before, c.after, got, c.want)
		}
	}
}

// TestDiffOfRandomTexts guards that the pieces of similar texts are both texts, and that an
// edit of one word shows no others.
func TestDiffOfRandomTexts(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	vocabulary := strings.Fields("a an the post door red green opens today 日本 \u200b 👩\u200d👧 https://example.com/ é")
	spaces := []string{" ", "  ", "\n", "\n\n", "\t", ""}
	for range 2000 {
		var text []string
		for range r.IntN(30) {
			text = append(text, vocabulary[r.IntN(len(vocabulary))], spaces[r.IntN(len(spaces))])
		}
		edited := slices.Clone(text)
		for range r.IntN(5) {
			if len(edited) > 0 {
				at := r.IntN(len(edited))
				edited = slices.Replace(edited, at, at+r.IntN(2), vocabulary[r.IntN(len(vocabulary))])
			}
		}
		check(t, strings.Join(text, ""), strings.Join(edited, ""))
	}
	words := strings.Repeat("one two three ", 200)
	if got := check(t, words+"old "+words, words+"new "+words); !slices.Equal(got, []worddiff.Piece{{Same: words, Deleted: "old", Inserted: "new"}, {Same: " " + words}}) {
		t.Errorf("an edit of one word gives %q", got)
	}
}

// TestDiffOfLongTexts guards the fallback: two long texts without much in common.
func TestDiffOfLongTexts(t *testing.T) {
	t.Parallel()
	a, b := strings.Repeat("a b ", 3000), strings.Repeat("c b ", 3000)
	if got := check(t, "start "+a+"end", "start "+b+"end"); len(got) != 2 || got[0].Same != "start " || got[1].Same != " b end" {
		t.Errorf("%d pieces", len(got))
	}
}

// FuzzDiff guards that all texts can be compared, and what that costs.
func FuzzDiff(f *testing.F) {
	f.Add("We open at 9.", "We open at 10.")
	f.Add("a\u200d\xffb 日本", "a \u0301日")
	f.Add(strings.Repeat("a b ", 500), strings.Repeat("b a ", 500))
	f.Fuzz(func(t *testing.T, before, after string) {
		defer cost.Check(t, len(before)+len(after))()
		check(t, before, after)
	})
}

// Comparisons share their cells. After the last one, texts are deleted and inserted whole.
func TestCellsAreShared(t *testing.T) {
	t.Parallel()
	cells := 30 // each comparison has 5 words and spaces on both sides
	for i := range 3 {
		pieces := worddiff.DiffWithin(&cells, "a b c", "x b y")
		if cells != 5 {
			t.Errorf("comparison %d leaves %d cells", i+1, cells)
		}
		if i > 0 && (len(pieces) != 1 || pieces[0] != (worddiff.Piece{Deleted: "a b c", Inserted: "x b y"})) {
			t.Errorf("comparison %d is %q", i+1, pieces)
		}
	}
}
