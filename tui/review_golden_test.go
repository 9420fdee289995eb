package tui_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/schedctl/schedctl/tui"
)

// reviewViews are the screens of reviews, and the keys that open them.
var reviewViews = []struct {
	name string
	keys []string
}{
	{"review", []string{"0", "down"}},
	{"review-detail", []string{"0", "down", "enter"}},
	{"review-approve", []string{"0", "down", "a"}},
	{"review-changes", []string{"0", "down", "c", "N", "a", "m", "e", " ", "i", "t"}},
	{"review-changed", []string{"0", "enter"}},
	{"review-note", []string{"0", "down", "N", "T", "h", "x", "esc"}},
	{"review-submit", []string{"4", "end", "A"}},
	{"review-drafts", []string{"4"}},
	{"review-agenda", nil},
	{"review-week", []string{"2", "end"}},
	{"review-series", []string{"0", "down", "down"}},
	{"review-series-detail", []string{"0", "down", "down", "enter"}},
	{"review-series-approve", []string{"0", "down", "down", "a"}},
}

// TestReviewScreens renders the screens of reviews in all sizes and color modes.
func TestReviewScreens(t *testing.T) {
	t.Parallel()
	for _, v := range reviewViews {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			open := reviewed
			if strings.HasPrefix(v.name, "review-series") {
				open = withSeries
			}
			var golden txtar.Archive
			for _, size := range []struct{ width, height int }{{40, 15}, {80, 24}, {120, 40}} {
				for _, look := range looks {
					if look.name == "light" && size.width != 80 {
						continue // only the colors differ
					}
					change := func(c *tui.Config) {
						asVera(c)
						look.change(c)
					}
					screen := draw(t, open(), size.width, size.height, change, v.keys)
					measure(t, screen, size.width, size.height)
					golden.Files = append(golden.Files, txtar.File{Name: fmt.Sprint(size.width, " ", look.name), Data: []byte(readable(screen))})
				}
			}
			compare(t, filepath.Join("testdata", v.name+".txtar"), string(txtar.Format(&golden)))
		})
	}
}
