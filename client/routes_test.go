package client_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

func ptr[T any](v T) *T { return &v }

// Each method sends one request and returns the daemon's response.
func TestMethods(t *testing.T) {
	t.Parallel()
	post := apiv1.PostEnvelope{Post: apiv1.Post{ID: "post_1"}}
	account := apiv1.AccountEnvelope{SocialAccount: apiv1.Account{ID: "acct_1"}}
	asset := apiv1.MediaEnvelope{MediaAsset: apiv1.MediaAsset{ID: "med_1"}}
	assetID := func(a apiv1.MediaAsset, err error) (string, error) { return a.ID, err }
	postID := func(p apiv1.Post, err error) (string, error) { return p.ID, err }
	accountID := func(a apiv1.Account, err error) (string, error) { return a.ID, err }
	testMethods(t, map[string]methodCase{
		"me": {apiv1.Me{Workspace: apiv1.Workspace{ID: "ws_1"}}, func(ctx context.Context, c *client.Client) (string, error) {
			me, err := c.Me(ctx)
			return me.Workspace.ID, err
		}, "GET /api/v1/me ", "ws_1"},
		"nodes": {apiv1.NodeList{Results: []apiv1.Node{{ID: "node_1"}}}, func(ctx context.Context, c *client.Client) (string, error) {
			nodes, err := c.Nodes(ctx)
			return nodes[0].ID, err
		}, "GET /api/v1/nodes ", "node_1"},
		"create": {post, func(ctx context.Context, c *client.Client) (string, error) {
			return postID(c.CreatePost(ctx, apiv1.CreatePost{Content: "<b>&", SocialAccountIDs: []string{"acct_1"}, PublishAt: apiv1.Now()}))
		}, `POST /api/v1/posts {"content":"\u003cb\u003e\u0026","social_account_ids":["acct_1"],"publish_at":"now"}`, "post_1"},
		"create with overrides": {post, func(ctx context.Context, c *client.Client) (string, error) {
			return postID(c.CreatePost(ctx, apiv1.CreatePost{Content: "x", TargetOverrides: []apiv1.Override{
				{SocialAccountID: "acct_1", Content: ptr("y"), Options: map[string]any{"langs": []string{"de"}}},
			}}))
		}, `POST /api/v1/posts {"content":"x","target_overrides":[{"social_account_id":"acct_1","media":null,"content":"y","thread":null,"poll":null,"content_warning":null,"visibility":null,"language":null,"options":{"langs":["de"]}}]}`, "post_1"},
		"validate": {apiv1.Validation{Accounts: []apiv1.AccountValidation{{SocialAccountID: "acct_1"}}}, func(ctx context.Context, c *client.Client) (string, error) {
			v, err := c.ValidatePost(ctx, apiv1.CreatePost{Content: "x", SocialAccountIDs: []string{"acct_1"}})
			return v.Accounts[0].SocialAccountID, err
		}, `POST /api/v1/posts/validate {"content":"x","social_account_ids":["acct_1"]}`, "acct_1"},
		"timeline": {apiv1.Timeline{PostID: "post_1"}, func(ctx context.Context, c *client.Client) (string, error) {
			line, err := c.PostTimeline(ctx, "post_1")
			return line.PostID, err
		}, "GET /api/v1/posts/post_1/timeline ", "post_1"},
		"get": {post, func(ctx context.Context, c *client.Client) (string, error) { return postID(c.Post(ctx, "post_1")) },
			"GET /api/v1/posts/post_1 ", "post_1"},
		"escaped": {post, func(ctx context.Context, c *client.Client) (string, error) { return postID(c.Post(ctx, "a/b?c{d}")) },
			"GET /api/v1/posts/a%2Fb%3Fc%7Bd%7D ", "post_1"},
		"edit": {post, func(ctx context.Context, c *client.Client) (string, error) {
			return postID(c.EditPost(ctx, "post_1", apiv1.EditPost{SocialAccountIDs: &[]string{}}))
		}, `PATCH /api/v1/posts/post_1 {"social_account_ids":[]}`, "post_1"},
		"take overrides away": {post, func(ctx context.Context, c *client.Client) (string, error) {
			return postID(c.EditPost(ctx, "post_1", apiv1.EditPost{TargetOverrides: &[]apiv1.Override{}}))
		}, `PATCH /api/v1/posts/post_1 {"target_overrides":[]}`, "post_1"},
		"delete": {nil, func(ctx context.Context, c *client.Client) (string, error) { return "", c.DeletePost(ctx, "post_1") },
			"DELETE /api/v1/posts/post_1 ", ""},
		"schedule": {post, func(ctx context.Context, c *client.Client) (string, error) {
			return postID(c.SchedulePost(ctx, "post_1", apiv1.SchedulePost{PublishAt: *apiv1.At(time.Date(2026, 12, 8, 9, 0, 0, 0, time.UTC))}))
		}, `POST /api/v1/posts/post_1/schedule {"publish_at":"2026-12-08T09:00:00Z"}`, "post_1"},
		"publish": {post, func(ctx context.Context, c *client.Client) (string, error) {
			return postID(c.PublishPost(ctx, "post_1", apiv1.PublishPost{}))
		}, `POST /api/v1/posts/post_1/publish-now {}`, "post_1"},
		"cancel": {post, func(ctx context.Context, c *client.Client) (string, error) {
			return postID(c.CancelPost(ctx, "post_1"))
		},
			"POST /api/v1/posts/post_1/cancel ", "post_1"},
		"cancel of a managed post": {post, func(ctx context.Context, c *client.Client) (string, error) {
			return postID(c.CancelManagedPost(ctx, "post_1", apiv1.Managed{Collection: "site", Path: "a.md", Digest: "1", Pruned: true}))
		}, `POST /api/v1/posts/post_1/cancel {"managed":{"collection":"site","path":"a.md","digest":"1","pruned":true}}`, "post_1"},
		"unschedule": {post, func(ctx context.Context, c *client.Client) (string, error) {
			return postID(c.UnschedulePost(ctx, "post_1"))
		}, "POST /api/v1/posts/post_1/unschedule ", "post_1"},
		"edit of labels": {post, func(ctx context.Context, c *client.Client) (string, error) {
			return postID(c.EditPost(ctx, "post_1", apiv1.EditPost{ExternalID: ptr("site/a"), Labels: &[]string{}}))
		}, `PATCH /api/v1/posts/post_1 {"external_id":"site/a","labels":[]}`, "post_1"},
		"replacement": {post, func(ctx context.Context, c *client.Client) (string, error) {
			return postID(c.CreatePost(ctx, apiv1.CreatePost{Content: "x", ExternalID: ptr("site/a"), Replaces: ptr("post_0"), Labels: []string{"l"}}))
		}, `POST /api/v1/posts {"content":"x","external_id":"site/a","labels":["l"],"replaces":"post_0"}`, "post_1"},
		"retry": {post, func(ctx context.Context, c *client.Client) (string, error) {
			return postID(c.RetryPost(ctx, "post_1", apiv1.RetryPost{TargetIDs: []string{"pt_1"}, Force: true}))
		}, `POST /api/v1/posts/post_1/retry {"target_ids":["pt_1"],"force":true}`, "post_1"},
		"add account": {account, func(ctx context.Context, c *client.Client) (string, error) {
			return accountID(c.AddAccount(ctx, apiv1.AddAccount{Platform: "feed", Name: "demo"}))
		}, `POST /api/v1/social-accounts {"platform":"feed","name":"demo"}`, "acct_1"},
		"account": {account, func(ctx context.Context, c *client.Client) (string, error) {
			return accountID(c.Account(ctx, "acct_1"))
		},
			"GET /api/v1/social-accounts/acct_1 ", "acct_1"},
		"edit account": {account, func(ctx context.Context, c *client.Client) (string, error) {
			return accountID(c.EditAccount(ctx, "acct_1", apiv1.EditAccount{Name: ptr("new")}))
		}, `PATCH /api/v1/social-accounts/acct_1 {"name":"new"}`, "acct_1"},
		"verify account": {account, func(ctx context.Context, c *client.Client) (string, error) {
			return accountID(c.VerifyAccount(ctx, "acct_1"))
		}, "POST /api/v1/social-accounts/acct_1/verify ", "acct_1"},
		"remove account": {nil, func(ctx context.Context, c *client.Client) (string, error) { return "", c.RemoveAccount(ctx, "acct_1") },
			"DELETE /api/v1/social-accounts/acct_1 ", ""},
		"media config": {apiv1.MediaConfig{AllowedMIMETypes: []string{"image/png"}}, func(ctx context.Context, c *client.Client) (string, error) {
			config, err := c.MediaConfig(ctx)
			return config.AllowedMIMETypes[0], err
		}, "GET /api/v1/media/config ", "image/png"},
		"media": {apiv1.MediaList{Results: []apiv1.MediaAsset{{ID: "med_1"}}}, func(ctx context.Context, c *client.Client) (string, error) {
			list, err := c.MediaAssets(ctx, client.MediaQuery{})
			return list.Results[0].ID, err
		}, "GET /api/v1/media ", "med_1"},
		"media asset": {asset, func(ctx context.Context, c *client.Client) (string, error) {
			return assetID(c.MediaAsset(ctx, "med_1"))
		},
			"GET /api/v1/media/med_1 ", "med_1"},
		"edit media asset": {asset, func(ctx context.Context, c *client.Client) (string, error) {
			edited, err := c.EditMediaAsset(ctx, "med_1", apiv1.EditMedia{AltText: ptr("a cat")})
			return edited.MediaAsset.ID, err
		}, `PATCH /api/v1/media/med_1 {"alt_text":"a cat"}`, "med_1"},
		"delete media asset": {nil, func(ctx context.Context, c *client.Client) (string, error) {
			return "", c.DeleteMediaAsset(ctx, "med_1")
		}, "DELETE /api/v1/media/med_1 ", ""},
		"fetch media": {asset, func(ctx context.Context, c *client.Client) (string, error) {
			fetched, err := c.FetchMedia(ctx, apiv1.MediaFromURL{URL: "https://example.org/a.png"})
			return fetched.MediaAsset.ID, err
		}, `POST /api/v1/media/from-url {"url":"https://example.org/a.png"}`, "med_1"},
		"create upload": {apiv1.UploadEnvelope{MediaAsset: apiv1.MediaAsset{ID: "med_1"}}, func(ctx context.Context, c *client.Client) (string, error) {
			up, err := c.CreateUpload(ctx, apiv1.CreateUpload{FileName: "a.png", MIMEType: "image/png", SizeBytes: 9})
			return up.MediaAsset.ID, err
		}, `POST /api/v1/media/uploads {"file_name":"a.png","mime_type":"image/png","size_bytes":9}`, "med_1"},
		"create upload link": {apiv1.UploadLinkEnvelope{MediaAsset: apiv1.MediaAsset{ID: "med_1"}}, func(ctx context.Context, c *client.Client) (string, error) {
			link, err := c.CreateUploadLink(ctx, apiv1.CreateUploadLink{AltText: new("a cat")})
			return link.MediaAsset.ID, err
		}, `POST /api/v1/media/upload-links {"alt_text":"a cat"}`, "med_1"},
		"confirm upload": {asset, func(ctx context.Context, c *client.Client) (string, error) {
			return assetID(c.ConfirmUpload(ctx, "med_1"))
		},
			"POST /api/v1/media/med_1/confirm-upload ", "med_1"},
		"fail upload": {asset, func(ctx context.Context, c *client.Client) (string, error) {
			return assetID(c.FailUpload(ctx, "med_1"))
		},
			"POST /api/v1/media/med_1/upload-failure ", "med_1"},
		"accounts": {apiv1.AccountList{Results: []apiv1.Account{{ID: "acct_1"}}}, func(ctx context.Context, c *client.Client) (string, error) {
			list, err := c.Accounts(ctx, client.AccountQuery{Status: "all"})
			return list[0].ID, err
		}, "GET /api/v1/social-accounts?status=all ", "acct_1"},
	}, checkDocumented)
}

