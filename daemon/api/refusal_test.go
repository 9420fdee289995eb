package api_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/daemon/clock"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// refusals has at least one request for every error code of the API.
var refusals = []struct {
	name  string
	code  schedctl.Code
	field string // of the first detail, when there is one
	do    func(f *fixture) *response
}{
	{"broken JSON", schedctl.InvalidJSON, "", func(f *fixture) *response {
		return f.do(nil, "POST", "/posts", `{"content": "x"`)
	}},
	{"a post without its approval", schedctl.ApprovalMissing, "", func(f *fixture) *response {
		f.do(nil, "PATCH", "/workspaces/"+f.mine.workspace, body{"approvals": "all"}).want(200)
		return f.do(nil, "POST", "/posts", body{"content": "x", "social_account_ids": []string{f.mine.account}, "publish_at": in(time.Hour)})
	}},
	{"a policy for scheduled posts", schedctl.ExistingPosts, "existing", func(f *fixture) *response {
		f.scheduled()
		return f.do(nil, "PATCH", "/workspaces/"+f.mine.workspace, body{"approvals": "all"})
	}},
	{"an approval that was not asked for", schedctl.ApprovalNotPending, "", func(f *fixture) *response {
		return f.do(nil, "POST", "/posts/"+f.draft().ID+"/approve", body{"publish_at": in(time.Hour)})
	}},
	{"an approval of an unknown version", schedctl.VersionRequired, "If-Match", func(f *fixture) *response {
		path := "/posts/" + f.draft().ID
		f.do(nil, "POST", path+"/submit", nil).want(200)
		return f.do(header("If-Match", "*"), "POST", path+"/approve", nil)
	}},
	{"one's own approval", schedctl.SelfApproval, "", func(f *fixture) *response {
		path := "/posts/" + f.draft().ID
		f.do(nil, "POST", path+"/submit", nil).want(200)
		return f.do(nil, "POST", path+"/approve", body{"publish_at": in(time.Hour)})
	}},
	{"another key's draft", schedctl.NotYourDraft, "", func(f *fixture) *response {
		agent := f.newKey(f.mine.workspace, func(k *schedctl.APIKey) { k.Agent, k.Scopes = true, []schedctl.Scope{schedctl.ScopePostsWrite} })
		return f.do(as(agent), "PATCH", "/posts/"+f.draft().ID, body{"content": "x"})
	}},
	{"a duplicate of an agent", schedctl.KeyNotAllowed, "allow_duplicate", func(f *fixture) *response {
		agent := f.newKey(f.mine.workspace, func(k *schedctl.APIKey) { k.Agent, k.Scopes = true, []schedctl.Scope{schedctl.ScopePostsWrite} })
		return f.do(as(agent), "POST", "/posts", body{"content": "x", "allow_duplicate": true})
	}},
	{"no body", schedctl.InvalidJSON, "", func(f *fixture) *response {
		return f.do(nil, "POST", "/posts", nil)
	}},
	{"no content", schedctl.ValidationFailed, "content", func(f *fixture) *response {
		return f.do(nil, "POST", "/posts", body{})
	}},
	{"white space", schedctl.ValidationFailed, "content", func(f *fixture) *response {
		return f.do(nil, "POST", "/posts", body{"content": " \n\t "})
	}},
	{"a mistyped field", schedctl.ValidationFailed, "publish_ta", func(f *fixture) *response {
		return f.do(nil, "POST", "/posts", body{"content": "x", "publish_ta": in(time.Hour)})
	}},
	{"a time of the wrong type", schedctl.ValidationFailed, "publish_at", func(f *fixture) *response {
		return f.do(nil, "POST", "/posts", body{"content": "x", "publish_at": 1780412400})
	}},
	{"an empty edit", schedctl.ValidationFailed, "", func(f *fixture) *response {
		return f.do(nil, "PATCH", "/posts/"+f.draft().ID, body{})
	}},
	{"schedule without a time", schedctl.ValidationFailed, "publish_at", func(f *fixture) *response {
		return f.do(nil, "POST", "/posts/"+f.draft().ID+"/schedule", body{})
	}},
	{"a body where none belongs", schedctl.ValidationFailed, "reason", func(f *fixture) *response {
		return f.do(nil, "POST", "/posts/"+f.scheduled().ID+"/cancel", body{"reason": "rain"})
	}},
	{"a malformed If-Match", schedctl.ValidationFailed, "If-Match", func(f *fixture) *response {
		return f.do(header("If-Match", "1"), "PATCH", "/posts/"+f.draft().ID, body{"content": "y"})
	}},
	{"a time in the past", schedctl.InvalidPublishAt, "publish_at", func(f *fixture) *response {
		return f.do(nil, "POST", "/posts", body{"content": "x", "social_account_ids": []string{f.mine.account}, "publish_at": "2020-01-01T00:00:00Z"})
	}},
	{"a local time", schedctl.InvalidPublishAt, "publish_at", func(f *fixture) *response {
		return f.do(nil, "POST", "/posts", body{"content": "x", "publish_at": "2036-06-02T15:00:00"})
	}},
	{"no time for a scheduled post", schedctl.InvalidPublishAt, "publish_at", func(f *fixture) *response {
		return f.do(nil, "PATCH", "/posts/"+f.scheduled().ID, body{"publish_at": nil})
	}},
	{"now for an edit", schedctl.InvalidPublishAt, "publish_at", func(f *fixture) *response {
		return f.do(nil, "PATCH", "/posts/"+f.draft().ID, body{"publish_at": "now"})
	}},
	{"now for a schedule", schedctl.InvalidPublishAt, "publish_at", func(f *fixture) *response {
		return f.do(nil, "POST", "/posts/"+f.draft().ID+"/schedule", body{"publish_at": "now"})
	}},
	{"long content", schedctl.ContentTooLong, "content", func(f *fixture) *response {
		return f.do(nil, "POST", "/posts", body{"content": strings.Repeat("é", 5001)})
	}},
	{"an edit to long content", schedctl.ContentTooLong, "content", func(f *fixture) *response {
		return f.do(nil, "PATCH", "/posts/"+f.draft().ID, body{"content": strings.Repeat("é", 5001)})
	}},
	{"scheduled without an account", schedctl.InvalidSocialAccounts, "social_account_ids", func(f *fixture) *response {
		return f.do(nil, "POST", "/posts", body{"content": "x", "publish_at": in(time.Hour)})
	}},
	{"an unknown account", schedctl.InvalidSocialAccounts, "social_account_ids", func(f *fixture) *response {
		return f.do(nil, "POST", "/posts", body{"content": "x", "social_account_ids": []string{"acct_nobody"}})
	}},
	{"an account twice", schedctl.InvalidSocialAccounts, "social_account_ids", func(f *fixture) *response {
		return f.do(nil, "POST", "/posts", body{"content": "x", "social_account_ids": []string{f.mine.account, f.mine.account}})
	}},
	{"too many accounts", schedctl.InvalidSocialAccounts, "social_account_ids", func(f *fixture) *response {
		return f.do(nil, "POST", "/posts", body{"content": "x", "social_account_ids": slices.Repeat([]string{f.mine.account}, 101)})
	}},
	{"an id longer than any", schedctl.InvalidSocialAccounts, "social_account_ids[0]", func(f *fixture) *response {
		return f.do(nil, "POST", "/posts", body{"content": "x", "social_account_ids": []string{strings.Repeat("a", 1000)}})
	}},
	{"an account in a different workspace", schedctl.InvalidSocialAccounts, "social_account_ids", func(f *fixture) *response {
		return f.do(nil, "POST", "/posts", body{"content": "x", "social_account_ids": []string{f.other.account}})
	}},
	{"a disconnected account", schedctl.InvalidSocialAccounts, "social_account_ids", func(f *fixture) *response {
		f.do(nil, "DELETE", "/social-accounts/"+f.mine.account, nil).want(204)
		return f.do(nil, "POST", "/posts", body{"content": "x", "social_account_ids": []string{f.mine.account}})
	}},
	{"a draft for an account that was disconnected since", schedctl.InvalidSocialAccounts, "social_account_ids", func(f *fixture) *response {
		p := f.draft()
		f.do(nil, "DELETE", "/social-accounts/"+f.mine.account, nil).want(204)
		return f.do(nil, "POST", "/posts/"+p.ID+"/schedule", body{"publish_at": in(time.Hour)})
	}},
	{"the same at once", schedctl.InvalidSocialAccounts, "social_account_ids", func(f *fixture) *response {
		p := f.draft()
		f.do(nil, "DELETE", "/social-accounts/"+f.mine.account, nil).want(204)
		return f.do(nil, "POST", "/posts/"+p.ID+"/publish-now", nil)
	}},
	{"the same by an edit", schedctl.InvalidSocialAccounts, "social_account_ids", func(f *fixture) *response {
		p := f.draft()
		f.do(nil, "DELETE", "/social-accounts/"+f.mine.account, nil).want(204)
		f.do(nil, "PATCH", "/posts/"+p.ID, body{"content": "still a draft"}).want(200)
		return f.do(nil, "PATCH", "/posts/"+p.ID, body{"publish_at": in(time.Hour)})
	}},
	{"an external id with a space", schedctl.ValidationFailed, "external_id", func(f *fixture) *response {
		return f.do(nil, "POST", "/posts", body{"content": "x", "external_id": "a b"})
	}},
	{"a long external id", schedctl.ValidationFailed, "external_id", func(f *fixture) *response {
		return f.do(nil, "PATCH", "/posts/"+f.draft().ID, body{"external_id": strings.Repeat("a", schedctl.MaxExternalID+1)})
	}},
	{"an existing external id", schedctl.ExternalIDExists, "external_id", func(f *fixture) *response {
		f.do(nil, "POST", "/posts", body{"content": "x", "external_id": "a"}).want(201)
		return f.do(nil, "POST", "/posts", body{"content": "y", "external_id": "a"})
	}},
	{"an external id in use", schedctl.ExternalIDExists, "external_id", func(f *fixture) *response {
		f.do(nil, "POST", "/posts", body{"content": "x", "external_id": "a"}).want(201)
		return f.do(nil, "PATCH", "/posts/"+f.draft().ID, body{"external_id": "a"})
	}},
	{"a second external id", schedctl.PostNotEditable, "external_id", func(f *fixture) *response {
		p := f.draft()
		f.do(nil, "PATCH", "/posts/"+p.ID, body{"external_id": "a"}).want(200)
		return f.do(nil, "PATCH", "/posts/"+p.ID, body{"external_id": "b"})
	}},
	{"no external id in place of one", schedctl.PostNotEditable, "external_id", func(f *fixture) *response {
		p := f.draft()
		f.do(nil, "PATCH", "/posts/"+p.ID, body{"external_id": "a"}).want(200)
		return f.do(nil, "PATCH", "/posts/"+p.ID, body{"external_id": nil})
	}},
	{"a replacement without an external id", schedctl.ValidationFailed, "", func(f *fixture) *response {
		return f.do(nil, "POST", "/posts", body{"content": "x", "replaces": f.draft().ID})
	}},
	{"a replacement of an unknown post", schedctl.NotFound, "", func(f *fixture) *response {
		return f.do(nil, "POST", "/posts", body{"content": "x", "external_id": "a", "replaces": schedctl.NewID(schedctl.PostPrefix, time.Now())})
	}},
	{"a replacement of what is no id", schedctl.ValidationFailed, "replaces", func(f *fixture) *response {
		return f.do(nil, "POST", "/posts", body{"content": "x", "external_id": "a", "replaces": "post_1"})
	}},
	{"a replacement of a draft", schedctl.PostNotReplaceable, "replaces", func(f *fixture) *response {
		p := f.draft()
		f.do(nil, "PATCH", "/posts/"+p.ID, body{"external_id": "a"}).want(200)
		return f.do(nil, "POST", "/posts", body{"content": "x", "external_id": "a", "replaces": p.ID})
	}},
	{"a replacement of a post with another external id", schedctl.PostNotReplaceable, "replaces", func(f *fixture) *response {
		p := f.scheduled()
		f.do(nil, "PATCH", "/posts/"+p.ID, body{"external_id": "a"}).want(200)
		f.do(nil, "POST", "/posts/"+p.ID+"/cancel", nil).want(200)
		return f.do(nil, "POST", "/posts", body{"content": "x", "external_id": "b", "replaces": p.ID})
	}},
	{"a reserved collection", schedctl.ValidationFailed, "managed.collection", func(f *fixture) *response {
		return f.do(nil, "POST", "/posts", body{"content": "x", "managed": body{"collection": "import", "path": "a.md", "digest": "1"}})
	}},
	{"a collection of sources", schedctl.ValidationFailed, "id", func(f *fixture) *response {
		return f.do(nil, "PUT", "/collections/source", body{"source": "example.org/a"})
	}},
	{"an external id of sources", schedctl.ValidationFailed, "external_id", func(f *fixture) *response {
		return f.do(nil, "POST", "/posts", body{"content": "x", "external_id": "source/a"})
	}},
	{"an external id of sources for a draft", schedctl.ValidationFailed, "external_id", func(f *fixture) *response {
		return f.do(nil, "PATCH", "/posts/"+f.draft().ID, body{"external_id": "source/a"})
	}},
	{"a managed post without a digest", schedctl.ValidationFailed, "managed.digest", func(f *fixture) *response {
		return f.do(nil, "PATCH", "/posts/"+f.draft().ID, body{"managed": body{"collection": "a", "path": "a.md"}})
	}},
	{"a cancellation with an unknown field of managed", schedctl.ValidationFailed, "managed.prune", func(f *fixture) *response {
		return f.do(nil, "POST", "/posts/"+f.scheduled().ID+"/cancel", body{"managed": body{"prune": true}})
	}},
	{"too many labels", schedctl.ValidationFailed, "labels", func(f *fixture) *response {
		return f.do(nil, "POST", "/posts", body{"content": "x", "labels": slices.Repeat([]string{"a"}, schedctl.MaxLabels+1)})
	}},
	{"a label with a comma", schedctl.ValidationFailed, "labels[1]", func(f *fixture) *response {
		return f.do(nil, "POST", "/posts", body{"content": "x", "labels": []string{"a", "b,c"}})
	}},
	{"a filter by no label", schedctl.ValidationFailed, "label", func(f *fixture) *response {
		return f.do(nil, "GET", "/posts?label=", nil)
	}},
	{"a filter by what is no collection", schedctl.ValidationFailed, "collection", func(f *fixture) *response {
		return f.do(nil, "GET", "/posts?collection=a/b", nil)
	}},
	{"a filter by what is no external id", schedctl.ValidationFailed, "external_id", func(f *fixture) *response {
		return f.do(nil, "GET", "/posts?external_id=", nil)
	}},
	{"unscheduling a published post", schedctl.PostNotScheduled, "", func(f *fixture) *response {
		return f.do(nil, "POST", "/posts/"+onePost(schedctl.Published)(f)[0]+"/unschedule", nil)
	}},
	{"unscheduling a canceled post", schedctl.PostCanceled, "", func(f *fixture) *response {
		p := f.scheduled()
		f.do(nil, "POST", "/posts/"+p.ID+"/cancel", nil).want(200)
		return f.do(nil, "POST", "/posts/"+p.ID+"/unschedule", nil)
	}},
	{"a foreign cursor", schedctl.InvalidCursor, "cursor", func(f *fixture) *response {
		return f.do(nil, "GET", "/posts?cursor=abc", nil)
	}},
	{"an empty idempotency key", schedctl.InvalidIdempotencyKey, "Idempotency-Key", func(f *fixture) *response {
		return f.do(key(""), "POST", "/posts", body{"content": "x"})
	}},
	{"a long idempotency key", schedctl.InvalidIdempotencyKey, "Idempotency-Key", func(f *fixture) *response {
		return f.do(key(strings.Repeat("k", 256)), "POST", "/posts", body{"content": "x"})
	}},
	{"an idempotency key with a space", schedctl.InvalidIdempotencyKey, "Idempotency-Key", func(f *fixture) *response {
		return f.do(key("a b"), "DELETE", "/posts/x", nil)
	}},
	{"two idempotency keys", schedctl.InvalidIdempotencyKey, "Idempotency-Key", func(f *fixture) *response {
		return f.do(func(r *http.Request) { r.Header["Idempotency-Key"] = []string{"a", "b"} }, "POST", "/posts", body{"content": "x"})
	}},
	{"refused credentials", schedctl.AccountVerificationFailed, "credentials", func(f *fixture) *response {
		return f.do(nil, "POST", "/social-accounts", body{"platform": "fake", "credentials": body{"token": "refused"}})
	}},
	{"no key", schedctl.AuthenticationRequired, "", func(f *fixture) *response {
		return f.do(header("Authorization", ""), "GET", "/me", nil)
	}},
	{"another scheme", schedctl.AuthenticationRequired, "", func(f *fixture) *response {
		return f.do(header("Authorization", "Basic "+f.mine.key), "GET", "/me", nil)
	}},
	{"a scheme alone", schedctl.AuthenticationRequired, "", func(f *fixture) *response {
		return f.do(header("Authorization", "Bearer "), "GET", "/me", nil)
	}},
	{"a mistyped key", schedctl.InvalidAPIKey, "", func(f *fixture) *response {
		return f.do(as(f.mine.key+"x"), "GET", "/me", nil)
	}},
	{"an unknown key", schedctl.InvalidAPIKey, "", func(f *fixture) *response {
		secret, _ := schedctl.NewKeySecret()
		return f.do(as(secret), "GET", "/me", nil)
	}},
	{"a revoked key", schedctl.APIKeyRevoked, "", func(f *fixture) *response {
		return f.do(as(f.newKey(f.mine.workspace, func(k *schedctl.APIKey) { k.RevokedAt = time.Now() })), "GET", "/me", nil)
	}},
	{"an expired key", schedctl.APIKeyExpired, "", func(f *fixture) *response {
		return f.do(as(f.newKey(f.mine.workspace, func(k *schedctl.APIKey) { k.ExpiresAt = time.Now() })), "GET", "/me", nil)
	}},
	{"a key before a body", schedctl.AuthenticationRequired, "", func(f *fixture) *response {
		return f.do(header("Authorization", ""), "POST", "/posts", "{")
	}},
	{"a scope before a post that is not there", schedctl.InsufficientScope, "", func(f *fixture) *response {
		return f.do(as(f.scoped(schedctl.ScopePostsRead)), "DELETE", "/posts/post_nothing", nil)
	}},
	{"an account the key is not for", schedctl.AccountNotAllowed, "social_account_ids", func(f *fixture) *response {
		limited := f.newKey(f.mine.workspace, func(k *schedctl.APIKey) { k.AccountIDs = []string{f.mine.account} })
		second := f.newAccount(f.mine, "second")
		return f.do(as(limited), "POST", "/posts", body{"content": "x", "social_account_ids": []string{second}})
	}},
	{"a new account with a limited key", schedctl.AccountNotAllowed, "", func(f *fixture) *response {
		limited := f.newKey(f.mine.workspace, func(k *schedctl.APIKey) { k.AccountIDs = []string{f.mine.account} })
		return f.do(as(limited), "POST", "/social-accounts", body{"platform": "fake"})
	}},
	{"no such post", schedctl.NotFound, "", func(f *fixture) *response {
		return f.do(nil, "GET", "/posts/post_00000000000000000000000000", nil)
	}},
	{"no such account", schedctl.NotFound, "", func(f *fixture) *response {
		return f.do(nil, "GET", "/social-accounts/nonsense", nil)
	}},
	{"no such path", schedctl.NotFound, "", func(f *fixture) *response {
		return f.exchange(header("Authorization", ""), "GET", "/api/v2/posts", nil)
	}},
	{"a wrong method", schedctl.MethodNotAllowed, "", func(f *fixture) *response {
		return f.do(nil, "PUT", "/posts", body{})
	}},
	{"no JSON accepted", schedctl.NotAcceptable, "", func(f *fixture) *response {
		return f.do(header("Accept", "text/html"), "GET", "/me", nil)
	}},
	{"edit what is published", schedctl.PostNotEditable, "", func(f *fixture) *response {
		return f.do(nil, "PATCH", "/posts/"+f.inStatus(schedctl.Published).ID, body{"content": "y"})
	}},
	{"the state before the accounts", schedctl.PostNotEditable, "", func(f *fixture) *response {
		return f.do(nil, "PATCH", "/posts/"+f.inStatus(schedctl.Failed).ID, body{"social_account_ids": []string{"nobody"}})
	}},
	{"delete what is scheduled", schedctl.PostNotDeletable, "", func(f *fixture) *response {
		return f.do(nil, "DELETE", "/posts/"+f.scheduled().ID, nil)
	}},
	{"cancel a draft", schedctl.PostNotCancelable, "", func(f *fixture) *response {
		return f.do(nil, "POST", "/posts/"+f.draft().ID+"/cancel", nil)
	}},
	{"schedule what is scheduled", schedctl.PostNotDraft, "", func(f *fixture) *response {
		return f.do(nil, "POST", "/posts/"+f.scheduled().ID+"/schedule", body{"publish_at": in(time.Hour)})
	}},
	{"schedule what is canceled", schedctl.PostCanceled, "", func(f *fixture) *response {
		return f.do(nil, "POST", "/posts/"+f.inStatus(schedctl.Canceled).ID+"/schedule", body{"publish_at": in(time.Hour)})
	}},
	{"retry what did not fail", schedctl.PostNotRetryable, "", func(f *fixture) *response {
		return f.do(nil, "POST", "/posts/"+f.scheduled().ID+"/retry", nil)
	}},
	{"read what is not published", schedctl.ResultsUnavailable, "", func(f *fixture) *response {
		return f.do(nil, "POST", "/posts/"+f.scheduled().ID+"/results/refresh", nil)
	}},
	{"archive what is not over", schedctl.PostNotOver, "", func(f *fixture) *response {
		return f.do(nil, "POST", "/posts/"+f.scheduled().ID+"/archive", nil)
	}},
	{"a key used again", schedctl.IdempotencyKeyReused, "", func(f *fixture) *response {
		f.do(key("k"), "POST", "/posts", body{"content": "x"}).want(201)
		return f.do(key("k"), "POST", "/posts", body{"content": "y"})
	}},
	{"a first call under way", schedctl.IdempotencyRunning, "", callUnderWay},
	{"an old version", schedctl.VersionMismatch, "If-Match", func(f *fixture) *response {
		return f.do(header("If-Match", `"7"`), "POST", "/posts/"+f.scheduled().ID+"/cancel", nil)
	}},
	{"a large body", schedctl.BodyTooLarge, "", func(f *fixture) *response {
		return f.do(nil, "POST", "/posts", body{"content": strings.Repeat("x", 1<<20)})
	}},
	{"a form", schedctl.UnsupportedMediaType, "", func(f *fixture) *response {
		return f.do(header("Content-Type", "application/x-www-form-urlencoded"), "POST", "/posts", "content=x")
	}},
	{"JSON in another encoding", schedctl.UnsupportedMediaType, "", func(f *fixture) *response {
		return f.do(header("Content-Type", "application/json; charset=latin1"), "POST", "/posts", body{"content": "x"})
	}},
	{"a publisher that panics", schedctl.Internal, "", func(f *fixture) *response {
		f.network.panicking()
		return f.do(nil, "POST", "/posts", f.planned("x", time.Hour))
	}},
	{"a text that the account has already", schedctl.DuplicateContent, "content", func(f *fixture) *response {
		f.guarded()
		f.create(f.planned("x", time.Hour))
		return f.do(nil, "POST", "/posts", f.planned("x", 2*time.Hour))
	}},
	{"a full disk", schedctl.InsufficientStorage, "", func(f *fixture) *response {
		f.store.SetFull()
		return f.do(nil, "POST", "/posts", body{"content": "x"})
	}},
	{"a full disk before a network is asked", schedctl.InsufficientStorage, "", func(f *fixture) *response {
		f.store.SetFull()
		return f.do(nil, "POST", "/social-accounts/"+f.mine.account+"/verify", nil)
	}},
	{"a disk that fails", schedctl.Unavailable, "", func(f *fixture) *response {
		f.store.FailUpdates(1, storagetest.BeforeDisk)
		return f.do(nil, "POST", "/posts", body{"content": "x"})
	}},
	{"a database that cannot be read", schedctl.Unavailable, "", func(f *fixture) *response {
		f.store.FailViews(1)
		return f.do(nil, "GET", "/posts", nil)
	}},
	{"a network out of reach", schedctl.Unavailable, "", func(f *fixture) *response {
		f.network.refuse(&publish.Error{Kind: schedctl.KindNetwork, Message: "no route to host", Outcome: schedctl.OutcomeNotPublished})
		return f.do(nil, "POST", "/social-accounts", body{"platform": "fake", "name": "new"})
	}},
	{"an empty file", schedctl.MediaInvalid, "", func(f *fixture) *response { return f.do(nil, "POST", "/media", []byte{}) }},
	{"a drawing", schedctl.MediaTypeNotAllowed, "", func(f *fixture) *response { return f.do(nil, "POST", "/media", mediatest.SVG()) }},
	{"a picture that is too large", schedctl.MediaTooLarge, "size_bytes", func(f *fixture) *response { return f.announceSize(20e6 + 1) }},
	{"more than the quota", schedctl.MediaQuotaExceeded, "", func(f *fixture) *response {
		for range 500 {
			f.announceSize(20e6).want(http.StatusCreated)
		}
		return f.announceSize(20e6)
	}},
	{"an upload URL with a wrong token", schedctl.UploadURLInvalid, "", func(f *fixture) *response {
		file := mediatest.PNG(3, 3)
		return f.do(nil, "PUT", f.announce(file).path()+"x", file)
	}},
	{"an upload link with a wrong token", schedctl.NotFound, "", func(f *fixture) *response {
		return f.do(nil, "PUT", f.link(nil).path()+"x", mediatest.PNG(3, 3))
	}},
	{"other bytes for an upload URL", schedctl.MediaUploaded, "", func(f *fixture) *response {
		file := mediatest.PNG(3, 3)
		up := f.announce(file)
		f.do(nil, "PUT", up.path(), file).want(http.StatusNoContent)
		return f.do(func(r *http.Request) { r.ContentLength = -1 }, "PUT", up.path(), mediatest.PNG(30, 30))
	}},
	{"the content of a pending asset", schedctl.MediaNotReady, "", func(f *fixture) *response {
		return f.do(nil, "GET", "/media/"+f.announce(mediatest.PNG(3, 3)).MediaAsset.ID+"/content", nil)
	}},
	{"a slot without a queue", schedctl.NoQueue, "queue_id", func(f *fixture) *response { return f.do(nil, "POST", "/posts", f.inSlot(nil)) }},
	{"a slot of a full queue", schedctl.QueueFull, "queue_id", func(f *fixture) *response {
		f.newQueue(nil)
		f.changeAccount(f.mine.account, func(a *schedctl.Account) {
			a.Blackouts = []schedctl.AccountBlackout{{
				ID: schedctl.NewID(schedctl.BlackoutPrefix, time.Now()), Mode: schedctl.BlackoutAvoid,
				From: time.Date(2036, 1, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2038, 1, 1, 0, 0, 0, 0, time.UTC),
			}}
		})
		return f.do(nil, "POST", "/posts", f.inSlot(nil))
	}},
	{"a queue with the name of another", schedctl.NameTaken, "name", func(f *fixture) *response {
		f.newQueue(nil)
		return f.do(nil, "POST", "/queues", body{"name": "daily", "timezone": "Europe/Rome", "times": []body{everyDay("10:00")}})
	}},
	{"another account in a taken slot", schedctl.SlotTaken, "publish_at", func(f *fixture) *response {
		f.newQueue(nil)
		spare := f.newAccount(f.mine, "spare")
		f.create(f.inSlot(body{"social_account_ids": []string{spare}}))
		return f.do(nil, "PATCH", "/posts/"+f.create(f.inSlot(nil)).ID, body{"social_account_ids": []string{spare}})
	}},
	{"a slot without a default queue", schedctl.NoQueue, "queue_id", func(f *fixture) *response {
		f.newQueue(body{"social_account_ids": []string{f.newAccount(f.mine, "spare")}})
		return f.do(nil, "POST", "/posts", f.inSlot(nil))
	}},
	{"a slot of two queues", schedctl.ValidationFailed, "queue_id", func(f *fixture) *response {
		f.newQueue(body{"name": "one", "social_account_ids": []string{f.mine.account}})
		f.newQueue(body{"name": "two", "social_account_ids": []string{f.mine.account}})
		return f.do(nil, "POST", "/posts", f.inSlot(nil))
	}},
	{"a queue without the account", schedctl.ValidationFailed, "queue_id", func(f *fixture) *response {
		q := f.newQueue(body{"social_account_ids": []string{f.newAccount(f.mine, "spare")}})
		return f.do(nil, "POST", "/posts", f.inSlot(body{"queue_id": q.ID}))
	}},
	{"a blackout with a reason", schedctl.InBlackout, "publish_at", func(f *fixture) *response {
		f.blackout(body{"from": "2036-06-01T00:00", "to": "2036-06-03T00:00", "timezone": "UTC", "mode": "avoid", "reason": "Summer party"})
		return f.do(nil, "POST", "/posts", body{"content": "x", "social_account_ids": []string{f.mine.account}, "publish_at": "2036-06-02T15:00:00Z"})
	}},
	{"a fixed time in a blackout", schedctl.InBlackout, "publish_at", func(f *fixture) *response {
		f.blackout(body{"from": "2036-06-01T00:00", "to": "2036-06-03T00:00", "timezone": "UTC", "mode": "avoid"})
		return f.do(nil, "POST", "/posts", body{"content": "x", "social_account_ids": []string{f.mine.account}, "publish_at": "2036-06-02T15:00:00Z"})
	}},
	{"a pause of an ended series", schedctl.SeriesIsOver, "", func(f *fixture) *response {
		path := "/series/" + f.series(f.weekly(nil)).ID
		f.do(nil, "POST", path+"/end", nil).want(http.StatusOK)
		return f.do(nil, "POST", path+"/pause", nil)
	}},
	{"files of another repository", schedctl.SourceMismatch, "source", func(f *fixture) *response {
		f.applied("example.org/a", "", time.Time{}, nil).want(http.StatusOK)
		return f.applied("example.org/b", "", time.Time{}, nil)
	}},
	{"files of an older commit", schedctl.OlderRevision, "revision", func(f *fixture) *response {
		f.applied("example.org/a", "1234567", time.Unix(1e9, 0), nil).want(http.StatusOK)
		return f.applied("example.org/a", "0123456", time.Unix(1e9-1, 0), nil)
	}},
	{"a source with the name of another", schedctl.SourceExists, "name", func(f *fixture) *response {
		f.source(nil)
		return f.do(nil, "POST", "/sources", newSource(f, body{"url": "https://example.com/other"}))
	}},
	{"a page in the place of a feed", schedctl.SourceNotAFeed, "url", func(f *fixture) *response {
		return f.do(nil, "POST", "/sources/preview", newSource(f, body{"url": pageURL}))
	}},
	{"a pause of a held source", schedctl.SourceHeldBack, "", func(f *fixture) *response {
		id := f.source(nil).ID
		f.flooded(id)
		return f.do(nil, "POST", "/sources/"+id+"/pause", nil)
	}},
	{"the asset of a draft", schedctl.MediaInUse, "", func(f *fixture) *response {
		id := f.upload(mediatest.PNG(3, 3)).ID
		f.create(body{"content": "x", "media_asset_ids": []string{id}})
		return f.do(nil, "DELETE", "/media/"+id, nil)
	}},
}

