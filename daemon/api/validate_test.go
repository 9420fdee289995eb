package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

func (f *fixture) validate(b any) apiv1.Validation {
	f.t.Helper()
	return decodeAs[apiv1.Validation](f.t, f.do(nil, "POST", "/posts/validate", b).want(200))
}

// problemFields returns code and field of problems.
func problemFields(problems []apiv1.Problem) []string {
	list := []string{}
	for _, p := range problems {
		list = append(list, p.Code+" "+p.Field)
	}
	return list
}

// onePart returns the parts of a post without media and warnings about a part.
func onePart(of apiv1.AccountValidation) []apiv1.PartValidation {
	return []apiv1.PartValidation{{
		Kind: "post", Length: of.Length, Limit: of.Limit, Unit: of.Unit,
		Problems: of.Problems, Warnings: of.Warnings, Media: []apiv1.MediaValidation{},
	}}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, testValidate)
}

func testValidate(t *testing.T, f *fixture) {
	f.limit(f.mine.account, 10)
	roomy := f.newAccount(f.mine, "roomy")
	before := f.do(nil, "GET", "/posts", nil)
	limit := 10
	fine := apiv1.AccountValidation{
		SocialAccountID: f.mine.account, Platform: "fake", Allowed: true, Length: 5, Limit: &limit, Unit: "characters",
		Problems: []apiv1.Problem{}, Warnings: []string{},
	}
	free := fine
	free.SocialAccountID, free.Limit = roomy, nil
	fine.Parts, free.Parts = onePart(fine), onePart(free)
	both := []string{f.mine.account, roomy}
	want := apiv1.Validation{Allowed: true, Problems: []apiv1.Problem{}, Refusals: []apiv1.Problem{}, Warnings: []string{}, Accounts: []apiv1.AccountValidation{fine, free}}
	for _, at := range []any{nil, "now", in(time.Hour)} {
		got := f.validate(body{"content": "12345", "social_account_ids": both, "publish_at": at})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("at %v (-want +got):\n%s", at, diff)
		}
	}

	long := fine
	long.Allowed, long.Length, long.Warnings = false, 11, []string{"a question"}
	long.Problems = []apiv1.Problem{{
		Field: "content", Code: "CONTENT_TOO_LONG",
		Message: `fake account "account of mine": the post has 11 characters and the network allows 10; shorten it`,
	}}
	free.Length, free.Warnings = 11, long.Warnings
	long.Parts, free.Parts = onePart(long), onePart(free)
	want.Allowed, want.Accounts = false, []apiv1.AccountValidation{free, long}
	slices.Reverse(both)
	if diff := cmp.Diff(want, f.validate(body{"content": "1234567890?", "social_account_ids": both})); diff != "" {
		t.Errorf("too long (-want +got):\n%s", diff)
	}
	got := f.validate(body{"content": "1234567890?", "social_account_ids": both, "target_overrides": []body{override(f.mine.account, "123", body{"mood": "loud"})}})
	if !got.Allowed || got.Accounts[1].Length != 6 {
		t.Errorf("overridden: %+v", got)
	}
	if after := f.do(nil, "GET", "/posts", nil); string(after.body) != string(before.body) {
		t.Errorf("validating has stored something: %s", after.body)
	}
}

