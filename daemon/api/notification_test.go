package api_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// fakeNotifier records the notifications that were tested.
type fakeNotifier struct {
	mu     sync.Mutex
	err    error
	tested []schedctl.Webhook
}

func (n *fakeNotifier) Test(_ context.Context, hook schedctl.Webhook) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.tested = append(n.tested, hook)
	return n.err
}

const mailPassword = "open sesame"

// emailSettings returns e-mail settings, changed by the given members.
func emailSettings(others ...body) body {
	b := body{"host": "smtp.example.com", "username": "ann", "password": mailPassword, "from": "schedctl@example.com", "to": []string{"ops@example.com"}}
	for _, o := range others {
		for name, value := range o {
			if b[name] = value; value == nil {
				delete(b, name)
			}
		}
	}
	return b
}

// notification returns the notification of a response.
func (r *response) notification() apiv1.Notification {
	r.t.Helper()
	return decodeAs[apiv1.NotificationEnvelope](r.t, r).Notification
}

func (f *fixture) newNotification() apiv1.Notification {
	f.t.Helper()
	return f.do(nil, "POST", "/notifications", body{"email": emailSettings()}).want(201).notification()
}

// storedNotification returns a notification as it is stored.
func (f *fixture) storedNotification(id string) schedctl.Webhook {
	f.t.Helper()
	return f.storedWebhook(schedctl.NotificationWebhookID(id))
}

// channel connects an account that can carry notifications.
func (f *fixture) channel() string {
	f.t.Helper()
	f.changeAccount(f.mine.account, func(a *schedctl.Account) { a.Platform = "http" })
	return f.mine.account
}

func TestCreateNotification(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		before := f.addEvents(1)[0]
		made := f.do(nil, "POST", "/notifications", body{"name": "on call", "email": emailSettings(body{"from": "Ann <ann@example.com>"})}).want(201).notification()
		want := apiv1.Notification{
			ID: made.ID, Name: new("on call"), EventTypes: schedctl.ProblemEvents(), Enabled: true, About: schedctl.NotifyAll, APIKey: made.APIKey,
			Email: &apiv1.NotificationEmail{
				Host: "smtp.example.com", Port: 587, Username: new("ann"), From: `"Ann" <ann@example.com>`, To: []string{"ops@example.com"}, TLS: schedctl.MailStartTLS,
			},
			CreatedAt: made.CreatedAt, UpdatedAt: made.UpdatedAt,
		}
		if diff := cmp.Diff(want, made); diff != "" || !strings.HasPrefix(made.ID, "ntf_") || made.APIKey == nil || made.APIKey.Name != "test" || made.APIKey.Ended {
			t.Errorf("id %s (-want +got):\n%s", made.ID, diff)
		}
		stored := f.storedNotification(made.ID)
		if got := f.opened(stored, stored.Secret); got != mailPassword {
			t.Errorf("the stored password is %q", got)
		}
		if stored.Cursor < before {
			t.Error("it starts before it was created")
		}
		same := f.do(nil, "GET", "/notifications/"+made.ID, nil).want(200)
		if diff := cmp.Diff(made, same.notification()); diff != "" {
			t.Error(diff)
		}
		list := decodeAs[apiv1.NotificationList](t, f.do(nil, "GET", "/notifications", nil).want(200))
		if diff := cmp.Diff(apiv1.NotificationList{Results: []apiv1.Notification{made}, Count: 1}, list); diff != "" {
			t.Error(diff)
		}
		if strings.Contains(f.logs.String()+string(same.body), mailPassword) {
			t.Error("the password is shown")
		}
	})
}

