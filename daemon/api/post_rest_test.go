package api_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// listed reports whether a list of posts has the post.
func (f *fixture) listed(query, id string) bool {
	f.t.Helper()
	list := decodeAs[apiv1.PostList](f.t, f.do(nil, "GET", "/posts?limit=100"+query, nil).want(200))
	return slices.ContainsFunc(list.Results, func(p apiv1.Post) bool { return p.ID == id })
}

func TestArchivePost(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		p := f.inStatus(schedctl.Published)
		got := f.do(nil, "POST", "/posts/"+p.ID+"/archive", nil).want(200).post()
		again := f.do(nil, "POST", "/posts/"+p.ID+"/archive", nil).want(200).post()
		if got.ArchivedAt == nil || got.Status != schedctl.Published || again.Version != got.Version {
			t.Errorf("archived: %+v, then %+v", got, again)
		}
		for query, want := range map[string]bool{
			"": false, "&status=published": false, "&social_account_id=" + p.SocialAccountIDs[0]: false, "&archived=false": false,
			"&archived=true": true, "&archived=all": true, "&archived=true&status=published": true, "&archived=true&status=failed": false,
			"&sort=publish_at": false, "&sort=publish_at&archived=all&social_account_id=" + p.SocialAccountIDs[0]: true,
		} {
			if f.listed(query, p.ID) != want {
				t.Errorf("with %q, the archived post is listed: %t", query, !want)
			}
		}
		f.do(nil, "GET", "/posts?archived=yes", nil).refused(schedctl.ValidationFailed)
		back := f.do(nil, "POST", "/posts/"+p.ID+"/unarchive", nil).want(200).post()
		if back.ArchivedAt != nil || !f.listed("", p.ID) {
			t.Errorf("unarchived: %+v", back)
		}

		external := f.create(body{"content": "x", "external_id": "one"})
		f.do(nil, "POST", "/posts/"+external.ID+"/archive", nil).refused(schedctl.PostNotOver)
	})
}

// A list by external id has archived posts: a client asks whether the post exists.
func TestArchivedPostsKeepTheirExternalIDs(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	p := f.create(body{"content": "x", "external_id": "one", "publish_at": exampleTime, "social_account_ids": []string{f.mine.account}})
	f.do(nil, "POST", "/posts/"+p.ID+"/cancel", nil).want(200)
	f.do(nil, "POST", "/posts/"+p.ID+"/archive", nil).want(200)
	if !f.listed("&external_id=one", p.ID) || f.listed("&external_id=one&archived=false", p.ID) {
		t.Error("a list by external id lacks an archived post, or ignores archived")
	}
}

func TestResendPost(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		p := f.inStatus(schedctl.Failed)
		f.do(nil, "PATCH", "/posts/"+p.ID, body{"labels": []string{"launch"}}).want(200)
		f.do(header("If-Match", `"1"`), "POST", "/posts/"+p.ID+"/resend", nil).refused(schedctl.VersionMismatch)
		resent := f.do(nil, "POST", "/posts/"+p.ID+"/resend", body{"content": "shorter", "publish_at": "now"}).want(http.StatusCreated).post()
		if resent.ID == p.ID || resent.Content != "shorter" || resent.Status != schedctl.Publishing || *resent.ResendOf != p.ID ||
			!slices.Equal(resent.SocialAccountIDs, p.SocialAccountIDs) || !slices.Equal(resent.Labels, []string{"launch"}) {
			t.Errorf("resent: %+v", resent)
		}
		old := f.do(nil, "GET", "/posts/"+p.ID, nil).want(200).post()
		if old.ArchivedAt == nil || old.ResentAs == nil || *old.ResentAs != resent.ID || old.Content != p.Content || old.Status != schedctl.Failed {
			t.Errorf("the failed post: %+v", old)
		}
		f.do(nil, "POST", "/posts/"+p.ID+"/resend", nil).refused(schedctl.PostNotRetryable)
		f.do(nil, "POST", "/posts/"+p.ID+"/retry", nil).refused(schedctl.PostNotRetryable)

		p = f.inStatus(schedctl.Failed)
		f.do(nil, "POST", "/posts/"+p.ID+"/archive", nil).want(200)
		if retried := f.do(nil, "POST", "/posts/"+p.ID+"/retry", nil).want(http.StatusAccepted).post(); retried.ArchivedAt != nil {
			t.Error("a post that is sent again stays archived")
		}
	})
}

func TestResendSendsNothingTwice(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	p := f.inStatus(schedctl.Publishing)
	f.finish(p.ID, schedctl.Result{Error: &schedctl.TargetError{Kind: schedctl.KindUnknown, Message: "?", Outcome: schedctl.OutcomeUnknown}})
	f.do(nil, "POST", "/posts/"+p.ID+"/resend", nil).refused(schedctl.PostNotRetryable)
	if resent := f.do(nil, "POST", "/posts/"+p.ID+"/resend", body{"force": true}).want(http.StatusCreated).post(); resent.Status != schedctl.Draft {
		t.Errorf("without a time: %s", resent.Status)
	}
}
