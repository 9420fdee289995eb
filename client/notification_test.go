package client_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

func TestNotificationMethods(t *testing.T) {
	t.Parallel()
	n := apiv1.Notification{ID: "ntf_1"}
	one := ok(apiv1.NotificationEnvelope{Notification: n})
	f, c := serve(t, ok(apiv1.NotificationList{Results: []apiv1.Notification{n}}), one, one, one, ok(nil), ok(apiv1.NotificationTest{Notification: n, Sent: true}))
	ctx := t.Context()
	list, err1 := c.Notifications(ctx)
	got, err2 := c.Notification(ctx, "ntf_1")
	made, err3 := c.CreateNotification(ctx, apiv1.CreateNotification{SocialAccountID: new("acct_1")})
	changed, err4 := c.EditNotification(ctx, "ntf_1", apiv1.EditNotification{Enabled: new(false)})
	err5 := c.DeleteNotification(ctx, "ntf_1")
	test, err6 := c.TestNotification(ctx, "ntf_1")
	for i, err := range []error{err1, err2, err3, err4, err5, err6} {
		if err != nil {
			t.Errorf("request %d: %v", i, err)
		}
	}
	if len(list) != 1 || list[0].ID+got.ID+made.ID+changed.ID+test.Notification.ID != strings.Repeat("ntf_1", 5) || !test.Sent {
		t.Errorf("%v, %v, %v, %v, %v", list, got, made, changed, test)
	}
	var seen []string
	for _, r := range f.seen() {
		seen = append(seen, fmt.Sprintf("%s %s %s", r.Method, strings.TrimPrefix(r.Path, "/api/v1/notifications"), r.Body))
		if keyed := r.Header.Get("Idempotency-Key") != ""; keyed != (r.Method != "GET") {
			t.Errorf("%s with an idempotency key: %v", r.Method, keyed)
		}
	}
	want := `GET  ,GET /ntf_1 ,POST  {"social_account_id":"acct_1"},PATCH /ntf_1 {"enabled":false},DELETE /ntf_1 ,POST /ntf_1/test `
	if got := strings.Join(seen, ","); got != want {
		t.Errorf("requests\n%s\nwant\n%s", got, want)
	}
	if _, err := c.Notification(ctx, ".."); schedctl.CodeOf(err) != schedctl.NotFound {
		t.Errorf("an id that leads elsewhere: %v", err)
	}
}
