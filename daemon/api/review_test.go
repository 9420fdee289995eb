package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// TestReviewOfAPost follows a draft through all states to the network.
func TestReviewOfAPost(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		p := w.draftBy(w.drafter)
		path := "/posts/" + p.ID
		wantApproval(t, p, "")
		step := func(o option, verb string, b body, state schedctl.ApprovalState) apiv1.Post {
			t.Helper()
			next := w.do(o, "POST", path+"/"+verb, orNone(b)).want(200).post()
			wantApproval(t, next, state)
			if next.Version != p.Version+1 {
				t.Errorf("%s gives version %d after %d", verb, next.Version, p.Version)
			}
			if stored := w.get(p.ID); stored.Version != next.Version || *stored.Approval != *next.Approval && stored.Approval.Digest != next.Approval.Digest {
				t.Errorf("%s: stored %+v, returned %+v", verb, stored, next)
			}
			p = next
			return next
		}
		at := in(2 * time.Hour)
		step(w.drafter, "submit", body{"note": "please look", "proposed_at": at}, schedctl.ApprovalPending)
		if p.Approval.RequestedBy.Name != "drafter" || p.Approval.DecidedBy != nil || p.Approval.Note == nil || p.ProposedAt == nil || p.ProposedAt.String() != at || p.Status != schedctl.Draft {
			t.Errorf("after submit: %+v, %+v", p, p.Approval)
		}
		step(w.approver, "request-changes", body{"note": "shorter"}, schedctl.ApprovalChangesRequested)
		if by := p.Approval.DecidedBy; by == nil || by.Name != "approver" || p.Approval.DecidedAt == nil || *p.Approval.Note != "shorter" {
			t.Errorf("after request-changes: %+v", p.Approval)
		}
		p = w.do(w.drafter, "PATCH", path, body{"content": "short"}).want(200).post()
		wantApproval(t, p, schedctl.ApprovalChangesRequested)
		step(w.drafter, "submit", nil, schedctl.ApprovalPending)
		step(w.drafter, "withdraw", nil, schedctl.ApprovalWithdrawn)
		step(w.drafter, "submit", nil, schedctl.ApprovalPending)
		step(w.approver, "approve", body{"note": "good"}, schedctl.ApprovalApproved)
		if p.Status != schedctl.Scheduled || p.PublishAt == nil || p.PublishAt.String() != at || p.ProposedAt != nil || *p.Approval.Note != "good" {
			t.Errorf("after approve: %+v, %+v", p, p.Approval)
		}
		want := "post.created post.submitted post.changes_requested post.updated post.submitted post.withdrawn post.submitted post.approved post.scheduled post.queued"
		if got := w.events(p.ID); got != want {
			t.Errorf("events %s, want %s", got, want)
		}
		if got := w.listed("?approval=approved"); len(got) != 1 || got[0] != p.ID {
			t.Errorf("approved posts: %v", got)
		}
		if got := w.listed("?approval=pending"); len(got) != 0 {
			t.Errorf("pending posts: %v", got)
		}
	})
}

// listed returns the ids of the posts of a list.
func (w *reviewing) listed(query string) (ids []string) {
	w.t.Helper()
	for _, p := range decodeAs[apiv1.PostList](w.t, w.do(nil, "GET", "/posts"+query, nil).want(200)).Results {
		ids = append(ids, p.ID)
	}
	return ids
}