// TestNotificationsAreNoWebhooks guards that routes of one kind do not serve the
// other, although both are stored together.
func TestNotificationsAreNoWebhooks(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		n, hook := f.newNotification(), f.newWebhook().Webhook
		if hooks := decodeAs[apiv1.WebhookList](t, f.do(nil, "GET", "/webhooks", nil).want(200)); hooks.Count != 1 || hooks.Results[0].ID != hook.ID {
			t.Errorf("webhooks: %+v", hooks)
		}
		if list := decodeAs[apiv1.NotificationList](t, f.do(nil, "GET", "/notifications", nil).want(200)); list.Count != 1 || list.Results[0].ID != n.ID {
			t.Errorf("notifications: %+v", list)
		}
		for _, path := range []string{
			"/webhooks/" + n.ID, "/webhooks/" + schedctl.NotificationWebhookID(n.ID), "/webhooks/" + schedctl.NotificationWebhookID(n.ID) + "/deliveries",
			"/notifications/" + hook.ID, "/notifications/" + schedctl.NotificationID(hook.ID), "/notifications/x",
		} {
			f.do(nil, "GET", path, nil).refused(schedctl.NotFound)
		}
		f.do(nil, "DELETE", "/webhooks/"+schedctl.NotificationWebhookID(n.ID), nil).refused(schedctl.NotFound)
		f.do(nil, "DELETE", "/notifications/"+schedctl.NotificationID(hook.ID), nil).refused(schedctl.NotFound)
		f.do(nil, "DELETE", "/notifications/"+n.ID, nil).want(204)
		f.do(nil, "GET", "/notifications/"+n.ID, nil).refused(schedctl.NotFound)
		f.do(nil, "GET", "/webhooks/"+hook.ID, nil).want(200)
	})
}

func TestNotificationThroughAnAccount(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		through := func(id string) body { return body{"social_account_id": id} }
		f.do(nil, "POST", "/notifications", through(f.mine.account)).refused(schedctl.ValidationFailed) // of a public platform
		f.do(nil, "POST", "/notifications", through(f.other.account)).refused(schedctl.ValidationFailed)
		f.do(nil, "POST", "/notifications", through("acct_0")).refused(schedctl.ValidationFailed)
		id := f.channel()
		f.do(as(f.scoped(schedctl.ScopeWebhooksWrite)), "POST", "/notifications", through(id)).refused(schedctl.InsufficientScope)
		made := f.do(as(f.scoped(schedctl.ScopeWebhooksWrite, schedctl.ScopePostsWrite)), "POST", "/notifications", through(id)).want(201).notification()
		if made.SocialAccountID == nil || *made.SocialAccountID != id || made.Email != nil {
			t.Errorf("%+v", made)
		}
		changed := f.do(nil, "PATCH", "/notifications/"+made.ID, body{"email": emailSettings()}).want(200).notification()
		if changed.SocialAccountID != nil || changed.Email == nil {
			t.Errorf("by e-mail: %+v", changed)
		}
		back := f.do(nil, "PATCH", "/notifications/"+made.ID, through(id)).want(200).notification()
		if back.Email != nil || f.storedNotification(made.ID).Secret != nil {
			t.Errorf("through the account again: %+v", back)
		}
		f.changeAccount(id, func(a *schedctl.Account) { a.Status = schedctl.AccountDisconnected })
		f.do(nil, "POST", "/notifications", through(id)).refused(schedctl.ValidationFailed)
	})
}

func TestLimitedKeysSeeNoNotifications(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	n := f.newNotification()
	limited := as(f.limitedKey(f.mine.account))
	for path, methods := range map[string][]string{"/notifications": {"GET", "POST"}, "/notifications/" + n.ID: {"GET", "PATCH", "DELETE"}, "/notifications/" + n.ID + "/test": {"POST"}} {
		for _, method := range methods {
			var b any
			if method == "PATCH" || path == "/notifications" && method == "POST" {
				b = body{"email": emailSettings()}
			}
			f.do(limited, method, path, b).refused(schedctl.AccountNotAllowed)
		}
	}
}

