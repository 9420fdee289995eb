package api

import (
	"cmp"
	"context"
	"net/http"
	"reflect"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// testInterval is the minimum time between a message and a test after it, so that
// tests cannot flood anyone.
const testInterval = 5 * time.Second

// createNotification serves POST /notifications.
func (s *Server) createNotification(ctx context.Context, c *request, b notificationChange) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		w, err := c.newHook(tx, "notifications", isNotification)
		if err != nil {
			return response{}, err
		}
		w.EventTypes, w.Notify = schedctl.ProblemEvents(), &schedctl.Notify{About: schedctl.NotifyMine}
		if c.Key.Allows(schedctl.ScopePostsApprove) {
			w.Notify.About = schedctl.NotifyAll
		}
		if _, err := s.applyNotification(tx, c, &w, b); err != nil {
			return response{}, err
		}
		if err := tx.PutWebhook(w); err != nil {
			return response{}, err
		}
		return s.notificationResponse(tx, c, http.StatusCreated, w)
	})
}

// editNotification serves PATCH /notifications/{id}.
func (s *Server) editNotification(ctx context.Context, c *request, b notificationChange) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		w, err := c.notification(tx)
		if err != nil {
			return response{}, err
		}
		before := apiv1.NewNotification(w)
		enabled, err := s.applyNotification(tx, c, &w, b)
		if err != nil {
			return response{}, err
		}
		if err := skipMissed(tx, &w, enabled); err != nil {
			return response{}, err
		}
		if reflect.DeepEqual(before, apiv1.NewNotification(w)) && !b.hasPassword() {
			return s.notificationResponse(tx, c, http.StatusOK, w)
		}
		w.UpdatedAt = schedctl.Millis(c.Now)
		retrySoon(&w, w.UpdatedAt)
		if err := tx.PutWebhook(w); err != nil {
			return response{}, err
		}
		return s.notificationResponse(tx, c, http.StatusOK, w)
	})
}

// retrySoon schedules the next message within a minute, because the cause of
// earlier failures may be fixed.
func retrySoon(w *schedctl.Webhook, now time.Time) {
	w.FailingSince, w.Notify.Failures, w.Notify.LastError = time.Time{}, 0, ""
	if soon := now.Add(time.Minute); w.Notify.NotBefore.After(soon) {
		w.Notify.NotBefore = soon
	}
}

// applyNotification applies the change, and reports whether it enabled the
// notification again.
func (s *Server) applyNotification(r storage.Reader, c *request, w *schedctl.Webhook, b notificationChange) (enabled bool, err error) {
	if b.SocialAccountID != nil {
		if err := carries(r, c, *b.SocialAccountID); err != nil {
			return false, err
		}
		w.Notify.AccountID, w.Notify.Mail, w.Secret = *b.SocialAccountID, nil, nil
	}
	if b.mail != nil {
		if err := s.applyMail(w, b.mail); err != nil {
			return false, err
		}
	}
	enabled = applyHook(w, b.EventTypes, b.Name, b.Enabled)
	return enabled, s.applyOwner(c, w.Notify, w.EventTypes, b)
}

// applyOwner applies what a notification is about. Who says that, or where messages go, is
// its key: messages have what this key may read and share.
func (s *Server) applyOwner(c *request, n *schedctl.Notify, types []schedctl.EventType, b notificationChange) error {
	set(&n.About, b.About)
	set(&n.ReviewLink, b.ReviewLink)
	owns := b.SocialAccountID != nil || b.mail != nil || b.About != nil || b.ReviewLink != nil
	if owns {
		n.KeyID = c.Key.ID
	}
	switch {
	case n.ReviewLink == "":
		return nil
	case !slices.Contains(types, schedctl.EventPostSubmitted):
		return schedctl.Errorf(schedctl.ValidationFailed, "event_types", "review_link (--review-link) needs events of submitted posts; give post.submitted in event_types (--event)")
	case !owns:
		return nil
	case s.external == "":
		return schedctl.Errorf(schedctl.ValidationFailed, "review_link", "review_link (--review-link) needs a daemon that knows its address for people; start the daemon with --public-url")
	}
	if err := c.CheckReviewLink(); err != nil || n.About != schedctl.NotifyMine {
		return err
	}
	return schedctl.Errorf(schedctl.ValidationFailed, "review_link",
		"review_link (--review-link) is for posts that others submit, and about (--about) mine leaves these out; use about (--about) all, or leave review_link (--review-link) out")
}

