package api_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/storage"
)

// starts returns the requests that start a post, of a draft or a new one.
func (w *reviewing) starts(o option, draftID string) map[string]func() *response {
	at, path := in(time.Hour), "/posts/"+draftID
	fresh := body{"content": "fresh", "social_account_ids": []string{w.mine.account}}
	with := func(name string, value any) body {
		b := body{name: value}
		for k, v := range fresh {
			b[k] = v
		}
		return b
	}
	return map[string]func() *response{
		"create":       func() *response { return w.do(o, "POST", "/posts", with("publish_at", at)) },
		"create now":   func() *response { return w.do(o, "POST", "/posts", with("publish_at", "now")) },
		"create queue": func() *response { return w.do(o, "POST", "/posts", with("publish_at", "next-slot")) },
		"schedule":     func() *response { return w.do(o, "POST", path+"/schedule", body{"publish_at": at}) },
		"queue":        func() *response { return w.do(o, "POST", path+"/schedule", body{"publish_at": "next-slot"}) },
		"edit":         func() *response { return w.do(o, "PATCH", path, body{"publish_at": at}) },
		"publish now":  func() *response { return w.do(o, "POST", path+"/publish-now", nil) },
	}
}

// TestPolicies tries every start with every policy, by authors of each kind.
func TestPolicies(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		w.newQueue(nil)
		restricted := as(w.newKey(w.mine.workspace, func(k *schedctl.APIKey) {
			k.Restricted, k.Scopes = true, []schedctl.Scope{schedctl.ScopePostsWrite, schedctl.ScopePostsRead}
		}))
		for _, test := range []struct {
			policy         string
			writer, starts option
			fresh, started bool // whether an approval is needed for a new post, and for a draft of the writer
			foreign        bool // the key changes only its own drafts
		}{
			{"off", w.author, w.author, false, false, false},
			{"off", w.agent, w.agent, false, false, false},
			{"off", w.author, restricted, true, true, true},
			{"off", restricted, w.author, false, true, false},
			{"agents", w.author, w.author, false, false, false},
			{"agents", w.author, w.editor, false, false, false},
			{"agents", w.agent, w.author, false, true, false},
			{"agents", w.author, w.agent, true, true, true},
			{"all", w.author, w.author, true, true, false},
			{"all", w.author, w.editor, true, true, false},
			{"all", w.agent, w.agent, true, true, false},
		} {
			w.policy(test.policy)
			for name := range w.starts(test.starts, "") {
				draft := w.draftBy(test.writer)
				needed, code := test.started, schedctl.ApprovalMissing
				if name == "create" || name == "create now" || name == "create queue" {
					needed = test.fresh
				} else if test.foreign {
					code = schedctl.NotYourDraft
				}
				before := len(w.listed("?limit=100"))
				r := w.starts(test.starts, draft.ID)[name]()
				if !needed && r.status >= 300 || needed && r.status < 400 {
					t.Errorf("policy %s, written by %s, %s by %s: %d %s", test.policy, w.secretOf(test.writer)[:16], name, w.secretOf(test.starts)[:16], r.status, r.body)
				}
				if needed {
					r.refused(code)
					if after := w.get(draft.ID); after.Version != draft.Version || before != len(w.listed("?limit=100")) {
						t.Errorf("%s: a refused start changed something", name)
					}
				}
				w.clear()
			}
		}
	})
}

// clear deletes all posts.
func (w *reviewing) clear() {
	w.t.Helper()
	for _, id := range w.listed("?limit=100") {
		w.update(func(tx storage.Tx) error { return tx.DeletePost(w.mine.workspace, id) })
	}
}

