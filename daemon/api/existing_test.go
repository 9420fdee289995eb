package api_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
	"github.com/schedctl/schedctl/storage/postgres"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
)

// policySwitches are the changes that make scheduled posts need an approval.
func (w *reviewing) policySwitches() map[string]func(o option, existing string) *response {
	change := func(path string, fields body) func(option, string) *response {
		return func(o option, existing string) *response {
			if delete(fields, "existing"); existing != "" {
				fields["existing"] = existing
			}
			return w.do(o, "PATCH", path, fields)
		}
	}
	workspace, account := "/workspaces/"+w.mine.workspace, "/social-accounts/"+w.mine.account
	return map[string]func(option, string) *response{
		"all":     change(workspace, body{"approvals": "all"}),
		"agents":  change(workspace, body{"approvals": "agents"}),
		"account": change(account, body{"options": body{"approval": "required"}}),
	}
}

// lacking returns how many scheduled posts lack an approval that they need.
func (w *reviewing) lacking() (n int) {
	w.t.Helper()
	err := w.store.View(w.t.Context(), func(r storage.Reader) error {
		n = 0
		q := storage.PostQuery{WorkspaceID: w.mine.workspace, Statuses: []schedctl.Status{schedctl.Scheduled}, Limit: 100}
		for more := true; more; more = q.After != nil {
			page, err := r.Posts(q)
			if err != nil {
				return err
			}
			for i := range page.Posts {
				a, err := r.Account(w.mine.workspace, page.Posts[i].Targets[0].AccountID)
				if err != nil {
					return err
				}
				if page.Posts[i].LacksApproval([]schedctl.Account{a}, false) {
					n++
				}
			}
			q.After = page.Next
		}
		return nil
	})
	if err != nil {
		w.t.Error(err)
	}
	return n
}

// TestPoliciesAskAboutExistingPosts switches policies on while posts are scheduled and a
// series is active.
func TestPoliciesAskAboutExistingPosts(t *testing.T) {
	t.Parallel()
	for name := range (&reviewing{fixture: &fixture{}}).policySwitches() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onDatabases(t, func(t *testing.T, w *reviewing) {
				w.asksAboutExisting(func(o option, existing string) *response { return w.policySwitches()[name](o, existing) })
			})
		})
	}
}

func (w *reviewing) asksAboutExisting(switches func(option, string) *response) {
	t := w.t
	both := as(w.newKey(w.mine.workspace, func(k *schedctl.APIKey) {
		k.Name, k.Scopes = "both", []schedctl.Scope{schedctl.ScopePostsApprove, schedctl.ScopeKeysWrite, schedctl.ScopeAccountsWrite}
	}))
	var ids []string
	at := map[string]string{}
	for i := range 11 {
		p := w.do(w.agent, "POST", "/posts", body{"content": fmt.Sprint("by an agent ", i), "social_account_ids": []string{w.mine.account}, "publish_at": in(time.Duration(i+1) * time.Hour)}).want(201).post()
		ids, at[p.ID] = append(ids, p.ID), p.PublishAt.String()
	}
	one := w.seriesBy(w.author, "daily")
	made := w.occurrences(one.ID, false)
	w.oldAgentSeries(one.ID, made)
	if len(made) == 0 {
		t.Fatal("the series has no posts")
	}
	waits := w.seriesBy(w.agent, "waits") // for its own approval, which is no concern of the switch
	got := switches(nil, "")
	got.refused(schedctl.ExistingPosts)
	e := decodeAs[apiv1.ErrorEnvelope](t, got).Error
	if number := fmt.Sprintf("%d scheduled posts and 1 active series", len(ids)+len(made)); !strings.HasPrefix(e.Message, number) {
		t.Errorf("the message is %q, want %q", e.Message, number)
	}
	var named []string
	for _, d := range e.Details[:10] {
		named = append(named, d.Message)
	}
	if !slices.Equal(named, ids[:10]) || len(e.Details) != 11 || e.Details[10].Message != fmt.Sprintf("%d more", len(made)+2) {
		t.Errorf("the details are %+v", e.Details)
	}
	switches(nil, "delete").refused(schedctl.ValidationFailed)
	noApprover := as(w.newKey(w.mine.workspace, func(k *schedctl.APIKey) {
		k.Scopes = []schedctl.Scope{schedctl.ScopeKeysWrite, schedctl.ScopeAccountsWrite}
	}))
	switches(noApprover, "approve").refused(schedctl.InsufficientScope)
	if n := w.lacking(); n > 0 {
		t.Errorf("a refused switch leaves %d posts without an approval", n)
	}

	if switches(both, "approve").want(200); w.lacking() > 0 {
		t.Error("posts lack an approval after they were approved")
	}
	for _, id := range ids {
		p := w.get(id)
		if wantApproval(t, p, schedctl.ApprovalApproved); p.Status != schedctl.Scheduled || p.Approval.DecidedBy.Name != "both" || p.Approval.RequestedBy.Name != "agent" || !strings.Contains(w.events(id), "post.approved") {
			t.Errorf("the approved post is %s, with %+v and the events %s", p.Status, p.Approval, w.events(id))
		}
	}
	w.occurrences(one.ID, true)
	w.wantSteps("approve", append([]string{one.ID}, ids...))
	if s := w.seriesNow(waits.ID); s.Approval != nil {
		t.Errorf("the switch has decided about a series that nobody has seen: %+v", s.Approval)
	}
}

