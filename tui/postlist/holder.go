package postlist

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/screen"
)

// Holder is a screen with posts. Most of its methods are those of [List].
type Holder interface {
	screen.Screen
	// Traits returns what never changes about the screen.
	Traits() *Traits

	// Feed returns the posts, or nil while the screen shows something else.
	Feed() *Feed
	// Read reads posts for the feed, and the series for which rows are among them. It is
	// called from commands.
	Read(ctx context.Context, c screen.Client, q screen.Query) (apiv1.PostList, []apiv1.Series, error)
	// IsFiltered reports whether a search or filter hides posts.
	IsFiltered() bool
	// IsEmpty reports whether there are neither posts nor slots.
	IsEmpty() bool

	// CurrentPost returns the selected post, unless a slot is selected.
	CurrentPost() (p apiv1.Post, ok bool)
	// Detail returns the details of the selected post.
	Detail() *Detail
	// SelectedGhost returns the selected slot, if a slot is selected and still free.
	SelectedGhost() (g Ghost, ok bool)
	// SelectPost selects the post of the feed instead of a slot.
	SelectPost()
	// UnderSelection returns the posts that the key for marks marks, and MarkNext moves the
	// selection to what it marks next.
	UnderSelection() []apiv1.Post
	MarkNext()
	// Follow keeps the selection on a post that was selected and now has another time.
	Follow(p apiv1.Post)
	// Start returns what a new post starts with.
	Start() Start

	// Summary describes the period, or the order of the posts.
	Summary() []string
	// Scroll scrolls so that the selection is visible in Lines of a size.
	Scroll(width, height int)
	// Click selects what is at a column and row of Lines of a size. It reports whether that
	// is a post that was selected before.
	Click(x, row, width, height int) (again bool)
}

// Calendar is a screen with the posts of a period.
type Calendar interface {
	Holder
	// PeriodKey handles a key that moves through the period or to another one, and reports
	// whether it was one.
	PeriodKey(k tea.KeyMsg) bool
	// GoTo shows the period of a time, and selects the first post of its day or a later one.
	GoTo(t time.Time)
	// StepsDays reports whether arrows move a grabbed post by days only.
	StepsDays() bool
}

// Dragger is a screen where the mouse drags posts to other days.
type Dragger interface {
	Holder
	// Release ends what a click has started. It returns by how many days the post was
	// dragged, and reports whether it was clicked again instead.
	Release(x int) (days int, again bool)
}

// Orderer is a screen with the posts of a queue in the order of their slots.
type Orderer interface {
	Holder
	// OpenQueue returns the id of the queue, empty if the screen shows none now.
	OpenQueue() string
	// PreviewReflow asks for the preview of new slots in the queue.
	PreviewReflow() tea.Cmd

	// Drag exchanges the slots of the selected post and the next or previous one. The new
	// order is sent later, so that several exchanges are one change.
	Drag(p apiv1.Post, by int) tea.Cmd
	// IsDragging reports whether an order is not sent yet. SendOrder sends it, if there is one,
	// and DropOrder reverts it.
	IsDragging() bool
	SendOrder() tea.Cmd
	DropOrder() tea.Cmd
}

// Traits is what never changes about a screen with posts.
type Traits struct {
	Query   screen.Query // without a search or filter, in the default order
	Sorts   []string     // the sort orders, the default first
	Rows    RowsFunc
	ByDay   bool   // posts are grouped by day if that is their order
	Empty   string // says that there are no posts, and what to do about it
	FromNow bool   // the first post from now on is selected first

	Wide    bool // there is no room for details next to it
	Counted bool // its tab shows the number of posts
	Plans   bool // it shows queues, slots or blackouts
	Reviews bool // it shows what waits for an approval: also series, and who has asked
}

// Start is what a new post starts with. The zero Start is an empty post.
type Start struct {
	QueueID string // the post gets the next slot of this queue
	Time    string // as a user types it
}

// QueuesRead is the message after the queues of the [Scene] were read, for all screens.
type QueuesRead struct{ Changed bool }

// SlotsChanged is the message that slots may be taken or free now, for all screens. They
// have slots read again when they are needed: AtOnce after a change by the user, else after
// a pause. No command comes of it.
type SlotsChanged struct{ AtOnce bool }
