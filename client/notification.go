package client

import (
	"context"
	"net/http"

	"github.com/schedctl/schedctl/client/apiv1"
)

const notifications = "/notifications"

// Notifications returns all notifications of the workspace in order of creation.
func (c *Client) Notifications(ctx context.Context) ([]apiv1.Notification, error) {
	out, err := get[apiv1.NotificationList](ctx, c, notifications, nil)
	return out.Results, err
}

// Notification returns one notification.
func (c *Client) Notification(ctx context.Context, id string) (apiv1.Notification, error) {
	out, err := get[apiv1.NotificationEnvelope](ctx, c, itemPath(notifications, id), nil)
	return out.Notification, err
}

// CreateNotification creates a notification, which reports future events.
func (c *Client) CreateNotification(ctx context.Context, n apiv1.CreateNotification, options ...Option) (apiv1.Notification, error) {
	out, err := write[apiv1.NotificationEnvelope](ctx, c, http.MethodPost, notifications, n, options)
	return out.Notification, err
}

// EditNotification changes a notification. A notification that is enabled again
// reports future events.
func (c *Client) EditNotification(ctx context.Context, id string, n apiv1.EditNotification, options ...Option) (apiv1.Notification, error) {
	out, err := write[apiv1.NotificationEnvelope](ctx, c, http.MethodPatch, itemPath(notifications, id), n, options)
	return out.Notification, err
}

// DeleteNotification deletes a notification and its unsent messages.
func (c *Client) DeleteNotification(ctx context.Context, id string, options ...Option) error {
	return c.delete(ctx, itemPath(notifications, id), options)
}

// TestNotification sends a test message at once. The result says whether it was sent;
// TestNotification returns no error if it was not.
func (c *Client) TestNotification(ctx context.Context, id string, options ...Option) (apiv1.NotificationTest, error) {
	return write[apiv1.NotificationTest](ctx, c, http.MethodPost, itemPath(notifications, id, "test"), nil, options)
}
