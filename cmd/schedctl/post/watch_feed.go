package post

import (
	"context"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// FeedEvent is a message of an event stream: that it is connected, so that no later event
// is missed, an event, or the error that ends it.
type FeedEvent struct {
	Opened bool
	Event  apiv1.Event
	Err    error
}

// eventFeed brings the events of a daemon into a loop that waits for other
// things as well.
type eventFeed struct {
	News   chan FeedEvent // closed at the end
	cancel context.CancelFunc
}

// FollowEvents starts to follow the events after lastID, or only new events when it is
// empty. The caller must stop the feed.
func FollowEvents(ctx context.Context, c *client.Client, lastID string) *eventFeed {
	ctx, cancel := context.WithCancel(ctx)
	f := &eventFeed{News: make(chan FeedEvent), cancel: cancel}
	send := func(n FeedEvent) bool {
		select {
		case f.News <- n:
			return true
		case <-ctx.Done():
			return false
		}
	}
	go func() {
		defer close(f.News)
		for e, err := range c.Follow(ctx, lastID, func() { send(FeedEvent{Opened: true}) }) {
			if !send(FeedEvent{Event: e, Err: err}) {
				return
			}
		}
	}()
	return f
}

// Stop ends the feed and returns when it has ended.
func (f *eventFeed) Stop() {
	f.cancel()
	for range f.News { // what comes late
	}
}
