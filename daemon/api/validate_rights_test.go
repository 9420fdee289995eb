package api_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// TestValidateNamesRefusals compares the refusals of validated posts with the responses to the
// same requests, for each kind of key, with and without approvals.
func TestValidateNamesRefusals(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		keys := w.ownersKeys()
		keys["author"], keys["editor"], keys["approver"] = w.author, w.editor, w.approver
		keys["reader"] = as(w.newKey(w.mine.workspace, func(k *schedctl.APIKey) { k.Scopes = []schedctl.Scope{schedctl.ScopePostsRead} }))
		n := 0
		text := func() string { n++; return fmt.Sprint("text ", n) }
		refused := 0
		for _, approvals := range []string{"all", "off"} {
			w.policy(approvals)
			for name, key := range keys {
				draft, scheduled := w.draftBy(w.author), w.approved()
				for what, b := range map[string]body{
					"draft": {}, "scheduled": {"publish_at": in(time.Hour)}, "now": {"publish_at": "now"}, "proposed": {"proposed_at": in(time.Hour)},
					"approved by":  {"publish_at": in(time.Hour), "approved_by": "https://example.org/1"},
					"edited draft": {"post_id": draft.ID}, "started draft": {"post_id": draft.ID, "publish_at": in(time.Hour)},
					"moved": {"post_id": scheduled.ID, "content": scheduled.Content, "publish_at": in(2 * time.Hour)}, "edited": {"post_id": scheduled.ID},
				} {
					if b["content"] == nil {
						b["content"] = text()
					}
					b["social_account_ids"] = []string{w.mine.account}
					v := decodeAs[apiv1.Validation](t, w.do(key, "POST", "/posts/validate", b).want(200))
					var code string
					if len(v.Refusals) > 0 {
						code = v.Refusals[0].Code
					}
					method, path := "POST", "/posts"
					if id, change := b["post_id"]; change {
						method, path = "PATCH", fmt.Sprint("/posts/", id)
						delete(b, "post_id")
					}
					var got apiv1.ErrorEnvelope
					if json.Unmarshal(w.do(key, method, path, b).body, &got) != nil || !v.Allowed || string(got.Error.Code) != code {
						t.Errorf("approvals %s, %s, %s: validate says %q %+v, and the request %q", approvals, name, what, code, v.Problems, got.Error.Code)
					}
					if code != "" {
						refused++
					}
				}
			}
		}
		if refused < 40 {
			t.Errorf("only %d requests were refused", refused)
		}
	})
}
