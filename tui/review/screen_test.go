package review_test

import (
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	test "github.com/schedctl/schedctl/tui/postlist/postlisttest"
	"github.com/schedctl/schedctl/tui/review"
	"github.com/schedctl/schedctl/tui/screen"
)

var _ postlist.Holder = (*review.Screen)(nil)

// frame counts how often the names of keys were asked for.
type frame struct {
	*test.Frame
	keys int
}

func (f *frame) ReloadKeys()         { f.keys++ }
func (f *frame) NotesChanged(string) {}
func (f *frame) Decided(apiv1.Post)  {}

func TestTheReviewReadsSeriesAgain(t *testing.T) {
	t.Parallel()
	f := &frame{Frame: test.New()}
	s := review.NewScreen(review.New(f, apiv1.APIKey{}))
	test.Give(t, s, test.Post("a", test.Now))
	s.Handle(screen.Event{Event: apiv1.Event{Type: schedctl.EventSeriesSubmitted}})
	if _, ok := s.Posts.NextRequest(test.Height); ok {
		t.Error("an event without a series has the posts read again")
	}
	s.Handle(screen.Event{Event: apiv1.Event{Type: schedctl.EventSeriesSubmitted, Data: apiv1.EventData{SeriesID: "ser_1"}}})
	test.Give(t, s, test.Post("a", test.Now), test.Post("b", test.Now))
	test.Selects(t, s, "a")
	if s.Arrive(); f.keys != 1 {
		t.Errorf("the keys were asked for %d times", f.keys)
	}
}

// Only a key that may approve is shown the keys for it.
func TestKeysDependOnTheRights(t *testing.T) {
	t.Parallel()
	for scope, want := range map[schedctl.Scope]bool{schedctl.ScopePostsApprove: true, schedctl.ScopeKeysWrite: false} {
		f := &frame{Frame: test.New()}
		s := review.NewScreen(review.New(f, apiv1.APIKey{ID: "key_1", Scopes: []schedctl.Scope{scope}}))
		got := false
		for _, b := range s.Keys() {
			got = got || b.Help() == f.Current().Keys.ApprovePost.Help()
		}
		if got != want {
			t.Errorf("with %s, the key to approve is shown: %t", scope, got)
		}
	}
}
