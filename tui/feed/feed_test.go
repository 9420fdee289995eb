package feed_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/feed"
	"github.com/schedctl/schedctl/tui/postlist"
	test "github.com/schedctl/schedctl/tui/postlist/postlisttest"
)

var _ postlist.Holder = (*feed.Screen)(nil)

// Each list has the posts of its statuses, and an own text without any.
func TestListsDiffer(t *testing.T) {
	t.Parallel()
	f := test.New()
	for _, c := range []struct {
		screen *feed.Screen
		has    []schedctl.Status
		empty  string
		sorts  string
	}{
		{feed.Agenda(f), []schedctl.Status{schedctl.Scheduled, schedctl.Publishing}, "No scheduled posts.", "publish_at -publish_at -created_at"},
		{feed.Drafts(f), []schedctl.Status{schedctl.Draft}, "No drafts.", "-created_at created_at"},
		{feed.History(f), []schedctl.Status{schedctl.Published, schedctl.Failed, schedctl.Canceled}, "No published posts yet.", "-publish_at publish_at -created_at"},
		{feed.Failed(f), []schedctl.Status{schedctl.Failed}, "No failed posts.", "-publish_at publish_at -created_at"},
	} {
		p := test.Post("a", test.Now)
		for _, p.Status = range c.has {
			if !postlist.Matches(c.screen.Feed().Query, p) {
				t.Errorf("the list with %q has no posts that are %s", c.empty, p.Status)
			}
		}
		if got := strings.Join(c.screen.Traits().Sorts, " "); got != c.sorts || !strings.HasPrefix(got, c.screen.Feed().Query.Sort+" ") {
			t.Errorf("the list with %q is sorted by %s, and has the orders %s", c.empty, c.screen.Feed().Query.Sort, got)
		}
		if n := len(c.screen.Traits().Query.Statuses); n != len(c.has) {
			t.Errorf("the list with %q has posts with %d statuses", c.empty, n)
		}
		test.Give(t, c.screen)
		if lines := strings.Join(c.screen.Lines(test.Width, test.Height), "\n"); !strings.Contains(lines, c.empty) {
			t.Errorf("without posts the lines are:\n%s", lines)
		}
		c.screen.Posts.Query.Search = "x"
		if lines := strings.Join(c.screen.Lines(test.Width, test.Height), "\n"); !strings.Contains(lines, "No posts match.") {
			t.Errorf("with a search the lines are:\n%s", lines)
		}
	}
}

func TestASecondClickOpensAPost(t *testing.T) {
	t.Parallel()
	s := feed.Agenda(test.New())
	test.Give(t, s, test.Post("a", test.Now.Add(time.Hour)), test.Post("b", test.Now.Add(2*time.Hour)))
	const row = 2 // below the heading of the day and the first post
	if s.Click(5, row, test.Width, test.Height) {
		t.Error("the first click opens the post")
	}
	test.Selects(t, s, "b")
	if !s.Click(5, row, test.Width, test.Height) {
		t.Error("the second click does not open the post")
	}
	if s.Click(5, 0, test.Width, test.Height) || s.Click(5, 9, test.Width, test.Height) {
		t.Error("a click next to the posts opens one")
	}
}

// A long list scrolls only as far as the selection needs it.
func TestAListScrollsToItsSelection(t *testing.T) {
	t.Parallel()
	s := feed.Agenda(test.New())
	posts := postsOf(40)
	test.Give(t, s, posts...)
	s.Move(30)
	s.Scroll(test.Width, test.Height)
	if lines := strings.Join(s.Lines(test.Width, test.Height), "\n"); !strings.Contains(lines, "text of "+posts[30].ID) || s.Posts.Top == 0 {
		t.Errorf("the selected post is not visible:\n%s", lines)
	}
	top := s.Posts.Top
	s.Move(-1)
	if s.Scroll(test.Width, test.Height); s.Posts.Top != top {
		t.Errorf("the list has scrolled from %d to %d", top, s.Posts.Top)
	}
}

func postsOf(n int) (list []apiv1.Post) {
	for i := range n {
		list = append(list, test.Post(fmt.Sprintf("p%02d", i), test.Now.Add(time.Duration(i)*time.Minute)))
	}
	return list
}