// TestReviewStepsInWrongStates tries every step in every state of a review.
func TestReviewStepsInWrongStates(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		changes := func() apiv1.Post {
			return w.do(w.approver, "POST", "/posts/"+w.pendingBy(w.author).ID+"/request-changes", body{"note": "no"}).want(200).post()
		}
		withdrawn := func() apiv1.Post {
			return w.do(w.author, "POST", "/posts/"+w.pendingBy(w.author).ID+"/withdraw", nil).want(200).post()
		}
		canceled := func() apiv1.Post {
			return w.do(w.author, "POST", "/posts/"+w.approved().ID+"/cancel", nil).want(200).post()
		}
		const ok, wait, draft, gone = "", schedctl.ApprovalNotPending, schedctl.PostNotDraft, schedctl.PostCanceled
		for name, test := range map[string]struct {
			make                               func() apiv1.Post
			submit, approve, changes, withdraw schedctl.Code
		}{
			"draft":             {func() apiv1.Post { return w.draftBy(w.author) }, ok, wait, wait, wait},
			"pending":           {func() apiv1.Post { return w.pendingBy(w.author) }, wait, ok, ok, ok},
			"changes requested": {changes, ok, wait, wait, ok},
			"withdrawn":         {withdrawn, ok, wait, wait, wait},
			"approved":          {w.approved, draft, draft, ok, ok},
			"canceled":          {canceled, gone, gone, gone, gone},
			"scheduled":         {w.scheduled, draft, draft, wait, wait},
			"published":         {func() apiv1.Post { return w.inStatus(schedctl.Published) }, draft, draft, draft, draft},
		} {
			for verb, want := range map[string]schedctl.Code{"submit": test.submit, "approve": test.approve, "request-changes": test.changes, "withdraw": test.withdraw} {
				p := test.make()
				o, b := w.author, body(nil)
				switch verb {
				case "approve":
					o, b = w.approver, body{"publish_at": in(time.Hour)}
				case "request-changes":
					o, b = w.approver, body{"note": "x"}
				}
				r := w.do(o, "POST", "/posts/"+p.ID+"/"+verb, orNone(b))
				if want == ok {
					r.want(200)
					continue
				}
				t.Log(name, verb)
				r.refused(want)
				if after := w.get(p.ID); after.Version != p.Version || after.Status != p.Status {
					t.Errorf("%s of a %s post changed it: version %d, %s", verb, name, after.Version, after.Status)
				}
			}
		}
	})
}

func TestReviewInput(t *testing.T) {
	t.Parallel()
	f := newReviewing(newFixture(t))
	long := strings.Repeat("ä", schedctl.MaxReviewNote+1)
	draft, pending := "/posts/"+f.draftBy(f.author).ID, "/posts/"+f.pendingBy(f.author).ID
	for _, tt := range []struct {
		o    option
		path string
		body any
		want schedctl.Code
	}{
		{f.author, draft + "/submit", body{"note": long}, schedctl.ValidationFailed},
		{f.author, draft + "/submit", body{"note": "a\x00b"}, schedctl.ValidationFailed},
		{f.author, draft + "/submit", body{"note": 1}, schedctl.ValidationFailed},
		{f.author, draft + "/submit", body{"other": 1}, schedctl.ValidationFailed},
		{f.author, draft + "/submit", body{"proposed_at": in(-time.Second)}, schedctl.InvalidPublishAt},
		{f.author, draft + "/submit", body{"proposed_at": "now"}, schedctl.InvalidPublishAt},
		{f.author, draft + "/submit", body{"proposed_at": "tomorrow"}, schedctl.InvalidPublishAt},
		{f.approver, pending + "/approve", body{"publish_at": in(-time.Second)}, schedctl.InvalidPublishAt},
		{f.approver, pending + "/approve", body{"publish_at": "now"}, schedctl.InvalidPublishAt},
		{f.approver, pending + "/approve", body{"note": long}, schedctl.ValidationFailed},
		{f.approver, pending + "/approve", body{"publish_at": "next-slot"}, schedctl.NoQueue},
		{f.approver, pending + "/approve", body{"queue_id": "q"}, schedctl.ValidationFailed},
		{f.approver, pending + "/request-changes", body{}, schedctl.ValidationFailed},
		{f.approver, pending + "/request-changes", body{"note": ""}, schedctl.ValidationFailed},
		{f.approver, pending + "/request-changes", body{"note": long}, schedctl.ValidationFailed},
		{f.author, pending + "/notes", body{"text": ""}, schedctl.ValidationFailed},
		{f.author, pending + "/notes", body{"text": long}, schedctl.ValidationFailed},
		{f.author, pending + "/notes", body{}, schedctl.ValidationFailed},
	} {
		f.do(tt.o, "POST", tt.path, tt.body).refused(tt.want)
	}
	empty := f.do(f.author, "POST", "/posts", body{"content": "for no account"}).want(201).post()
	f.do(f.author, "POST", "/posts/"+empty.ID+"/submit", nil).refused(schedctl.InvalidSocialAccounts)
	timeless := f.draftBy(f.author)
	f.do(f.author, "POST", "/posts/"+timeless.ID+"/submit", nil).want(200)
	f.do(f.approver, "POST", "/posts/"+timeless.ID+"/approve", nil).refused(schedctl.InvalidPublishAt)
	f.do(f.approver, "POST", "/posts/"+timeless.ID+"/approve", body{"publish_at": in(time.Hour)}).want(200)
}