func TestPolicyOfAWorkspace(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		path := "/workspaces/" + w.mine.workspace
		for _, b := range []any{body{}, body{"approvals": "some"}, body{"approvals": nil}, body{"approvals": 1}, body{"name": "x"}} {
			w.do(nil, "PATCH", path, b).refused(schedctl.ValidationFailed)
		}
		w.do(as(w.other.key), "PATCH", path, body{"approvals": "all"}).want(200) // it has workspaces:write
		own := as(w.newKey(w.other.workspace, func(k *schedctl.APIKey) { k.Scopes = []schedctl.Scope{schedctl.ScopeKeysWrite} }))
		w.do(own, "PATCH", path, body{"approvals": "off"}).refused(schedctl.NotFound)
		w.do(own, "PATCH", "/workspaces/"+w.other.workspace, body{"approvals": "agents"}).want(200)
		w.do(nil, "PATCH", "/workspaces/ws_00000000000000000000000000", body{"approvals": "off"}).refused(schedctl.NotFound)
		if me := decodeAs[apiv1.Me](t, w.do(nil, "GET", "/me", nil).want(200)); me.Workspace.Approvals != "all" {
			t.Errorf("me shows %+v", me.Workspace)
		}
		policies := func() (list []schedctl.ApprovalPolicy) {
			err := w.store.View(t.Context(), func(r storage.Reader) error {
				accounts, err := r.Accounts(w.mine.workspace)
				list = nil
				for _, a := range accounts {
					list = append(list, a.Approvals)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return list
		}
		w.newAccount(w.mine, "later")
		if got := policies(); !slices.Equal(got, []schedctl.ApprovalPolicy{schedctl.ApprovalsAll, schedctl.ApprovalsAll}) {
			t.Errorf("the accounts have the policies %v", got)
		}
		// An account that was connected again has the policy of that time.
		w.policy("off")
		w.do(nil, "DELETE", "/social-accounts/"+w.mine.account, nil).want(204)
		w.policy("all")
		w.do(nil, "PATCH", "/social-accounts/"+w.mine.account, body{"credentials": body{"token": accountToken}}).want(200)
		if got := policies(); !slices.Equal(got, []schedctl.ApprovalPolicy{schedctl.ApprovalsAll, schedctl.ApprovalsAll}) {
			t.Errorf("the accounts have the policies %v", got)
		}
	})
}

func TestAccountsThatNeedApproval(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		path := "/social-accounts/" + w.mine.account
		for _, wrong := range []any{true, "off", "", 1} {
			w.do(nil, "PATCH", path, body{"options": body{"approval": wrong}}).refused(schedctl.ValidationFailed)
		}
		before := w.network.connects()
		a := w.do(nil, "PATCH", path, body{"options": body{"approval": "required"}}).want(200).account()
		if a.Options["approval"] != "required" || w.network.connects() != before {
			t.Errorf("options %v, %d calls to the network", a.Options, w.network.connects()-before)
		}
		free := w.newAccount(w.mine, "free")
		post := func(accounts ...string) *response {
			return w.do(w.author, "POST", "/posts", body{"content": "x", "social_account_ids": accounts, "publish_at": in(time.Hour)})
		}
		post(free).want(201)
		post(w.mine.account).refused(schedctl.ApprovalMissing)
		p := post(free).want(201).post()
		w.do(w.author, "PATCH", "/posts/"+p.ID, body{"social_account_ids": []string{free, w.mine.account}}).refused(schedctl.ApprovalMissing)
		w.approved()
		w.do(nil, "PATCH", path, body{"options": body{"approval": nil}}).want(200)
		post(w.mine.account).want(201)
		connected := w.do(nil, "POST", "/social-accounts", body{"platform": "fake", "name": "strict", "credentials": body{"token": accountToken}, "options": body{"approval": "required"}}).want(201).account()
		post(connected.ID).refused(schedctl.ApprovalMissing)
	})
}

