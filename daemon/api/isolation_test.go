package api_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/scripts/testsize"
	"github.com/schedctl/schedctl/storage"
)

// strangersGet is the error code that a key of a different workspace gets. The
// default is NOT_FOUND for paths with an id. Empty means that the request succeeds
// and concerns the key's own workspace.
var strangersGet = map[string]schedctl.Code{
	"getMe": "", "getCapabilities": "", "listNodes": "", "listAudit": "", "listAPIKeys": "", "listSocialAccounts": "", "listPosts": "",
	"listWebhooks": "", "streamEvents": "", "addSocialAccount": "", "createWebhook": "", "listNotifications": "", "createNotification": "",
	"getMediaConfig": "", "listMedia": "", "createMedia": "", "createMediaFromURL": "", "createUpload": "", "createUploadLink": "",
	"listBlackouts":     "",
	"listLabels":        "",
	"listAccountGroups": "", "setAccountGroup": schedctl.InvalidSocialAccounts, "getForecast": "", "getWorkspaceAnalytics": "", "listResults": "", "summarizeResults": "", "listSnippets": "", "setSnippet": "",
	"listCollections":   "",
	"applyCollection":   "", // each workspace has its own names
	"adoptCollection":   "",
	"listCalendarFeeds": "", "createCalendarFeed": "", "listShares": "", "createShare": "",
	"listSources": "", "createSource": schedctl.InvalidSocialAccounts, "previewSource": schedctl.InvalidSocialAccounts,
	"createBlackout": schedctl.InvalidSocialAccounts,
	"listQueues":     "", "createQueue": schedctl.InvalidSocialAccounts,
	"listSeries":      "",
	"previewSeries":   "", // it needs nothing of a workspace
	"createSeries":    schedctl.InvalidSocialAccounts,
	"createPost":      schedctl.InvalidSocialAccounts,
	"createAPIKey":    schedctl.InvalidSocialAccounts,
	"validatePost":    "", // it reports an unknown account
	"listWorkspaces":  schedctl.InsufficientScope,
	"createWorkspace": schedctl.InsufficientScope,
	"getBackup":       schedctl.InsufficientScope,
}

// TestWorkspacesSeeNothingOfEachOther sends every request with the ids of my
// workspace and a key of a different workspace. The key has the scopes that the key
// of a new workspace has.
func TestWorkspacesSeeNothingOfEachOther(t *testing.T) {
	t.Parallel()
	eachOperation(t, func(t *testing.T, w *world, op operation, a attempt) {
		stranger := as(w.strangersKey())
		before := w.everything()
		want, known := strangersGet[op.OperationID]
		if !known && strings.Contains(op.path, "{id}") {
			want, known = schedctl.NotFound, true
		}
		if op.OperationID == "putUpload" { // its token replaces the key
			a.path, want = w.strangersToken(stranger, a.path), schedctl.UploadURLInvalid
		}
		if op.OperationID == "putUploadLink" { // of a stranger, it takes the file for their workspace
			want, known = "", true
			a.path = w.link(stranger).path()
		}
		r := w.try(stranger, op, a)
		switch {
		case !known:
			t.Fatalf("say in strangersGet what a stranger gets of %s %s", op.method, op.path)
		case want != "":
			r.refused(want)
		case r.status >= 300:
			t.Errorf("%d: %s", r.status, r.body)
		}
		if want == schedctl.NotFound {
			w.sameAsMissing(stranger, op, a, r)
		}
		sent, err := json.Marshal(a.body)
		if strings.Contains(string(r.body), marker) && (err != nil || !strings.Contains(a.path+string(sent), marker)) {
			t.Errorf("a stranger is shown something of mine: %s", r.body)
		}
		if after := w.everything(); !cmp.Equal(before, after) {
			t.Errorf("a stranger has changed something of mine (-before +after):\n%s", cmp.Diff(before, after))
		}
	})
}

// strangersKey returns a key of the other workspace with all of its scopes.
func (w *world) strangersKey() string {
	return w.newKey(w.other.workspace, func(k *schedctl.APIKey) {
		k.Scopes = slices.DeleteFunc(schedctl.Scopes(), func(s schedctl.Scope) bool { return s == schedctl.ScopeWorkspacesWrite })
	})
}

// strangersToken returns the path of an upload of mine with the token of an upload that a
// stranger announced.
func (w *world) strangersToken(stranger option, path string) string {
	w.t.Helper()
	r := w.do(stranger, "POST", "/media/uploads", body{"file_name": "a.png", "mime_type": "image/png", "size_bytes": 9}).want(201)
	theirs := announced{decodeAs[apiv1.UploadEnvelope](w.t, r), w.t}.path()
	mine, _, _ := strings.Cut(path, "?")
	return mine + theirs[strings.Index(theirs, "?"):]
}