// broken are posts that create rejects. Validate reports each with the same code
// and field.
var broken = []struct {
	name string
	body func(f *fixture) body
	post []string // problems of the post
	each []string // problems of the first account
}{
	{"empty", func(f *fixture) body { return f.planned(" ", time.Hour) }, []string{"VALIDATION_FAILED content"}, nil},
	{"longer than any", func(f *fixture) body { return f.planned(strings.Repeat("x", 5001), time.Hour) }, []string{"CONTENT_TOO_LONG content"}, nil},
	{"a time that has passed", func(f *fixture) body { return f.planned("x", -time.Hour) }, []string{"INVALID_PUBLISH_AT publish_at"}, nil},
	{"no account", func(f *fixture) body { return body{"content": "x", "publish_at": "now"} }, []string{"INVALID_SOCIAL_ACCOUNTS social_account_ids"}, nil},
	{"unknown accounts", func(f *fixture) body {
		return body{"content": "x", "publish_at": "now", "social_account_ids": []string{"acct_1", f.other.account}}
	}, []string{"INVALID_SOCIAL_ACCOUNTS social_account_ids", "INVALID_SOCIAL_ACCOUNTS social_account_ids"}, nil},
	{"an account twice", func(f *fixture) body {
		return body{"content": "x", "social_account_ids": []string{f.mine.account, f.mine.account}}
	}, []string{"INVALID_SOCIAL_ACCOUNTS social_account_ids"}, nil},
	{"too many accounts", func(f *fixture) body {
		return body{"content": "x", "publish_at": "now", "social_account_ids": slices.Repeat([]string{f.mine.account}, 101)}
	}, []string{"INVALID_SOCIAL_ACCOUNTS social_account_ids"}, nil},
	{"a disconnected account", func(f *fixture) body {
		f.do(nil, "DELETE", "/social-accounts/"+f.mine.account, nil).want(204)
		return f.planned("x", time.Hour)
	}, nil, []string{"INVALID_SOCIAL_ACCOUNTS social_account_ids"}},
	{"a refused account", func(f *fixture) body {
		f.changeAccount(f.mine.account, func(a *schedctl.Account) { a.Status = schedctl.AccountError })
		return f.planned("x", time.Hour)
	}, nil, []string{"INVALID_SOCIAL_ACCOUNTS social_account_ids"}},
	{"an override for an unknown account", func(f *fixture) body {
		b := f.planned("x", time.Hour)
		b["target_overrides"] = []body{override("acct_1", "y", nil)}
		return b
	}, []string{"VALIDATION_FAILED target_overrides[0].social_account_id"}, nil},
	{"an override that is too long for anybody", func(f *fixture) body {
		b := f.planned("x", time.Hour)
		b["target_overrides"] = []body{override(f.mine.account, strings.Repeat("x", 5001), nil)}
		return b
	}, []string{"CONTENT_TOO_LONG target_overrides[0].content"}, nil},
	{"an option that there is not", func(f *fixture) body {
		b := f.planned("x", time.Hour)
		b["target_overrides"] = []body{override(f.mine.account, nil, body{"mod": "calm"})}
		return b
	}, []string{"VALIDATION_FAILED target_overrides[0].options.mod"}, nil},
	{"an option of the wrong kind", func(f *fixture) body {
		b := f.planned("x", time.Hour)
		b["target_overrides"] = []body{override(f.mine.account, nil, body{"mood": "grim"})}
		return b
	}, nil, []string{"VALIDATION_FAILED target_overrides[0].options.mood"}},
	{"too long for the network", func(f *fixture) body {
		f.limit(f.mine.account, 3)
		return f.planned("1234", time.Hour)
	}, nil, []string{"CONTENT_TOO_LONG content"}},
	{"a duplicate", func(f *fixture) body {
		f.guarded()
		f.create(f.planned("x", time.Hour))
		return f.planned("x", 2*time.Hour)
	}, nil, []string{"DUPLICATE_CONTENT content"}},
}

func TestValidateTellsWhatCreateRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range broken {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			b := tt.body(f)
			v := f.validate(b)
			if v.Allowed {
				t.Error("it is allowed")
			}
			if diff := cmp.Diff(append([]string{}, tt.post...), problemFields(v.Problems)); diff != "" {
				t.Errorf("problems of the post (-want +got):\n%s", diff)
			}
			each := []string{}
			if len(v.Accounts) > 0 {
				each = problemFields(v.Accounts[0].Problems)
				if v.Accounts[0].Allowed != (len(each) == 0) {
					t.Errorf("%+v", v.Accounts[0])
				}
			}
			if diff := cmp.Diff(append([]string{}, tt.each...), each); diff != "" {
				t.Errorf("problems of the account (-want +got):\n%s", diff)
			}
			r := f.do(nil, "POST", "/posts", b)
			e := decodeAs[apiv1.ErrorEnvelope](t, r).Error
			want := slices.Concat(tt.post, tt.each)[0]
			if r.status < 400 || want != string(e.Code)+" "+e.Details[0].Field {
				t.Errorf("create gets %d %s, and validate reports %s", r.status, r.body, want)
			}
		})
	}
}

