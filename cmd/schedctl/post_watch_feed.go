package main

import (
	"context"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// news is a message of an event stream: that it is connected, so that no later event
// is missed, an event, or the error that ends it.
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

// follow starts to follow the events after lastID, or only new events when it is
// empty. The caller must stop the feed.
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
