package threadtext_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl/client/threadtext"
	"github.com/schedctl/schedctl/scripts/cost"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text string
		want []string
	}{
		"one part":           {"Hello\nyou", []string{"Hello\nyou"}},
		"parts":              {"One\n---\nTwo\n---\nThree", []string{"One", "Two", "Three"}},
		"empty lines":        {"One\n\n---\n\n  Two\n\n\n---  \nThree\n", []string{"One", "  Two", "Three\n"}},
		"empty parts":        {"---\nOne\n---\n", []string{"", "One", ""}},
		"other lines":        {"One\n----\n --- x\n***", []string{"One\n----\n --- x\n***"}},
		"escaped separators": {"One\n\\---\nTwo\n\\\\---\n---\n\\--", []string{"One\n---\nTwo\n\\---", "\\--"}},
		"lines of Windows":   {"One\r\n---\r\nTwo", []string{"One", "Two"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, threadtext.Split(tc.text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSplitLines(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]int{
		"One": {0}, "\nOne\n---\n\n \nTwo\nlines\n---\nThree": {0, 5, 8}, "---\n---": {0, 1, 1}, "One\n---": {0, 1}, "One\n\\---\n---\nTwo": {0, 3},
	} {
		if _, starts := threadtext.SplitLines(text); !cmp.Equal(starts, want) {
			t.Errorf("%q: %v, want %v", text, starts, want)
		}
	}
}

func TestJoin(t *testing.T) {
	t.Parallel()
	for _, parts := range [][]string{{"One"}, {"One", "Two"}, {"", "Two", ""}, {"a\n---\nb", "\\---", "---"}, {"a\n\nb", "  c"}} {
		if diff := cmp.Diff(parts, threadtext.Split(threadtext.Join(parts))); diff != "" {
			t.Error(diff)
		}
	}
}

func TestFit(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		max  int
		unit string
		text string
		want []string // nil if the text cannot be split
	}{
		"fits":                 {20, "", "One two three.", []string{"One two three."}},
		"paragraphs":           {20, "", "One two.\n\nThree. Four five", []string{"One two.", "Three. Four five"}},
		"no short parts":       {20, "", "Hi.\n\nThis is long. And more", []string{"Hi.\n\nThis is long.", "And more"}},
		"sentences":            {20, "", "Is it? Yes! It is so… and \"fine.\" Bye", []string{"Is it? Yes!", "It is so… and", "\"fine.\" Bye"}},
		"an abbreviation":      {20, "", "We met J. Smith and e.g. others", []string{"We met J. Smith and", "e.g. others"}},
		"words":                {10, "", "aaa bbb ccc ddd eee", []string{"aaa bbb", "ccc ddd", "eee"}},
		"a long word":          {5, "", "abcdefgh", []string{"abcde", "fgh"}},
		"a URL":                {24, "", "Read it at https://example.org/a/b now", []string{"Read it at", "https://example.org/a/b", "now"}},
		"a URL that is longer": {10, "", "See https://example.org/a/b", nil},
		"a mention":            {12, "", "Hi @me@example.org", nil},
		"Chinese":              {8, "", "你好世界。今天天气很好。再见", []string{"你好世界。", "今天天气很好。", "再见"}},
		"Japanese quotes":      {8, "", "「元気ですか。」と言った", []string{"「元気ですか。」", "と言った"}},
		"grapheme clusters":    {2, "graphemes", "👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", []string{"👩‍👩‍👧👩‍👩‍👧", "👩‍👩‍👧"}},
		"a long cluster":       {3, "", "👩‍👩‍👧", nil},
		"lists":                {14, "", "- one thing\n- two things\n- three", []string{"- one thing", "- two things", "- three"}},
		"bytes":                {6, "bytes", "äää äää", []string{"äää", "äää"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ok := threadtext.Fit(tc.text, threadtext.Limit{Max: tc.max, Unit: tc.unit}.Fits)
			if diff := cmp.Diff(tc.want, got); diff != "" || ok != (tc.want != nil) {
				t.Errorf("ok is %t, -want +got:\n%s", ok, diff)
			}
		})
	}
}

func TestLength(t *testing.T) {
	t.Parallel()
	l := threadtext.Limit{Max: 30, URLCharacters: 23}
	if n := l.Length("See https://example.org/a/very/long/path"); n != 27 {
		t.Errorf("the length is %d, not 27", n)
	}
}

// FuzzFit checks that nothing but white space is lost, and that every part fits.
func FuzzFit(f *testing.F) {
	f.Add("One two.\n\nThree https://example.org/a four. 你好。 @me", 12)
	f.Fuzz(func(t *testing.T, text string, most int) {
		defer cost.Check(t, len(text))()
		l := threadtext.Limit{Max: most%100 + 1, Unit: "graphemes"}
		if most < 0 || !utf8.ValidString(text) || len(text) > 1000 {
			t.Skip()
		}
		parts, ok := threadtext.Fit(text, l.Fits)
		if !ok {
			return
		}
		for _, part := range parts {
			if !l.Fits(part) {
				t.Errorf("%q does not fit %d", part, l.Max)
			}
		}
		if squeeze(strings.Join(parts, "")) != squeeze(text) {
			t.Errorf("%q became %q", text, parts)
		}
	})
}

func squeeze(text string) string { return strings.Join(strings.Fields(text), "") }
