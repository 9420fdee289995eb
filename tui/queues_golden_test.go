package tui_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/schedctl/schedctl"
)

// planViews are the screens of queues, blackouts and series, and the keys that open them.
var planViews = []struct {
	name string
	keys []string
}{
	{"plan-week", []string{"2", "]"}},
	{"plan-week-slot", []string{"2", "]", "down", "down"}},
	{"plan-compose", []string{"2", "]", "right", "down", "n", "H", "i", "tab"}},
	{"plan-queues", []string{"9"}},
	{"plan-queue", []string{"9", "enter"}},
	{"plan-queue-slot", []string{"9", "enter", "down", "down", "down"}},
	{"plan-reflow", []string{"9", "enter", "F"}},
	{"plan-detail", []string{"down", "down", "down", "enter"}},
	{"plan-detail-queued", []string{"enter"}},
	{"plan-skip", []string{"down", "down", "down", "x"}},
}

// TestPlanScreens renders the screens of queues, blackouts and series in all sizes and
// color modes.
func TestPlanScreens(t *testing.T) {
	t.Parallel()
	for _, v := range planViews {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			var golden txtar.Archive
			for _, size := range []struct{ width, height int }{{40, 15}, {80, 24}, {120, 40}} {
				for _, look := range looks {
					if look.name == "light" && size.width != 80 {
						continue // only the colors differ
					}
					screen := draw(t, planned(), size.width, size.height, look.change, v.keys)
					measure(t, screen, size.width, size.height)
					golden.Files = append(golden.Files, txtar.File{Name: fmt.Sprint(size.width, " ", look.name), Data: []byte(readable(screen))})
				}
			}
			compare(t, filepath.Join("testdata", v.name+".txtar"), string(txtar.Format(&golden)))
		})
	}
}

// A key is visible within a frame in a queue with 48 slots a day and thousands of posts.
func BenchmarkKeyInAQueue(b *testing.B) {
	f := planned()
	f.posts = nil
	f.plan.queues[0].Times = nil
	for i := range schedctl.MaxSlotsPerDay {
		f.plan.queues[0].Times = append(f.plan.queues[0].Times, schedctl.QueueTime{Days: schedctl.EveryDay, Minute: i * 30})
	}
	for i := range 2000 {
		f.posts = append(f.posts, queued(fmt.Sprintf("post_%06d", i), fmt.Sprintf("Post number %d", i), "que_1", day(22, "09:00").Add(time.Duration(i)*time.Hour)))
	}
	d := drive(b, f, 99, 60)
	d.press("9", "enter")
	for range 10 {
		d.press("pgdown")
	}
	d.sees("+ free", "Post number 290")
	moves := []tea.KeyMsg{press("up"), press("pgup"), press("down"), press("pgdown")}
	i := 0
	for b.Loop() {
		d.model, _ = d.model.Update(moves[i%len(moves)])
		if i++; d.model.View() == "" {
			b.Fatal("nothing is drawn")
		}
	}
	if mean := b.Elapsed() / time.Duration(b.N); mean > frame {
		b.Errorf("%v for a key, want at most a frame (%v)", mean, frame)
	}
}
