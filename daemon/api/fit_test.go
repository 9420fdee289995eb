package api_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// TestUnfitPostsAreRefused tries every way to publish or schedule a text that the
// network does not accept.
func TestUnfitPostsAreRefused(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, testUnfitPostsAreRefused)
}

func testUnfitPostsAreRefused(t *testing.T, f *fixture) {
	roomy := f.newAccount(f.mine, "roomy")
	f.limit(f.mine.account, 10)
	to := []string{roomy, f.mine.account}
	long := strings.Repeat("é", 11)
	tooLong := func(r *response, field string) {
		t.Helper()
		e := r.refused(schedctl.ContentTooLong)
		want := []apiv1.Detail{{
			Field: field, Code: schedctl.ContentTooLong, Message: e.Message,
			SocialAccountID: f.mine.account, Length: 11, Limit: 10, Unit: "characters",
		}}
		if diff := cmp.Diff(want, e.Details); diff != "" {
			t.Errorf("%s %s: details (-want +got):\n%s", r.method, r.path, diff)
		}
		for _, word := range []string{"fake", "account of mine", "11 characters", "allows 10"} {
			if !strings.Contains(e.Message, word) {
				t.Errorf("%s %s: message %q does not say %q", r.method, r.path, e.Message, word)
			}
		}
	}
	draft := f.create(body{"content": long, "social_account_ids": to})
	scheduled := f.create(body{"content": "short", "social_account_ids": to, "publish_at": in(time.Hour)})
	elsewhere := f.create(body{"content": long, "social_account_ids": []string{roomy}, "publish_at": in(time.Hour)})
	for _, tt := range []struct {
		method, path string
		body         body
		field        string
	}{
		{"POST", "/posts", body{"content": long, "social_account_ids": to, "publish_at": in(time.Hour)}, "content"},
		{"POST", "/posts", body{"content": long, "social_account_ids": to, "publish_at": "now"}, "content"},
		{"POST", "/posts", body{
			"content": "short", "social_account_ids": to, "publish_at": "now",
			"target_overrides": []body{override(roomy, "x", nil), override(f.mine.account, long, nil)},
		}, "target_overrides[1].content"},
		{"PATCH", "/posts/" + draft.ID, body{"publish_at": in(time.Hour)}, "content"},
		{"POST", "/posts/" + draft.ID + "/schedule", body{"publish_at": in(time.Hour)}, "content"},
		{"POST", "/posts/" + draft.ID + "/publish-now", body{}, "content"},
		{"PATCH", "/posts/" + scheduled.ID, body{"content": long}, "content"},
		{"PATCH", "/posts/" + scheduled.ID, body{"target_overrides": []body{override(f.mine.account, long, nil)}}, "target_overrides[0].content"},
		{"PATCH", "/posts/" + elsewhere.ID, body{"social_account_ids": to}, "content"},
		{"POST", "/posts/" + elsewhere.ID + "/publish-now", body{"social_account_ids": to}, "content"},
	} {
		tooLong(f.do(nil, tt.method, tt.path, tt.body), tt.field)
	}
	for _, p := range []apiv1.Post{draft, scheduled, elsewhere} {
		if after := f.do(nil, "GET", "/posts/"+p.ID, nil).post(); after.Version != p.Version || after.Status != p.Status {
			t.Errorf("a refusal leaves a %s post as version %d", after.Status, after.Version)
		}
	}

	f.do(nil, "PATCH", "/posts/"+draft.ID, body{"content": long + "!"}).want(200)
	own := []body{override(f.mine.account, "it fits", nil)}
	f.do(nil, "PATCH", "/posts/"+draft.ID, body{"publish_at": in(time.Hour), "target_overrides": own}).want(200)
	f.do(nil, "PATCH", "/posts/"+draft.ID, body{"target_overrides": []body{}}).refused(schedctl.ContentTooLong)
}

// TestUnfitOptions tests options that are invalid or that make a text invalid.
func TestUnfitOptions(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.limit(f.mine.account, 10)
	plan := func(content string, options body) *response {
		return f.do(nil, "POST", "/posts", body{
			"content": content, "social_account_ids": []string{f.mine.account}, "publish_at": in(time.Hour),
			"target_overrides": []body{override(f.mine.account, nil, options)},
		})
	}
	plan("123456", body{"mood": "calm"}).want(201)
	if e := plan("123456", body{"mood": "loud"}).refused(schedctl.ContentTooLong); e.Details[0].Length != 12 {
		t.Errorf("%+v", e.Details)
	}
	f.changeAccount(f.mine.account, func(a *schedctl.Account) { a.Options = schedctl.Options{"mood": "loud"} })
	plan("123456", nil).refused(schedctl.ContentTooLong)
	plan("123456", body{"mood": "calm"}).want(201)

	f.changeAccount(f.mine.account, func(a *schedctl.Account) { a.Options = schedctl.Options{"mood": "grim"} })
	if e := plan("1", nil).refused(schedctl.ValidationFailed); e.Details[0].Field != "social_account_ids" || e.Details[0].SocialAccountID != f.mine.account {
		t.Errorf("an option of the account: %+v", e.Details)
	}
	if e := plan("12345678901", nil).refused(schedctl.ContentTooLong); len(e.Details) != 2 {
		t.Errorf("too long and a bad option: %+v", e.Details)
	}
	plan("1", body{"mood": "loud"}).want(201)
	f.create(body{"content": "a draft may have such an account", "social_account_ids": []string{f.mine.account}})
}

// TestEveryAccountIsNamed guards that one response names every problem.
func TestEveryAccountIsNamed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	second := f.newAccount(f.mine, "second")
	f.limit(f.mine.account, 3)
	f.limit(second, 4)
	e := f.do(nil, "POST", "/posts", body{"content": "12345", "social_account_ids": []string{second, f.mine.account}, "publish_at": "now"}).refused(schedctl.ContentTooLong)
	if len(e.Details) != 2 || e.Details[0].SocialAccountID != second || e.Details[1].SocialAccountID != f.mine.account || e.Details[1].Limit != 3 {
		t.Errorf("%+v", e.Details)
	}
}

// TestStoredResponseOutlivesALimit guards that a repeated request gets its stored
// response even if the network has become stricter since.
func TestStoredResponseOutlivesALimit(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		b := f.planned("a text of some length", time.Hour)
		first := f.do(key("k"), "POST", "/posts", b).want(201)
		f.limit(f.mine.account, 5)
		if again := f.do(key("k"), "POST", "/posts", b).want(201); string(again.body) != string(first.body) {
			t.Errorf("the first response is %s, the second %s", first.body, again.body)
		}
	})
}
