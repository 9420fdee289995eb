package api_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// reviewModel is what a post is like where every post needs an approval.
type reviewModel struct {
	status    schedctl.Status
	approval  schedctl.ApprovalState // empty for none
	requester string
	editor    string // the key that set the text
	changes   string // the reason of the last request for changes since the last approval
	fourEyes  bool   // the workspace wants two people for each text
}

// reviewStep is a request of a key.
type reviewStep struct{ do, by, reason string }

func (s reviewStep) writes() bool   { return s.by == "author" || s.by == "editor" }
func (s reviewStep) drafts() bool   { return s.writes() } // the drafter did not create the post
func (s reviewStep) approves() bool { return s.by == "approver" || s.by == "editor" }

// take applies a step, and reports whether the API must accept it.
func (m *reviewModel) take(s reviewStep) bool {
	draft, pending := m.status == schedctl.Draft, m.approval == schedctl.ApprovalPending
	approved := m.approval == schedctl.ApprovalApproved
	decides := draft && pending && s.approves() && s.by != m.requester && (s.by != m.editor || !m.fourEyes)
	ok := false
	switch s.do {
	case "edit":
		if ok = draft && s.drafts() || s.by == "editor" && m.requester != "editor"; !ok {
			return false
		}
		if m.editor = s.by; approved && (s.by != "editor" || m.requester == "editor" || m.fourEyes) {
			m.approval, m.status = schedctl.ApprovalPending, schedctl.Draft
		}
	case "submit":
		if ok = draft && !pending && s.drafts(); ok {
			m.approval, m.requester = schedctl.ApprovalPending, s.by
		}
	case "approve":
		if ok = decides; ok {
			m.approval, m.status, m.changes = schedctl.ApprovalApproved, schedctl.Scheduled, ""
		}
	case "request-changes":
		if ok = decides || approved && s.approves(); ok {
			m.approval, m.status, m.changes = schedctl.ApprovalChangesRequested, schedctl.Draft, s.reason
		}
	case "withdraw":
		if ok = s.drafts() && (pending || approved || m.approval == schedctl.ApprovalChangesRequested); ok {
			m.approval, m.status = schedctl.ApprovalWithdrawn, schedctl.Draft
		}
	case "unschedule":
		if ok = s.writes(); ok && m.status == schedctl.Scheduled {
			m.approval, m.status = schedctl.ApprovalWithdrawn, schedctl.Draft
		}
	}
	return ok
}

// TestReviewModel compares random requests about a post with a model of its review.
func TestReviewModel(t *testing.T) {
	t.Parallel()
	w := newReviewing(newFixture(t))
	w.policy("all")
	bodies := map[string]func(n int) any{
		"edit":            func(n int) any { return body{"content": fmt.Sprint("text ", n)} },
		"submit":          func(int) any { return body{"proposed_at": in(time.Hour)} },
		"approve":         func(int) any { return body{"publish_at": in(2 * time.Hour)} },
		"request-changes": func(n int) any { return body{"note": fmt.Sprint("reason ", n)} },
		"withdraw":        func(int) any { return nil },
		"unschedule":      func(int) any { return nil },
		"schedule":        func(int) any { return body{"publish_at": in(3 * time.Hour)} },
	}
	steps := rapid.Custom(func(t *rapid.T) reviewStep {
		return reviewStep{
			do: rapid.SampledFrom([]string{"edit", "submit", "approve", "request-changes", "withdraw", "unschedule", "schedule"}).Draw(t, "do"),
			by: rapid.SampledFrom([]string{"author", "drafter", "approver", "editor"}).Draw(t, "by"),
		}
	})
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		p := w.draftBy(w.author)
		m := reviewModel{status: schedctl.Draft, editor: "author", fourEyes: rapid.Bool().Draw(t, "four eyes")}
		w.fourEyes(m.fourEyes)
		for i, s := range rapid.SliceOfN(steps, 1, 30).Draw(t, "steps") {
			n++
			s.reason = fmt.Sprint("reason ", n)
			method, path := "POST", "/posts/"+p.ID+"/"+s.do
			if s.do == "edit" {
				method, path = "PATCH", "/posts/"+p.ID
			}
			r := w.do(as(w.secrets[s.by]), method, path, bodies[s.do](n))
			if want := m.take(s); want != (r.status == 200) {
				t.Fatalf("step %d, %s by %s: status %d, want accepted %v\n%s", i, s.do, s.by, r.status, want, r.body)
			}
			if got := modelOf(w.get(p.ID)); got != (reviewModel{status: m.status, approval: m.approval, requester: m.requester, changes: m.changes}) {
				t.Fatalf("step %d, %s by %s: the post is %+v, want %+v", i, s.do, s.by, got, m)
			}
		}
	})
}

// modelOf returns what clients can see of a review.
func modelOf(p apiv1.Post) (m reviewModel) {
	if m.status = p.Status; p.Approval != nil {
		m.approval, m.requester = p.Approval.State, p.Approval.RequestedBy.Name
		if c := p.Approval.LastChanges; c != nil {
			m.changes = c.Reason
		}
	}
	return m
}
