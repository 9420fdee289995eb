package api_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/storage"
)

// TestEditsOfApprovedPosts changes approved posts where approval is required.
func TestEditsOfApprovedPosts(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		w.policy("all")
		spare := w.newAccount(w.mine, "spare")
		for name, change := range map[string]body{
			"text": {"content": "changed"}, "accounts": {"social_account_ids": []string{w.mine.account, spare}},
			"override": {"target_overrides": []body{override(w.mine.account, "its own", nil)}}, "thread": {"thread": []body{{"content": "more"}}},
			"title": {"title": "its title"}, "comment": {"first_comment": body{"content": "first"}}, "language": {"language": "de"},
			"text and time": {"content": "changed", "publish_at": in(4 * time.Hour)},
		} {
			for _, o := range []option{w.author, w.agent} {
				if e := w.do(o, "PATCH", "/posts/"+w.approvedOf(o).ID, change).refused(schedctl.ApprovalMissing); !strings.Contains(e.Message, "schedctl post unschedule") {
					t.Errorf("%s: the post has to be a draft again, but the message is %q", name, e.Message)
				}
			}
			p := w.approved()
			path := "/posts/" + p.ID
			w.do(w.author, "PATCH", path, change).refused(schedctl.ApprovalMissing)
			if after := w.get(p.ID); after.Version != p.Version || after.Content != p.Content {
				t.Errorf("%s: a refused edit changed the post", name)
			}
			after := w.do(w.editor, "PATCH", path, change).want(200).post()
			if wantApproval(t, after, schedctl.ApprovalApproved); after.Approval.DecidedBy.Name != "editor" || after.Approval.Digest == p.Approval.Digest {
				t.Errorf("%s by another approver: %+v", name, after.Approval)
			}
		}

		own := w.do(w.editor, "POST", "/posts", body{"content": "x", "social_account_ids": []string{w.mine.account}, "proposed_at": in(time.Hour)}).want(201).post()
		w.do(w.editor, "POST", "/posts/"+own.ID+"/submit", nil).want(200)
		w.do(w.approver, "POST", "/posts/"+own.ID+"/approve", nil).want(200)
		w.do(w.editor, "PATCH", "/posts/"+own.ID, body{"content": "y"}).refused(schedctl.ApprovalMissing)

		p := w.approved()
		path := "/posts/" + p.ID
		for _, harmless := range []body{{"publish_at": in(5 * time.Hour)}, {"labels": []string{"a"}}, {"content": p.Content}} {
			wantApproval(t, w.do(w.author, "PATCH", path, harmless).want(200).post(), schedctl.ApprovalApproved)
		}
		w.do(w.author, "POST", path+"/publish-now", body{"social_account_ids": []string{w.mine.account, spare}}).refused(schedctl.ApprovalMissing)
		draft := w.do(w.author, "POST", path+"/unschedule", nil).want(200).post()
		if wantApproval(t, draft, schedctl.ApprovalWithdrawn); draft.Approval.DecidedBy.Name != "author" {
			t.Errorf("the approval ended by %+v", draft.Approval.DecidedBy)
		}
		w.do(w.author, "POST", path+"/schedule", body{"publish_at": in(time.Hour)}).refused(schedctl.ApprovalMissing)
		w.do(w.author, "POST", path+"/submit", nil).want(200)
		wantApproval(t, w.do(w.author, "PATCH", path, body{"content": "changed"}).want(200).post(), schedctl.ApprovalPending)
		back := w.do(w.author, "PATCH", path, body{"content": p.Content}).want(200).post()
		if wantApproval(t, back, schedctl.ApprovalPending); back.Approval.Digest != p.Approval.Digest {
			t.Error("undoing an edit gives another digest")
		}
		w.do(w.author, "POST", path+"/cancel", nil).refused(schedctl.PostNotCancelable)
		w.do(w.author, "DELETE", path, nil).want(204)
		w.do(w.author, "POST", "/posts/"+w.approved().ID+"/cancel", nil).want(200)
	})
}