func TestKeysAndApprovals(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		first := as(w.newKey(w.mine.workspace, func(k *schedctl.APIKey) { k.Scopes = schedctl.FirstScopes() }))
		create := func(o option, b body) *response {
			b["name"] = "new"
			return w.do(o, "POST", "/api-keys", b)
		}
		for _, b := range []body{
			{"scopes": []string{"posts:approve", "posts:draft"}},
			{"kind": "agent", "scopes": []string{"posts:approve"}},
			{"kind": "agent", "scopes": []string{"keys:write"}},
			{"kind": "agent", "expires_at": in(91 * 24 * time.Hour)},
			{"kind": "robot"}, {"approval": "off"}, {"approval": true}, {"kind": nil},
		} {
			create(first, b).refused(schedctl.ValidationFailed)
		}
		made := func(o option, b body) apiv1.CreatedAPIKey {
			t.Helper()
			return decodeAs[apiv1.CreatedAPIKey](t, create(o, b).want(201))
		}
		if k := made(first, body{}).APIKey; slices.Contains(k.Scopes, schedctl.ScopePostsApprove) || slices.Contains(k.Scopes, schedctl.ScopePostsDraft) || k.Kind != "standard" || k.Approval != nil {
			t.Errorf("a key with the default scopes: %+v", k)
		}
		agent := made(first, body{"kind": "agent"}).APIKey
		if agent.Kind != "agent" || !slices.Equal(agent.Scopes, []schedctl.Scope{"posts:read", "posts:draft", "accounts:read"}) || agent.ExpiresAt == nil {
			t.Errorf("the key of an agent: %+v", agent)
		}
		made(first, body{"scopes": []string{"posts:approve"}})
		create(w.author, body{}).refused(schedctl.InsufficientScope)
		noApprover := as(w.scoped(schedctl.ScopeKeysWrite, schedctl.ScopePostsWrite))
		create(noApprover, body{"scopes": []string{"posts:approve"}}).refused(schedctl.InsufficientScope)

		strict := made(first, body{"approval": "required", "scopes": []string{"posts:write", "posts:read", "keys:write"}})
		if strict.APIKey.Approval == nil || *strict.APIKey.Approval != "required" {
			t.Errorf("the key is %+v", strict.APIKey)
		}
		start := body{"content": "x", "social_account_ids": []string{w.mine.account}, "publish_at": in(time.Hour)}
		w.do(as(strict.Secret), "POST", "/posts", start).refused(schedctl.ApprovalMissing)
		child := made(as(strict.Secret), body{})
		if child.APIKey.Approval == nil {
			t.Error("a key that needs approvals created one that needs none")
		}
		w.do(as(child.Secret), "POST", "/posts", start).refused(schedctl.ApprovalMissing)

		created := decodeAs[apiv1.CreatedWorkspace](t, w.do(first, "POST", "/workspaces", body{"name": "next"}).want(201))
		if s := created.APIKey.Scopes; !slices.Contains(s, schedctl.ScopePostsApprove) || slices.Contains(s, schedctl.ScopePostsDraft) {
			t.Errorf("the first key of a workspace has %v", s)
		}
		me := decodeAs[apiv1.Me](t, w.do(as(created.Secret), "GET", "/me", nil).want(200))
		if me.Workspace.Approvals != "off" {
			t.Errorf("a new workspace has the policy %q", me.Workspace.Approvals)
		}
		d := w.do(first, "POST", "/posts", body{"content": "drafted"}).want(201).post()
		w.do(first, "DELETE", "/posts/"+d.ID, nil).want(204)
	})
}

// TestPolicyOffEndsReviews schedules drafts that wait for an approval that is not needed
// any more.
func TestPolicyOffEndsReviews(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		w.policy("all")
		starts := w.starts(w.author, "")
		delete(starts, "create")
		delete(starts, "create now")
		delete(starts, "create queue")
		w.newQueue(nil)
		for name := range starts {
			w.policy("all")
			p := w.pendingBy(w.author)
			start := w.starts(w.author, p.ID)[name]
			start().refused(schedctl.ApprovalMissing)
			w.policy("off")
			got := start()
			if got.status >= 300 {
				t.Fatalf("%s: %s", name, got.body)
			}
			wantApproval(t, got.post(), schedctl.ApprovalWithdrawn)
			if q := got.post(); q.ProposedAt != nil {
				t.Errorf("%s: proposed at %v", name, q.ProposedAt)
			}
			w.clear()
		}
		p := w.approved()
		wantApproval(t, w.do(w.author, "PATCH", "/posts/"+p.ID, body{"content": "changed"}).want(200).post(), schedctl.ApprovalWithdrawn)
		w.do(w.drafter, "POST", "/posts/"+w.pendingBy(w.drafter).ID+"/schedule", body{"publish_at": in(time.Hour)}).refused(schedctl.InsufficientScope)
	})
}

// oldPolicy sets the policy as earlier versions did, which asked nothing about scheduled
// posts.
func (w *reviewing) oldPolicy(p schedctl.ApprovalPolicy) {
	w.update(func(tx storage.Tx) error {
		mine, err := tx.Workspace(w.mine.workspace)
		if err != nil {
			return err
		}
		mine.Approvals = p
		return tx.PutWorkspace(mine)
	})
	w.changeAccount(w.mine.account, func(a *schedctl.Account) { a.Approvals = p })
}

