package api_test

import (
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/publish"
)

func TestWorkspacesSeeNothingOfEachOther(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, testWorkspacesSeeNothingOfEachOther)
}

func testWorkspacesSeeNothingOfEachOther(t *testing.T, f *fixture) {
	p := f.draft()
	before := f.do(nil, "GET", "/posts/"+p.ID, nil)
	stranger := as(f.other.key)
	for _, tt := range []struct {
		method, path string
		body         any
	}{
		{"GET", "/posts/" + p.ID, nil},
		{"GET", "/posts/" + p.ID + "/timeline", nil},
		{"PATCH", "/posts/" + p.ID, body{"content": "y"}},
		{"DELETE", "/posts/" + p.ID, nil},
		{"POST", "/posts/" + p.ID + "/schedule", body{"publish_at": in(time.Hour)}},
		{"POST", "/posts/" + p.ID + "/publish-now", nil},
		{"POST", "/posts/" + p.ID + "/cancel", nil},
		{"POST", "/posts/" + p.ID + "/retry", nil},
		{"GET", "/social-accounts/" + f.mine.account, nil},
		{"PATCH", "/social-accounts/" + f.mine.account, body{"name": "y"}},
		{"DELETE", "/social-accounts/" + f.mine.account, nil},
		{"POST", "/social-accounts/" + f.mine.account + "/verify", nil},
	} {
		foreign := f.do(stranger, tt.method, tt.path, tt.body).refused(schedctl.NotFound)
		missing := f.do(stranger, tt.method, strings.NewReplacer(p.ID, "post_0", f.mine.account, "acct_0").Replace(tt.path), tt.body).refused(schedctl.NotFound)
		if foreign.Message != missing.Message {
			t.Errorf("%s %s tells that it is there: %q, else %q", tt.method, tt.path, foreign.Message, missing.Message)
		}
	}
	if after := f.do(nil, "GET", "/posts/"+p.ID, nil); string(after.body) != string(before.body) {
		t.Errorf("a stranger has changed the post: %s", after.body)
	}
	if list := decodeAs[apiv1.PostList](t, f.do(stranger, "GET", "/posts", nil).want(200)); list.Count != 0 {
		t.Errorf("a stranger's list has %d posts", list.Count)
	}
	if list := decodeAs[apiv1.AccountList](t, f.do(stranger, "GET", "/social-accounts?status=all", nil).want(200)); list.Count != 1 || list.Results[0].ID != f.other.account {
		t.Errorf("a stranger's list has %d accounts", list.Count)
	}
	for path, b := range map[string]body{
		"/posts/" + p.ID:                  {"social_account_ids": []string{f.other.account}},
		"/posts/" + p.ID + "/schedule":    {"social_account_ids": []string{f.other.account}, "publish_at": in(time.Hour)},
		"/posts/" + p.ID + "/publish-now": {"social_account_ids": []string{f.other.account}},
	} {
		method := "POST"
		if strings.HasSuffix(path, p.ID) {
			method = "PATCH"
		}
		f.do(nil, method, path, b).refused(schedctl.InvalidSocialAccounts)
	}
}

// TestSecretsStayInside uses a key and a credential in every way there is and
// looks for them in all answers and in the log.
func TestSecretsStayInside(t *testing.T) {
	t.Parallel()
	const token = "s3cr3t-t0k3n-of-the-network"
	f := newFixture(t)
	a := f.do(nil, "POST", "/social-accounts", body{"platform": "fake", "name": "new", "credentials": body{"token": token}}).want(201).account()
	path := "/social-accounts/" + a.ID
	var answers []*response
	see := func(r *response) { answers = append(answers, r) }

	see(f.do(nil, "GET", path, nil))
	see(f.do(nil, "GET", "/social-accounts?status=all", nil))
	see(f.do(nil, "GET", "/me", nil))
	see(f.do(key("k"), "PATCH", path, body{"credentials": body{"token": token}}))
	see(f.do(key("k"), "PATCH", path, body{"credentials": body{"token": token}}))
	see(f.do(nil, "POST", path+"/verify", nil))
	see(f.do(nil, "POST", "/social-accounts", body{"platform": "fake", "credentials": body{"tokn": token}}))
	see(f.do(nil, "POST", "/social-accounts", body{"platform": "fake", "credentials": token}))
	see(f.do(nil, "POST", "/social-accounts", `{"platform":"fake","credentials":{"token":"`+token))
	see(f.do(nil, "POST", "/social-accounts", body{"platform": "fake", "credentials": body{"token": []string{token}}}))
	see(f.do(as(f.mine.key+"x"), "GET", "/me", nil))
	see(f.do(header("Authorization", "Digest "+f.mine.key), "GET", "/me", nil))
	for _, kind := range schedctl.ErrorKinds() {
		f.network.refuse(&publish.Error{Kind: kind, Code: "token", Message: "cannot use " + token})
		see(f.do(nil, "POST", path+"/verify", nil))
		see(f.do(nil, "POST", "/social-accounts", body{"platform": "fake", "name": "newer", "credentials": body{"token": token}}))
	}
	for _, r := range answers {
		for name, secret := range map[string]string{"credential": token, "key": f.mine.key} {
			if strings.Contains(string(r.body), secret) {
				t.Errorf("%s %s shows a %s: %s", r.method, r.path, name, r.body)
			}
		}
	}
	logs := f.logs.String()
	if !strings.Contains(logs, "route=\"POST /api/v1/social-accounts\"") {
		t.Errorf("the log does not tell of the requests:\n%s", logs)
	}
	for _, secret := range []string{token, accountToken, f.mine.key, f.other.key} {
		if strings.Contains(logs, secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
}
