package queues_test

import (
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	test "github.com/schedctl/schedctl/tui/postlist/postlisttest"
	"github.com/schedctl/schedctl/tui/queues"
)

var _ postlist.Orderer = (*queues.Screen)(nil)

func TestAnOpenQueueHasPosts(t *testing.T) {
	t.Parallel()
	f := test.New()
	f.Queues = []apiv1.Queue{{ID: "queue_1", Name: "daily"}, {ID: "queue_2", Name: "weekly"}}
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
}

func TestADeletedQueueCloses(t *testing.T) {
	t.Parallel()
	f := test.New()
	f.Queues = []apiv1.Queue{{ID: "queue_1", Name: "daily"}}
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
