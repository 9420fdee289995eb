package publishtest

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// StageSuite is a network with stages for [RunStages].
type StageSuite struct {
	// Start returns a publisher and a request without a Stage, for a network of its own.
	Start func(t *testing.T) (publish.Stager, publish.Request)

	// Posts returns how many posts the network of the last Start shows.
	Posts func() int

	// Unknown is the id of a staged post that the network does not have.
	Unknown string
}

// RunStages tests the contract of a [publish.Stager].
func RunStages(t *testing.T, s StageSuite) {
	t.Run("Staging shows nothing", func(t *testing.T) {
		p, r := s.Start(t)
		first, second := s.stage(t, p, r), s.stage(t, p, r)
		if first.ID == second.ID {
			t.Errorf("two staged posts have the id %q", first.ID)
		}
		s.wantPosts(t, 0)
		for _, stage := range []publish.Stage{first, second} {
			r.Stage = stage.ID
			if _, found, err := find(t, p, r); found || err != nil {
				t.Errorf("found before it is published: %v, %v", found, err)
			}
		}
	})
	t.Run("Published once", func(t *testing.T) {
		p, r := s.Start(t)
		stage := s.stage(t, p, r)
		r.Stage, r.Attempt = stage.ID, 1
		receipt, err := p.(publish.Publisher).Publish(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		s.wantPosts(t, 1)
		for range 2 { // as after a response that was lost
			r.Attempt++
			again, err := p.(publish.Publisher).Publish(t.Context(), r)
			if e := publish.AsError(err); err != nil && e.Outcome == schedctl.OutcomeNotPublished {
				t.Errorf("a repeat reports that the post was not published: %v", e)
			}
			if err == nil && again.ID != receipt.ID {
				t.Errorf("a repeat published %+v after %+v", again, receipt)
			}
			s.wantPosts(t, 1)
		}
		found, ok, err := find(t, p, r)
		if diff := cmp.Diff(receipt, found); !ok || err != nil || diff != "" {
			t.Errorf("found %v, %v (-published +found):\n%s", ok, err, diff)
		}
		_, err = p.Staged(t.Context(), withoutAttempt(r), publish.Stage{ID: stage.ID})
		if e := publish.AsError(err); err == nil || e.Code != publish.CodeStagePublished || e.Outcome != schedctl.OutcomeUnknown {
			t.Errorf("a published post counts as staged: %v", err)
		}
	})
	t.Run("Lost", func(t *testing.T) {
		p, r := s.Start(t)
		_, err := p.Staged(t.Context(), withoutAttempt(r), publish.Stage{ID: s.Unknown})
		s.wantLost(t, "asking", err)
		r.Stage, r.Attempt = s.Unknown, 1
		_, err = p.(publish.Publisher).Publish(t.Context(), r)
		s.wantLost(t, "publishing", err)
		s.wantPosts(t, 0)
	})
}

// RunStagedRecordings checks what the responses of a network in its own words mean to a
// publisher with stages. start returns the publisher and a request for a network.
func RunStagedRecordings(t *testing.T, known Recording, start func(http.Handler) (publish.Stager, publish.Request)) {
	t.Helper()
	for _, fault := range known.Faults(nil, func(response Recorded) *publish.Error {
		p, r := start(response)
		var err error
		switch response.Purpose {
		case identity:
			_, err = p.(publish.Publisher).Connect(t.Context(), publish.Connection{Credentials: r.Credentials})
		case status:
			_, err = p.Staged(t.Context(), r, publish.Stage{ID: "1"})
		case lookup:
			_, _, err = find(t, p, r)
		case part:
			r.Part, r.Kind, r.Root, r.Parent = 1, schedctl.PartReply, &schedctl.Receipt{ID: "1"}, &schedctl.Receipt{ID: "1"}
			fallthrough
		default:
			_, err = p.Stage(t.Context(), r)
		}
		if err == nil {
			return nil
		}
		return publish.AsError(err)
	}) {
		t.Error(fault)
	}
}

// stage stages a post and waits until it is ready.
func (s StageSuite) stage(t *testing.T, p publish.Stager, r publish.Request) publish.Stage {
	t.Helper()
	r = withoutAttempt(r)
	stage, err := p.Stage(t.Context(), r)
	for polls := 0; err == nil && !stage.Ready && polls < 100; polls++ {
		stage, err = p.Staged(t.Context(), r, stage)
	}
	if err != nil || !stage.Ready || stage.ID == "" {
		t.Fatalf("staged %+v, %v", stage, err)
	}
	return stage
}

// withoutAttempt returns a request as calls of Stage and Staged get it.
func withoutAttempt(r publish.Request) publish.Request {
	r.Attempt, r.Key, r.Stage = 0, "", ""
	return r
}

func find(t *testing.T, p publish.Stager, r publish.Request) (schedctl.Receipt, bool, error) {
	t.Helper()
	return p.Find(t.Context(), r, time.Now().Add(-time.Minute))
}

func (s StageSuite) wantPosts(t *testing.T, want int) {
	t.Helper()
	if n := s.Posts(); n != want {
		t.Errorf("the network shows %d posts, want %d", n, want)
	}
}

func (s StageSuite) wantLost(t *testing.T, during string, err error) {
	t.Helper()
	if e := publish.AsError(err); err == nil || e.Code != publish.CodeStageLost || e.Outcome != schedctl.OutcomeNotPublished {
		t.Errorf("%s about a post that the network does not have: %v", during, err)
	}
}
