package printable_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/schedctl/schedctl/tui/printable"
)

// TestRevealEveryHiddenCharacter guards that no character that does not show is published
// unseen.
func TestRevealEveryHiddenCharacter(t *testing.T) {
	t.Parallel()
	ranges := [][2]rune{
		{0xad, 0xad}, {0x34f, 0x34f}, {0x61c, 0x61c}, {0x115f, 0x1160}, {0x17b4, 0x17b5}, {0x180b, 0x180f}, {0x200b, 0x200f}, {0x202a, 0x202e},
		{0x2060, 0x206f}, {0x3164, 0x3164}, {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}, {0xffa0, 0xffa0}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
	}
	for _, of := range ranges {
		for r := of[0]; r <= of[1]; r++ {
			want := fmt.Sprintf("a␣U+%04Xb", r)
			shown := printable.Reveal("a" + string(r) + "b")
			if shown != want || printable.Reveal(shown) != want || printable.Finish(shown) != want {
				t.Errorf("U+%04X is shown as %q", r, shown)
			}
		}
	}
}

func TestRevealLeavesWhatShows(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "plain\n\ttext", "é日本 a\u0301", "👩‍👧 👩🏽‍💻 ❤️ 🏳️‍🌈 🧑‍⚖️ 1️⃣ ☎︎", "\u0600\u06dd", "\x1b[31m\xff\ufffd", printable.Paint("31", "x"), "a\u00a0b", strings.Repeat("x", 100),
	} {
		if got := printable.Reveal(text); got != text {
			t.Errorf("%q is shown as %q", text, got)
		}
	}
	for text, want := range map[string]string{
		"👩\u200d": "👩␣U+200D", "a\u200d👩": "a␣U+200D👩", "❤\ufe0f\ufe0f": "❤️␣U+FE0F", "1\ufe0f": "1␣U+FE0F", "\xff\u200b": "\xff␣U+200B", "\u202e\u202a": "␣U+202E␣U+202A",
		"🏴\U000e0067": "🏴␣U+E0067",
	} {
		if got := printable.Reveal(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}
