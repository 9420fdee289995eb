package api

import (
	"context"
	"net/http"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// Notifier sends test messages of notifications.
type Notifier interface {
	// Test sends a test message. The error text is shown to users.
	Test(ctx context.Context, hook schedctl.Webhook) error
}

// isNotification reports whether a stored webhook is a notification. Notifications
// have routes of their own.
func isNotification(w schedctl.Webhook) bool { return w.Notify != nil }

// isWebhook is the opposite of [isNotification].
func isWebhook(w schedctl.Webhook) bool { return w.Notify == nil }

// webhooksOf returns the stored webhooks of a workspace that match a condition.
func webhooksOf(r storage.Reader, workspace string, is func(schedctl.Webhook) bool) ([]schedctl.Webhook, error) {
	all, err := r.Webhooks(workspace)
	return slices.DeleteFunc(all, func(w schedctl.Webhook) bool { return !is(w) }), err
}

// listNotifications serves GET /notifications.
func (s *Server) listNotifications(ctx context.Context, c *request) (response, error) {
	found, err := s.listHooks(ctx, c, isNotification)
	if err != nil {
		return response{}, err
	}
	shown, err := storage.Read(ctx, s.view, func(r storage.Reader) ([]apiv1.Notification, error) {
		return s.showNotifications(r, c, found...)
	})
	if err != nil {
		return response{}, err
	}
	return newResponse(http.StatusOK, apiv1.NotificationList{Results: shown, Count: len(found)})
}

// getNotification serves GET /notifications/{id}.
func (s *Server) getNotification(ctx context.Context, c *request) (response, error) {
	return storage.Read(ctx, s.view, func(r storage.Reader) (response, error) {
		w, err := c.notification(r)
		if err != nil {
			return response{}, err
		}
		return s.notificationResponse(r, c, http.StatusOK, w)
	})
}

// deleteNotification serves DELETE /notifications/{id}.
func (s *Server) deleteNotification(ctx context.Context, c *request) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		w, err := c.notification(tx)
		if err != nil {
			return response{}, err
		}
		return noContent, tx.DeleteWebhook(c.Key.WorkspaceID, w.ID)
	})
}

// readNotification reads the notification of the path.
func (s *Server) readNotification(ctx context.Context, c *request) (schedctl.Webhook, error) {
	return storage.Read(ctx, s.view, c.notification)
}

// notification loads the notification of the path.
func (c *request) notification(r storage.Reader) (schedctl.Webhook, error) {
	w, err := r.Webhook(c.Key.WorkspaceID, schedctl.NotificationWebhookID(c.ID))
	if schedctl.CodeOf(err) == schedctl.NotFound || err == nil && !isNotification(w) {
		err = schedctl.Errorf(schedctl.NotFound, "", "there is no such notification in this workspace; list them with GET %s/notifications", prefix)
	}
	return w, err
}

// showNotifications returns the wire forms of notifications, with their keys.
func (s *Server) showNotifications(r storage.Reader, c *request, hooks ...schedctl.Webhook) ([]apiv1.Notification, error) {
	shown := convert(hooks, apiv1.NewNotification)
	for i := range shown {
		if shown[i].APIKey == nil {
			continue
		}
		k, err := s.keyByID(r, c, shown[i].APIKey.ID)
		if err != nil {
			return nil, err
		}
		shown[i].APIKey.Ended = k == nil || k.Check(c.Now) != nil
		if k != nil {
			shown[i].APIKey.Name = k.Name
		}
	}
	return shown, nil
}

func (s *Server) notificationResponse(r storage.Reader, c *request, status int, w schedctl.Webhook) (response, error) {
	shown, err := s.showNotifications(r, c, w)
	if err != nil {
		return response{}, err
	}
	n := shown[0]
	a, err := newResponse(status, apiv1.NotificationEnvelope{Notification: n})
	if status == http.StatusCreated {
		a.created, a.location = n.ID, prefix+"/notifications/"+n.ID
	}
	return a, err
}
