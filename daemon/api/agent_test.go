package api_test

import (
	"testing"
	"time"

	"github.com/schedctl/schedctl"
)

// What an agent must not do is refused by the API too, whatever the scopes of its key.
func TestAgentKeysCannotOverrideChecks(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	agent := as(f.newKey(f.mine.workspace, func(k *schedctl.APIKey) {
		k.Agent, k.Scopes = true, schedctl.AgentScopes()
	}))
	draft := f.do(agent, "POST", "/posts", body{"content": "x", "social_account_ids": []string{f.mine.account}}).want(201).post()
	path := "/posts/" + draft.ID
	at := in(time.Hour)
	for _, tt := range []struct {
		method, path string
		body         body
	}{
		{"POST", "/posts", body{"content": "y", "allow_duplicate": true}},
		{"POST", "/posts", body{"content": "y", "allow_blackout": true}},
		{"PATCH", path, body{"content": "y", "allow_duplicate": true}},
		{"POST", path + "/schedule", body{"publish_at": at, "allow_duplicate": true}},
		{"POST", path + "/schedule", body{"publish_at": at, "allow_blackout": true}},
		{"POST", path + "/publish-now", body{"allow_duplicate": true}},
		{"POST", path + "/retry", body{"force": true}},
		{"POST", "/blackouts", body{}},
		{"PATCH", "/blackouts/bo_1", body{}},
		{"DELETE", "/blackouts/bo_1", nil},
	} {
		f.do(agent, tt.method, tt.path, tt.body).refused(schedctl.KeyNotAllowed)
	}
	for _, p := range []string{path + "/approve", path + "/request-changes"} {
		f.do(agent, "POST", p, body{}).refused(schedctl.InsufficientScope)
	}
	f.do(agent, "POST", path+"/schedule", body{"publish_at": at, "allow_duplicate": false}).want(200)
}
