package api_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// TestTakingBackRacesWithTheClaim takes back approvals while the posts become due. What was
// taken back must never reach the network, and everything else exactly once.
func TestTakingBackRacesWithTheClaim(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		w.policy("all")
		committed := w.delivering()
		steps := []struct {
			by   option
			verb string
			b    body
		}{{w.approver, "request-changes", body{"note": "wait"}}, {w.author, "withdraw", nil}, {w.author, "unschedule", nil}}
		var mu sync.Mutex
		taken, left := map[string]string{}, map[string]string{} // texts by ids of posts
		var wg sync.WaitGroup
		for i := range 60 {
			step := steps[i%len(steps)]
			text := fmt.Sprint("text ", i)
			p := w.do(w.author, "POST", "/posts", body{"content": text, "social_account_ids": []string{w.mine.account}}).want(201).post()
			path := "/posts/" + p.ID
			w.do(w.author, "POST", path+"/submit", nil).want(200)
			w.do(w.approver, "POST", path+"/approve", body{"publish_at": in(time.Hour)}).want(200)
			wg.Go(func() {
				w.changeStored(p.ID, func(p *schedctl.Post) {
					if p.Status() == schedctl.Scheduled {
						p.PublishAt = schedctl.Millis(time.Now())
						p.Targets[0].PublishAt = p.PublishAt
					}
				})
			})
			wg.Go(func() {
				r := w.do(step.by, "POST", path+"/"+step.verb, orNone(step.b))
				mu.Lock()
				defer mu.Unlock()
				if r.status == 200 {
					taken[p.ID] = text
				} else {
					left[p.ID] = text
				}
			})
		}
		wg.Wait()
		w.await(committed, func() bool {
			for id := range left {
				if w.get(id).Status != schedctl.Published {
					return false
				}
			}
			return true
		})
		sent := w.network.Requests()
		count := func(text string) int {
			return len(slices.DeleteFunc(slices.Clone(sent), func(r publish.Request) bool { return r.Content != text }))
		}
		for id, text := range taken {
			if p := w.get(id); p.Status != schedctl.Draft || count(text) > 0 {
				t.Errorf("%q was taken back; it is %s, and was sent %d times", text, p.Status, count(text))
			}
		}
		for _, text := range left {
			if count(text) != 1 {
				t.Errorf("%q was not taken back, and was sent %d times", text, count(text))
			}
		}
		t.Logf("%d taken back, %d published", len(taken), len(left))
	})
}

// TestAnApproversEdit lets an approver mend a text and approve it, where each text needs one
// approver, and where it needs two.
func TestAnApproversEdit(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		w.policy("all")
		mended := func(p string) string {
			w.do(w.editor, "PATCH", p, body{"content": "mended"}).want(200)
			e := w.auditPage("?limit=1").Results[0]
			if e.Detail == nil || !strings.HasPrefix(*e.Detail, "edited content; digest ") || len(*e.Detail) < 2*64 {
				t.Errorf("the edit is audited as %+v", e)
			}
			return p
		}
		pending := mended("/posts/" + w.pendingBy(w.agent).ID)
		wantApproval(t, w.do(w.editor, "POST", pending+"/approve", nil).want(200).post(), schedctl.ApprovalApproved)
		scheduled := mended("/posts/" + w.approved().ID)
		for _, path := range []string{pending, scheduled} {
			if id := strings.TrimPrefix(path, "/posts/"); !w.approvedEdited(id) {
				t.Errorf("no post.approved of %s says that it was edited: %s", id, w.events(id))
			}
		}
		if plain := w.approved(); w.approvedEdited(plain.ID) {
			t.Error("an approval without an edit says that there was one")
		}

		w.fourEyes(true)
		pending = mended("/posts/" + w.pendingBy(w.agent).ID)
		w.do(w.editor, "POST", pending+"/approve", nil).refused(schedctl.SelfApproval)
		w.do(w.approver, "POST", pending+"/approve", nil).want(200)
		before := w.approved()
		after := w.get(strings.TrimPrefix(mended("/posts/"+before.ID), "/posts/"))
		if wantApproval(t, after, schedctl.ApprovalPending); after.Status != schedctl.Draft || after.ProposedAt == nil || after.ProposedAt.String() != before.PublishAt.String() {
			t.Errorf("after the edit the post is %s, proposed for %v", after.Status, after.ProposedAt)
		}
		w.do(w.editor, "POST", "/posts/"+before.ID+"/approve", nil).refused(schedctl.SelfApproval)

		one := w.seriesBy(w.author, "daily")
		path := "/series/" + one.ID
		w.do(w.author, "POST", path+"/submit", nil).want(200)
		w.do(w.approver, "POST", path+"/approve", nil).want(200)
		got := w.do(w.editor, "PATCH", path, body{"variants": []string{"mended"}}).want(200).series().Series
		if got.Approval.State != schedctl.ApprovalPending || len(w.occurrences(one.ID, false)) > 0 {
			t.Errorf("after an approver's edit the series is %s", got.Approval.State)
		}
		w.do(w.editor, "POST", path+"/approve", nil).refused(schedctl.SelfApproval)
		w.fourEyes(false)
		w.do(w.editor, "POST", path+"/approve", nil).want(200)
		if got := w.do(w.author, "POST", path+"/withdraw", nil).want(200).series().Series; got.Approval.State != schedctl.ApprovalWithdrawn || len(w.occurrences(one.ID, false)) > 0 {
			t.Errorf("after the approval was taken back the series is %s, with posts", got.Approval.State)
		}
	})
}

