package queues_test

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	test "github.com/schedctl/schedctl/tui/postlist/postlisttest"
	"github.com/schedctl/schedctl/tui/queues"
	"github.com/schedctl/schedctl/tui/screen"
)

var _ postlist.Orderer = (*queues.Screen)(nil)

// frame notes what the queues ask of it.
type frame struct {
	*test.Frame
	busy    map[string]apiv1.Post
	offered *postlist.Undo
	ordered [][]string
}

// newFrame returns a frame with queues.
func newFrame(list ...apiv1.Queue) *frame {
	f := &frame{Frame: test.New(), busy: map[string]apiv1.Post{}}
	f.Queues, f.API = list, daemon{frame: f}
	return f
}

func (f *frame) StartSaving(p apiv1.Post) { f.busy[p.ID] = p }
func (f *frame) EndSaving(id string) (before apiv1.Post, was bool) {
	before, was = f.busy[id]
	delete(f.busy, id)
	return before, was
}
func (f *frame) ChangePending(id string) bool                 { _, is := f.busy[id]; return is }
func (f *frame) FinishUndo(*postlist.Undo, apiv1.Post, error) {}
func (f *frame) RebaseUndo(*postlist.Undo, apiv1.Post)        {}
func (f *frame) Refusal(_ postlist.Change, err error) string  { return err.Error() }
func (f *frame) ReplaceQueue(apiv1.Queue)                     {}
func (f *frame) MarkStale(string) tea.Cmd                     { return nil }
func (f *frame) ShowNotice(string)                            {}
func (f *frame) ShowError(string)                             {}
func (f *frame) RefreshSlots()                                {}
func (f *frame) ApplyPost(apiv1.Post)                         {}
func (f *frame) OfferUndo(u *postlist.Undo)                   { f.offered = u }

// daemon puts posts in order.
type daemon struct {
	screen.Client
	frame *frame
}

func (d daemon) OrderQueue(_ context.Context, _ string, ids []string) (apiv1.QueueMoves, error) {
	d.frame.ordered = append(d.frame.ordered, ids)
	return apiv1.QueueMoves{}, nil
}

func (d daemon) Post(_ context.Context, id string) (apiv1.Post, error) {
	return test.Post(id, test.Now), nil
}

// queued opens a queue with posts that have slots.
func queued(t *testing.T, f *frame, ids ...string) *queues.Screen {
	t.Helper()
	s := queues.New(f)
	s.Open()
	var posts []apiv1.Post
	for i, id := range ids {
		p := test.Post(id, test.Now.Add(time.Duration(i+1)*time.Hour))
		p.QueueID, p.Slot = &f.Queues[0].ID, &apiv1.Slot{Local: "2026-11-21T13:00", Timezone: "Europe/Berlin"}
		posts = append(posts, p)
	}
	test.Give(t, s, posts...)
	return s
}

// drag drags the selected post.
func drag(s *queues.Screen, by int) {
	p, _ := s.CurrentPost()
	s.Drag(p, by)
}

// order returns the ids of the shown posts.
func order(s *queues.Screen) (ids []string) {
	for i := range s.Posts.Size() {
		p, _ := s.Posts.At(i)
		ids = append(ids, p.ID)
	}
	return ids
}

// A post that is dragged several times is one change, which can be undone.
func TestDragsAreSentTogether(t *testing.T) {
	t.Parallel()
	f := newFrame(apiv1.Queue{ID: "queue_1", Name: "daily"})
	s := queued(t, f, "a", "b", "c")
	if s.IsDragging() {
		t.Error("nothing was dragged yet")
	}
	drag(s, 1)
	drag(s, 1)
	test.Selects(t, s, "a")
	if got := order(s); !slices.Equal(got, []string{"b", "c", "a"}) || !s.IsDragging() || len(f.ordered) > 0 {
		t.Errorf("the shown order is %q, and %q were sent", got, f.ordered)
	}
	s.Handle(s.SendOrder()())
	if want := [][]string{{"b", "c", "a"}}; !reflect.DeepEqual(f.ordered, want) || s.IsDragging() || len(f.busy) > 0 {
		t.Errorf("the orders %q were sent, want %q", f.ordered, want)
	}
	if f.offered == nil {
		t.Fatal("the order cannot be undone")
	}
	f.offered.Run(f.offered)()
	if want := []string{"a", "b", "c"}; !slices.Equal(f.ordered[1], want) {
		t.Errorf("the undo sends %q, want %q", f.ordered[1], want)
	}
}

func TestADroppedDragChangesNothing(t *testing.T) {
	t.Parallel()
	f := newFrame(apiv1.Queue{ID: "queue_1", Name: "daily"})
	s := queued(t, f, "a", "b")
	drag(s, 1)
	s.DropOrder()
	if got := order(s); !slices.Equal(got, []string{"a", "b"}) || s.IsDragging() || len(f.busy) > 0 {
		t.Errorf("the order is %q", got)
	}
	if s.SendOrder() != nil || len(f.ordered) > 0 {
		t.Error("the order was sent")
	}
	s.Posts.Query.Search = "a"
	if drag(s, 1); s.IsDragging() {
		t.Error("a post was dragged while others are hidden")
	}
}

func TestAnOpenQueueHasPosts(t *testing.T) {
	t.Parallel()
	f := newFrame(apiv1.Queue{ID: "queue_1", Name: "daily"}, apiv1.Queue{ID: "queue_2", Name: "weekly"})
	s := queues.New(f)
	if s.Feed() != nil || s.OpenQueue() != "" {
		t.Error("the list of queues has posts")
	}
	s.Move(1)
	s.Open()
	if got := s.Start().QueueID; s.OpenQueue() != "queue_2" || got != "queue_2" {
		t.Errorf("queue %q is open, and a new post gets a slot of %q", s.OpenQueue(), got)
	}
	if q := s.Feed().Query; q.QueueID != "queue_2" || s.IsFiltered() {
		t.Errorf("the posts are those of queue %q", q.QueueID)
	}
	test.Give(t, s, test.Post("a", test.Now.Add(time.Hour)))
	test.Selects(t, s, "a")
	if lines := strings.Join(s.Lines(test.Width, test.Height), "\n"); !strings.Contains(lines, "weekly") || !strings.Contains(lines, "text of a") {
		t.Errorf("the lines are:\n%s", lines)
	}
	s.Back()
	if s.Feed() != nil {
		t.Error("the queue is still open")
	}
	if s.Open(); !s.Detail().Outdated {
		t.Error("changes since the queue was closed are missing in the details")
	}
}

func TestADeletedQueueCloses(t *testing.T) {
	t.Parallel()
	f := newFrame(apiv1.Queue{ID: "queue_1", Name: "daily"})
	s := queues.New(f)
	s.Open()
	s.Detail().Open = true
	s.Handle(postlist.QueuesRead{})
	if s.OpenQueue() != "queue_1" {
		t.Error("a queue that exists has closed")
	}
	f.Queues = nil
	s.Handle(postlist.QueuesRead{Changed: true})
	if s.OpenQueue() != "" || s.Feed() != nil || s.Detail().Open {
		t.Error("the deleted queue is still open")
	}
}
