package api_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

func TestCreateWorkspace(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		made := decodeAs[apiv1.CreatedWorkspace](t, f.do(nil, "POST", "/workspaces", body{"name": "Customer A", "timezone": "America/New_York"}).want(201))
		if w := made.Workspace; w.Name != "Customer A" || w.Timezone != "America/New_York" || w.Plan != "self-hosted" {
			t.Errorf("%+v", w)
		}
		for _, scope := range schedctl.Scopes() {
			left := scope == schedctl.ScopeWorkspacesWrite || scope == schedctl.ScopePostsDraft // posts:write includes the second
			if slices.Contains(made.APIKey.Scopes, scope) == left {
				t.Errorf("the key has %v", made.APIKey.Scopes)
			}
		}
		me := decodeAs[apiv1.Me](t, f.do(as(made.Secret), "GET", "/me", nil).want(200))
		if me.Workspace != made.Workspace || me.APIKey.ID != made.APIKey.ID {
			t.Errorf("the key is of %+v", me)
		}
		list := decodeAs[apiv1.WorkspaceList](t, f.do(nil, "GET", "/workspaces", nil).want(200))
		var names []string
		for _, w := range list.Results {
			names = append(names, w.Name)
		}
		if want := []string{"mine", "other", "Customer A"}; !cmp.Equal(names, want) || list.Count != 3 {
			t.Errorf("%d workspaces: %v", list.Count, names)
		}
		f.do(as(made.Secret), "GET", "/workspaces", nil).refused(schedctl.InsufficientScope)
		f.do(as(made.Secret), "POST", "/workspaces", body{"name": "x"}).refused(schedctl.InsufficientScope)
		f.do(as(made.Secret), "POST", "/api-keys", body{"name": "x", "scopes": []string{"workspaces:write"}}).refused(schedctl.InsufficientScope)
	})
}

func TestTimezones(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for zone, good := range map[string]bool{
		"UTC": true, "Europe/Rome": true, "America/Argentina/Buenos_Aires": true,
		"": false, "Local": false, "Rome": false, "Europe/Atlantis": false, "../../etc/passwd": false, "/etc/localtime": false,
		"+02:00": false, "europe/rome ": false, strings.Repeat("A", 100): false,
	} {
		r := f.do(nil, "POST", "/workspaces", body{"name": "x", "timezone": zone})
		if !good {
			r.refused(schedctl.ValidationFailed)
		} else if got := decodeAs[apiv1.CreatedWorkspace](t, r.want(201)).Workspace.Timezone; got != zone {
			t.Errorf("%s becomes %s", zone, got)
		}
	}
	if got := decodeAs[apiv1.CreatedWorkspace](t, f.do(nil, "POST", "/workspaces", body{"name": "x"}).want(201)).Workspace.Timezone; got != "UTC" {
		t.Errorf("without a time zone it is %s", got)
	}
	for name, b := range map[string]any{
		"no name": body{}, "an empty name": body{"name": ""}, "a number": body{"name": "x", "timezone": 2},
		"null": body{"name": "x", "timezone": nil}, "an unknown field": body{"name": "x", "plan": "pro"},
	} {
		t.Run(name, func(t *testing.T) { f.do(nil, "POST", "/workspaces", b).refused(schedctl.ValidationFailed) })
	}
}