// applyMail replaces the settings of the mail server. A stored password is kept
// only for the same server and user. It is never sent to a different one.
func (s *Server) applyMail(w *schedctl.Webhook, b *mailSettings) error {
	old, mail := w.Notify.Mail, b.Mail
	switch {
	case mail.Username == "":
		w.Secret = nil
	case b.password != "":
		w.Secret = s.sealer.Seal([]byte(b.password), w.ID)
	case old == nil || len(w.Secret) == 0 || old.Host != mail.Host || old.Port != mail.Port || old.Username != mail.Username || old.TLS != mail.TLS:
		return schedctl.Errorf(schedctl.ValidationFailed, "email.password",
			"give the password of the mail server; a stored one is kept only while host, port, username and tls stay the same")
	}
	w.Notify.AccountID, w.Notify.Mail = "", &mail
	return nil
}

// carries returns nil when the account can carry notifications and the key may
// publish to it.
func carries(r storage.Reader, c *request, id string) error {
	if !c.Key.Allows(schedctl.ScopePostsWrite) {
		return schedctl.Errorf(schedctl.InsufficientScope, "social_account_id", "messages through an account also need the scope %s", schedctl.ScopePostsWrite)
	}
	a, err := r.Account(c.Key.WorkspaceID, id)
	switch {
	case schedctl.CodeOf(err) == schedctl.NotFound || err == nil && a.Status == schedctl.AccountDisconnected:
		return schedctl.Errorf(schedctl.ValidationFailed, "social_account_id", "there is no connected account with this id in this workspace; list them with GET %s/social-accounts", prefix)
	case err != nil:
		return err
	case !slices.Contains(schedctl.NotificationPlatforms(), a.Platform):
		return schedctl.Errorf(schedctl.ValidationFailed, "social_account_id",
			"accounts of %s cannot carry notifications; use one of %s, or email", a.Platform, joinAll(schedctl.NotificationPlatforms(), ", "))
	}
	return nil
}

// testNotification serves POST /notifications/{id}/test. It returns 200 whether the
// message was sent or not.
func (s *Server) testNotification(ctx context.Context, c *request) (response, error) {
	w, err := s.readNotification(ctx, c)
	if err != nil {
		return response{}, err
	}
	if wait := w.Notify.SentAt.Add(testInterval).Sub(c.Now); wait > 0 && wait <= 2*testInterval { // a longer wait means that the clock was set back
		return response{}, schedctl.Errorf(schedctl.RateLimited, "", "this notification sent a message less than %d seconds ago; try again in a moment", testInterval/time.Second)
	}
	failure := s.notifier.Test(ctx, w)
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		now, err := c.notification(tx)
		if err != nil {
			return response{}, err
		}
		if failure == nil && now.UpdatedAt.Equal(w.UpdatedAt) {
			recordTest(&now, schedctl.Millis(time.Now()))
			if err := tx.PutWebhook(now); err != nil {
				return response{}, err
			}
		}
		shown, err := s.showNotifications(tx, c, now)
		if err != nil {
			return response{}, err
		}
		out := apiv1.NotificationTest{Notification: shown[0], Sent: failure == nil}
		if failure != nil {
			out.Error = new(cmp.Or(failure.Error(), "unknown error"))
		}
		return newResponse(http.StatusOK, out)
	})
}

// recordTest records a successful test and schedules waiting messages soon.
func recordTest(w *schedctl.Webhook, now time.Time) {
	retrySoon(w, now)
	w.Notify.SentAt = now
}