// oldAgentSeries makes a series and its posts those of an agent that made them with an
// earlier version: without a policy, its series waited for no approval.
func (w *reviewing) oldAgentSeries(id string, made []apiv1.Post) {
	w.update(func(tx storage.Tx) error {
		s, err := tx.Series(w.mine.workspace, id)
		if err != nil {
			return err
		}
		s.Template.ByAgent = true
		for _, was := range made {
			p, err := tx.Post(w.mine.workspace, was.ID)
			if err != nil {
				return err
			}
			p.ByAgent = true
			if err := tx.PutPost(p); err != nil {
				return err
			}
		}
		return tx.PutSeries(s)
	})
}

// wantSteps fails the test unless the audit log has a step for each object.
func (w *reviewing) wantSteps(verb string, ids []string) {
	w.t.Helper()
	steps := map[string]string{}
	for _, e := range w.audit() {
		if strings.HasPrefix(e.Action, verb) {
			steps[e.ResourceID] = e.Action
		}
	}
	for _, id := range ids {
		want := verb + "Post"
		if strings.HasPrefix(id, string(schedctl.SeriesPrefix)) {
			want = verb + "Series"
		}
		if steps[id] != want {
			w.t.Errorf("the audit log has %q for %s, want %s", steps[id], id, want)
		}
	}
}

// TestPoliciesSubmitExistingPosts makes scheduled posts and a series wait for an approval.
func TestPoliciesSubmitExistingPosts(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		kept := w.approved()
		p := w.scheduled()
		one := w.seriesBy(w.author, "daily")
		alone := w.occurrences(one.ID, false)[0]
		w.do(w.author, "PATCH", "/posts/"+alone.ID, body{"content": "changed alone"}).want(200)
		w.policySwitches()["all"](nil, "submit").want(200)
		for _, was := range []apiv1.Post{p, alone} {
			q := w.get(was.ID)
			if wantApproval(t, q, schedctl.ApprovalPending); q.Status != schedctl.Draft || q.ProposedAt == nil || q.ProposedAt.String() != was.PublishAt.String() || !strings.Contains(w.events(was.ID), "post.submitted") {
				t.Errorf("the submitted post is %s, proposed for %v, with the events %s", q.Status, q.ProposedAt, w.events(was.ID))
			}
		}
		if q := w.get(alone.ID); q.Approval.RequestedBy.Name != "author" && q.Approval.RequestedBy.ID == "" {
			t.Errorf("the requester is %+v", q.Approval.RequestedBy)
		}
		if q := w.get(kept.ID); q.Version != kept.Version {
			t.Errorf("the approved post has changed: %+v", q)
		}
		w.wantSteps("submit", []string{one.ID, p.ID, alone.ID})
		if left := w.occurrences(one.ID, false); len(left) != 1 || left[0].ID != alone.ID {
			t.Errorf("the series that waits for an approval has the posts %+v", left)
		}
		w.do(w.approver, "POST", "/posts/"+p.ID+"/approve", nil).want(200)
		w.do(w.approver, "POST", "/series/"+one.ID+"/approve", nil).want(200)
		made := decodeAs[apiv1.PostList](t, w.do(nil, "GET", "/posts?status=scheduled&series_id="+one.ID, nil).want(200)).Results
		if len(made) == 0 || w.lacking() > 0 {
			t.Errorf("the approved series has %d scheduled posts, %d of them without an approval", len(made), w.lacking())
		}
	})
}

