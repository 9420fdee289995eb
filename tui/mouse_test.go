package tui_test

import (
	"strings"
	"testing"
	"testing/synctest"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"github.com/schedctl/schedctl/tui"
)

// clickOn clicks on the last text of this kind.
func (d *driver) clickOn(text string) {
	d.t.Helper()
	lines := strings.Split(d.model.View(), "\n")
	y, before := -1, ""
	for i := len(lines) - 1; i >= 0 && y < 0; i-- {
		if left, _, ok := strings.Cut(ansi.Strip(lines[i]), text); ok {
			y, before = i, left
		}
	}
	if y < 0 {
		d.t.Fatalf("the screen has no %q:\n%s", text, d.model.View())
	}
	d.send(tea.MouseMsg{X: ansi.StringWidth(before), Y: y, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
}

// The keys of the last line can be clicked, in lists and dialogs.
func TestFooterKeysAreClicked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := full(30)
		d := drive(t, f, 120, 30)
		d.clickOn("s schedule")
		d.sees("When?")
		d.press("esc")
		d.clickOn("c cancel")
		d.sees("Cancel this post?")
		d.clickOn("n no")
		d.sees("nothing changed")
		d.press("2")
		d.clickOn("] other weeks")
		d.sees("Mon 23")
		d.clickOn("[ ] other weeks")
		d.sees("Mon 16")
		d.clickOn("m move in time")
		d.clickOn("→ days")
		d.sees("→ Sun 22 Nov 2026")
		d.clickOn("enter move")
		if got := f.timeOf(t, "post_0000"); got != "Sun 22 Nov 18:00" {
			t.Errorf("the post is at %s", got)
		}
		d.press("1")
		d.clickOn("n new")
		d.sees("New post")
		d.press("tab")
		d.clickOn("esc leave")
		d.seesNot("New post")
		d.press("L")
		d.clickOn("esc cancel")
		d.seesNot("0 labels chosen")
		d.clickOn("q quit")
		if !d.quit {
			t.Error("a click on quit does not quit")
		}
	})
}

// A click selects a day of the month, and a post of that day.
func TestTheMonthIsClicked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, full(60), 140, 40, func(*tui.Config) {})
		d.press("3")
		lines := strings.Split(d.model.View(), "\n")
		click := func(text string, by int) {
			for y, line := range lines {
				if before, _, ok := strings.Cut(line, text); ok {
					d.send(tea.MouseMsg{X: ansi.StringWidth(before) + by, Y: y, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
					return
				}
			}
			t.Fatalf("no %q on the screen", text)
		}
		click("23 ", 0)
		d.sees("Monday 23 November 2026, 4 posts")
		lines = strings.Split(d.model.View(), "\n")
		click("○ Post number 7 ", 3)
		d.sees("▌ 12:00 ○ Post number 7 ")
		click("○ Post number 7 ", 3)
		d.sees("Timeline")
	})
}