// approvedEdited reports whether an event says that the approver edited the post.
func (w *reviewing) approvedEdited(postID string) (edited bool) {
	w.t.Helper()
	err := w.store.View(w.t.Context(), func(r storage.Reader) error {
		events, err := r.Events("", 10_000)
		for _, e := range events {
			edited = edited || e.PostID == postID && e.Type == schedctl.EventPostApproved && e.Edited
		}
		return err
	})
	if err != nil {
		w.t.Error(err)
	}
	return edited
}

// TestTheTimeIsApproved lets keys move approved posts. An agent once published a post
// today that was approved for Christmas.
func TestTheTimeIsApproved(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		q := w.newQueue(nil)
		restricted := as(w.newKey(w.mine.workspace, func(k *schedctl.APIKey) {
			k.Restricted, k.Scopes = true, []schedctl.Scope{schedctl.ScopePostsWrite, schedctl.ScopePostsRead}
		}))
		slot := body{"publish_at": "next-slot", "queue_id": q.ID, "not_before": slotDay + "T00:00:00Z"}
		keys, series, made := map[string]option{"agent": w.agent, "restricted": restricted}, map[string]string{}, map[string]int{}
		for name, by := range keys {
			one := w.seriesBy(by, "daily "+name)
			w.do(by, "POST", "/series/"+one.ID+"/submit", nil).want(200)
			w.do(w.approver, "POST", "/series/"+one.ID+"/approve", nil).want(200)
			series[name], made[name] = one.ID, len(w.occurrences(one.ID, true))
		}
		for _, policy := range []string{"off", "agents", "all"} {
			w.policy(policy)
			for name, by := range keys {
				p := w.approvedOf(by)
				path := "/posts/" + p.ID
				w.do(by, "POST", path+"/publish-now", nil).refused(schedctl.ApprovalMissing)
				w.do(by, "PATCH", path, body{"publish_at": in(3 * time.Hour)}).refused(schedctl.ApprovalMissing)
				w.do(by, "PATCH", path, slot).refused(schedctl.ApprovalMissing)
				for _, change := range []body{{"content": "changed"}, {"title": "its title"}, {"content": "changed", "publish_at": in(3 * time.Hour)}} {
					if e := w.do(by, "PATCH", path, change).refused(schedctl.ApprovalMissing); !strings.Contains(e.Message, "make it a draft") {
						t.Errorf("%s: an edit by a key %s is refused with %q", policy, name, e.Message)
					}
				}
				if after := w.get(p.ID); after.Version != p.Version || after.PublishAt.String() != p.PublishAt.String() {
					t.Errorf("%s: a refused change by a key %s changed the post", policy, name)
				}
				w.do(by, "PATCH", path, body{"publish_at": p.PublishAt.String()}).want(200)
				w.do(by, "PATCH", path, body{"labels": []string{"a"}}).want(200)
				w.do(w.author, "PATCH", path, body{"publish_at": in(3 * time.Hour)}).want(200)

				for field, change := range map[string]any{
					"start": "2036-06-02T09:00", "timezone": "Europe/Rome", "rule": "FREQ=DAILY;COUNT=4", "exdates": []string{"2036-06-03T09:00"},
					"queue_id": q.ID, "ahead_days": 20,
				} {
					e := w.do(by, "PATCH", "/series/"+series[name], body{field: change}).refused(schedctl.ApprovalMissing)
					if now := len(w.occurrences(series[name], true)); now != made[name] {
						t.Errorf("%s: a refused change of %s (%s) leaves %d of %d posts", policy, field, e.Message, now, made[name])
					}
				}
				w.do(by, "POST", path+"/cancel", nil).want(200)
			}
		}
		var queued []string
		for range 2 {
			p := w.do(w.approver, "POST", "/posts/"+w.pendingBy(w.agent).ID+"/approve", slot).want(200).post()
			queued = append([]string{p.ID}, queued...)
		}
		order := body{"post_ids": queued}
		w.do(w.agent, "POST", "/queues/"+q.ID+"/order", order).refused(schedctl.ApprovalMissing)
		w.do(w.author, "POST", "/queues/"+q.ID+"/order", order).want(200)
	})
}