// TestFourEyesAskAboutExistingPosts wants two people for texts that one has edited and
// approved.
func TestFourEyesAskAboutExistingPosts(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		path := "/workspaces/" + w.mine.workspace
		w.do(nil, "PATCH", path, body{"four_eyes": true}).want(200)
		w.do(nil, "PATCH", path, body{"four_eyes": false, "approvals": "all"}).want(200)
		plain, mended := w.approved(), w.approved()
		w.do(w.editor, "PATCH", "/posts/"+mended.ID, body{"content": "mended"}).want(200)
		e := decodeAs[apiv1.ErrorEnvelope](t, w.do(nil, "PATCH", path, body{"four_eyes": true})).Error
		if e.Code != schedctl.ExistingPosts || len(e.Details) != 1 || e.Details[0].Message != mended.ID {
			t.Errorf("four eyes: %+v", e)
		}
		editor := as(w.newKey(w.mine.workspace, func(k *schedctl.APIKey) {
			k.Scopes = []schedctl.Scope{schedctl.ScopePostsApprove, schedctl.ScopePostsWrite, schedctl.ScopePostsRead, schedctl.ScopeKeysWrite}
		}))
		w.do(editor, "PATCH", "/posts/"+mended.ID, body{"content": "mended again"}).want(200)
		w.do(editor, "PATCH", path, body{"four_eyes": true, "existing": "approve"}).refused(schedctl.SelfApproval)
		w.do(editor, "PATCH", path, body{"four_eyes": true, "existing": "submit"}).want(200)
		wantApproval(t, w.get(mended.ID), schedctl.ApprovalPending)
		wantApproval(t, w.get(plain.ID), schedctl.ApprovalApproved)
	})
}

// TestKeysOfAccountsAndExistingPosts switches an account with a key that may not see all of
// its posts.
func TestKeysOfAccountsAndExistingPosts(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		other := w.newAccount(w.mine, "other")
		limited := as(w.newKey(w.mine.workspace, func(k *schedctl.APIKey) {
			k.AccountIDs, k.Scopes = []string{w.mine.account}, []schedctl.Scope{schedctl.ScopeAccountsWrite, schedctl.ScopePostsApprove}
		}))
		w.do(w.author, "POST", "/posts", body{"content": "both", "social_account_ids": []string{w.mine.account, other}, "publish_at": in(time.Hour)}).want(201)
		r := w.policySwitches()["account"](limited, "")
		r.refused(schedctl.ExistingPosts)
		if strings.Contains(string(r.body), "post_") {
			t.Errorf("the error names a post that the key may not see: %s", r.body)
		}
		for _, existing := range []string{"approve", "submit"} {
			w.policySwitches()["account"](limited, existing).refused(schedctl.AccountNotAllowed)
		}
		foreign := as(w.newKey(w.other.workspace, func(k *schedctl.APIKey) {
			k.Scopes = []schedctl.Scope{schedctl.ScopeWorkspacesWrite, schedctl.ScopeKeysWrite, schedctl.ScopePostsApprove}
		}))
		w.policySwitches()["all"](foreign, "approve").refused(schedctl.InsufficientScope)
		w.policySwitches()["all"](foreign, "submit").want(200)
	})
}

