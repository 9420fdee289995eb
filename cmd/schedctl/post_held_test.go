package main

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// refusedAccounts are two accounts. The network refuses the second one.
func refusedAccounts() apiv1.AccountList {
	list := apiv1.AccountList{Results: append([]apiv1.Account{}, twoAccounts.Results...)}
	list.Results[1].Status = schedctl.AccountError
	list.Results[1].Error = &apiv1.TargetError{Kind: schedctl.KindAuth, Message: "the token was revoked", Outcome: schedctl.OutcomeNotPublished}
	return list
}

// heldPost is due and waits for that account, which was never asked to take it.
func heldPost(e *apiv1.TargetError) apiv1.Post {
	return apiv1.Post{
		ID: "post_1", Content: "Hello", Status: schedctl.Publishing, PublishAt: at(-time.Minute), SocialAccountIDs: []string{demoID, hookID},
		Targets: []apiv1.Target{
			{ID: "pt_1", SocialAccountID: demoID, Platform: "feed", Status: schedctl.Published},
			{ID: "pt_2", SocialAccountID: hookID, Platform: "http", Status: schedctl.Scheduled, Error: e, NextAttemptAt: at(-time.Minute), Attempts: 1},
		},
		TargetSummary: apiv1.TargetSummary{Total: 2, Published: 1, Scheduled: 1},
	}
}

const heldReason = "auth: the token was revoked; waits until the account works again"

// A post that waits for an account says so, also when it was not tried yet.
func TestPostShowTellsWhatAPostWaitsFor(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]*apiv1.TargetError{"not tried": nil, "tried": refusedAccounts().Results[1].Error} {
		m := newMachine(t, routes{"GET /social-accounts": refusedAccounts(), "GET /posts/post_1": apiv1.PostEnvelope{Post: heldPost(e)}})
		line := "target\tpt_2\thook\thttp\tscheduled\t" + heldReason + "\n"
		if status := m.run(t, "post", "show", "post_1"); status != 0 || !strings.Contains(m.out.String(), line) {
			t.Errorf("%s: exit status %d, not %q:\n%s%s", name, status, line, &m.out, &m.err)
		}
		line = "next: schedctl account reconnect " + hookID + "\n"
		if status := m.terminals().noColorEnv().run(t, "post", "show", "post_1"); status != 0 || !strings.Contains(m.out.String(), line) {
			t.Errorf("%s: exit status %d, not %q:\n%s%s", name, status, line, &m.out, &m.err)
		}
	}
}

// TestPostShowTellsTheReason guards that the reason of a wait and its end are shown, and the
// command that tries now.
func TestPostShowTellsTheReason(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		waits apiv1.Waits
		want  string
	}{
		"rate limit": {apiv1.Waits{Reason: apiv1.WaitsRateLimited, Until: at(time.Hour), Message: "its network accepts no more requests"}, "waits until 2026-11-21T13:00:00Z: its network accepts no more requests"},
		"open hold":  {apiv1.Waits{Reason: apiv1.WaitsLabel, Message: "the label is held"}, "the label is held"},
	} {
		p := heldPost(&apiv1.TargetError{Kind: schedctl.KindRateLimited, Message: "too many requests", Retryable: true, Outcome: schedctl.OutcomeNotPublished})
		p.Targets[1].Status, p.Targets[1].Waits = schedctl.Publishing, &tt.waits
		m := newMachine(t, routes{"GET /social-accounts": apiv1.AccountList{}, "GET /posts/post_1": apiv1.PostEnvelope{Post: p}})
		line := "target\tpt_2\t" + hookID + "\thttp\tpublishing\trate_limited: too many requests; " + tt.want + "\n"
		if status := m.run(t, "post", "show", "post_1"); status != 0 || !strings.Contains(m.out.String(), line) {
			t.Errorf("%s: exit status %d, not %q:\n%s%s", name, status, line, &m.out, &m.err)
		}
		if m.terminals().noColorEnv().run(t, "post", "show", "post_1"); !strings.Contains(m.out.String(), "next: schedctl post retry post_1\n") {
			t.Errorf("%s: no advice to retry:\n%s", name, &m.out)
		}
	}
}

// TestPostWaitTellsWhatAPostWaitsFor guards that "post wait" reports once that an
// account needs a person.
func TestPostWaitTellsWhatAPostWaitsFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMachine(t, routes{"GET /social-accounts": refusedAccounts(), "GET /posts/post_1": apiv1.PostEnvelope{Post: heldPost(nil)}})
		m.want(t, 8, "", "post_1: hook (http): "+heldReason+"\nnext: schedctl account reconnect "+hookID+"\n"+
			"schedctl: post_1 is still publishing after 5s; wait on with: schedctl post wait post_1\n",
			"post", "wait", "post_1", "--timeout", "5s")
	})
}

// A hint names a command where the daemon's message cannot.
func TestRefusalsSuggestCommands(t *testing.T) {
	t.Parallel()
	refused := apiv1.Error{Code: schedctl.InvalidSocialAccounts, Message: "acct_9: no such account in this workspace", Details: []apiv1.Detail{
		{Field: "social_account_ids", Code: schedctl.InvalidSocialAccounts, Message: "acct_9: no such account in this workspace"},
	}}
	m := newMachine(t, routes{"POST /posts/post_1/retry": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { answerError(w, refused) })})
	m.want(t, 5, "", "schedctl: acct_9: no such account in this workspace; see: schedctl account list --all\n", "post", "retry", "post_1")
}

// TestScheduleSuggestsEdit guards that a refusal to schedule a scheduled post names the
// command that moves it, and that other refusals stay as they are.
func TestScheduleSuggestsEdit(t *testing.T) {
	t.Parallel()
	for status, want := range map[schedctl.Status]string{
		schedctl.Scheduled: "the post is scheduled already; move it with: schedctl post edit post_1 --at TIME",
		schedctl.Published: "no draft",
	} {
		m := newMachine(t, routes{
			"POST /posts/post_1/schedule": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				answerError(w, apiv1.Error{Code: schedctl.PostNotDraft, Message: "no draft"})
			}),
			"GET /posts/post_1": apiv1.PostEnvelope{Post: apiv1.Post{ID: "post_1", Status: status}},
		})
		m.want(t, 6, "", "at Sat 21 Nov 2026 14:00 UTC (in 2 hours)\nschedctl: "+want+"\n", "post", "schedule", "post_1", "--at", "2026-11-21 14:00")
	}
}

// Error messages of the daemon are printed as they are.
func TestRefusalsArePrinted(t *testing.T) {
	t.Parallel()
	m := newMachine(t, routes{"POST /posts/post_1/retry": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		answerError(w, apiv1.Error{Code: schedctl.PostNotRetryable, Message: "check there first, then retry with force"})
	})})
	m.want(t, 6, "", "schedctl: check there first, then retry with force\n", "post", "retry", "post_1")
}