// TestApprovalSurvivesStorage approves a post with everything that posts can have. What is
// stored must have the digest that was approved.
func TestApprovalSurvivesStorage(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		spare := w.newAccount(w.mine, "spare")
		asset, card := w.upload(mediatest.PNG(4, 4)), w.upload(mediatest.PNG(5, 5))
		overrides := []body{
			{"social_account_id": w.mine.account, "content": "its own", "options": body{"mood": "loud"}, "media": []body{}, "thread": []body{}},
			{"social_account_id": spare, "thread": []body{{"content": "own", "media": []body{}}}, "language": "de"},
		}
		for name, b := range map[string]body{
			"plain":          {},
			"empty lists":    {"media": []body{}, "thread": []body{}, "target_overrides": []body{}, "labels": []string{}},
			"media":          {"media": []body{{"id": asset.ID, "alt_text": "a dot"}}, "first_comment": body{"content": "c", "media": []body{{"id": card.ID, "alt_text": ""}}}},
			"thread":         {"thread": []body{{"content": "two", "media": []body{{"id": asset.ID}}}, {"content": "three", "media": []body{}}}},
			"poll":           {"poll": body{"options": []string{"a", "b"}, "expires_in_seconds": 3600}},
			"card":           {"link_preview": body{"url": "https://example.org/", "title": "t", "description": "", "image": card.ID}},
			"presentation":   {"content_warning": "w", "visibility": "unlisted", "language": "en"},
			"with overrides": {"media": []body{{"id": asset.ID}}, "target_overrides": overrides},
		} {
			b["content"], b["social_account_ids"], b["proposed_at"] = "text of "+name, []string{w.mine.account, spare}, in(time.Hour)
			r := w.do(w.author, "POST", "/posts", b)
			if r.status != 201 {
				t.Errorf("%s: %s", name, r.body)
				continue
			}
			p := r.post()
			w.do(w.author, "POST", "/posts/"+p.ID+"/submit", nil).want(200)
			w.do(w.approver, "POST", "/posts/"+p.ID+"/approve", nil).want(200)
			w.wantApproved(name, p.ID)
			empty := body{"media": []body{}, "thread": []body{}, "first_comment": nil, "poll": nil, "link_preview": nil, "target_overrides": []body{}}
			w.do(w.editor, "PATCH", "/posts/"+p.ID, empty).want(200)
			w.wantApproved(name+", emptied", p.ID)
		}
	})
}

// wantApproved fails the test unless the stored post is approved as it is.
func (w *reviewing) wantApproved(name, id string) {
	w.t.Helper()
	err := w.store.View(w.t.Context(), func(r storage.Reader) error {
		p, err := r.Post(w.mine.workspace, id)
		if err == nil && !p.Approved() {
			w.t.Errorf("%s: the stored post does not have the digest of its approval %+v", name, p.Approval)
		}
		return err
	})
	if err != nil {
		w.t.Error(err)
	}
}