// laterCodes belong to features that the API does not have yet.
var laterCodes = []schedctl.Code{schedctl.RateLimited}

// callUnderWay repeats a request whose first instance waits for its network.
func callUnderWay(f *fixture) *response {
	f.t.Helper()
	release := make(chan struct{})
	began := f.network.holdConnects(release)
	add := func() *response {
		return f.do(key("slow"), "POST", "/social-accounts", body{"platform": "fake", "name": "slow"})
	}
	first := make(chan *response)
	go func() { first <- add() }()
	<-began
	second := add()
	close(release)
	(<-first).want(http.StatusCreated)
	if got := second.header.Get("Retry-After"); got != "1" {
		f.t.Errorf("Retry-After: %q", got)
	}
	if again := add().want(http.StatusCreated); again.header.Get("Idempotent-Replayed") != "true" {
		f.t.Error("the third request does not get the response stored by the first")
	}
	return second
}

// againLater are the errors that say when to retry.
var againLater = []schedctl.Code{schedctl.Unavailable, schedctl.IdempotencyRunning, schedctl.InsufficientStorage}

// namedID is an id of something that people know by its name. Messages may have it if the key
// must not learn the name, if there is none, or in the path of a request. The storage, which
// finds taken slots, knows no names; the command line and the TUI put them in.
var (
	namedID  = regexp.MustCompile(`\b(acct|que|blk)_[0-9A-Z]{26}\b`)
	idNeeded = regexp.MustCompile(`this API key may not|no such account|another post for|GET /api/v1/queues/`)
)

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, tt := range refusals {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := tt.do(newFixture(t))
			e := r.refused(tt.code)
			if got := r.header.Get("Content-Type"); got != "application/json" {
				t.Errorf("Content-Type: %s", got)
			}
			field := ""
			if len(e.Details) > 0 {
				field = e.Details[0].Field
			}
			if field != tt.field {
				t.Errorf("the field at fault is %q and not %q: %s", field, tt.field, e.Message)
			}
			if id := namedID.FindString(e.Message); id != "" && !idNeeded.MatchString(e.Message) {
				t.Errorf("the message has the id %s, where people know a name: %s", id, e.Message)
			}
			if auth := r.header.Get("WWW-Authenticate"); (auth == "Bearer") != (r.status == http.StatusUnauthorized) {
				t.Errorf("status %d with WWW-Authenticate: %q", r.status, auth)
			}
			if after := r.header.Get("Retry-After"); (after != "") != slices.Contains(againLater, tt.code) {
				t.Errorf("%s with Retry-After: %q", tt.code, after)
			}
		})
	}
}