// TestStoredPasswordStaysWithItsServer guards that a stored password cannot be
// redirected to another server.
func TestStoredPasswordStaysWithItsServer(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	n := f.newNotification()
	path := "/notifications/" + n.ID
	for name, other := range map[string]body{
		"host": {"host": "evil.example"}, "port": {"port": 25}, "username": {"username": "eve"}, "tls": {"tls": "implicit"},
	} {
		other["password"] = nil
		e := f.do(nil, "PATCH", path, body{"email": emailSettings(other)}).refused(schedctl.ValidationFailed)
		if len(e.Details) != 1 || e.Details[0].Field != "email.password" {
			t.Errorf("another %s: %+v", name, e)
		}
	}
	f.do(nil, "PATCH", path, body{"email": emailSettings(body{"password": nil, "to": []string{"a@example.com", "b@example.com"}})}).want(200)
	stored := f.storedNotification(n.ID)
	if got := f.opened(stored, stored.Secret); got != mailPassword || len(stored.Notify.Mail.To) != 2 {
		t.Errorf("password %q, recipients %q", got, stored.Notify.Mail.To)
	}
	f.do(nil, "PATCH", path, body{"email": emailSettings(body{"password": nil, "username": nil})}).want(200)
	if f.storedNotification(n.ID).Secret != nil {
		t.Error("the password outlives its user name")
	}
}

func TestEmailSettingsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for name, b := range map[string]body{
		"nothing":             {},
		"both ways":           {"email": emailSettings(), "social_account_id": f.mine.account},
		"no host":             {"email": emailSettings(body{"host": nil})},
		"host with a port":    {"email": emailSettings(body{"host": "smtp.example.com:25"})},
		"host with a newline": {"email": emailSettings(body{"host": "smtp.example.com\r\n"})},
		"private host":        {"email": emailSettings(body{"host": "127.0.0.1"})},
		"localhost":           {"email": emailSettings(body{"host": "localhost"})},
		"no from":             {"email": emailSettings(body{"from": nil})},
		"from with a newline": {"email": emailSettings(body{"from": "a@example.com\r\nBcc: eve@example.com"})},
		"no recipients":       {"email": emailSettings(body{"to": []string{}})},
		"many recipients":     {"email": emailSettings(body{"to": slices.Repeat([]string{"a@example.com"}, schedctl.MaxRecipients+1)})},
		"bad recipient":       {"email": emailSettings(body{"to": []string{"nobody"}})},
		"port 0":              {"email": emailSettings(body{"port": 0})},
		"half a port":         {"email": emailSettings(body{"port": 25.5})},
		"unknown tls":         {"email": emailSettings(body{"tls": "maybe"})},
		"no encryption":       {"email": emailSettings(body{"tls": "none", "username": nil, "password": nil})},
		"lone password":       {"email": emailSettings(body{"username": nil})},
		"lone username":       {"email": emailSettings(body{"password": nil})},
		"control character":   {"email": emailSettings(body{"username": "a\x01"})},
		"long password":       {"email": emailSettings(body{"password": strings.Repeat("x", 501)})},
		"unknown event":       {"email": emailSettings(), "event_types": []string{"post.created"}},
		"no event":            {"email": emailSettings(), "event_types": []string{}},
	} {
		e := f.do(nil, "POST", "/notifications", b).refused(schedctl.ValidationFailed)
		if strings.Contains(e.Message, mailPassword) {
			t.Errorf("%s: the password is in %q", name, e.Message)
		}
	}
	open := newFixtureOn(t, storagetest.NewMemory(), func(c *api.Config) { c.Outbound = outbound.AllowPrivate })
	open.do(nil, "POST", "/notifications", body{"email": emailSettings(body{"host": "127.0.0.1", "tls": "none", "username": nil, "password": nil})}).want(201)
	open.do(nil, "POST", "/notifications", body{"email": emailSettings(body{"host": "127.0.0.1", "tls": "none"})}).refused(schedctl.ValidationFailed)
}