// TestACreateAfterASwitch commits a policy between the checks of a new post and its
// transaction.
func TestACreateAfterASwitch(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*testing.T) (storage.Store, error){
		"bolt": func(t *testing.T) (storage.Store, error) {
			return bolt.Open(filepath.Join(t.TempDir(), "schedctl.db"), bolt.Options{})
		},
		"postgres": func(t *testing.T) (storage.Store, error) {
			return postgres.Open(t.Context(), postgrestest.Schema(t), postgres.Options{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			engine, err := open(t)
			if err != nil {
				t.Fatal(err)
			}
			store := &interrupted{Store: engine}
			w := newReviewing(newPictureFixture(t, store))
			for name, switches := range w.policySwitches() {
				store.before(func() { switches(nil, "submit").want(200) })
				b := body{"content": name, "social_account_ids": []string{w.mine.account}, "publish_at": in(time.Hour)}
				w.do(w.agent, "POST", "/posts", b).refused(schedctl.ApprovalMissing)
				if n := w.lacking(); n > 0 {
					t.Errorf("%s: %d scheduled posts lack an approval", name, n)
				}
				w.policy("off")
				w.do(nil, "PATCH", "/social-accounts/"+w.mine.account, body{"options": body{"approval": nil}}).want(200)
			}
		})
	}
}

// TestSwitchesRaceWithStarts switches policies while other clients start posts in every way.
func TestSwitchesRaceWithStarts(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		for name, switches := range w.policySwitches() {
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					for range 10 {
						b := body{"content": "raced", "social_account_ids": []string{w.mine.account}}
						draft := w.do(w.agent, "POST", "/posts", b).post()
						b["publish_at"] = in(time.Hour)
						w.do(w.agent, "POST", "/posts", b)
						w.do(w.agent, "POST", "/posts/"+draft.ID+"/schedule", body{"publish_at": in(time.Hour)})
						w.do(w.agent, "PATCH", "/posts/"+draft.ID, body{"content": "changed"})
					}
				})
			}
			wg.Go(func() { switches(nil, "submit").want(200) })
			wg.Wait()
			if n := w.lacking(); n > 0 {
				t.Errorf("%s: %d scheduled posts lack an approval", name, n)
			}
			w.policy("off")
			w.do(nil, "PATCH", "/social-accounts/"+w.mine.account, body{"options": body{"approval": nil}}).want(200)
			w.clear()
		}
	})
}

// TestPostsThatWaitForARetry switches approvals on while a post waits for its next attempt.
// It can be approved with the switch, and cannot be a draft again.
func TestPostsThatWaitForARetry(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		failing := func() apiv1.Post {
			p := w.inStatus(schedctl.Publishing)
			w.finish(p.ID, schedctl.Result{
				Error:   &schedctl.TargetError{Kind: schedctl.KindNetwork, Message: "unreachable", Outcome: schedctl.OutcomeNotPublished, Retryable: true},
				RetryAt: time.Now().Add(time.Hour),
			})
			return w.get(p.ID)
		}
		p := failing()
		if p.Status != schedctl.Publishing || p.Targets[0].NextAttemptAt == nil {
			t.Fatalf("the post is %s, its target %+v", p.Status, p.Targets[0])
		}
		all := w.policySwitches()["all"]
		if e := all(nil, "").refused(schedctl.ExistingPosts); len(e.Details) != 1 || e.Details[0].Message != p.ID {
			t.Errorf("the refusal names %+v", e.Details)
		}
		all(nil, "submit").want(200)
		if p = w.get(p.ID); p.Status != schedctl.Publishing || p.Approval != nil {
			t.Errorf("after the switch with submit, the post is %s, its approval %+v", p.Status, p.Approval)
		}
		w.policy("off")
		all(nil, "approve").want(200)
		if p = w.get(p.ID); p.Status != schedctl.Publishing {
			t.Errorf("the post is %s", p.Status)
		}
		wantApproval(t, p, schedctl.ApprovalApproved)
	})
}
