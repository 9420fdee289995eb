package printable_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl/tui/printable"
)

// wild has everything that a terminal could obey, next to text that stays.
var wild = map[string]string{
	"\x1b[31mred\x1b[0m":           "�[31mred�[0m",
	"\x1b[8mhidden\x1b[m":          "�[8mhidden�[m",
	"\x1b[2J\x1b[1;1H":             "�[2J�[1;1H",
	"\x1b]0;title\a":               "�]0;title�",
	"\x1b]8;;http://x\x1b\\":       "�]8;;http://x�\\",
	"\x1bPq\x1b\\\x1bX\x1b^\x1b_a": "�Pq�\\�X�^�_a",
	"\u009b31m\u0090\u009d\u009c":  "�31m���",
	"a\rb\b\x7f\x00":               "a�b���",
	"\u202ertl\u2066\u2069":        "␣U+202Ertl␣U+2066␣U+2069",
	"\xff\xc3":                     "��",
	"\x1b":                         "�",
	"\x1b[":                        "�[",
	"\x1b[3":                       "�[3",
	"\x1b[1\x1b[2m":                "�[1�[2m",
	"日本\n\té 👩‍👧":                  "日本\n\té 👩‍👧",
}

func TestClean(t *testing.T) {
	t.Parallel()
	for in, want := range wild {
		if diff := cmp.Diff(want, printable.Clean(in)); diff != "" {
			t.Errorf("%q: %s", in, diff)
		}
	}
}

// Styles of the program stay, also around and inside of text that is not printable.
func TestFinish(t *testing.T) {
	t.Parallel()
	for in, want := range wild {
		for text, wanted := range map[string]string{
			in:                        want,
			printable.Paint("31", in): "\x1b[31m" + want + "\x1b[0m",
			in + printable.Paint("1;2", "x"+printable.Paint("", "y"+in)) + in: want + "\x1b[1;2mx\x1b[my" + want + "\x1b[0m\x1b[0m" + want,
		} {
			if diff := cmp.Diff(wanted, printable.Finish(text)); diff != "" {
				t.Errorf("%q: %s", text, diff)
			}
			if again := printable.Finish(printable.Scrub(printable.Scrub(text))); again != wanted {
				t.Errorf("%q is not the same when it is cleaned before: %q", text, again)
			}
		}
	}
}

// Styles take no space, as those that terminals know.
func TestPaintHasTheWidthOfItsText(t *testing.T) {
	t.Parallel()
	painted := printable.Paint("1;31", "日本")
	if got := ansi.StringWidth(painted); got != 4 {
		t.Errorf("%d columns", got)
	}
	if got := printable.Finish(ansi.Truncate(painted, 3, "…")); got != "\x1b[1;31m日…\x1b[0m" {
		t.Errorf("%q", got)
	}
}

func TestOwn(t *testing.T) {
	t.Parallel()
	const styled = "\x1b[31ma\x1b[0m"
	if got := printable.Finish(printable.Own(printable.Paint("1", styled))); got != "\x1b[1m"+styled+"\x1b[0m" {
		t.Errorf("%q", got)
	}
}

// A copy of a style from the screen is not a style of the program.
func TestStylesCannotBeCopied(t *testing.T) {
	t.Parallel()
	shown := printable.Finish(printable.Paint("31", "x"))
	if got := printable.Finish(shown); strings.Contains(got, "\x1b") {
		t.Errorf("%q", got)
	}
}
