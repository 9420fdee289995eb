package postlist

import (
	"context"
	"slices"
	"sort"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/screen"
)

// List is what screens with posts have in common: the posts, and the selection among posts
// and slots. A screen that embeds it needs only its keys to be a [Holder].
type List struct {
	frame  Frame
	traits Traits
	ghost  SlotKey // the selected slot, if it is still free
	detail Detail

	Posts Feed
	// Slots returns the slots that are shown between the posts, in order of time. Nil means
	// none.
	Slots func() []Ghost
}

// NewList returns a list whose posts are not read yet.
func NewList(f Frame, t Traits) List {
	t.Query.Sort, t.Query.Limit = t.Sorts[0], PageSize
	l := List{frame: f, traits: t}
	l.Posts.Reset(t.Query)
	return l
}

// Traits implements [Holder].
func (l *List) Traits() *Traits { return &l.traits }

// Arrive implements [screen.Screen].
func (l *List) Arrive() { l.SelectPost() }

// Feed implements [Holder].
func (l *List) Feed() *Feed { return &l.Posts }

// Read implements [Holder].
func (l *List) Read(ctx context.Context, c screen.Client, q screen.Query) (apiv1.PostList, []apiv1.Series, error) {
	list, err := c.Posts(ctx, q)
	return list, nil, err
}

// IsFiltered implements [Holder].
func (l *List) IsFiltered() bool {
	q := l.Posts.Query
	return q.Search != "" || q.AccountID != "" || q.Label != "" || !slices.Equal(q.Statuses, l.traits.Query.Statuses)
}

// IsEmpty implements [Holder].
func (l *List) IsEmpty() bool { return l.Posts.Size() == 0 && len(l.Ghosts()) == 0 }

// CurrentPost implements [Holder].
func (l *List) CurrentPost() (apiv1.Post, bool) {
	if _, is := l.SelectedGhost(); is {
		return apiv1.Post{}, false
	}
	return l.Posts.Current()
}

// Detail implements [Holder].
func (l *List) Detail() *Detail { return &l.detail }

// SelectPost implements [Holder].
func (l *List) SelectPost() { l.ghost = SlotKey{} }

// UnderSelection implements [Holder].
func (l *List) UnderSelection() []apiv1.Post {
	if p, ok := l.CurrentPost(); ok && !IsSeries(p) {
		return []apiv1.Post{p}
	}
	return nil
}

// MarkNext implements [Holder].
func (l *List) MarkNext() { l.Move(1) }

// Follow implements [Holder].
func (l *List) Follow(p apiv1.Post) { l.Posts.Seek(p) }

// Start implements [Holder].
func (l *List) Start() Start { return Start{} }

// Summary implements [Holder].
func (l *List) Summary() []string { return []string{SortName(l.Posts.Query.Sort)} }

// Fill does nothing: the program around the screen reads the feed.
func (l *List) Fill() tea.Cmd { return nil }

// Handle does nothing: the program around the screen passes posts to the feed.
func (l *List) Handle(tea.Msg) tea.Cmd { return nil }

// Key does nothing: the program around the screen handles the keys for posts.
func (l *List) Key(tea.KeyMsg) tea.Cmd { return nil }

// Open does nothing: the program around the screen shows the details.
func (l *List) Open() {}

// Back implements [screen.Screen].
func (l *List) Back() { l.frame.ClearNotice() }

// Refresh does nothing: there are events about posts.
func (l *List) Refresh() {}

// Poll does nothing: there are events about posts.
func (l *List) Poll() {}

// Reload implements [screen.Screen].
func (l *List) Reload() {
	l.Posts.MarkOutdated()
	l.detail.Outdated = true
}

// Retry implements [screen.Screen].
func (l *List) Retry() { l.Posts.Err, l.detail.Err = nil, nil }

// Lines implements [screen.Screen].
func (l *List) Lines(width, height int) []string {
	if l.Posts.Size() == 0 {
		return l.EmptyLines(width)
	}
	return l.draw(width, height).Lines
}

// EmptyLines says why there are no posts.
func (l *List) EmptyLines(width int) []string {
	f, text := &l.Posts, l.traits.Empty
	if l.IsFiltered() {
		text = "No posts match. Press esc to clear search and filter."
	}
	return screen.EmptyMessage(l.frame.Current(), f.Loaded && f.Next == "", f.Err, text, width)
}

func (l *List) draw(width, height int) DrawnList {
	byDay := l.traits.ByDay && strings.HasSuffix(l.Posts.Query.Sort, "publish_at")
	return PostRows(l.frame.PostScene(), &l.Posts, l.traits.Rows, byDay, width, height)
}

// Scroll implements [Holder].
func (l *List) Scroll(width, height int) {
	f := &l.Posts
	first := max(0, f.Selected-max(0, height))
	first = max(first, min(f.Top, f.Selected))
	seen := func(i int) bool {
		f.Top = first + i
		return i >= f.Selected-first || f.Top+l.draw(width, height).Whole > f.Selected
	}
	if seen(0) || seen(1) {
		return // rendering is slow and most steps are small
	}
	f.Top = first + sort.Search(f.Selected-first, seen)
}

// Click implements [Holder].
func (l *List) Click(_, row, width, height int) (again bool) {
	rows := l.draw(width, height)
	if row >= len(rows.Posts) || rows.Posts[row] == NoPost {
		return false
	}
	return l.ClickPost(rows.Posts[row])
}

// ClickPost selects a post of the feed, and reports whether it was selected before.
func (l *List) ClickPost(i int) (again bool) {
	_, ghost := l.SelectedGhost()
	again = l.Posts.Selected == i && !ghost
	l.SelectPost()
	l.Posts.Move(i - l.Posts.Selected)
	return again
}

// ShowPeriod shows the posts of another period, and selects the first one from a time on.
// From is zero for the first one of all.
func (l *List) ShowPeriod(after, before, from time.Time) {
	l.SelectPost()
	q := l.Posts.Query
	q.After, q.Before = after, before
	l.Posts.Reset(q)
	l.Posts.From = from
}

// FollowTo is Follow for a post that is in a period now, which is shown or not. It reports
// whether the post is among those of the period.
func (l *List) FollowTo(p apiv1.Post, after, before time.Time, shown bool) bool {
	q := l.Posts.Query
	q.After, q.Before = after, before
	switch {
	case !Matches(q, p):
		return false
	case shown:
		l.Posts.Seek(p)
	default:
		l.ShowPeriod(after, before, time.Time{})
		l.Posts.Moved, l.Posts.Anchor = []apiv1.Post{p}, p.ID
	}
	return true
}

// SortName describes a sort order.
func SortName(sort string) string {
	switch sort {
	case "publish_at":
		return "soonest first"
	case "-publish_at":
		return "latest first"
	case "created_at":
		return "oldest first"
	case SortProposed:
		return "by proposed time"
	}
	return "newest first"
}

// The statuses of the posts of several screens.
var (
	// Upcoming is the statuses of posts that will be published.
	Upcoming = []schedctl.Status{schedctl.Scheduled, schedctl.Publishing}
	// Dated is the statuses of posts with a time.
	Dated = []schedctl.Status{schedctl.Scheduled, schedctl.Publishing, schedctl.Published, schedctl.Failed, schedctl.Canceled}
)
