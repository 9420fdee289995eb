package api_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// override is an entry of target_overrides.
func override(account string, content any, options body) body {
	return body{"social_account_id": account, "content": content, "options": options}
}

func shown(account string, content string, options map[string]any) apiv1.Override {
	o := apiv1.Override{SocialAccountID: account, Options: options}
	if content != "" {
		o.Content = &content
	}
	return o
}

func TestOverrides(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, testOverrides)
}

func testOverrides(t *testing.T, f *fixture) {
	second := f.newAccount(f.mine, "second")
	both := []string{f.mine.account, second}
	same := func(what string, p apiv1.Post, want ...apiv1.Override) {
		t.Helper()
		read := f.do(nil, "GET", "/posts/"+p.ID, nil).want(200).post()
		for _, got := range [][]apiv1.Override{p.TargetOverrides, read.TargetOverrides} {
			if diff := cmp.Diff(append([]apiv1.Override{}, want...), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
		}
	}
	none := map[string]any{}
	loud := map[string]any{"mood": "loud"}
	p := f.create(body{"content": "for all", "social_account_ids": both, "publish_at": in(time.Hour), "target_overrides": []body{
		override(second, "for the second", nil), override(f.mine.account, nil, body{"mood": "loud"}),
	}})
	same("created", p, shown(f.mine.account, "", loud), shown(second, "for the second", none))

	edit := func(b body) apiv1.Post {
		t.Helper()
		return f.do(nil, "PATCH", "/posts/"+p.ID, b).want(200).post()
	}
	same("left out", edit(body{"content": "for everybody"}), shown(f.mine.account, "", loud), shown(second, "for the second", none))
	same("an account less", edit(body{"social_account_ids": both[:1]}), shown(f.mine.account, "", loud))
	same("the account again", edit(body{"social_account_ids": both}), shown(f.mine.account, "", loud))
	replaced := edit(body{"target_overrides": []body{override(second, "anew", body{"mood": "calm"})}})
	same("replaced", replaced, shown(second, "anew", map[string]any{"mood": "calm"}))
	again := edit(body{"target_overrides": []body{override(second, "anew", body{"mood": "calm"})}})
	if again.Version != replaced.Version {
		t.Errorf("the same overrides make version %d of %d", again.Version, replaced.Version)
	}
	same("nothing overridden", edit(body{"target_overrides": []body{{"social_account_id": second}}}))
	same("taken away", edit(body{"target_overrides": []body{}}))
	f.do(nil, "POST", "/posts/"+p.ID+"/publish-now", nil).want(202)
}

// TestOverridesReachTheTargets guards that the shown text is the published one.
func TestOverridesReachTheTargets(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	p := f.create(body{"content": "for all", "social_account_ids": []string{f.mine.account}, "target_overrides": []body{
		override(f.mine.account, "its own", body{"mood": "loud"}),
	}})
	err := f.store.View(t.Context(), func(r storage.Reader) error {
		stored, err := r.Post(f.mine.workspace, p.ID)
		if err != nil {
			return err
		}
		target := &stored.Targets[0]
		if stored.ContentFor(target) != "its own" || target.Options.String("mood") != "loud" {
			t.Errorf("content %q, options %v", stored.ContentFor(target), target.Options)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestOverridesOfTheWrongShape(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	p := f.draft()
	for _, tt := range []struct {
		overrides   string // A is the account
		code        schedctl.Code
		field, says string
	}{
		{`{}`, schedctl.ValidationFailed, "target_overrides", "must be a list of objects, not an object"},
		{`null`, schedctl.ValidationFailed, "target_overrides", "must be a list of objects, not null"},
		{`["A"]`, schedctl.ValidationFailed, "target_overrides[0]", "must be an object, not a string"},
		{`[{}]`, schedctl.ValidationFailed, "target_overrides[0].social_account_id", "is missing"},
		{`[{"social_account_id":null}]`, schedctl.ValidationFailed, "target_overrides[0].social_account_id", "must be a string, not null"},
		{`[{"social_account_id":""}]`, schedctl.ValidationFailed, "target_overrides[0].social_account_id", "is empty"},
		{`[{"social_account_id":"A","text":"x"}]`, schedctl.ValidationFailed, "target_overrides[0].text", "unknown field"},
		{`[{"social_account_id":"A","content":5}]`, schedctl.ValidationFailed, "target_overrides[0].content", "must be a string, not a number"},
		{`[{"social_account_id":"A","content":""}]`, schedctl.ValidationFailed, "target_overrides[0].content", "or null"},
		{`[{"social_account_id":"A","content":" "}]`, schedctl.ValidationFailed, "target_overrides[0].content", "visible character"},
		{`[{"social_account_id":"A","content":"\u0000"}]`, schedctl.ValidationFailed, "target_overrides[0].content", "NUL"},
		{`[{"social_account_id":"A","content":"LONG"}]`, schedctl.ContentTooLong, "target_overrides[0].content", "5001 characters"},
		{`[{"social_account_id":"A","options":[]}]`, schedctl.ValidationFailed, "target_overrides[0].options", "must be an object, not a list"},
		{`[{"social_account_id":"A","options":{"mod":"loud"}}]`, schedctl.ValidationFailed, "target_overrides[0].options.mod", `did you mean "mood"?`},
		{`[{"social_account_id":"A","options":{"idempotent":true}}]`, schedctl.ValidationFailed, "target_overrides[0].options.idempotent", "for a single post"},
		{`[{"social_account_id":"A","options":{"pacing":"1s"}}]`, schedctl.ValidationFailed, "target_overrides[0].options.pacing", "for a single post"},
		{`[{"social_account_id":"A","options":{"mood":null}}]`, schedctl.ValidationFailed, "target_overrides[0].options.mood", "leave it out"},
		{`[{"social_account_id":"A","options":{"mood":"grim"}}]`, schedctl.ValidationFailed, "target_overrides[0].options.mood", "calm or loud"},
		{`[{"social_account_id":"A","options":{"mood":{"deep":[1]}}}]`, schedctl.ValidationFailed, "target_overrides[0].options.mood", "calm or loud"},
		{`[{"social_account_id":"A"},{"social_account_id":"A"}]`, schedctl.ValidationFailed, "target_overrides[1].social_account_id", "already"},
		{`[{"social_account_id":"acct_nobody"}]`, schedctl.ValidationFailed, "target_overrides[0].social_account_id", "not one of the post's accounts"},
		{`[{"social_account_id":"LONG"}]`, schedctl.ValidationFailed, "target_overrides[0].social_account_id", "too long for an id"},
	} {
		overrides := strings.NewReplacer("LONG", strings.Repeat("é", 5001), `"A"`, `"`+f.mine.account+`"`).Replace(tt.overrides)
		refuse := func(r *response) {
			t.Helper()
			e := r.refused(tt.code)
			if len(e.Details) == 0 || e.Details[0].Field != tt.field || !strings.Contains(e.Message, tt.says) {
				t.Errorf("%s: details %v, message %q; want %s saying %q", tt.overrides, e.Details, e.Message, tt.field, tt.says)
			}
		}
		list := `"social_account_ids":["` + f.mine.account + `"],"target_overrides":` + overrides
		refuse(f.do(nil, "POST", "/posts", `{"content":"x",`+list+`}`))
		refuse(f.do(nil, "POST", "/posts", `{"content":"x","publish_at":"now",`+list+`}`))
		refuse(f.do(nil, "PATCH", "/posts/"+p.ID, `{"target_overrides":`+overrides+`}`))
	}
	if after := f.do(nil, "GET", "/posts/"+p.ID, nil).post(); after.Version != p.Version {
		t.Errorf("refused edits make version %d", after.Version)
	}
}
