package api_test

import (
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
)

// TestCreateAndSubmit creates posts that wait for an approval, in one request.
func TestCreateAndSubmit(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		w.policy("all")
		at := in(time.Hour)
		with := func(more body) body {
			b := body{"content": "new", "social_account_ids": []string{w.mine.account}, "submit": body{"note": "please"}}
			for k, v := range more {
				b[k] = v
			}
			return b
		}
		e := w.do(w.author, "POST", "/posts", body{"content": "new", "social_account_ids": []string{w.mine.account}, "publish_at": at}).refused(schedctl.ApprovalMissing)
		if !strings.Contains(e.Message, "--submit") {
			t.Errorf("the refusal does not name --submit: %s", e.Message)
		}
		for _, o := range []option{w.author, w.drafter, w.agent} {
			p := w.do(o, "POST", "/posts", with(body{"publish_at": at})).want(201).post()
			if wantApproval(t, p, schedctl.ApprovalPending); p.Status != schedctl.Draft || p.PublishAt != nil || p.ProposedAt == nil || p.Approval.Note == nil || *p.Approval.Note != "please" {
				t.Errorf("the new post is %+v", p)
			}
			if e := w.events(p.ID); !strings.Contains(e, "post.created") || !strings.Contains(e, "post.submitted") {
				t.Errorf("its events are %s", e)
			}
			w.wantSteps("submit", []string{p.ID})
			got := w.do(w.approver, "POST", "/posts/"+p.ID+"/approve", nil).want(200).post()
			if got.PublishAt.String() != p.ProposedAt.String() {
				t.Errorf("proposed for %s, approved for %s", p.ProposedAt, got.PublishAt)
			}
		}
		if p := w.do(w.author, "POST", "/posts", with(body{"publish_at": "next-slot"})).want(201).post(); !p.ProposedAt.NextSlot {
			t.Errorf("the next slot is proposed as %+v", p.ProposedAt)
		}
		w.do(w.author, "POST", "/posts", with(body{"submit": body{}, "proposed_at": at})).want(201)
		for _, wrong := range []body{
			{"publish_at": at, "proposed_at": at}, {"submit": "yes"}, {"submit": body{"note": 1}}, {"submit": body{"note": strings.Repeat("x", 5001)}},
			{"publish_at": "next-slot", "queue_id": nil, "not_before": at}, {"approved_by": "https://example.org/pull/1"},
		} {
			w.do(w.editor, "POST", "/posts", with(wrong)).refused(schedctl.ValidationFailed)
		}
		w.do(w.author, "POST", "/posts", with(body{"publish_at": "now"})).refused(schedctl.InvalidPublishAt)
		w.do(w.author, "POST", "/posts", with(body{"publish_at": "2020-01-01T00:00:00Z"})).refused(schedctl.InvalidPublishAt)
		w.do(w.author, "POST", "/posts", with(body{"social_account_ids": []string{}})).refused(schedctl.InvalidSocialAccounts)
	})
}
