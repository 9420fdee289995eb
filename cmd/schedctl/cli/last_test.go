package cli

import (
	"os"
	"testing"
)

// TestLastIsKeptForEachKey guards that keys do not see each other's @last, and that the file
// of an earlier version, which was for all keys, is neither read nor kept.
func TestLastIsKeptForEachKey(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	with := func(user string) *App {
		return &App{System: System{StateHome: state, Getenv: func(string) string { return "" }}, peer: "daemon here", user: user}
	}
	const before, first, second = "post_01K2M4N6P8QARCTDVEWFXGYHZ1", "post_01K2M4N6P8QARCTDVEWFXGYHZ2", "post_01K2M4N6P8QARCTDVEWFXGYHZ3"
	old, one, two := with("daemon here"), with("daemon here sctl_one"), with("daemon here sctl_two")
	if err := old.writeLast(PostNoun, before); err != nil {
		t.Fatal(err)
	}
	if id, err := one.LastID(PostNoun); ExitStatus(err) != ExitNotFound || id != "" {
		t.Errorf("a key sees %q, %v of another", id, err)
	}
	one.RememberID(PostNoun, first)
	two.RememberID(PostNoun, second)
	for app, want := range map[*App]string{one: first, two: second} {
		if id, err := app.LastID(PostNoun); err != nil || id != want {
			t.Errorf("@last is %q, %v; want %q", id, err, want)
		}
	}
	if _, err := os.Stat(old.lastFile(PostNoun)); !os.IsNotExist(err) {
		t.Errorf("the file of an earlier version: %v", err)
	}
}