// TestAProposedTimeIsInTheFuture guards that a draft does not propose a time that has passed
// when the time is set. It may pass later.
func TestAProposedTimeIsInTheFuture(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		past := in(-time.Hour)
		w.do(w.author, "POST", "/posts", body{"content": "x", "proposed_at": past}).refused(schedctl.InvalidPublishAt)
		p := w.draftBy(w.author)
		path := "/posts/" + p.ID
		w.do(w.author, "PATCH", path, body{"proposed_at": past}).refused(schedctl.InvalidPublishAt)
		w.do(w.author, "PATCH", path, body{"proposed_at": "next-slot"}).want(200)
		w.do(w.author, "PATCH", path, body{"proposed_at": in(time.Hour)}).want(200)
		w.changeStored(p.ID, func(p *schedctl.Post) { p.Proposed.At = schedctl.Millis(time.Now().Add(-time.Minute)) })
		w.do(w.author, "PATCH", path, body{"content": "edited"}).want(200)
		w.do(w.author, "POST", path+"/submit", nil).refused(schedctl.InvalidPublishAt)
		w.do(w.author, "PATCH", path, body{"proposed_at": nil}).want(200)
	})
}

func TestReviewScopes(t *testing.T) {
	t.Parallel()
	f := newReviewing(newFixture(t))
	reader := as(f.scoped(schedctl.ScopePostsRead))
	other := as(f.scoped(schedctl.ScopeKeysWrite, schedctl.ScopeAccountsWrite))
	p := "/posts/" + f.pendingBy(f.author).ID
	for path, allowed := range map[string][]option{
		"/submit":          {f.author, f.drafter, f.agent, f.editor},
		"/withdraw":        {f.author, f.drafter, f.agent, f.editor},
		"/approve":         {f.approver, f.editor},
		"/request-changes": {f.approver, f.editor},
		"/notes":           {f.author, f.drafter, f.agent, f.approver, f.editor},
	} {
		for name, o := range map[string]option{
			"author": f.author, "drafter": f.drafter, "agent": f.agent, "approver": f.approver, "editor": f.editor, "reader": reader, "other": other,
		} {
			may := false
			for _, a := range allowed {
				may = may || f.secretOf(a) == f.secretOf(o)
			}
			r := f.do(o, "POST", p+path, body{"wrong": 1})
			if may {
				r.refused(schedctl.ValidationFailed)
			} else {
				t.Log(path, name)
				r.refused(schedctl.InsufficientScope)
			}
		}
	}
	f.do(f.approver, "PATCH", p, body{"content": "x"}).refused(schedctl.InsufficientScope)
	f.do(f.approver, "PATCH", "/workspaces/"+f.mine.workspace, body{"approvals": "off"}).refused(schedctl.InsufficientScope)
}

func TestSelfApproval(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		own := "/posts/" + w.pendingBy(w.editor).ID
		w.do(w.editor, "POST", own+"/approve", nil).refused(schedctl.SelfApproval)
		w.do(w.editor, "POST", own+"/request-changes", body{"note": "x"}).refused(schedctl.SelfApproval)
		w.do(w.approver, "POST", own+"/approve", nil).want(200)

		edited := "/posts/" + w.pendingBy(w.author).ID
		w.do(w.editor, "PATCH", edited, body{"content": "better"}).want(200)
		w.fourEyes(true)
		w.do(w.editor, "POST", edited+"/approve", nil).refused(schedctl.SelfApproval)
		w.do(w.editor, "PATCH", edited, body{"labels": []string{"a"}, "proposed_at": in(3 * time.Hour)}).want(200)
		w.do(w.approver, "POST", edited+"/approve", nil).want(200)

		// A time and labels are not published, so the key that set them may approve.
		moved := "/posts/" + w.pendingBy(w.author).ID
		w.do(w.editor, "PATCH", moved, body{"labels": []string{"a"}, "proposed_at": in(3 * time.Hour)}).want(200)
		w.do(w.editor, "POST", moved+"/approve", nil).want(200)
	})
}

