package main

import (
	"context"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// news is what an event stream has to tell: that it stands, so that nothing is
// missed from then on, an event, or the error that ends it.
type news struct {
	opened bool
	event  apiv1.Event
	err    error
}

// eventFeed brings the events of a daemon into a loop that waits for other
// things as well.
type eventFeed struct {
	news   chan news // closed at the end
	cancel context.CancelFunc
}

// follow begins to follow the events after lastID, or with those to come when
// it is empty. The feed must be stopped.
func follow(ctx context.Context, c *client.Client, lastID string) *eventFeed {
	ctx, cancel := context.WithCancel(ctx)
	f := &eventFeed{news: make(chan news), cancel: cancel}
	send := func(n news) bool {
		select {
		case f.news <- n:
			return true
		case <-ctx.Done():
			return false
		}
	}
	go func() {
		defer close(f.news)
		for e, err := range c.Follow(ctx, lastID, func() { send(news{opened: true}) }) {
			if !send(news{event: e, err: err}) {
				return
			}
		}
	}()
	return f
}

// stop ends the feed and returns when it has ended.
func (f *eventFeed) stop() {
	f.cancel()
	for range f.news { // what comes late
	}
}
