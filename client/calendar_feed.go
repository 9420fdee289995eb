package client

import (
	"context"
	"net/http"

	"github.com/schedctl/schedctl/client/apiv1"
)

const calendarFeeds = "/calendar-feeds"

// CalendarFeeds returns all calendar feeds of the workspace in order of creation,
// without their addresses.
func (c *Client) CalendarFeeds(ctx context.Context) ([]apiv1.CalendarFeed, error) {
	out, err := get[apiv1.CalendarFeedList](ctx, c, calendarFeeds, nil)
	return out.Results, err
}

// CreateCalendarFeed creates a calendar feed and returns it with its address, which is
// not shown again. The feed ends with the API key of the client.
func (c *Client) CreateCalendarFeed(ctx context.Context, f apiv1.CreateCalendarFeed, options ...Option) (apiv1.CalendarFeedAddress, error) {
	return write[apiv1.CalendarFeedAddress](ctx, c, http.MethodPost, calendarFeeds, f, options)
}

// DeleteCalendarFeed revokes the address of a calendar feed immediately and permanently.
func (c *Client) DeleteCalendarFeed(ctx context.Context, id string, options ...Option) error {
	return c.delete(ctx, itemPath(calendarFeeds, id), options)
}