// TestApproveWhatWasSeen guards that no text is approved that was changed after it was
// read.
func TestApproveWhatWasSeen(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		p := w.pendingBy(w.drafter)
		seen := w.do(nil, "GET", "/posts/"+p.ID, nil).header.Get("ETag")
		w.do(w.drafter, "PATCH", "/posts/"+p.ID, body{"content": "another text"}).want(200)
		for _, verb := range []string{"approve", "request-changes", "submit", "withdraw"} {
			o, b := w.editor, body(nil)
			if verb == "request-changes" {
				b = body{"note": "x"}
			}
			w.do(all(o, header("If-Match", seen)), "POST", "/posts/"+p.ID+"/"+verb, orNone(b)).refused(schedctl.VersionMismatch)
		}
		now := w.do(nil, "GET", "/posts/"+p.ID, nil).header.Get("ETag")
		w.do(w.author, "POST", "/posts/"+p.ID+"/notes", body{"text": "a note"}).want(201)
		got := w.do(all(w.approver, header("If-Match", now)), "POST", "/posts/"+p.ID+"/approve", nil).want(200).post()
		if got.Content != "another text" {
			t.Errorf("approved %q", got.Content)
		}
	})
}

// TestDecisionsNameAVersion guards that nobody decides about a version that was not named:
// the draft may have changed since it was read.
func TestDecisionsNameAVersion(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		one := w.seriesBy(w.author, "daily")
		w.do(w.author, "POST", "/series/"+one.ID+"/submit", nil).want(200)
		for _, path := range []string{"/posts/" + w.pendingBy(w.author).ID, "/series/" + one.ID} {
			was := w.do(nil, "GET", path, nil).header.Get("ETag")
			for verb, b := range map[string]body{"/approve": {}, "/request-changes": {"note": "x"}} {
				for name, o := range map[string]option{
					"none": func(r *http.Request) { r.Header.Del("If-Match") }, "any": header("If-Match", "*"),
				} {
					w.do(all(w.approver, o), "POST", path+verb, b).refused(schedctl.VersionRequired)
					if now := w.do(nil, "GET", path, nil).header.Get("ETag"); now != was {
						t.Errorf("%s%s with %s as its version changed the object: %s, was %s", path, verb, name, now, was)
					}
				}
			}
			w.do(w.approver, "POST", path+"/request-changes", body{"note": "x"}).want(200)
		}
	})
}

func TestReviewsOfLimitedKeys(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		spare := w.newAccount(w.mine, "spare")
		limited := as(w.newKey(w.mine.workspace, func(k *schedctl.APIKey) {
			k.Scopes, k.AccountIDs = []schedctl.Scope{schedctl.ScopePostsApprove, schedctl.ScopePostsRead, schedctl.ScopePostsWrite}, []string{spare}
		}))
		p := "/posts/" + w.pendingBy(w.author).ID
		for _, r := range []*response{
			w.do(limited, "POST", p+"/approve", nil), w.do(limited, "POST", p+"/request-changes", body{"note": "x"}),
			w.do(limited, "POST", p+"/submit", nil), w.do(limited, "POST", p+"/withdraw", nil),
			w.do(limited, "GET", p+"/notes", nil), w.do(limited, "POST", p+"/notes", body{"text": "x"}),
		} {
			r.refused(schedctl.NotFound)
		}
		w.do(limited, "PATCH", "/workspaces/"+w.mine.workspace, body{"approvals": "off"}).refused(schedctl.InsufficientScope)
		keys := as(w.newKey(w.mine.workspace, func(k *schedctl.APIKey) { k.AccountIDs = []string{spare} }))
		w.do(keys, "PATCH", "/workspaces/"+w.mine.workspace, body{"approvals": "all"}).refused(schedctl.AccountNotAllowed)
		own := w.do(w.author, "POST", "/posts", body{"content": "x", "social_account_ids": []string{spare}, "proposed_at": in(time.Hour)}).want(201).post()
		w.do(w.author, "POST", "/posts/"+own.ID+"/submit", nil).want(200)
		w.do(limited, "POST", "/posts/"+own.ID+"/approve", nil).want(200)

		stranger := as(w.other.key)
		w.do(stranger, "POST", p+"/approve", nil).refused(schedctl.NotFound)
		w.do(stranger, "POST", p+"/notes", body{"text": "x"}).refused(schedctl.NotFound)
	})
}