// TestValidateReportsAll guards that one validation reports every problem.
func TestValidateReportsAll(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.limit(f.mine.account, 3)
	v := f.validate(body{
		"content": strings.Repeat("x", 5001), "publish_at": in(-time.Hour), "social_account_ids": []string{"acct_1", f.mine.account},
		"target_overrides": []body{override("acct_2", "y", nil), override(f.mine.account, nil, body{"mod": 1})},
	})
	want := []string{
		"INVALID_SOCIAL_ACCOUNTS social_account_ids", "CONTENT_TOO_LONG content", "VALIDATION_FAILED target_overrides[0].social_account_id",
		"VALIDATION_FAILED target_overrides[1].options.mod", "INVALID_PUBLISH_AT publish_at",
	}
	if diff := cmp.Diff(want, problemFields(v.Problems)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(v.Accounts) != 1 || v.Accounts[0].Length != 5001 || !slices.Equal(problemFields(v.Accounts[0].Problems), []string{"CONTENT_TOO_LONG content"}) {
		t.Errorf("%+v", v.Accounts)
	}
}

// TestValidateReportsAProblemOnce guards that a problem that several checks find is
// reported once.
func TestValidateReportsAProblemOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	door := f.upload(mediatest.PNG(3, 4))
	got := f.validate(body{"content": "two doors", "media": []body{{"id": door.ID}, {"id": door.ID, "alt_text": "a door"}}})
	if len(got.Problems) != 1 || !strings.Contains(got.Problems[0].Message, "listed twice") {
		t.Errorf("got %+v", got.Problems)
	}
}

func TestValidateADraft(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	if v := f.validate(body{"content": "x"}); !v.Allowed || len(v.Accounts) != 0 {
		t.Errorf("a text alone: %+v", v)
	}
	f.limit(f.mine.account, 3)
	b := body{"content": "1234", "social_account_ids": []string{f.mine.account}}
	if v := f.validate(b); v.Allowed {
		t.Errorf("a draft that cannot go out: %+v", v)
	}
	f.create(b)
}

func TestValidateWarnings(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, testValidateWarnings)
}

func testValidateWarnings(t *testing.T, f *fixture) {
	warned := func(b body) string {
		t.Helper()
		v := f.validate(b)
		if !v.Allowed {
			t.Errorf("a warning is a problem: %+v", v)
		}
		return strings.Join(v.Accounts[0].Warnings, "; ")
	}
	second := f.newAccount(f.mine, "second")
	first := f.planned("same", 48*time.Hour)
	first["social_account_ids"] = []string{f.mine.account, second}
	first["target_overrides"] = []body{override(second, "its own", nil)}
	f.create(first)
	at := func(account, text string, hours int) body {
		return body{"content": text, "social_account_ids": []string{account}, "publish_at": in(time.Duration(hours) * time.Hour)}
	}
	allowed := at(f.mine.account, "same", 47)
	allowed["allow_duplicate"] = true
	for _, tt := range []struct {
		name string
		body body
		warn bool
	}{
		{"an hour before", at(f.mine.account, "same", 47), true},
		{"an hour before, meant so", allowed, false},
		{"a day after", at(f.mine.account, "same", 73), false},
		{"now", at(f.mine.account, "same", 1), false},
		{"another text", at(f.mine.account, "Same", 47), false},
		{"the text of the other account", at(f.mine.account, "its own", 47), false},
		{"the text of the account itself", at(second, "its own", 47), true},
		{"a text of neither account", at(second, "same", 47), false},
	} {
		if w := warned(tt.body); strings.Contains(w, "same text") != tt.warn {
			t.Errorf("%s: warnings %q", tt.name, w)
		}
	}
	f.do(nil, "PATCH", "/social-accounts/"+f.mine.account, body{"options": body{"duplicate_guard": "30m"}}).want(200)
	if w := warned(at(f.mine.account, "same", 47)); !strings.Contains(w, "same text") {
		t.Errorf("beyond the guard: warnings %q", w)
	}

	until := time.Now().Add(2 * time.Hour).UTC().Truncate(time.Second)
	f.changeAccount(f.mine.account, func(a *schedctl.Account) { a.PausedUntil = until })
	if w := warned(at(f.mine.account, "paused", 1)); !strings.Contains(w, "waits until "+until.Format(time.RFC3339)) {
		t.Errorf("paused: warnings %q", w)
	}
	f.changeAccount(f.mine.account, func(a *schedctl.Account) { a.DisruptedSince = until.Add(-3 * time.Hour) })
	if w := warned(at(f.mine.account, "paused", 1)); !strings.Contains(w, "unreachable since "+until.Add(-3*time.Hour).Format(time.RFC3339)) || strings.Contains(w, "asked for a pause") {
		t.Errorf("out of reach: warnings %q", w)
	}
	if w := warned(at(f.mine.account, "paused", 3)); w != "" {
		t.Errorf("after the pause: warnings %q", w)
	}
}

