package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

var (
	taken = apiv1.Validation{Allowed: true, Accounts: []apiv1.AccountValidation{
		{SocialAccountID: demoID, Platform: "feed", Allowed: true, Length: 5, Unit: "characters"},
		{SocialAccountID: hookID, Platform: "http", Allowed: true, Length: 5, Limit: ptr(500), Unit: "characters", Warnings: []string{"the same text went there an hour ago"}},
	}}
	notTaken = apiv1.Validation{
		Problems: []apiv1.Problem{{Field: "publish_at", Code: "INVALID_PUBLISH_AT", Message: "the time has passed"}},
		Warnings: []string{"it is late"},
		Accounts: []apiv1.AccountValidation{
			{SocialAccountID: demoID, Platform: "feed", Allowed: true, Length: 5, Unit: "characters"},
			{SocialAccountID: hookID, Platform: "http", Length: 512, Limit: ptr(500), Unit: "characters", Problems: []apiv1.Problem{{Field: "content", Code: "CONTENT_TOO_LONG", Message: "12 too many"}}},
		},
	}
)

func TestPostValidate(t *testing.T) {
	t.Parallel()
	var sent capture
	m := newMachine(t, routes{"GET /social-accounts": twoAccounts, "POST /posts/validate": sent.answer(taken)})
	m.want(t, 0, demoID+"\tdemo\tfeed\tok\t5\t\tcharacters\t\n"+hookID+"\thook\thttp\twarning\t5\t500\tcharacters\tthe same text went there an hour ago\n", "",
		"post", "validate", "Hello", "--to", "all", "--override", "hook=Hi")
	want := map[string]any{
		"content": "Hello", "publish_at": "now", "social_account_ids": []any{demoID, hookID},
		"target_overrides": []any{wireOverride(hookID, "Hi", nil)},
	}
	if diff := cmp.Diff(want, sent.body); diff != "" {
		t.Errorf("sent, -want +got:\n%s", diff)
	}
	m.want(t, 0, `{"allowed":true}`+"\n", "", "post", "validate", "Hello", "--to", "all", "--json=allowed")
	m.want(t, 0, "", "", "post", "validate", "Hello", "--to", "all", "-q")

	refusing := routes{"GET /social-accounts": twoAccounts, "POST /posts/validate": notTaken}
	const end = "schedctl: the post would be refused for 1 of 2 accounts\n"
	newMachine(t, refusing).want(t, 5, demoID+"\tdemo\tfeed\tok\t5\t\tcharacters\t\n"+
		hookID+"\thook\thttp\trefused\t512\t500\tcharacters\t12 too many\n"+
		"post\t\t\trefused\t\t\t\tthe time has passed\npost\t\t\twarning\t\t\t\tit is late\n", end,
		"post", "validate", "Hello", "--to", "all")
	newMachine(t, refusing).want(t, 5, "", "problem: the time has passed\nproblem: hook: 12 too many\nwarning: it is late\n"+end,
		"post", "validate", "Hello", "--to", "all", "-q")
	m = newMachine(t, refusing).terminals()
	m.env["NO_COLOR"] = "1"
	m.want(t, 5, `ACCOUNT  PLATFORM  RESULT   LENGTH  LIMIT  UNIT
demo     feed      ok       5              characters
hook     http      refused  512     500    characters
problem: the time has passed
problem: hook: 12 too many
warning: it is late
`, end, "post", "validate", "Hello", "--to", "all")

	newMachine(t, refusing).want(t, 5, "", "schedctl: no account is given, and each network has its own rules; give --to ACCOUNT, or --to all\n", "post", "validate", "Hello")
}

