package tui_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/tui"
)

func TestAddressOfAPost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.posts = append(f.posts, scheduled("post_1", "Hello", time.Hour))
		var clipboard bytes.Buffer
		d := drive(t, f, 100, 40, func(c *tui.Config) { c.Clipboard = &clipboard })
		d.press("Y")
		d.sees("An address for a person", "Person", "view")
		d.seesNot("Shows")
		d.press("tab", "tab")
		d.typed("91d")
		d.press("ctrl+s")
		d.sees("required", "more than 90 days ahead") // both faults at once
		d.typed("Dana")
		d.press("tab", " ", " ", " ", "left", "x")
		d.sees("decide")
		d.press("tab", "ctrl+u")
		d.typed("never")
		d.press("ctrl+s")
		if f.review.share.Name != "" {
			t.Fatal("a form with a wrong time was sent")
		}
		d.press("ctrl+u")
		d.typed("2d")
		d.press("ctrl+s")
		made := f.review.share
		if made.Name != "Dana" || *made.Can != "decide" || made.Kind != "review" || !slices.Equal(made.PostIDs, []string{"post_1"}) || !made.ExpiresAt.Equal(now.Add(48*time.Hour)) {
			t.Errorf("made %+v", made)
		}
		d.sees("An address for Dana, until", "https://posts.example/s/aaaa", "not shown again", "█", "▀")
		d.seesNot("Only this computer")
		d.press("y")
		if !bytes.Contains(clipboard.Bytes(), []byte("\x1b]52;")) {
			t.Errorf("the clipboard has %q", clipboard.Bytes())
		}
		d.press("esc")
		d.seesNot("https://posts.example")
	})
}

func TestAddressOfAllThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := reviewed()
		d := drive(t, f, 80, 24, asVera, func(c *tui.Config) { c.IsOnThisMachine = func(string) bool { return true } })
		d.press("0", "Y")
		d.sees("Shows", "this")
		d.typed("Dana")
		d.press("tab", "tab", "tab", "a")
		d.press("ctrl+s")
		if made := f.review.share; made.Name != "Dana" || made.PostIDs != nil || made.ExpiresAt != nil {
			t.Errorf("made %+v", made)
		}
		d.sees("Only this computer can open it", "A larger window also shows a QR code")
	})
}

func TestRefusedAddressKeepsTheForm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.posts = append(f.posts, scheduled("post_1", "Hello", time.Hour))
		f.fail("CreateShare", schedctl.Errorf(schedctl.ValidationFailed, "can", "decide needs an API key that may approve"))
		d := drive(t, f, 100, 40)
		d.press("Y")
		d.typed("Dana")
		d.press("ctrl+s")
		d.sees("needs an API key that may approve", "Dana")
		f.fail("CreateShare", schedctl.Errorf(schedctl.ValidationFailed, "expires_at", "expires_at (--expires) has passed; use a time in the future"))
		d.press("ctrl+s")
		d.sees(`"Ends" has passed`)
		d.seesNot("expires")
	})
}

// TestNoCodeForScreenReaders guards that a screen reader reads an address, and no blocks.
func TestNoCodeForScreenReaders(t *testing.T) {
	for name, set := range map[string]func(*tui.Config){
		"plain": func(c *tui.Config) { c.Plain = true },
		"ASCII": func(c *tui.Config) { c.ASCII = true },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake()
				f.posts = append(f.posts, scheduled("post_1", "Hello", time.Hour))
				d := drive(t, f, 100, 60, set)
				d.press("Y")
				d.typed("Dana")
				d.press("ctrl+s")
				d.sees("https://posts.example/s/")
				d.seesNot("█")
			})
		})
	}
}

// TestAddressForAFormThatWasLeft guards that an address which arrives while something else is
// open is revoked, and that nothing else loses its text.
func TestAddressForAFormThatWasLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.posts = append(f.posts, scheduled("post_1", "Hello", time.Hour))
		d := drive(t, f, 100, 40)
		d.press("Y")
		d.typed("Dana")
		d.holds = func(msg tea.Msg) bool { return strings.HasSuffix(fmt.Sprintf("%T", msg), "share.madeMsg") }
		d.press("ctrl+s", "esc", "d", "n")
		d.typed("My new post")
		d.release()
		d.sees("My new post", "it is revoked")
		d.seesNot("https://posts.example/s/")
		if !slices.Contains(f.calls, "RevokeShare") {
			t.Errorf("the calls were %q", f.calls)
		}
	})
}

// TestAddressWithoutAPost guards that the key says why it does nothing.
func TestAddressWithoutAPost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, newFake(), 80, 24)
		d.press("Y")
		d.sees("no post is selected")
	})
}