// methodCase is one method of the client: the response of the daemon, the expected
// request, and the id that the method returns.
type methodCase struct {
	answer any
	call   func(context.Context, *client.Client) (string, error)
	want   string // method, path, body
	id     string
}

func testMethods(t *testing.T, cases map[string]methodCase, check func(*testing.T, recorded)) {
	t.Helper()
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := answer{status: http.StatusNoContent}
			if tc.answer != nil {
				a = ok(tc.answer)
			}
			f, c := serve(t, a)
			id, err := tc.call(t.Context(), c)
			if err != nil || id != tc.id {
				t.Errorf("got %q and %v, want %q", id, err, tc.id)
			}
			r := f.only(t)
			path := r.Path
			if r.Query != "" {
				path += "?" + r.Query
			}
			if diff := cmp.Diff(tc.want, r.Method+" "+path+" "+r.Body); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			check(t, r)
			if wrote := r.Header.Get("Idempotency-Key") != ""; wrote != (r.Method != http.MethodGet) {
				t.Errorf("%s with idempotency key: %v", r.Method, wrote)
			}
		})
	}
}

// An id that would change the path never reaches the daemon: "" would list or,
// worse, be another operation.
func TestIDsThatWouldLeadElsewhere(t *testing.T) {
	t.Parallel()
	f, c := serve(t, ok(struct{}{}))
	for _, id := range []string{"", ".", ".."} {
		_, get := c.Post(t.Context(), id)
		_, timeline := c.PostTimeline(t.Context(), id)
		_, cancel := c.CancelPost(t.Context(), id)
		_, account := c.Account(t.Context(), id)
		_, verify := c.VerifyAccount(t.Context(), id)
		for _, err := range []error{get, timeline, cancel, account, verify, c.DeletePost(t.Context(), id), c.RemoveAccount(t.Context(), id)} {
			if schedctl.CodeOf(err) != schedctl.NotFound {
				t.Errorf("%q: got %v, want not found", id, err)
			}
		}
	}
	if seen := f.seen(); len(seen) > 0 {
		t.Errorf("requests were made: %v", seen)
	}
}

