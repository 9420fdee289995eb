package page

import (
	"strings"
	"testing"

	"github.com/schedctl/schedctl"
)

// TestFirstLine guards that titles keep their invisible characters, so that they can be marked,
// and that the codes of these count.
func TestFirstLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		" short\nand more":               "short …",
		"exactly ten":                    "exactly te …",
		"ten chars.":                     "ten chars.",
		"a\u202eb":                       "a\u202eb",
		"ab\u200bcd":                     "ab\u200b …",
		"👩\u200d👩\u200d👧 x":              "👩\u200d👩\u200d👧 x",
		"" + strings.Repeat("\u200b", 5): "\u200b …",
		"Ärger über dies":                "Ärger über …",
		"\n\n":                           "",
	} {
		if got := firstLine(text, 10); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := string(marked("<a\u202e> https://a.b/\u200bc")); got != "&lt;a<mark>U+202E</mark>&gt; https://a.b/<mark>U+200B</mark>c" {
		t.Errorf("marked: %s", got)
	}
	if got := coded("a\u202eb"); got != "aU+202Eb" {
		t.Errorf("coded: %s", got)
	}
}

// TestRepeats guards that the rhythm of a series names its zone only if that differs from the one
// of the page.
func TestRepeats(t *testing.T) {
	t.Parallel()
	for zones, want := range map[[2]string]string{
		{"Europe/Berlin", "Europe/Berlin"}: "repeats daily at 9:00 from 2026-12-01",
		{"Etc/UTC", "UTC"}:                 "repeats daily at 9:00 from 2026-12-01",
		{"Asia/Tokyo", "UTC"}:              "repeats daily at 9:00 from 2026-12-01 (Asia/Tokyo)",
	} {
		one := &schedctl.Series{Timezone: zones[0], Start: "2026-12-01T09:00", Rule: "FREQ=DAILY"}
		f := &Frame{Workspace: schedctl.Workspace{Timezone: zones[1]}}
		if got := f.repeats(one); got != want {
			t.Errorf("%v: %q, want %q", zones, got, want)
		}
	}
}

// TestNumbers guards how each language writes numbers, and that a noun is in its singular only
// after 1.
func TestNumbers(t *testing.T) {
	t.Parallel()
	for locale, want := range map[string]string{"": "1,204", "en": "1,204", "de": "1.204", "es": "1.204", "it": "1.204", "nl": "1.204", "pt": "1.204", "fr": "1\u202f204", "sv": "1\u00a0204"} {
		if got := newCalendarWords(locale).number(1204); got != want {
			t.Errorf("%s: %q, want %q", locale, got, want)
		}
	}
	words := newCalendarWords("en")
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := words.number(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int]string{0: "0 characters", 1: "1 character", 2: "2 characters", 5000: "5,000 characters"} {
		if got := words.count(n, "character"); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
