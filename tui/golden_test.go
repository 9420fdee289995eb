package tui_test

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"github.com/muesli/termenv"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/schedctl/schedctl/tui"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// views are the screens and the keys that open them.
var views = []struct {
	name string
	keys []string
}{
	{"queue", nil},
	{"detail", []string{"enter"}},
	{"week", []string{"2"}},
	{"month", []string{"3"}},
	{"month-day", []string{"3", "left", "enter", "down"}},
	{"drafts", []string{"4"}},
	{"history", []string{"5"}},
	{"degraded", []string{"5", "down", "down", "enter"}},
	{"failed", []string{"6"}},
	{"accounts", []string{"7"}},
	{"account-new", []string{"7", "a", "down", "enter", "m", "e", "tab", "tab", "h", "u", "n", "t", "e", "r", "2"}},
	{"account-edit", []string{"7", "i", "tab"}},
	{"webhooks", []string{"8"}},
	{"deliveries", []string{"8", "enter", "down"}},
	{"compose", []string{"n", "H", "e", "l", "l", "o", "tab", " "}},
	{"compose-own", []string{"i", "tab", "down", "o", "!"}},
	{"edit", []string{"i"}},
	{"leave", []string{"n", "H", "i", "esc"}},
	{"filter", []string{"f"}},
	{"search", []string{"/", "o"}},
	{"reschedule", []string{"s", "t", "o", "m", "o", "r", "r", "o", "w", " ", "9", "a", "m"}},
	{"cancel", []string{"c"}},
	{"help", []string{"?"}},
}

func renderer(dark bool) *lipgloss.Renderer {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(termenv.ANSI)
	r.SetHasDarkBackground(dark)
	return r
}

// looks are the color modes of a screen.
var looks = []struct {
	name   string
	change func(*tui.Config)
}{
	{"without color", func(*tui.Config) {}},
	{"dark", func(c *tui.Config) { c.Renderer = renderer(true) }},
	{"light", func(c *tui.Config) { c.Renderer = renderer(false) }},
	{"plain", func(c *tui.Config) { c.Plain = true }},
}

// sizes are the terminal sizes for which every view is rendered.
var sizes = []struct{ width, height int }{{40, 15}, {80, 24}, {120, 30}}

// TestScreens: each file in testdata has a view in all sizes and color modes.
func TestScreens(t *testing.T) {
	t.Parallel()
	for _, v := range views {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			var golden txtar.Archive
			for _, size := range sizes {
				for _, look := range looks {
					if look.name == "light" && size.width != 80 {
						continue // only the colors differ
					}
					screen := draw(t, world(), size.width, size.height, look.change, v.keys)
					measure(t, screen, size.width, size.height)
					golden.Files = append(golden.Files, txtar.File{Name: fmt.Sprint(size.width, " ", look.name), Data: []byte(readable(screen))})
				}
			}
			compare(t, filepath.Join("testdata", v.name+".txtar"), string(txtar.Format(&golden)))
		})
	}
}

// draw returns the screen after some key presses.
func draw(t *testing.T, f *fake, width, height int, change func(*tui.Config), keys []string) (screen string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, f, width, height, change)
		d.press(keys...)
		screen = d.model.View()
	})
	return screen
}

// readable makes a screen readable in an editor.
func readable(screen string) string {
	var lines []string
	for line := range strings.SplitSeq(screen, "\n") {
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return strings.ReplaceAll(strings.Join(lines, "\n"), "\x1b", "␛") + "\n"
}

func compare(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs; run the test with -update if this is intended (-want +got):\n%s", path, diff)
	}
}

// measure fails if a screen does not fit.
func measure(t testing.TB, screen string, width, height int) {
	t.Helper()
	if screen == "" {
		return
	}
	lines := strings.Split(screen, "\n")
	if len(lines) > height {
		t.Errorf("%d lines on a screen of %d", len(lines), height)
	}
	for _, line := range lines {
		if w := ansi.StringWidth(line); w > width {
			t.Errorf("a line is %d columns wide on a screen of %d: %q", w, width, line)
		}
	}
}