func TestEditNotification(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		n := f.newNotification()
		path := "/notifications/" + n.ID
		f.do(nil, "PATCH", path, body{}).refused(schedctl.ValidationFailed)
		same := f.do(nil, "PATCH", path, body{"enabled": true, "name": nil}).want(200).notification()
		if diff := cmp.Diff(n, same); diff != "" {
			t.Errorf("a change that changes nothing:\n%s", diff)
		}
		f.changeWebhook(schedctl.NotificationWebhookID(n.ID), func(w *schedctl.Webhook) {
			w.FailingSince, w.Notify.LastError, w.Notify.Failures = w.CreatedAt, "no route", 4
			w.Notify.NotBefore = w.CreatedAt.Add(time.Hour)
		})
		off := f.do(nil, "PATCH", path, body{"enabled": false, "event_types": []string{"post.failed"}, "name": "x"}).want(200).notification()
		if off.Enabled || *off.Name != "x" || !slices.Equal(off.EventTypes, []schedctl.EventType{"post.failed"}) || off.LastError != nil || off.FailingSince != nil {
			t.Errorf("%+v", off)
		}
		if stored := f.storedNotification(n.ID); stored.Notify.NotBefore.Sub(stored.UpdatedAt) > time.Minute {
			t.Errorf("the next message waits until %s", stored.Notify.NotBefore)
		}
		missed := f.addEvents(1)[0]
		f.do(nil, "PATCH", path, body{"enabled": true}).want(200)
		if stored := f.storedNotification(n.ID); stored.Cursor < missed {
			t.Error("it reports what happened while it was disabled")
		}
	})
}

func TestTestNotification(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		n := f.newNotification()
		path := "/notifications/" + n.ID + "/test"
		f.notifier.err = errors.New("the mail server smtp.example.com refused the connection")
		failed := decodeAs[apiv1.NotificationTest](t, f.do(key("k"), "POST", path, nil).want(200))
		if failed.Sent || failed.Error == nil || *failed.Error != f.notifier.err.Error() {
			t.Errorf("%+v", failed)
		}
		again := decodeAs[apiv1.NotificationTest](t, f.do(key("k"), "POST", path, nil).want(200))
		if diff := cmp.Diff(failed, again); diff != "" || len(f.notifier.tested) != 1 {
			t.Errorf("a repeated request: %d tests\n%s", len(f.notifier.tested), diff)
		}
		f.notifier.err = nil
		f.changeWebhook(schedctl.NotificationWebhookID(n.ID), func(w *schedctl.Webhook) {
			w.Notify.Failures, w.Notify.NotBefore = 9, w.CreatedAt.Add(time.Hour)
		})
		sent := decodeAs[apiv1.NotificationTest](t, f.do(nil, "POST", path, nil).want(200))
		stored := f.storedNotification(n.ID)
		if !sent.Sent || sent.Error != nil || sent.Notification.SentAt == nil || stored.Notify.Failures != 0 || stored.Notify.NotBefore.Sub(stored.Notify.SentAt) > time.Minute {
			t.Errorf("%+v, stored %+v", sent, stored.Notify)
		}
		f.do(nil, "POST", path, nil).refused(schedctl.RateLimited) // tests cannot be used to flood people
	})
}

func TestNotificationLimit(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.update(func(tx storage.Tx) error {
		for range schedctl.MaxWebhooks {
			now := schedctl.Millis(time.Now())
			w := schedctl.Webhook{ID: schedctl.NewID(schedctl.WebhookPrefix, now), WorkspaceID: f.mine.workspace, Notify: &schedctl.Notify{AccountID: f.mine.account}, CreatedAt: now}
			if err := tx.PutWebhook(w); err != nil {
				return err
			}
		}
		return nil
	})
	f.do(nil, "POST", "/notifications", body{"email": emailSettings()}).refused(schedctl.ValidationFailed)
	f.newWebhook()
}
