package tui_test

import (
	"image/color"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui"
	"github.com/schedctl/schedctl/tui/screen"
)

// solarizedDark is the background of Solarized Dark, which is also the color 8 of its
// palette.
var solarizedDark = color.RGBA{0x00, 0x2b, 0x36, 255}

// colored returns a terminal with a number of colors and a background.
func colored(profile termenv.Profile, ground color.Color) func(*tui.Config) {
	return func(c *tui.Config) {
		c.Renderer = lipgloss.NewRenderer(io.Discard)
		c.Renderer.SetColorProfile(profile)
		c.Renderer.SetHasDarkBackground(true)
		c.Background = ground
	}
}

var sgr = regexp.MustCompile("\x1b\\[([0-9;]*)m([^\x1b]*)")

// No text has the color of the background of Solarized Dark, and secondary text has a
// contrast of 4.5 to it, or is the foreground, faint.
func TestSolarizedDark(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*tui.Config){
		"16 colors": colored(termenv.ANSI, solarizedDark), "256 colors": colored(termenv.ANSI256, solarizedDark), "unknown background": colored(termenv.ANSI256, nil),
	} {
		grays := 0
		for _, v := range views {
			for _, run := range sgr.FindAllStringSubmatch(draw(t, world(), 120, 40, change, v.keys), -1) {
				codes := strings.Split(run[1], ";")
				switch {
				case slices.Contains(codes, "30"), slices.Contains(codes, "90"):
					t.Fatalf("%s: %s: %q has the color of the background", name, v.name, run[2])
				case len(codes) > 2 && codes[0] == "38" && codes[1] == "5":
					n, _ := strconv.Atoi(codes[2])
					level := uint8(8 + 10*(n-232))
					if c := screen.Contrast(color.RGBA{level, level, level, 255}, solarizedDark); n < 232 || c < 4.5 {
						t.Fatalf("%s: %s: %q has the contrast %.1f", name, v.name, run[2], c)
					}
					grays++
				}
			}
		}
		if (grays > 0) != (name == "256 colors") {
			t.Errorf("%s: %d texts are gray", name, grays)
		}
	}
}

// On every background that a terminal has, there is a readable gray.
func TestSecondaryTextIsReadable(t *testing.T) {
	t.Parallel()
	for _, ground := range []color.RGBA{{0, 0, 0, 255}, {255, 255, 255, 255}, {0xfd, 0xf6, 0xe3, 255}, {0x28, 0x28, 0x28, 255}, {0x30, 0x0a, 0x24, 255}, solarizedDark} {
		found := false
		for _, run := range sgr.FindAllStringSubmatch(draw(t, world(), 120, 40, colored(termenv.ANSI256, ground), nil), -1) {
			if gray, ok := strings.CutPrefix(run[1], "38;5;"); ok {
				n, _ := strconv.Atoi(gray)
				level := uint8(8 + 10*(n-232))
				if c := screen.Contrast(color.RGBA{level, level, level, 255}, ground); c < 4.5 || c > 6 {
					t.Errorf("on %v the gray %d has the contrast %.1f", ground, n, c)
				}
				found = true
			}
		}
		if !found {
			t.Errorf("on %v no text is gray", ground)
		}
	}
}

// Keys, hints and advice are never faint.
func TestAdviceIsNotFaint(t *testing.T) {
	t.Parallel()
	advice := []string{"help", "next: ", "esc", "enter", "tomorrow 9am", "save", "r sends it now", "type to filter", "part of the text"}
	for _, v := range views {
		for _, run := range sgr.FindAllStringSubmatch(draw(t, world(), 80, 24, colored(termenv.ANSI, nil), v.keys), -1) {
			if !slices.Contains(strings.Split(run[1], ";"), "2") {
				continue
			}
			for _, a := range advice {
				if strings.Contains(run[2], a) {
					t.Errorf("%s: %q is faint", v.name, run[2])
				}
			}
		}
	}
}

// Color never carries meaning alone: a screen says the same without it.
func TestScreensSayTheSameWithoutColor(t *testing.T) {
	t.Parallel()
	f := func() *fake {
		f := world()
		f.plan.blackouts = []apiv1.Blackout{
			blackout("blk_1", "holiday", schedctl.BlackoutAvoid, now.Add(24*time.Hour), now.Add(26*time.Hour)),
			blackout("blk_2", "move", schedctl.BlackoutHold, now.Add(27*time.Hour), now.Add(28*time.Hour)),
		}
		return f
	}
	for _, keys := range [][]string{{"2"}, {"3"}} {
		screen := draw(t, f(), 160, 40, looks[0].change, keys)
		if !strings.Contains(screen, "░") || !strings.Contains(screen, "▒") {
			t.Errorf("%v: a blackout and a pause look the same:\n%s", keys, screen)
		}
	}
}

// In ASCII, every sign of the program is one, and the layout is the same.
func TestASCII(t *testing.T) {
	t.Parallel()
	for _, v := range views {
		for _, size := range sizes {
			f := world()
			for i := range f.posts {
				f.posts[i].Content = strings.Map(func(r rune) rune {
					if r >= utf8.RuneSelf {
						return 'x'
					}
					return r
				}, f.posts[i].Content)
			}
			screen := draw(t, f, size.width, size.height, func(c *tui.Config) { c.ASCII = true }, v.keys)
			if i := strings.IndexFunc(screen, func(r rune) bool { return r >= utf8.RuneSelf }); i >= 0 {
				r, _ := utf8.DecodeRuneInString(screen[i:])
				t.Errorf("%s at %d: the screen has %q", v.name, size.width, r)
			}
			measure(t, screen, size.width, size.height)
		}
	}
}
