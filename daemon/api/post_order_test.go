package api_test

import (
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
)

// TestOrderOfChecks guards that all requests that schedule a post name the same reason first
// if several checks refuse it.
func TestOrderOfChecks(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		f.blackout(christmas())
		f.changeAccount(f.mine.account, func(a *schedctl.Account) {
			a.Limits = schedctl.Limits{MaxCharacters: 5, Unit: "characters"}
			a.Options = schedctl.Options{schedctl.OptionApproval: schedctl.ApprovalRequired, "duplicate_guard": "24h"}
		})
		content := body{"content": "too long", "media_asset_ids": []string{f.announce(mediatest.PNG(4, 4)).MediaAsset.ID}, "social_account_ids": []string{f.mine.account}}
		draft := "/posts/" + f.create(content).ID
		created := body{"publish_at": "2036-12-25T12:00:00Z"}
		for name, value := range content {
			created[name] = value
		}
		requests := []struct {
			method, path string
			body         body
		}{
			{"POST", "/posts", created},
			{"POST", draft + "/schedule", body{"publish_at": "2036-12-25T12:00:00Z"}},
			{"PATCH", draft, body{"publish_at": "2036-12-25T12:00:00Z"}},
		}
		refused := func(code schedctl.Code) {
			t.Helper()
			for _, r := range requests {
				f.do(nil, r.method, r.path, r.body).refused(code)
			}
		}
		refused(schedctl.InBlackout)
		for _, r := range requests {
			r.body["allow_blackout"] = true
		}
		refused(schedctl.ApprovalMissing)
		f.changeAccount(f.mine.account, func(a *schedctl.Account) { delete(a.Options, schedctl.OptionApproval) })
		refused(schedctl.MediaNotReady)
		f.do(nil, "PATCH", draft, body{"media_asset_ids": []string{}}).want(200)
		delete(created, "media_asset_ids")
		refused(schedctl.ContentTooLong)
	})
}