// TestDuplicatesOfOverrides guards that the text that an account gets is compared,
// and not the text of the post.
func TestDuplicatesOfOverrides(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.guarded()
	own := func(content string, text any) body {
		b := f.planned(content, time.Hour)
		b["target_overrides"] = []body{override(f.mine.account, text, nil)}
		return b
	}
	f.create(own("for others", "same"))
	f.create(f.planned("for others", time.Hour))
	f.do(nil, "POST", "/posts", f.planned("same", time.Hour)).refused(schedctl.DuplicateContent)
	f.do(nil, "POST", "/posts", own("whatever", "same")).refused(schedctl.DuplicateContent)
	f.create(own("same", "not the same"))
	p := f.create(f.planned("new", time.Hour))
	f.do(nil, "PATCH", "/posts/"+p.ID, body{"target_overrides": []body{override(f.mine.account, "same", nil)}}).refused(schedctl.DuplicateContent)
}

// TestAPostIsNotItsOwnDuplicate guards that validating a change of a post gives the
// same result as the change.
func TestAPostIsNotItsOwnDuplicate(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	p := f.create(f.planned("same", time.Hour))
	moved := f.planned("same", 2*time.Hour)
	moved["post_id"] = p.ID
	if v := f.validate(moved); !v.Allowed || len(v.Accounts[0].Warnings) > 0 {
		t.Errorf("moved: %+v", v)
	}
	f.guarded()
	if v := f.validate(moved); !v.Allowed || len(v.Accounts[0].Problems) > 0 {
		t.Errorf("moved, with a guard: %+v", v)
	}
	if v := f.validate(f.planned("same", 2*time.Hour)); v.Allowed {
		t.Errorf("a new post with its text: %+v", v)
	}
	other := f.create(f.planned("other", time.Hour))
	moved["post_id"] = other.ID
	if v := f.validate(moved); v.Allowed {
		t.Errorf("another post with its text: %+v", v)
	}
}

func TestValidateRefusesWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for b, code := range map[string]schedctl.Code{
		``: schedctl.InvalidJSON, `{`: schedctl.InvalidJSON, `[]`: schedctl.ValidationFailed, `{}`: schedctl.ValidationFailed,
		`{"content":5}`:                                    schedctl.ValidationFailed,
		`{"content":"x","publish_ta":"now"}`:               schedctl.ValidationFailed,
		`{"content":"x","publish_at":"tomorrow"}`:          schedctl.InvalidPublishAt,
		`{"content":"x","target_overrides":[{}]}`:          schedctl.ValidationFailed,
		`{"content":"x","social_account_ids":"acct_1"}`:    schedctl.ValidationFailed,
		`{"content":"x","content":"y"}`:                    schedctl.InvalidJSON,
		`{"content":"` + strings.Repeat("x", 1<<20) + `"}`: schedctl.BodyTooLarge,
	} {
		f.do(nil, "POST", "/posts/validate", b).refused(code)
	}
	f.do(header("Content-Type", "text/plain"), "POST", "/posts/validate", `{"content":"x"}`).refused(schedctl.UnsupportedMediaType)
	f.do(nil, "GET", "/posts/validate", nil).refused(schedctl.NotFound)
	f.store.FailViews(1)
	f.do(as(f.scoped(schedctl.ScopePostsRead)), "POST", "/posts/validate", body{"content": "x"}).refused(schedctl.Unavailable)
}