func TestPostQuery(t *testing.T) {
	t.Parallel()
	f, c := serve(t, ok(apiv1.PostList{}))
	at := time.Date(2026, 12, 8, 10, 0, 0, 5e6, time.FixedZone("", 3600))
	_, err := c.Posts(t.Context(), client.PostQuery{
		Statuses: []schedctl.Status{schedctl.Draft, schedctl.Failed}, AccountID: "acct_1", After: at, Before: at.Add(time.Hour),
		Search: "a&b", Sort: "-publish_at", Limit: 7, Cursor: "c/1",
		ExternalID: "site/a b", Collection: "site", Labels: []string{"a&b", "c"},
		QueueID: "que_1", SeriesID: "ser_1",
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := url.ParseQuery(f.only(t).Query)
	if err != nil {
		t.Fatal(err)
	}
	want := url.Values{
		"status": {"draft", "failed"}, "social_account_id": {"acct_1"}, "publish_after": {"2026-12-08T09:00:00.005Z"},
		"publish_before": {"2026-12-08T10:00:00.005Z"}, "q": {"a&b"}, "sort": {"-publish_at"}, "limit": {"7"}, "cursor": {"c/1"},
		"external_id": {"site/a b"}, "collection": {"site"}, "label": {"a&b", "c"}, "queue_id": {"que_1"}, "series_id": {"ser_1"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestEachPostGoesFromPageToPage(t *testing.T) {
	t.Parallel()
	page := func(next *string, ids ...string) answer {
		list := apiv1.PostList{NextCursor: next}
		for _, id := range ids {
			list.Results = append(list.Results, apiv1.Post{ID: id})
		}
		return ok(list)
	}
	collect := func(c *client.Client, stopAt string) (ids []string, err error) {
		for p, e := range c.EachPost(t.Context(), client.PostQuery{Search: "x", Limit: 2}) {
			if e != nil {
				return ids, e
			}
			if ids = append(ids, p.ID); p.ID == stopAt {
				break
			}
		}
		return ids, nil
	}
	answers := []answer{page(ptr("two"), "a", "b"), page(ptr("three")), page(nil, "c")}
	f, c := serve(t, answers...)
	ids, err := collect(c, "")
	if err != nil || strings.Join(ids, "") != "abc" {
		t.Errorf("got %v and %v", ids, err)
	}
	var queries []string
	for _, r := range f.seen() {
		queries = append(queries, r.Query)
	}
	if diff := cmp.Diff([]string{"limit=2&q=x", "cursor=two&limit=2&q=x", "cursor=three&limit=2&q=x"}, queries); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}

	f, c = serve(t, answers...)
	if ids, err := collect(c, "a"); err != nil || len(ids) != 1 || len(f.seen()) != 1 {
		t.Errorf("stopped early: %v, %v, %d requests", ids, err, len(f.seen()))
	}
	_, c = serve(t, page(ptr("two"), "a"), refusal(400, "INVALID_CURSOR", nil))
	if ids, err := collect(c, ""); schedctl.CodeOf(err) != schedctl.InvalidCursor || len(ids) != 1 {
		t.Errorf("an error on the second page: %v and %v", ids, err)
	}
	_, c = serve(t, page(ptr("same"), "a"))
	if ids, err := collect(c, ""); err != nil || len(ids) != 2 {
		t.Errorf("a cursor that leads nowhere: %v and %v", ids, err)
	}
}