// sameAsMissing guards that an id of a different workspace gets the same error as
// an unknown id.
func (w *world) sameAsMissing(stranger option, op operation, a attempt, foreign *response) {
	w.t.Helper()
	parts := strings.Split(a.path, "/")
	id := slices.Index(strings.Split(strings.TrimPrefix(op.path, "/api/v1"), "/"), "{id}")
	prefix, _, _ := strings.Cut(parts[id], "_")
	parts[id] = prefix + "_0"
	a.path = strings.Join(parts, "/")
	missing := w.try(stranger, op, a).refused(schedctl.NotFound)
	if refusal := foreign.refused(schedctl.NotFound); refusal.Message != missing.Message {
		w.t.Errorf("%s %s reveals that it exists: %q instead of %q", op.method, op.path, refusal.Message, missing.Message)
	}
}

// everything returns all stored data of my workspace.
func (w *world) everything() (out []any) {
	w.t.Helper()
	err := w.store.View(w.t.Context(), func(r storage.Reader) error {
		ws := w.mine.workspace
		workspace, err := r.Workspace(ws)
		posts, err2 := r.Posts(storage.PostQuery{WorkspaceID: ws, Limit: 1000})
		accounts, err3 := r.Accounts(ws)
		keys, err4 := r.Keys(ws)
		webhooks, err5 := r.Webhooks(ws)
		deliveries, err6 := r.Deliveries(w.webhook, "", 1000)
		audit, err7 := r.Audit(ws, "", 1000)
		assets, err8 := r.MediaAssets(ws, "", 1000)
		blackouts, err9 := r.Blackouts(ws)
		queues, err10 := r.Queues(ws)
		feeds, err11 := r.CalendarFeeds(ws)
		series, err12 := r.SeriesList(ws, "", 1000)
		collections, err13 := r.Collections(ws)
		aliases, err14 := r.Aliases(ws)
		shares, err15 := r.Shares(ws)
		sources, err16 := r.Sources(ws)
		items, err17 := r.SourceItemsList(ws, "", 1000)
		out = []any{sources, items, workspace, posts, accounts, keys, webhooks, deliveries, audit, assets, blackouts, queues, feeds, series, collections, aliases, shares}
		return errors.Join(err, err2, err3, err4, err5, err6, err7, err8, err9, err10, err11, err12, err13, err14, err15, err16, err17)
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

// TestForeignIDsOutsideThePath uses ids of a different workspace in bodies and
// queries.
func TestForeignIDsOutsideThePath(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		w := newWorld(t, f)
		stranger := as(w.strangersKey())
		theirs := func(b body) apiv1.Post { return f.do(stranger, "POST", "/posts", b).want(201).post() }
		draft := theirs(body{"content": "x", "social_account_ids": []string{f.other.account}})
		path := "/posts/" + draft.ID
		for name, r := range map[string]*response{
			"an account on edit":      f.do(stranger, "PATCH", path, body{"social_account_ids": []string{f.mine.account}}),
			"an account on schedule":  f.do(stranger, "POST", path+"/schedule", body{"social_account_ids": []string{f.mine.account}, "publish_at": in(time.Hour)}),
			"an account on publish":   f.do(stranger, "POST", path+"/publish-now", body{"social_account_ids": []string{f.mine.account}}),
			"an account of a new key": f.do(stranger, "POST", "/api-keys", body{"name": "x", "social_account_ids": []string{f.other.account, f.mine.account}}),
			"an account to validate":  validated(f.do(stranger, "POST", "/posts/validate", body{"content": "x", "social_account_ids": []string{f.mine.account}})),
		} {
			if r.status != http.StatusBadRequest || !strings.Contains(string(r.body), string(schedctl.InvalidSocialAccounts)) {
				t.Errorf("%s has the status %d: %s", name, r.status, r.body)
			}
		}

		theirWebhook := decodeAs[apiv1.WebhookSecret](t, f.do(stranger, "POST", "/webhooks", body{"url": "https://hooks.example/x", "event_types": []string{"post.created"}}).want(201)).Webhook.ID
		f.do(stranger, "POST", "/webhooks/"+theirWebhook+"/deliveries/"+w.delivery+"/replay", nil).refused(schedctl.NotFound)

		if list := decodeAs[apiv1.PostList](t, f.do(stranger, "GET", "/posts?social_account_id="+f.mine.account, nil).want(200)); list.Count != 0 {
			t.Errorf("a stranger finds %d posts by my account", list.Count)
		}
		resume := all(stranger, header("Last-Event-ID", w.firstEvent()))
		var resumed string
		for patience := 50 * time.Millisecond; !strings.Contains(resumed, draft.ID) && patience < testsize.Patience; patience *= 2 {
			r, _ := w.tryFor(patience, resume, operation{method: "GET"}, attempt{path: "/events"})
			resumed = string(r.body)
		}
		if !strings.Contains(resumed, draft.ID) || strings.Contains(resumed, f.mine.workspace) {
			t.Errorf("a stream of a different key that resumes after my event receives: %s", resumed)
		}
		mine := []string{w.asset}
		for name, r := range map[string]*response{
			"a file of a new post":   f.do(stranger, "POST", "/posts", body{"content": "x", "media_asset_ids": mine}),
			"a file on edit":         f.do(stranger, "PATCH", path, body{"media": []body{{"id": w.asset}}}),
			"a file for one account": f.do(stranger, "PATCH", path, body{"target_overrides": []body{{"social_account_id": f.other.account, "media": []body{{"id": w.asset}}}}}),
			"a file of a validation": validated(f.do(stranger, "POST", "/posts/validate", body{"content": "x", "social_account_ids": []string{f.other.account}, "media_asset_ids": mine})),
		} {
			if r.status != http.StatusBadRequest || !strings.Contains(string(r.body), string(schedctl.ValidationFailed)) {
				t.Errorf("%s has the status %d: %s", name, r.status, r.body)
			}
		}
		f.upload(mediatest.PNG(2, 9)) // a second page
		for _, list := range []string{"/posts?limit=1", "/audit?limit=1", "/media?limit=1"} {
			page := f.do(nil, "GET", list, nil).want(200)
			next := decodeAs[struct {
				Results    []any   `json:"results"`
				Count      int     `json:"count"`
				NextCursor *string `json:"next_cursor"`
			}](t, page).NextCursor
			if next == nil {
				t.Fatalf("%s has no next page", list)
			}
			f.do(nil, "GET", list+"&cursor="+*next, nil).want(200)
			f.do(stranger, "GET", list+"&cursor="+*next, nil).refused(schedctl.InvalidCursor)
		}
	})
}

// firstEvent returns the id of the oldest event of my workspace.
func (w *world) firstEvent() (id string) {
	w.t.Helper()
	err := w.store.View(w.t.Context(), func(r storage.Reader) error {
		events, err := r.Events("", 1000)
		i := slices.IndexFunc(events, func(e schedctl.Event) bool { return e.WorkspaceID == w.mine.workspace })
		id = events[i].ID
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

// validated returns the response of a validation with the status that a refusal
// would have had.
func validated(r *response) *response {
	if strings.Contains(string(r.want(200).body), `"allowed":false`) {
		r.status = http.StatusBadRequest
	}
	return r
}

// TestForeignTarget tries to retry a target of a different workspace.
func TestForeignTarget(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := newWorld(t, f)
	twin := *f
	twin.mine, twin.other = f.other, f.mine
	theirs := twin.inStatus(schedctl.Failed)
	before := w.everything()
	f.do(as(f.other.key), "POST", "/posts/"+theirs.ID+"/retry", body{"target_ids": []string{w.failed.Targets[0].ID}}).refused(schedctl.ValidationFailed)
	if after := w.everything(); !cmp.Equal(before, after) {
		t.Error(cmp.Diff(before, after))
	}
}

// TestSecretsStayInside uses a key and a credential in every possible way and
// searches all responses and the log for them.
func TestSecretsStayInside(t *testing.T) {
	t.Parallel()
	const token = "s3cr3t-t0k3n-of-the-network"
	f := newFixture(t)
	a := f.do(nil, "POST", "/social-accounts", body{"platform": "fake", "name": "new", "credentials": body{"token": token}}).want(201).account()
	path := "/social-accounts/" + a.ID
	var answers []*response
	see := func(r *response) { answers = append(answers, r) }

	see(f.do(nil, "GET", path, nil))
	see(f.do(nil, "GET", "/social-accounts?status=all", nil))
	see(f.do(nil, "GET", "/me", nil))
	see(f.do(key("k"), "PATCH", path, body{"credentials": body{"token": token}}))
	see(f.do(key("k"), "PATCH", path, body{"credentials": body{"token": token}}))
	see(f.do(nil, "POST", path+"/verify", nil))
	see(f.do(nil, "POST", "/social-accounts", body{"platform": "fake", "credentials": body{"tokn": token}}))
	see(f.do(nil, "POST", "/social-accounts", body{"platform": "fake", "credentials": token}))
	see(f.do(nil, "POST", "/social-accounts", `{"platform":"fake","credentials":{"token":"`+token))
	see(f.do(nil, "POST", "/social-accounts", body{"platform": "fake", "credentials": body{"token": []string{token}}}))
	see(f.do(as(f.mine.key+"x"), "GET", "/me", nil))
	see(f.do(header("Authorization", "Digest "+f.mine.key), "GET", "/me", nil))
	for _, kind := range schedctl.ErrorKinds() {
		f.network.refuse(&publish.Error{Kind: kind, Code: "token", Message: "cannot use " + token})
		see(f.do(nil, "POST", path+"/verify", nil))
		see(f.do(nil, "POST", "/social-accounts", body{"platform": "fake", "name": "newer", "credentials": body{"token": token}}))
	}
	for _, r := range answers {
		for name, secret := range map[string]string{"credential": token, "key": f.mine.key} {
			if strings.Contains(string(r.body), secret) {
				t.Errorf("%s %s shows a %s: %s", r.method, r.path, name, r.body)
			}
		}
	}
	logs := f.logs.String()
	if !strings.Contains(logs, "route=\"POST /api/v1/social-accounts\"") {
		t.Errorf("the log does not mention the requests:\n%s", logs)
	}
	for _, secret := range []string{token, accountToken, f.mine.key, f.other.key} {
		if strings.Contains(logs, secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
}