func TestValidateAndTimelineNeedToRead(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	p := f.draft()
	reads, writes := as(f.scoped(schedctl.ScopePostsRead)), as(f.scoped(schedctl.ScopePostsWrite, schedctl.ScopePostsDraft))
	f.do(reads, "POST", "/posts/validate", body{"content": "x"}).want(200)
	f.do(reads, "GET", "/posts/"+p.ID+"/timeline", nil).want(200)
	f.do(writes, "POST", "/posts/validate", body{"content": "x"}).refused(schedctl.InsufficientScope)
	f.do(writes, "GET", "/posts/"+p.ID+"/timeline", nil).refused(schedctl.InsufficientScope)
}

// TestValidateStaysInside guards that a validation reveals nothing of other
// workspaces, nor of accounts outside the key's limit.
func TestValidateStaysInside(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	second := f.newAccount(f.mine, "second")
	f.create(f.planned("same", time.Hour))
	validate := func(o option, account string) apiv1.Validation {
		return decodeAs[apiv1.Validation](t, f.do(o, "POST", "/posts/validate", body{"content": "same", "social_account_ids": []string{account}}).want(200))
	}
	foreign, missing := validate(as(f.other.key), f.mine.account), validate(as(f.other.key), "acct_0")
	if len(foreign.Accounts) != 0 || strings.ReplaceAll(foreign.Problems[0].Message, f.mine.account, "acct_0") != missing.Problems[0].Message {
		t.Errorf("another workspace gets %+v, and for an unknown account %+v", foreign, missing)
	}
	limited := as(f.newKey(f.mine.workspace, func(k *schedctl.APIKey) { k.AccountIDs = []string{second} }))
	if v := validate(limited, f.mine.account); v.Allowed || len(v.Accounts) != 0 || v.Problems[0].Code != string(schedctl.AccountNotAllowed) {
		t.Errorf("a limited key gets %+v", v)
	}
	if v := validate(limited, second); !v.Allowed {
		t.Errorf("%+v", v)
	}
	f.do(as(f.newKey(f.mine.workspace, func(k *schedctl.APIKey) { k.AccountIDs = []string{second} })), "GET", "/posts/"+f.draft().ID+"/timeline", nil).refused(schedctl.NotFound)
}

// TestValidateIsNotKept guards that an Idempotency-Key does not return an outdated
// result.
func TestValidateIsNotKept(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	b := body{"content": "12345", "social_account_ids": []string{f.mine.account}}
	ask := func() *response { return f.do(key("k"), "POST", "/posts/validate", b).want(http.StatusOK) }
	if first := decodeAs[apiv1.Validation](t, ask()); !first.Allowed {
		t.Errorf("%+v", first)
	}
	f.limit(f.mine.account, 3)
	r := ask()
	if again := decodeAs[apiv1.Validation](t, r); again.Allowed || r.header.Get("Idempotent-Replayed") != "" {
		t.Errorf("%+v", again)
	}
	f.store.FailUpdates(1, storagetest.BeforeDisk)
	ask()
	if err := f.store.Update(t.Context(), func(storage.Tx) error { return nil }); err == nil {
		t.Error("validating has written")
	}
}

// TestValidationsAreBounded guards that a key runs only a few validations at once:
// one takes long when it measures a text for many accounts.
func TestValidationsAreBounded(t *testing.T) {
	t.Parallel()
	const validations, mayRun = 10, 4
	f := newFixture(t)
	release := make(chan struct{})
	f.network.onCheck(func() { <-release })
	responses := make(chan *response, validations)
	for range validations {
		go func() {
			responses <- f.do(nil, "POST", "/posts/validate", body{"content": "x", "social_account_ids": []string{f.mine.account}})
		}()
	}
	for range validations - mayRun {
		(<-responses).refused(schedctl.RateLimited)
	}
	close(release)
	for range mayRun {
		(<-responses).want(200)
	}
}
