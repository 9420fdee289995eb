package api_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// settingCase is a queue or a blackout in requests.
type settingCase struct {
	path   string // of the list
	whole  body   // the body of a new one
	change body   // a change of a field
}

func settingCases(f *fixture) map[string]settingCase {
	return map[string]settingCase{
		"queue":    {"/queues", body{"name": "q", "timezone": "UTC", "times": []body{everyDay("09:00")}, "social_account_ids": []string{f.mine.account}}, body{"gap": "1h"}},
		"blackout": {"/blackouts", body{"mode": "hold", "from": "2098-12-24T00:00", "to": "2098-12-27T00:00", "timezone": "UTC"}, body{"to": "2098-12-28T00:00"}},
	}
}

// managedSetting is what the responses with queues and blackouts share.
type managedSetting struct {
	ID      string         `json:"id"`
	Managed *apiv1.Managed `json:"managed"`
	Version int64          `json:"version"`
}

func settingOf(t *testing.T, r *response) managedSetting {
	t.Helper()
	var e struct{ Queue, Blackout managedSetting }
	if err := json.Unmarshal(r.body, &e); err != nil {
		t.Fatal(err)
	}
	if e.Queue.ID != "" {
		return e.Queue
	}
	return e.Blackout
}

func (c settingCase) with(more body) body {
	all := maps.Clone(c.whole)
	maps.Copy(all, more)
	return all
}

func TestManagedSettings(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		for name, c := range settingCases(f) {
			file := body{"collection": "site", "path": "schedctl.yaml", "digest": "v1:1"}
			made := settingOf(t, f.do(nil, "POST", c.path, c.with(body{"managed": file})).want(201))
			want := &apiv1.Managed{Collection: "site", Path: "schedctl.yaml", Digest: "v1:1"}
			one := c.path + "/" + made.ID
			check := func(what string, got, want any) {
				t.Helper()
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s, %s: -want +got:\n%s", name, what, diff)
				}
			}
			check("created", made.Managed, want)
			changed := settingOf(t, f.do(nil, "PATCH", one, c.change).want(200))
			check("changed by hand", changed, managedSetting{made.ID, want, 2})
			file["digest"], want.Digest = "v1:2", "v1:2"
			check("applied", settingOf(t, f.do(nil, "PATCH", one, body{"managed": file}).want(200)), managedSetting{made.ID, want, 3})
			check("applied again", settingOf(t, f.do(nil, "PATCH", one, body{"managed": file}).want(200)), managedSetting{made.ID, want, 3})
			check("read", settingOf(t, f.do(nil, "GET", one, nil).want(200)), managedSetting{made.ID, want, 3})
			check("given up", settingOf(t, f.do(nil, "PATCH", one, body{"managed": nil}).want(200)), managedSetting{made.ID, nil, 4})

			file["collection"] = "import"
			f.do(nil, "PATCH", one, body{"managed": file}).refused(schedctl.ValidationFailed)
			f.do(nil, "PATCH", one, body{"managed": body{"collection": "site"}}).refused(schedctl.ValidationFailed)
		}
	})
}

// TestSettingsDryRun guards that a dry run of a request has its response or its refusal, and
// stores nothing.
func TestSettingsDryRun(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		for name, c := range settingCases(f) {
			dry := body{"dry_run": true}
			r := f.do(nil, "POST", c.path, c.with(dry)).want(201)
			if settingOf(t, r).Version != 1 || r.header.Get("Location") != "" {
				t.Errorf("%s: the dry run responds with %s, Location %q", name, r.body, r.header.Get("Location"))
			}
			if list := f.do(nil, "GET", c.path, nil).want(200); !bytes.Contains(list.body, []byte(`"count":0`)) {
				t.Errorf("%s: the dry run made %s", name, list.body)
			}
			made := settingOf(t, f.do(nil, "POST", c.path, c.whole).want(201))
			one := c.path + "/" + made.ID
			change := maps.Clone(c.change)
			change["dry_run"] = true
			if got := settingOf(t, f.do(nil, "PATCH", one, change).want(200)); name == "queue" && got.Version != 2 {
				t.Errorf("%s: the dry run of a change responds with version %d", name, got.Version)
			}
			if got := settingOf(t, f.do(nil, "GET", one, nil).want(200)); got.Version != 1 {
				t.Errorf("%s: the dry run changed it to version %d", name, got.Version)
			}
			f.do(header("If-Match", `"7"`), "PATCH", one, change).refused(schedctl.VersionMismatch)
			f.do(nil, "PATCH", one, body{"dry_run": true, "social_account_ids": []string{f.other.account}}).refused(schedctl.InvalidSocialAccounts)
			f.do(nil, "POST", c.path, c.with(body{"dry_run": true, "social_account_ids": []string{f.other.account}})).refused(schedctl.InvalidSocialAccounts)
		}
	})
}

// TestQueueOfOthers guards that a limited key learns why it cannot use the name of a queue
// that it does not see.
func TestQueueOfOthers(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		other := f.newAccount(f.mine, "elsewhere")
		f.newQueue(body{"name": "seen"})
		f.newQueue(body{"name": "hidden", "social_account_ids": []string{other}})
		limited := as(f.limitedKey(f.mine.account))
		for name, code := range map[string]schedctl.Code{"seen": schedctl.NameTaken, "hidden": schedctl.AccountNotAllowed} {
			b := body{"name": name, "timezone": "UTC", "times": []body{everyDay("09:00")}, "social_account_ids": []string{f.mine.account}, "dry_run": true}
			f.do(limited, "POST", "/queues", b).refused(code)
		}
	})
}
