package cli

import (
	"testing"
)

// The lines of the note are left out as well when the scissors are gone.
func TestEditorNoteIsLeftOut(t *testing.T) {
	t.Parallel()
	note := []string{Scissors, "# one", "#", "# two"}
	for text, want := range map[string]string{
		"":                   "",
		Scissors + "\nbelow": "",
		"a\n#\n# one\nb\n" + Scissors + "\nbelow": "a\n#\n# one\nb",
		"\n \n  a\r\nb\n\n" + Scissors + "\r\n":   "  a\nb",
		"a\n# one\n#\n# two\n":                    "a",
		"\ufeffa\n# of mine\n# one \nb":           "a\n# of mine\nb",
	} {
		if got := withoutNote(text, note); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