func TestRefusalsCoverEveryCode(t *testing.T) {
	t.Parallel()
	covered := slices.Clone(laterCodes)
	for _, tt := range refusals {
		covered = append(covered, tt.code)
	}
	for _, code := range schedctl.Codes() {
		if !slices.Contains(covered, code) {
			t.Errorf("no request is refused with %s", code)
		}
	}
}

func TestInternalErrorsAreLoggedAndNotGiven(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.network.panicking()
	e := f.do(nil, "POST", "/posts", f.planned("x", time.Hour)).refused(schedctl.Internal)
	if strings.Contains(e.Message, "out of cheese") {
		t.Errorf("the text of an internal error is sent: %s", e.Message)
	}
	if logs := f.logs.String(); !strings.Contains(logs, "out of cheese") || !strings.Contains(logs, e.RequestID) {
		t.Errorf("the log has neither the error nor the request:\n%s", logs)
	}
}

func TestStorageFailuresAreLoggedAndChangeNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.store.FailUpdates(1, storagetest.BeforeDisk)
	e := f.do(nil, "POST", "/posts", body{"content": "x"}).refused(schedctl.Unavailable)
	if want := "the daemon could not store this and changed nothing; see its log"; e.Message != want {
		t.Errorf("message %q, want %q", e.Message, want)
	}
	if logs := f.logs.String(); !strings.Contains(logs, storagetest.ErrInjected.Error()) || !strings.Contains(logs, e.RequestID) {
		t.Errorf("the log has neither the failure nor the request:\n%s", logs)
	}
	if list := decodeAs[apiv1.PostList](t, f.do(nil, "GET", "/posts", nil).want(200)); list.Count != 0 {
		t.Errorf("%d posts are there", list.Count)
	}
}