// TestReviewsCoverMedia guards that the files and alt texts of a post stay as reviewers have
// seen them. A key that writes drafts only can change the alt text of every asset.
func TestReviewsCoverMedia(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		asset := w.upload(mediatest.PNG(4, 4))
		alt := func(text string) apiv1.OldText {
			t.Helper()
			return decodeAs[apiv1.EditedMedia](t, w.do(w.author, "PATCH", "/media/"+asset.ID, body{"alt_text": text}).want(200)).PostsWithOldText
		}
		alt("a dot")
		p := w.do(w.author, "POST", "/posts", body{
			"content": "x", "social_account_ids": []string{w.mine.account}, "media_asset_ids": []string{asset.ID}, "proposed_at": in(time.Hour),
			"thread": []body{{"content": "two", "media": []body{{"id": asset.ID}}}}, "first_comment": body{"content": "c", "media": []body{{"id": asset.ID}}},
			"target_overrides": []body{{"social_account_id": w.mine.account, "media": []body{{"id": asset.ID}}, "thread": []body{{"content": "own", "media": []body{{"id": asset.ID}}}}}},
		}).want(201).post()
		path := "/posts/" + p.ID
		w.do(w.author, "POST", path+"/submit", nil).want(200)
		if got := alt("unseen"); got.Count != 1 || !slices.Equal(got.IDs, []string{p.ID}) {
			t.Errorf("posts with the old text: %+v", got)
		}
		w.do(w.approver, "POST", path+"/approve", nil).want(200)
		if got := alt("unseen again"); got.Count != 0 || len(got.IDs) != 0 {
			t.Errorf("no post has the text of the asset, but these are named: %+v", got)
		}
		w.wantApproved("after a change of its asset", p.ID)
		shown := w.get(p.ID)
		own := shown.TargetOverrides[0]
		for name, media := range map[string][]apiv1.PostMedia{
			"post": shown.Media, "thread": shown.Thread[0].Media, "comment": shown.FirstComment.Media, "override": *own.Media, "thread of the override": (*own.Thread)[0].Media,
		} {
			if media[0].AltText == nil || *media[0].AltText != "a dot" {
				t.Errorf("the %s shows %+v", name, media)
			}
		}
		if later := w.create(body{"media_asset_ids": []string{asset.ID}}); *later.Media[0].AltText != "unseen again" {
			t.Errorf("a later post shows %q", *later.Media[0].AltText)
		}
		plan := func(content string) string {
			at := time.Now().UTC().AddDate(0, 0, 2).Format("2006-01-02") + "T09:00"
			return decodeAs[apiv1.SeriesEnvelope](t, w.do(nil, "POST", "/series", body{
				"name": content, "content": content, "media_asset_ids": []string{asset.ID}, "social_account_ids": []string{w.mine.account}, "timezone": "UTC", "start": at, "rule": "FREQ=WEEKLY",
			}).want(201)).Series.ID
		}
		ended, active := plan("ended"), plan("active")
		w.do(nil, "POST", "/series/"+ended+"/end", nil).want(200)
		if got := decodeAs[apiv1.EditedMedia](t, w.do(w.author, "PATCH", "/media/"+asset.ID, body{"alt_text": "for series"}).want(200)).SeriesWithOldText; got.Count != 1 || !slices.Equal(got.IDs, []string{active}) {
			t.Errorf("series with the old text: %+v, want %s", got, active)
		}
		none := w.create(body{"media": []body{{"id": asset.ID, "alt_text": ""}}})
		if alt("other"); w.get(none.ID).Media[0].AltText != nil {
			t.Error("a post without an alt text got one")
		}

		file := mediatest.PNG(6, 6)
		a := w.announce(file)
		late := w.do(w.author, "POST", "/posts", body{"content": "x", "social_account_ids": []string{w.mine.account}, "media_asset_ids": []string{a.MediaAsset.ID}, "proposed_at": in(time.Hour)}).want(201).post()
		w.do(w.author, "POST", "/posts/"+late.ID+"/submit", nil).refused(schedctl.MediaNotReady)
		pending := w.pendingBy(w.author)
		w.do(w.author, "PATCH", "/posts/"+pending.ID, body{"media_asset_ids": []string{a.MediaAsset.ID}}).refused(schedctl.MediaNotReady)
		w.do(nil, "PUT", a.path(), file).want(204)
		w.do(nil, "POST", "/media/"+a.MediaAsset.ID+"/confirm-upload", nil).want(200)
		w.do(w.author, "POST", "/posts/"+late.ID+"/submit", nil).want(200)
		w.do(w.approver, "POST", "/posts/"+late.ID+"/approve", nil).want(200)
		w.wantApproved("with a late upload", late.ID)
	})
}

func TestApproveWithASlot(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		q := w.newQueue(nil)
		submit := func() string {
			p := w.draftBy(w.author)
			got := w.do(w.author, "POST", "/posts/"+p.ID+"/submit", body{"proposed_at": "next-slot"}).want(200).post()
			if got.ProposedAt == nil || !got.ProposedAt.NextSlot || got.Slot != nil {
				t.Errorf("proposed %v, slot %v", got.ProposedAt, got.Slot)
			}
			return "/posts/" + p.ID
		}
		first, second := submit(), submit()
		late := body{"not_before": slotDay + "T00:00:00Z"}
		wantSlot(t, w.do(w.approver, "POST", first+"/approve", late).want(200).post(), q.ID, "2036-06-02T09:00")
		wantSlot(t, w.do(w.approver, "POST", second+"/approve", late).want(200).post(), q.ID, "2036-06-03T09:00")
		third := w.pendingBy(w.author)
		got := w.do(w.approver, "POST", "/posts/"+third.ID+"/approve", body{"publish_at": "next-slot", "queue_id": q.ID, "not_before": slotDay + "T00:00:00Z"}).want(200).post()
		wantSlot(t, got, q.ID, "2036-06-04T09:00")
		moved := w.do(w.author, "PATCH", "/posts/"+third.ID, body{"publish_at": "next-slot", "not_before": "2036-06-09T00:00:00Z"}).want(200).post()
		wantApproval(t, moved, schedctl.ApprovalApproved)
		w.wantApproved("moved to another slot", third.ID)
	})
}

