package linkedin_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// publishes reports whether a request makes a post or a comment.
func publishes(r *http.Request) bool {
	return r.Method == http.MethodPost && !isUpload(r)
}

func respond(m publishtest.Mishap) func(*http.Request) publishtest.Mishap {
	return func(r *http.Request) publishtest.Mishap {
		if !publishes(r) {
			return publishtest.Mishap{}
		}
		return m
	}
}

func TestUnknownOutcome(t *testing.T) {
	t.Parallel()
	for name, mishap := range map[string]publishtest.Mishap{
		"cut": {Cut: true, Accept: true}, "500 after publishing": {Status: 500, Accept: true}, "201 without an id": {Status: 201, Accept: true},
	} {
		for _, organization := range []bool{false, true} {
			fake := publishtest.NewFakeLinkedIn()
			p, r := start(t, fake, organization)
			if got := p.CanFind(r.Credentials); got != organization {
				t.Errorf("organization %v: can be asked: %v", organization, got)
			}
			fake.Respond(respond(mishap))
			_, err := p.Publish(t.Context(), r)
			if e := publish.AsError(err); e.Outcome != schedctl.OutcomeUnknown {
				t.Fatalf("%s: %v", name, err)
			}
			fake.Respond(nil)
			receipt, found, err := p.Find(t.Context(), r, time.Now())
			if !organization {
				if found || publish.AsError(err).Code != publish.CodeCannotAsk {
					t.Errorf("%s of a person: %v, %v", name, found, err)
				}
				continue
			}
			if !found || err != nil || receipt.ID != fake.Posts()[0].ID {
				t.Errorf("%s: %+v, %v, %v", name, receipt, found, err)
			}
			if _, found, err := p.Find(t.Context(), r, time.Now().Add(time.Hour)); found || err != nil {
				t.Errorf("%s: an hour later: %v, %v", name, found, err)
			}
		}
	}
}

func TestEqualTextsStayInDoubt(t *testing.T) {
	t.Parallel()
	fake := publishtest.NewFakeLinkedIn()
	p, r := start(t, fake, true)
	for _, text := range []string{"twice", "twice "} {
		r.Content = text
		if _, err := p.Publish(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if _, found, err := p.Find(t.Context(), r, time.Now()); found || publish.AsError(err).Code != "doubtful" {
		t.Errorf("got %v, %v", found, err)
	}
	first := fake.Posts()[0].ID
	r.Taken = func(id string) (bool, error) { return id == first, nil }
	if receipt, found, err := p.Find(t.Context(), r, time.Now()); !found || err != nil || receipt.ID == first {
		t.Errorf("with one taken: %+v, %v, %v", receipt, found, err)
	}
}

// TestFlaky publishes over connections that break, exactly once each.
func TestFlaky(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		fake := publishtest.NewFakeLinkedIn()
		p, r := start(t, publishtest.Flaky(fake, seed), true)
		for i := range 5 {
			r.Content = fmt.Sprintf("post %d of %d: %s", i, seed, content)
			if receipt := publishtest.PublishUntilKnown(t, p, r, func() {}); receipt.ID != fake.Posts()[i].ID {
				t.Fatalf("seed %d: receipt %+v", seed, receipt)
			}
		}
		if n := len(fake.Posts()); n != 5 {
			t.Errorf("seed %d: %d posts, want 5", seed, n)
		}
	}
}