func TestReviewIsIdempotent(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		draft := w.draftBy(w.author)
		path := "/posts/" + draft.ID
		twice := func(o option, verb string, b body) {
			t.Helper()
			first := w.do(all(o, key("once-"+verb)), "POST", path+verb, orNone(b))
			again := w.do(all(o, key("once-"+verb)), "POST", path+verb, orNone(b)).want(first.status)
			if first.status >= 300 || string(again.body) != string(first.body) || again.header.Get("Idempotent-Replayed") != "true" {
				t.Errorf("%s: %s, then %s", verb, first.body, again.body)
			}
			switch verb {
			case "/withdraw":
				return
			case "/notes":
				b = body{"text": "another"}
			default:
				b = body{"note": "another"}
			}
			w.do(all(o, key("once-"+verb)), "POST", path+verb, orNone(b)).refused(schedctl.IdempotencyKeyReused)
		}
		twice(w.author, "/submit", body{"proposed_at": in(time.Hour)})
		twice(w.author, "/notes", body{"text": "a note"})
		twice(w.approver, "/request-changes", body{"note": "x"})
		twice(w.author, "/withdraw", nil)
		w.do(w.author, "POST", path+"/submit", nil).want(200)
		twice(w.approver, "/approve", nil)
		if notes := decodeAs[apiv1.PostNoteList](t, w.do(nil, "GET", path+"/notes", nil).want(200)); notes.Count != 1 {
			t.Errorf("%d notes", notes.Count)
		}
	})
}

func TestReviewsInTheAuditLog(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		author, approver := w.keyOf(w.secrets["author"]).ID, w.keyOf(w.secrets["approver"]).ID
		p := w.pendingBy(w.author)
		last := func(action, keyID, detail string) {
			t.Helper()
			e := w.auditPage("?limit=1").Results[0]
			if e.Action != action || e.APIKeyID != keyID || e.ResourceID == nil || *e.ResourceID != p.ID || detail != "" && (e.Detail == nil || *e.Detail != detail) {
				t.Errorf("the entry is %+v, want %s by %s", e, action, keyID)
			}
		}
		last("submitPost", author, "")
		w.do(w.approver, "POST", "/posts/"+p.ID+"/request-changes", body{"note": "x"}).want(200)
		last("requestPostChanges", approver, "requested by "+author)
		w.do(w.author, "POST", "/posts/"+p.ID+"/submit", nil).want(200)
		w.do(w.approver, "POST", "/posts/"+p.ID+"/approve", nil).want(200)
		last("approvePost", approver, "requested by "+author)
	})
}

func TestNotes(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		p := w.pendingBy(w.drafter)
		path := "/posts/" + p.ID + "/notes"
		for i, o := range []option{w.drafter, w.approver, w.agent} {
			n := decodeAs[apiv1.PostNoteEnvelope](t, w.do(o, "POST", path, body{"text": strings.Repeat("n", i+1)}).want(201)).Note
			if n.ID == "" || n.By.Name != []string{"drafter", "approver", "agent"}[i] {
				t.Errorf("note %+v", n)
			}
		}
		list := decodeAs[apiv1.PostNoteList](t, w.do(w.approver, "GET", path, nil).want(200))
		if list.Count != 3 || list.Results[2].Text != "nnn" {
			t.Errorf("notes %+v", list)
		}
		if after := w.get(p.ID); after.Version != p.Version || after.Approval.Digest != p.Approval.Digest {
			t.Errorf("notes changed the post: %+v", after)
		}
		for range schedctl.MaxPostNotes - 3 {
			w.do(w.author, "POST", path, body{"text": "x"}).want(201)
		}
		w.do(w.author, "POST", path, body{"text": "x"}).refused(schedctl.ValidationFailed)
		published := w.inStatus(schedctl.Published)
		w.do(w.author, "POST", "/posts/"+published.ID+"/notes", body{"text": "went well"}).want(201)
	})
}