// TestApproveChecksThePost guards that an approval schedules only what could be scheduled.
func TestApproveChecksThePost(t *testing.T) {
	t.Parallel()
	f := newReviewing(newFixture(t))
	p := f.pendingBy(f.author)
	f.limit(f.mine.account, 3)
	f.do(f.approver, "POST", "/posts/"+p.ID+"/approve", nil).refused(schedctl.ContentTooLong)
	f.limit(f.mine.account, 300)
	f.blackout(body{"from": local(time.Now().Add(30 * time.Minute)), "to": local(time.Now().Add(2 * time.Hour)), "timezone": "UTC", "mode": "avoid"})
	f.do(f.approver, "POST", "/posts/"+p.ID+"/approve", nil).refused(schedctl.InBlackout)
	f.do(f.approver, "POST", "/posts/"+p.ID+"/approve", body{"allow_blackout": true}).want(200)
	gone := f.pendingBy(f.author)
	f.do(nil, "DELETE", "/social-accounts/"+f.mine.account, nil).want(204)
	f.do(f.approver, "POST", "/posts/"+gone.ID+"/approve", body{"publish_at": in(5 * time.Hour)}).refused(schedctl.InvalidSocialAccounts)
}

// TestPullRequestApproves creates and changes posts whose review was a pull request.
func TestPullRequestApproves(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		w.policy("all")
		const pr = "https://git.example/posts/pull/7"
		scheduled := func(by string) body {
			return body{"content": "from a file", "social_account_ids": []string{w.mine.account}, "publish_at": in(time.Hour), "approved_by": by}
		}
		for _, o := range []option{w.author, w.agent, w.drafter} {
			w.do(o, "POST", "/posts", scheduled(pr)).refused(schedctl.InsufficientScope)
		}
		restricted := as(w.newKey(w.mine.workspace, func(k *schedctl.APIKey) {
			k.Restricted, k.Scopes = true, []schedctl.Scope{schedctl.ScopePostsWrite, schedctl.ScopePostsApprove}
		}))
		w.do(restricted, "POST", "/posts", scheduled(pr)).refused(schedctl.InsufficientScope)
		for _, wrong := range []string{"", "pull/7", "ftp://git.example/7", "https://"} {
			w.do(w.editor, "POST", "/posts", scheduled(wrong)).refused(schedctl.ValidationFailed)
		}
		p := w.do(w.editor, "POST", "/posts", scheduled(pr)).want(201).post()
		if wantApproval(t, p, schedctl.ApprovalApproved); p.Approval.ApprovedBy == nil || *p.Approval.ApprovedBy != pr || p.Status != schedctl.Scheduled {
			t.Errorf("%s, approval %+v", p.Status, p.Approval)
		}
		if e := w.auditPage("?limit=1").Results[0]; e.Detail == nil || *e.Detail != pr {
			t.Errorf("audit entry %+v", e)
		}
		w.wantApproved("created", p.ID)
		path := "/posts/" + p.ID
		w.do(w.editor, "PATCH", path, body{"content": "changed"}).refused(schedctl.ApprovalMissing)
		next := w.do(w.editor, "PATCH", path, body{"content": "changed", "approved_by": pr + "1"}).want(200).post()
		if next.Approval.ApprovedBy == nil || *next.Approval.ApprovedBy != pr+"1" {
			t.Errorf("approval %+v", next.Approval)
		}
		same := w.do(w.editor, "PATCH", path, body{"content": "changed", "approved_by": pr + "1"}).want(200).post()
		if same.Version != next.Version {
			t.Errorf("the same request gives version %d after %d", same.Version, next.Version)
		}
		w.wantApproved("changed", p.ID)
		draft := w.draftBy(w.author)
		got := w.do(w.editor, "PATCH", "/posts/"+draft.ID, body{"publish_at": in(time.Hour), "approved_by": pr}).want(200).post()
		wantApproval(t, got, schedctl.ApprovalApproved)
	})
}