func TestSeveralFaultsAreAllTold(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	e := f.do(nil, "POST", "/posts", `{"content": 5, "publish_at": "tomorrow", "social_acount_ids": []}`).refused(schedctl.ValidationFailed)
	var got []string
	for _, d := range e.Details {
		got = append(got, d.Field+" "+string(d.Code))
	}
	want := []string{"content VALIDATION_FAILED", "publish_at INVALID_PUBLISH_AT", "social_acount_ids VALIDATION_FAILED"}
	if !slices.Equal(got, want) {
		t.Errorf("details %v, want %v", got, want)
	}
	if want := `did you mean "social_account_ids"?`; !strings.Contains(e.Details[2].Message, want) {
		t.Errorf("%q does not say %s", e.Details[2].Message, want)
	}
}

func TestReadyAndHealth(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.exchange(header("Authorization", ""), "GET", "/healthz", nil).want(200)
	f.exchange(header("Authorization", ""), "GET", "/readyz", nil).want(200)

	f.handler = api.New(api.Config{Ready: func(context.Context) error { return errors.New("the loop has not started") }})
	f.exchange(nil, "GET", "/healthz", nil).want(200)
	e := f.exchange(nil, "GET", "/readyz", nil).refused(schedctl.Unavailable)
	if !strings.Contains(e.Message, "the loop has not started") {
		t.Errorf("no reason in %q", e.Message)
	}
}

