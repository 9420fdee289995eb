package week_test

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	test "github.com/schedctl/schedctl/tui/postlist/postlisttest"
	"github.com/schedctl/schedctl/tui/screen"
	"github.com/schedctl/schedctl/tui/week"
)

var (
	_ postlist.Calendar = (*week.Screen)(nil)
	_ postlist.Dragger  = (*week.Screen)(nil)
)

func TestTheWeekFollowsAPostToAnotherWeek(t *testing.T) {
	t.Parallel()
	s := week.New(test.New())
	test.Give(t, s, test.Post("a", test.Now.Add(time.Hour)))
	s.Detail().Open = true
	later := test.Post("a", test.Now.AddDate(0, 0, 14))
	s.Follow(later)
	if got := s.Summary()[0]; got != "week of 30 November 2026" {
		t.Errorf("the screen shows the %s", got)
	}
	test.Give(t, s, later)
	test.Selects(t, s, "a")
	if !s.Detail().Open {
		t.Error("the details of the post were closed")
	}
	test.Press(t, s, tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("[")})
	if got := s.Summary()[0]; got != "week of 23 November 2026" || s.Detail().Open {
		t.Errorf("the screen shows the %s", got)
	}
}

// A post that the mouse takes to another column is dragged by days, and a click on the
// selected one opens it.
func TestThePressedPostIsDragged(t *testing.T) {
	t.Parallel()
	s := week.New(test.New())
	test.Give(t, s, test.Post("a", test.Now.AddDate(0, 0, -1)), test.Post("b", test.Now.Add(time.Hour)))
	x := strings.Index(s.Lines(test.Width, test.Height)[0], "Sat 21")
	for _, c := range []struct {
		name    string
		release int
		days    int
		again   bool
	}{
		{"a first click", x, 0, false},
		{"a click on the selected post", x, 0, true},
		{"a drag to the left", x - 2*(test.Width/7), -2, false},
	} {
		s.Click(x, 2, test.Width, test.Height)
		test.Selects(t, s, "b")
		if days, again := s.Release(c.release); days != c.days || again != c.again {
			t.Errorf("%s: %d days, again %t", c.name, days, again)
		}
		if c.release == x && !c.again {
			continue
		}
		if days, again := s.Release(0); days != 0 || again {
			t.Errorf("%s: released twice", c.name)
		}
	}
}

// slots is a daemon with free slots.
type slots struct{ screen.Client }

func (slots) QueueSlots(_ context.Context, _ string, q screen.SlotQuery) ([]apiv1.QueueSlot, error) {
	return []apiv1.QueueSlot{{At: apiv1.Time{Time: q.After.Add(2 * time.Hour)}, State: apiv1.SlotFree}}, nil
}

// read runs the commands of a screen and passes their messages to it.
func read(s screen.Screen, cmd tea.Cmd) (requests int) {
	if cmd == nil {
		return 0
	}
	switch msg := cmd().(type) {
	case nil:
		return 0
	case tea.BatchMsg:
		for _, c := range msg {
			requests += read(s, c)
		}
		return requests
	default:
		s.Handle(msg)
		return 1
	}
}

func TestFreeSlotsAreBetweenThePosts(t *testing.T) {
	t.Parallel()
	f := test.New()
	f.API, f.Queues = slots{}, []apiv1.Queue{{ID: "queue_1", Name: "daily"}}
	s := week.New(f)
	test.Give(t, s, test.Post("a", test.Now.Add(time.Hour)), test.Post("b", test.Now.Add(3*time.Hour)))
	if n := read(s, s.Fill()); n != 1 {
		t.Fatalf("%d requests for slots", n)
	}
	s.Move(1)
	if g, ok := s.SelectedGhost(); !ok || g.Queue != "daily" {
		t.Errorf("the slot is not selected: %+v", g)
	}
	test.Selects(t, s, "")
	s.Move(1)
	test.Selects(t, s, "b")
	if n := read(s, s.Fill()); n != 0 {
		t.Errorf("%d requests for slots that are known", n)
	}
	s.Handle(postlist.SlotsChanged{AtOnce: true})
	if n := read(s, s.Fill()); n != 1 {
		t.Errorf("%d requests for slots that have changed", n)
	}
	test.Press(t, s, tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("]")})
	test.Give(t, s, test.Post("c", test.Now.AddDate(0, 0, 7)))
	if read(s, s.Fill()); len(s.Ghosts()) != 1 {
		t.Errorf("the next week shows %d slots, want its own one", len(s.Ghosts()))
	}
	f.Queues = nil
	s.Handle(postlist.QueuesRead{Changed: true})
	if read(s, s.Fill()); len(s.Ghosts()) != 0 {
		t.Error("a queue that was deleted still has slots")
	}
}