// With --dry-run nothing but questions is sent: any other request of these
// machines ends with 404.
func TestDryRuns(t *testing.T) {
	t.Parallel()
	draft := apiv1.Post{
		ID: "post_1", Status: schedctl.Draft, Content: "Old", SocialAccountIDs: []string{demoID, hookID},
		TargetOverrides: []apiv1.Override{{SocialAccountID: demoID, Content: ptr("for demo"), Options: map[string]any{}}},
	}
	scheduled := draft
	scheduled.Status, scheduled.PublishAt, scheduled.TargetOverrides = schedctl.Scheduled, at(3600e9), nil
	demo := []any{wireOverride(demoID, "for demo", map[string]any{})}
	for name, tc := range map[string]struct {
		post apiv1.Post
		args []string
		want map[string]any
	}{
		"create": {draft, []string{"create", "New", "--to", "hook", "--in", "2h"},
			map[string]any{"content": "New", "social_account_ids": []any{hookID}, "publish_at": "2026-11-21T14:00:00Z"}},
		"edit": {draft, []string{"edit", "post_1", "New"},
			map[string]any{"post_id": "post_1", "content": "New", "social_account_ids": []any{demoID, hookID}, "target_overrides": demo}},
		"edit of a scheduled post": {scheduled, []string{"edit", "post_1", "--to", "hook", "--override", "hook=anew"},
			map[string]any{"post_id": "post_1", "content": "Old", "social_account_ids": []any{hookID}, "publish_at": "2026-11-21T13:00:00Z",
				"target_overrides": []any{wireOverride(hookID, "anew", nil)}}},
		"schedule": {draft, []string{"schedule", "post_1", "--in", "2h"},
			map[string]any{"post_id": "post_1", "content": "Old", "social_account_ids": []any{demoID, hookID}, "publish_at": "2026-11-21T14:00:00Z", "target_overrides": demo}},
		"publish to another account": {draft, []string{"publish", "post_1", "--to", "hook", "--allow-duplicate"},
			map[string]any{"post_id": "post_1", "content": "Old", "social_account_ids": []any{hookID}, "publish_at": "now", "allow_duplicate": true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sent capture
			m := newMachine(t, routes{
				"GET /social-accounts": twoAccounts, "GET /posts/post_1": apiv1.PostEnvelope{Post: tc.post}, "POST /posts/validate": sent.answer(taken),
			})
			if status := m.run(t, append(append([]string{"post"}, tc.args...), "--dry-run", "--json=allowed")...); status != 0 || m.out.String() != `{"allowed":true}`+"\n" {
				t.Fatalf("exit status %d: %s%s", status, &m.out, &m.err)
			}
			if diff := cmp.Diff(tc.want, sent.body); diff != "" {
				t.Errorf("sent, -want +got:\n%s", diff)
			}
			m = newMachine(t, routes{
				"GET /social-accounts": twoAccounts, "GET /posts/post_1": apiv1.PostEnvelope{Post: tc.post}, "POST /posts/validate": notTaken,
			})
			if status := m.run(t, append(append([]string{"post"}, tc.args...), "--dry-run")...); status != 5 {
				t.Errorf("refused: exit status %d, want 5: %s", status, &m.err)
			}
		})
	}
}

func TestDryRunOfAPostInTheWrongState(t *testing.T) {
	t.Parallel()
	m := newMachine(t, routes{"GET /posts/post_1": apiv1.PostEnvelope{Post: apiv1.Post{ID: "post_1", Status: schedctl.Published}}, "POST /posts/validate": taken})
	m.want(t, 6, "", "schedctl: the post is published: only a draft or a scheduled post can be edited; create a new post\n", "post", "edit", "post_1", "New", "--dry-run")
	m.want(t, 3, "", "schedctl: there is no post \"post_2\"; see: schedctl post list\n", "post", "edit", "post_2", "New", "--dry-run")
	m = newMachine(t, routes{"GET /posts/post_1": apiv1.PostEnvelope{Post: apiv1.Post{ID: "post_1", Status: schedctl.Scheduled}}})
	m.want(t, 6, "", "at Sat 21 Nov 2026 14:00 UTC (in 2 hours)\nschedctl: the post is scheduled: only a draft can be scheduled; to move a scheduled post, edit its publish time\n", "post", "schedule", "post_1", "--at", "2026-11-21 14:00", "--dry-run")
}

func TestPostCreateWarns(t *testing.T) {
	t.Parallel()
	created := apiv1.PostEnvelope{Post: apiv1.Post{ID: "post_1"}}
	const warning = "warning: hook: the same text went there an hour ago\n"
	for name, tc := range map[string]struct {
		convertResult any
		args          []string
		want          string
	}{
		"of the same text":        {taken, []string{"--now"}, warning},
		"not of a draft":          {taken, nil, ""},
		"not of a repetition":     {taken, []string{"--now", "--idempotency-key", "again"}, ""},
		"not when it may not ask": {refused{http.StatusForbidden, "INSUFFICIENT_SCOPE"}, []string{"--now"}, ""},
		"not when asking fails":   {refused{http.StatusInternalServerError, "INTERNAL"}, []string{"--now"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, routes{"GET /social-accounts": twoAccounts, "POST /posts/validate": tc.convertResult, "POST /posts": created})
			m.want(t, 0, "post_1\n", tc.want, append([]string{"post", "create", "Hello", "--to", "all", "-q"}, tc.args...)...)
		})
	}
}

func TestFieldsOfADryRun(t *testing.T) {
	t.Parallel()
	m := newMachine(t, routes{})
	if status := m.run(t, "post", "create", "Hello", "--dry-run", "--json=id"); status != 2 || !strings.Contains(m.err.String(), `; the fields are allowed, problems, refusals, warnings, proposed_also, accounts`) {
		t.Errorf("exit status %d: %s", status, &m.err)
	}
}
