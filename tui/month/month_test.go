package month_test

import (
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/tui/month"
	"github.com/schedctl/schedctl/tui/postlist"
	test "github.com/schedctl/schedctl/tui/postlist/postlisttest"
)

var _ postlist.Calendar = (*month.Screen)(nil)

func day(d int) time.Time { return time.Date(2026, 11, d, 9, 0, 0, 0, test.Zone) }

func TestArrowsMoveThroughDaysAndTheirPosts(t *testing.T) {
	t.Parallel()
	s := month.New(test.New())
	test.Give(t, s, test.Post("a", day(22)), test.Post("b", day(22).Add(time.Hour)), test.Post("c", day(29)))
	test.Selects(t, s, "") // today has none
	test.Press(t, s, tea.KeyMsg{Type: tea.KeyRight})
	test.Selects(t, s, "a")
	if n := len(s.UnderSelection()); n != 2 {
		t.Errorf("%d posts are under the selection, want those of the day", n)
	}
	test.Press(t, s, tea.KeyMsg{Type: tea.KeyEnter})
	test.Press(t, s, tea.KeyMsg{Type: tea.KeyDown})
	test.Selects(t, s, "b")
	if n := len(s.UnderSelection()); n != 1 {
		t.Errorf("%d posts are under the selection, want one", n)
	}
	s.Move(1) // the last one of the day
	test.Selects(t, s, "b")
	s.Arrive()
	s.Move(1)
	test.Selects(t, s, "c")
}

func TestTheMonthFollowsAPostToAnotherMonth(t *testing.T) {
	t.Parallel()
	s := month.New(test.New())
	p := test.Post("a", day(30))
	test.Give(t, s, p)
	p = test.Post("a", day(30).AddDate(0, 0, 21))
	s.Follow(p)
	if got := s.Summary()[0]; got != "December 2026" {
		t.Errorf("the month is %s", got)
	}
	test.Give(t, s, p)
	test.Selects(t, s, "a")
	if lines := strings.Join(s.Lines(test.Width, 40), "\n"); !strings.Contains(lines, "Monday 21 December 2026, 1 post") {
		t.Errorf("the day of the post is not shown:\n%s", lines)
	}
}

// A post that a filter hides does not move the month.
func TestTheMonthStaysWithoutThePost(t *testing.T) {
	t.Parallel()
	s := month.New(test.New())
	s.Posts.Query.Search = "other"
	s.Follow(test.Post("a", day(30).AddDate(0, 1, 0)))
	if got := s.Summary()[0]; got != "November 2026" {
		t.Errorf("the month is %s", got)
	}
}

func TestANewPostStartsOnAFutureDay(t *testing.T) {
	t.Parallel()
	s := month.New(test.New())
	if got := s.Start().Time; got != "" {
		t.Errorf("today the time is %q", got)
	}
	s.GoTo(day(25))
	if got := s.Start().Time; got != "2026-11-25 09:00" {
		t.Errorf("the time is %q", got)
	}
}