// A daemon with an uncertain clock, or with other work that waits, is ready and reports it.
func TestReadyWarns(t *testing.T) {
	t.Parallel()
	doubted := clock.New(time.Now().Add(-39*24*time.Hour), slog.New(slog.DiscardHandler))
	f := newFixture(t)
	overdue := ""
	f.handler = api.New(api.Config{Clock: doubted, Warning: func(context.Context) string { return overdue }})
	for range 2 {
		said := decodeAs[struct {
			Status   string
			Warnings []string
		}](t, f.exchange(nil, "GET", "/readyz", nil).want(200))
		if said.Status != "ok" || len(said.Warnings) == 0 || !strings.Contains(said.Warnings[0], "Posts that were scheduled before") {
			t.Errorf("%+v", said)
		}
		if overdue == "" && len(said.Warnings) != 1 || overdue != "" && (len(said.Warnings) != 2 || said.Warnings[1] != overdue) {
			t.Errorf("with the warning %q: %+v", overdue, said)
		}
		overdue = "a sweep is overdue"
	}
}

func TestPanicAfterTheAnswerBegan(t *testing.T) {
	t.Parallel()
	h := api.New(api.Config{Feeds: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "half")
		panic("out of cheese")
	})})
	server := httptest.NewServer(h)
	defer server.Close()
	res, err := http.Get(server.URL + "/feeds/a/media/b") // documents are complete before they are sent
	if err == nil {
		_, err = io.ReadAll(res.Body)
		res.Body.Close()
	}
	if err == nil {
		t.Error("half a response looks complete")
	}
}
