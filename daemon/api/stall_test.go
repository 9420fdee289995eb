package api_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/postgres"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
)

// choosy is a network that accepts no text.
type choosy struct{ *publishtest.Fake }

func (choosy) Check(schedctl.Account, publish.Content) publish.Check {
	return publish.Check{Problems: []*publish.Error{publish.Contentf("content", "not this one")}}
}

// stalled is a daemon whose connections to the database can stall, and a second
// daemon that rejects requests that the first one accepts. In practice requests are
// rejected because time passes; here a network rejects them.
type stalled struct {
	*testing.T
	stall         *postgrestest.Stall
	first, second *fixture
	at            string // publish time of the posts
}

func newStalled(t *testing.T) *stalled {
	t.Helper()
	url := postgrestest.Schema(t)
	stall, through := postgrestest.NewStall(t, url)
	open := func(url string) (storage.Store, func(*api.Config)) {
		store, err := postgres.Open(t.Context(), url, postgres.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return store, func(c *api.Config) { c.Store = store }
	}
	store, use := open(through)
	first := newFixtureOn(t, store, use)
	other, useOther := open(url)
	second := first.newPeer(other, useOther, func(c *api.Config) {
		c.Publishers = publish.NewRegistry(choosy{publishtest.NewFake("fake")})
	})
	return &stalled{T: t, stall: stall, first: first, second: second, at: in(time.Hour)}
}

// create sends a create request to one of the daemons.
func (s *stalled) create(f *fixture, text string) *response {
	return f.do(key(text), "POST", "/posts", body{"content": text, "social_account_ids": []string{f.mine.account}, "publish_at": s.at})
}

// round stalls the first daemon after this many messages of a create, repeats the
// create at the second one, ends the stall, and returns all responses. The last one
// comes from the second daemon after the end.
func (s *stalled) round(text string, messages int, side postgrestest.Side) (first, during, after *response, held bool) {
	done := make(chan *response, 1)
	begun := s.stall.After(messages, side)
	go func() { done <- s.create(s.first, text) }()
	select {
	case <-begun:
		held = true
		during = s.create(s.second, text)
		s.stall.Release()
		first = <-done
	case first = <-done:
		s.stall.Release()
		during = s.create(s.second, text)
	}
	return first, during, s.create(s.second, text), held
}

// posts returns the number of posts with a text.
func (s *stalled) posts(text string) (n int) {
	list := decodeAs[apiv1.PostList](s.T, s.second.do(nil, "GET", "/posts?limit=100", nil).want(200))
	for _, p := range list.Results {
		if p.Content == text {
			n++
		}
	}
	return n
}

// TestStalledCreateHasOneOutcome stalls the database connections of a daemon at
// every message of a create, in both directions, while the client repeats the
// create at a second daemon that rejects it. A rejected client must never find its
// post published.
func TestStalledCreateHasOneOutcome(t *testing.T) {
	t.Parallel()
	s := newStalled(t)
	s.create(s.first, "prepare").want(201)
	const positions = 48 // a create has slightly fewer messages
	stalls, refused := 0, 0
	for _, side := range []postgrestest.Side{postgrestest.Requests, postgrestest.Responses} {
		for messages := range positions {
			text := fmt.Sprintf("message-%d-side-%d", messages, side)
			first, during, after, held := s.round(text, messages, side)
			if held {
				stalls++
			}
			created := s.posts(text)
			switch {
			case during.status == 409:
				during.refused(schedctl.IdempotencyRunning)
				if during.header.Get("Retry-After") != "1" {
					t.Errorf("%s: Retry-After %q", text, during.header.Get("Retry-After"))
				}
			case during.status == 400:
				refused++
				if created != 0 {
					t.Errorf("%s: refused with %s, and the post is there", text, during.body)
				}
				if first.status != 409 {
					t.Errorf("%s: refused by one daemon with %s, and by the other with %d %s", text, during.body, first.status, first.body)
				}
			}
			if accepted := first.status == 201 || during.status == 201 || after.status == 201; accepted != (created == 1) || created > 1 {
				t.Errorf("%s: responses %d, %d, %d and %d posts", text, first.status, during.status, after.status, created)
			}
		}
	}
	if stalls < 75 || refused == 0 {
		t.Errorf("%d rounds stalled and %d refused: too few to say anything", stalls, refused)
	}
}
