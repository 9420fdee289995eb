package client

import (
	"context"
	"net/http"

	"github.com/schedctl/schedctl/client/apiv1"
)

const notifications = "/notifications"

// Notifications returns all notifications of the workspace in order of creation.
func (c *Client) Notifications(ctx context.Context) ([]apiv1.Notification, error) {
	var out apiv1.NotificationList
	err := c.get(ctx, notifications, nil, &out)
	return out.Results, err
}

// Notification returns one notification.
func (c *Client) Notification(ctx context.Context, id string) (apiv1.Notification, error) {
	var out apiv1.NotificationEnvelope
	err := c.get(ctx, itemPath(notifications, id), nil, &out)
	return out.Notification, err
}

// CreateNotification creates a notification, which reports future events.
func (c *Client) CreateNotification(ctx context.Context, n apiv1.CreateNotification, options ...Option) (apiv1.Notification, error) {
	var out apiv1.NotificationEnvelope
	err := c.write(ctx, http.MethodPost, notifications, n, &out, options)
	return out.Notification, err
}

// EditNotification changes a notification. A notification that is enabled again
// reports future events.
func (c *Client) EditNotification(ctx context.Context, id string, n apiv1.EditNotification, options ...Option) (apiv1.Notification, error) {
	var out apiv1.NotificationEnvelope
	err := c.write(ctx, http.MethodPatch, itemPath(notifications, id), n, &out, options)
	return out.Notification, err
}

// DeleteNotification deletes a notification and its unsent messages.
func (c *Client) DeleteNotification(ctx context.Context, id string, options ...Option) error {
	return c.write(ctx, http.MethodDelete, itemPath(notifications, id), nil, nil, options)
}

// TestNotification sends a test message at once. The result says whether it was sent;
// TestNotification returns no error if it was not.
func (c *Client) TestNotification(ctx context.Context, id string, options ...Option) (apiv1.NotificationTest, error) {
	var out apiv1.NotificationTest
	err := c.write(ctx, http.MethodPost, itemPath(notifications, id, "test"), nil, &out, options)
	return out, err
}