// TestClaimChecksTheApproval publishes posts that were scheduled before an approval was
// required.
func TestClaimChecksTheApproval(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		plain := w.scheduled()
		byAgent := w.do(w.agent, "POST", "/posts", body{"content": "by an agent", "social_account_ids": []string{w.mine.account}, "publish_at": in(time.Hour)}).want(201).post()
		startedByAgent := w.draftBy(w.agent)
		w.do(w.agent, "POST", "/posts/"+startedByAgent.ID+"/schedule", body{"publish_at": in(time.Hour)}).want(200)
		good := w.approved()
		committed := w.delivering()
		run := func(id string, want schedctl.Status) apiv1.Post {
			t.Helper()
			w.changeStored(id, func(p *schedctl.Post) {
				p.PublishAt = schedctl.Millis(time.Now())
				p.Targets[0].PublishAt = p.PublishAt
			})
			w.await(committed, func() bool { s := w.get(id).Status; return s == schedctl.Failed || s == schedctl.Published })
			p := w.get(id)
			if p.Status != want {
				t.Errorf("%q is %s with %+v, want %s", p.Content, p.Status, p.Targets[0].Error, want)
			}
			return p
		}
		w.oldPolicy(schedctl.ApprovalsAgents)
		for _, id := range []string{byAgent.ID, startedByAgent.ID} {
			p := run(id, schedctl.Failed)
			e := p.Targets[0].Error
			if e == nil || e.Kind != schedctl.KindApproval || e.Code == nil || *e.Code != string(schedctl.ApprovalMissing) || e.Outcome != schedctl.OutcomeNotPublished || p.Targets[0].Attempts != 0 {
				t.Errorf("the target failed with %+v", e)
			}
			w.do(w.author, "POST", "/posts/"+id+"/retry", nil).refused(schedctl.ApprovalMissing)
		}
		w.oldPolicy(schedctl.ApprovalsAll)
		run(plain.ID, schedctl.Failed)
		run(good.ID, schedctl.Published)
		if n := len(w.network.Requests()); n != 1 {
			t.Errorf("%d requests to the network, want 1", n)
		}
		w.policy("off")
		w.do(w.author, "POST", "/posts/"+plain.ID+"/retry", nil).want(202)
		w.await(committed, func() bool { return w.get(plain.ID).Status == schedctl.Published })

		// A post that has failed so is approved, and then retried.
		w.oldPolicy(schedctl.ApprovalsAgents)
		path := "/posts/" + byAgent.ID
		w.do(w.author, "POST", path+"/submit", body{"proposed_at": in(time.Hour)}).refused(schedctl.InvalidPublishAt)
		w.do(w.agent, "POST", path+"/submit", nil).want(200)
		w.do(w.approver, "POST", path+"/approve", body{"publish_at": in(time.Hour)}).refused(schedctl.InvalidPublishAt)
		p := w.do(w.approver, "POST", path+"/approve", nil).want(200).post()
		if wantApproval(t, p, schedctl.ApprovalApproved); p.Status != schedctl.Failed {
			t.Errorf("the approved post is %s", p.Status)
		}
		w.do(w.agent, "POST", path+"/retry", nil).want(202)
		w.await(committed, func() bool { return w.get(byAgent.ID).Status == schedctl.Published })
		w.do(w.agent, "POST", path+"/submit", nil).refused(schedctl.PostNotDraft)
	})
}

// TestLastDecision reads what a draft was like when it was decided about.
func TestLastDecision(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		previous := func(id string) *apiv1.ReviewedPost { return w.get(id).Approval.Previous }
		p := w.pendingBy(w.author)
		path := "/posts/" + p.ID
		w.do(w.author, "PATCH", path, body{"content": "not decided about"}).want(200)
		if got := previous(p.ID); got != nil {
			t.Errorf("before a decision: %+v", got)
		}
		w.do(w.approver, "POST", path+"/request-changes", body{"note": "x"}).want(200)
		if got := previous(p.ID); got != nil {
			t.Errorf("after a decision: %+v", got)
		}
		spare, file := w.newAccount(w.mine, "spare"), w.upload(mediatest.PNG(4, 4)).ID
		w.do(w.author, "PATCH", path, body{"content": "a better text", "social_account_ids": []string{spare}, "media_asset_ids": []string{file}, "language": "en"}).want(200)
		w.do(w.author, "POST", path+"/submit", nil).want(200)
		want := &apiv1.ReviewedPost{
			Content: "not decided about", MediaAssetIDs: []string{}, SocialAccountIDs: []string{w.mine.account},
			Changed: []string{"content", "media", "social_account_ids", "language"},
		}
		if diff := cmp.Diff(want, previous(p.ID)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		w.do(w.approver, "POST", path+"/approve", nil).want(200)
		if got := previous(p.ID); got != nil {
			t.Errorf("after the approval: %+v", got)
		}
		w.do(w.author, "POST", path+"/withdraw", nil).want(200)
		w.do(w.author, "PATCH", path, body{"content": "changed again"}).want(200)
		if got := previous(p.ID); got == nil || got.Content != "a better text" || !slices.Equal(got.Changed, []string{"content"}) {
			t.Errorf("after an edit of an approved draft: %+v", got)
		}
	})
}
