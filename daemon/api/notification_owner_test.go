package api_test

import (
	"strings"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/storage"
)

// A notification belongs to the key that creates it, or that changes where messages go or
// what they are about.
func TestNotificationBelongsToAKey(t *testing.T) {
	t.Parallel()
	onStores(t, func(t *testing.T, store storage.Store) {
		f := newFixtureOn(t, store)
		key := func(name string, scopes ...schedctl.Scope) option {
			return as(f.newKey(f.mine.workspace, func(k *schedctl.APIKey) {
				k.Name, k.Scopes = name, append(scopes, schedctl.ScopeWebhooksRead, schedctl.ScopeWebhooksWrite)
			}))
		}
		author, approver := key("author", schedctl.ScopePostsWrite), key("approver", schedctl.ScopePostsApprove)
		made := f.do(author, "POST", "/notifications", body{"email": emailSettings()}).want(201).notification()
		if made.About != schedctl.NotifyMine || made.APIKey.Name != "author" || made.APIKey.Ended {
			t.Errorf("made %+v, %+v", made, made.APIKey)
		}
		if n := f.do(approver, "POST", "/notifications", body{"email": emailSettings()}).want(201).notification(); n.About != schedctl.NotifyAll {
			t.Errorf("of an approver: about %s", n.About)
		}
		path := "/notifications/" + made.ID
		if n := f.do(approver, "PATCH", path, body{"name": "mail", "enabled": false}).want(200).notification(); n.APIKey.Name != "author" {
			t.Errorf("after another name it is of %s", n.APIKey.Name)
		}
		n := f.do(approver, "PATCH", path, body{"email": emailSettings()}).want(200).notification()
		if n.APIKey.Name != "approver" || n.About != schedctl.NotifyMine {
			t.Errorf("after other settings of e-mail it is of %s, about %s", n.APIKey.Name, n.About)
		}
		f.do(nil, "DELETE", "/api-keys/"+n.APIKey.ID, nil).want(204)
		if n := f.do(nil, "GET", path, nil).want(200).notification(); !n.APIKey.Ended || n.APIKey.Name != "approver" {
			t.Errorf("after the end of its key: %+v", n.APIKey)
		}
		if n := f.do(nil, "PATCH", path, body{"about": "all"}).want(200).notification(); n.APIKey.Ended || n.About != schedctl.NotifyAll {
			t.Errorf("with a new key: %+v", n)
		}
		f.update(func(tx storage.Tx) error { // as an earlier version stored it
			w, err := tx.Webhook(f.mine.workspace, schedctl.NotificationWebhookID(made.ID))
			w.Notify.About, w.Notify.KeyID = "", ""
			if err != nil {
				return err
			}
			return tx.PutWebhook(w)
		})
		if n := f.do(nil, "GET", path, nil).want(200).notification(); n.APIKey != nil || n.About != schedctl.NotifyAll {
			t.Errorf("one of an earlier version: %+v", n)
		}
	})
}

// Addresses of reviews need a public URL, the event, and a key that may share.
func TestNotificationWithAddressesOfReviews(t *testing.T) {
	t.Parallel()
	onStores(t, func(t *testing.T, store storage.Store) {
		f := newFixtureOn(t, store, func(c *api.Config) { c.External = "https://posts.example.org" })
		link := func(o option, types ...schedctl.EventType) *response {
			return f.do(o, "POST", "/notifications", body{"email": emailSettings(), "event_types": types, "review_link": "Dana"})
		}
		if e := link(nil, schedctl.EventPostFailed).refused(schedctl.ValidationFailed); !strings.Contains(e.Message, "needs events of submitted posts") {
			t.Errorf("without the event: %+v", e)
		}
		made := link(nil, schedctl.EventPostSubmitted).want(201).notification()
		if made.ReviewLink == nil || *made.ReviewLink != "Dana" {
			t.Errorf("made %+v", made)
		}
		weak := as(f.scoped(schedctl.ScopePostsRead, schedctl.ScopePostsApprove, schedctl.ScopeWebhooksRead, schedctl.ScopeWebhooksWrite))
		if e := link(weak, schedctl.EventPostSubmitted).refused(schedctl.InsufficientScope); !strings.Contains(e.Message, "shares:write") {
			t.Errorf("without shares:write: %+v", e)
		}
		path := "/notifications/" + made.ID
		mine := body{"email": emailSettings(), "event_types": []string{"post.submitted"}, "review_link": "Dana", "about": "mine"}
		if e := f.do(nil, "POST", "/notifications", mine).refused(schedctl.ValidationFailed); !strings.Contains(e.Message, "mine leaves these out") {
			t.Errorf("about mine: %+v", e)
		}
		f.do(nil, "PATCH", path, body{"about": "mine"}).refused(schedctl.ValidationFailed)
		f.do(nil, "PATCH", path, body{"about": "mine", "review_link": ""}).want(200)
		f.do(nil, "PATCH", path, body{"review_link": "Dana"}).refused(schedctl.ValidationFailed)
		f.do(nil, "PATCH", path, body{"review_link": "Dana", "about": "all"}).want(200)
		// Who sends the addresses elsewhere needs to be allowed to share, too.
		f.do(weak, "PATCH", path, body{"email": emailSettings()}).refused(schedctl.InsufficientScope)
		f.do(weak, "PATCH", path, body{"name": "mine"}).want(200)
		f.do(nil, "PATCH", path, body{"event_types": []string{"post.failed"}}).refused(schedctl.ValidationFailed)
		if n := f.do(nil, "PATCH", path, body{"review_link": ""}).want(200).notification(); n.ReviewLink != nil {
			t.Errorf("removed: %+v", n)
		}
		f.do(nil, "PATCH", path, body{"review_link": "Kim"}).want(200)
		if n := f.do(nil, "PATCH", path, body{"review_link": nil}).want(200).notification(); n.ReviewLink != nil {
			t.Errorf("removed with null: %+v", n)
		}
		local := newFixture(t)
		e := local.do(nil, "POST", "/notifications", body{"email": emailSettings(), "event_types": []string{"post.submitted"}, "review_link": "Dana"}).refused(schedctl.ValidationFailed)
		if !strings.Contains(e.Message, "--public-url") {
			t.Errorf("without a public URL: %+v", e)
		}
	})
}
