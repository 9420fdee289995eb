package tui_test

import (
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/tui"
	"github.com/schedctl/schedctl/tui/postlist"
)

// TestEveryScreenWorksWithoutData guards that a screen of a new tab answers all that the frame
// asks, before anything was read.
func TestEveryScreenWorksWithoutData(t *testing.T) {
	t.Parallel()
	holders := 0
	for name, room := range tui.Rooms(tui.New(t.Context(), tui.Config{Zone: zone, Now: func() time.Time { return now }})) {
		room.Arrive()
		room.Refresh()
		room.Reload()
		room.Retry()
		room.Poll()
		room.Fill()
		room.Handle(struct{}{})
		room.Key(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("i")})
		room.Move(1)
		room.Move(-1 << 30)
		room.Open()
		room.Back()
		for _, size := range [][2]int{{0, 0}, {20, 3}, {80, 20}, {200, 60}} {
			if lines := room.Lines(size[0], size[1]); size[1] >= 3 && len(lines) == 0 {
				t.Errorf("%s: no lines in %d columns", name, size[0])
			}
		}
		if len(room.Keys()) == 0 {
			t.Errorf("%s: no keys", name)
		}
		h, ok := room.(postlist.Holder)
		if !ok {
			continue
		}
		holders++
		h.MarkNext()
		h.Scroll(80, 20)
		if h.Click(5, 2, 80, 20) {
			t.Errorf("%s: clicked on a post", name)
		}
		if _, ok := h.CurrentPost(); ok || !h.IsEmpty() || h.IsFiltered() || len(h.UnderSelection()) > 0 {
			t.Errorf("%s: it has a post, or hides some", name)
		}
		if len(h.Summary()) == 0 || len(h.Traits().Sorts) == 0 {
			t.Errorf("%s: it has no order", name)
		}
	}
	if holders < 8 {
		t.Errorf("found %d screens with posts", holders)
	}
}
