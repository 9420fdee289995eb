package cli

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLinesOfTheScreen(t *testing.T) {
	t.Parallel()
	a := &App{System: System{Width: 10}}
	for text, want := range map[string]int{
		"": 0, "\n": 1, "0123456789\n": 1, "0123456789a\n": 2, "\x1b[32m0123456789\x1b[0m\nlast": 2, "日本語日本語\n": 2,
	} {
		if diff := cmp.Diff(want, a.screenLines([]byte(text))); diff != "" {
			t.Errorf("%q: -want +got:\n%s", text, diff)
		}
	}
}
