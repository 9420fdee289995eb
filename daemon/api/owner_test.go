package api_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
)

// ownersKeys are keys that change only what they created.
func (w *reviewing) ownersKeys() map[string]option {
	named := func(change func(*schedctl.APIKey)) option {
		return as(w.newKey(w.mine.workspace, func(k *schedctl.APIKey) {
			k.Scopes = []schedctl.Scope{schedctl.ScopePostsRead, schedctl.ScopePostsWrite}
			change(k)
		}))
	}
	return map[string]option{
		"drafts only":       w.drafter,
		"agent":             w.agent,
		"approval required": named(func(k *schedctl.APIKey) { k.Restricted = true }),
	}
}

func TestKeysChangeOnlyTheirOwnDrafts(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		for name, key := range w.ownersKeys() {
			foreign := w.draftBy(w.author)
			path := "/posts/" + foreign.ID
			w.do(key, "PATCH", path, body{"content": "overwritten"}).refused(schedctl.NotYourDraft)
			w.do(key, "PATCH", path, body{"labels": []string{"x"}}).refused(schedctl.NotYourDraft)
			w.do(key, "POST", path+"/submit", nil).refused(schedctl.NotYourDraft)
			w.do(key, "DELETE", path, nil).refused(schedctl.NotYourDraft)
			pending := w.pendingBy(w.author)
			w.do(key, "POST", "/posts/"+pending.ID+"/withdraw", nil).refused(schedctl.NotYourDraft)
			w.do(key, "POST", path+"/notes", body{"text": name}).want(201)
			if got := w.get(foreign.ID); got.Content != foreign.Content || got.Version != foreign.Version {
				t.Errorf("%s: the draft has changed: %+v", name, got)
			}
			own := w.draftBy(key)
			w.do(key, "PATCH", "/posts/"+own.ID, body{"content": "mended"}).want(200)
			w.do(key, "POST", "/posts/"+own.ID+"/submit", body{"proposed_at": in(time.Hour)}).want(200)
			w.do(key, "POST", "/posts/"+own.ID+"/withdraw", nil).want(200)
			w.do(key, "DELETE", "/posts/"+own.ID, nil).want(204)
		}
	})
}

func TestKeysMoveOnlyTheirOwnPosts(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		keys := w.ownersKeys()
		delete(keys, "drafts only") // which lacks the scope
		for name, key := range keys {
			post := w.do(w.author, "POST", "/posts", body{"content": "mine " + name, "social_account_ids": []string{w.mine.account}, "publish_at": in(time.Hour)}).want(201).post()
			path := "/posts/" + post.ID
			w.do(key, "PATCH", path, body{"publish_at": in(2 * time.Hour)}).refused(schedctl.KeyNotAllowed)
			w.do(key, "POST", path+"/unschedule", nil).refused(schedctl.KeyNotAllowed)
			w.do(key, "POST", path+"/cancel", nil).refused(schedctl.KeyNotAllowed)
			w.do(key, "POST", path+"/publish-now", nil).refused(schedctl.KeyNotAllowed)
			if got := w.get(post.ID); got.Version != post.Version {
				t.Errorf("%s: the post has changed: %+v", name, got)
			}

			w.do(key, "POST", "/queues", body{"name": name, "timezone": "UTC", "times": []body{{"days": []string{"mon"}, "at": "09:00"}}}).refused(schedctl.KeyNotAllowed)
			series := decodeAs[apiv1.SeriesEnvelope](t, w.do(w.author, "POST", "/series", body{
				"name": "of " + name, "content": "again " + name, "social_account_ids": []string{w.mine.account}, "timezone": "UTC", "start": "2036-01-01T09:00", "rule": "FREQ=DAILY",
			}).want(201)).Series
			w.do(key, "PATCH", "/series/"+series.ID, body{"content": "other"}).refused(schedctl.KeyNotAllowed)
			w.do(key, "POST", "/series/"+series.ID+"/pause", nil).refused(schedctl.KeyNotAllowed)
			w.do(key, "DELETE", "/series/"+series.ID, nil).refused(schedctl.KeyNotAllowed)
		}
	})
}

func TestLimitedKeysLeaveDraftsWithoutAccounts(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		limited := as(w.newKey(w.mine.workspace, func(k *schedctl.APIKey) { k.AccountIDs = []string{w.mine.account} }))
		idea := w.do(w.author, "POST", "/posts", body{"content": "an idea"}).want(201).post()
		w.do(limited, "PATCH", "/posts/"+idea.ID, body{"content": "overwritten"}).refused(schedctl.NotYourDraft)
		w.do(limited, "DELETE", "/posts/"+idea.ID, nil).refused(schedctl.NotYourDraft)
		own := w.do(limited, "POST", "/posts", body{"content": "my idea"}).want(201).post()
		w.do(limited, "DELETE", "/posts/"+own.ID, nil).want(204)
		w.do(limited, "DELETE", "/posts/"+w.draftBy(w.author).ID, nil).want(204) // it may use the account
	})
}

func TestFilesFollowPosts(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		accountID := w.mine.account
		second := w.newAccount(w.mine, "second")
		limited := as(w.newKey(w.mine.workspace, func(k *schedctl.APIKey) {
			k.Scopes, k.AccountIDs = []schedctl.Scope{schedctl.ScopePostsRead, schedctl.ScopePostsDraft}, []string{accountID}
		}))
		hidden, shown := w.upload(mediatest.PNG(3, 3)), w.upload(mediatest.PNG(4, 4))
		w.do(w.author, "POST", "/posts", body{"content": "secret", "social_account_ids": []string{second}, "media_asset_ids": []string{hidden.ID}}).want(201)
		w.do(w.author, "POST", "/posts", body{"content": "open", "social_account_ids": []string{accountID}, "media_asset_ids": []string{shown.ID}}).want(201)

		for path, method := range map[string]string{"": "GET", "/content": "GET", "/confirm-upload": "POST", "/upload-failure": "POST"} {
			w.do(limited, method, "/media/"+hidden.ID+path, nil).refused(schedctl.NotFound)
		}
		w.do(limited, "PATCH", "/media/"+hidden.ID, body{"alt_text": "x"}).refused(schedctl.NotFound)
		w.do(limited, "DELETE", "/media/"+hidden.ID, nil).refused(schedctl.NotFound)
		w.do(limited, "POST", "/posts", body{"content": "stolen", "media_asset_ids": []string{hidden.ID}}).refused(schedctl.ValidationFailed)
		w.do(limited, "GET", "/media/"+shown.ID, nil).want(200)
		w.do(limited, "PATCH", "/media/"+shown.ID, body{"alt_text": "x"}).refused(schedctl.NotYourDraft)
		writer := as(w.newKey(w.mine.workspace, func(k *schedctl.APIKey) {
			k.Scopes, k.AccountIDs = []schedctl.Scope{schedctl.ScopePostsRead, schedctl.ScopePostsWrite}, []string{accountID}
		}))
		w.do(writer, "PATCH", "/media/"+shown.ID, body{"alt_text": "x"}).refused(schedctl.NotYourDraft)
		w.do(writer, "GET", "/media/"+hidden.ID, nil).refused(schedctl.NotFound)
		draft := w.do(w.author, "POST", "/posts", body{"content": "no account", "media_asset_ids": []string{w.upload(mediatest.PNG(6, 6)).ID}}).want(201).post()
		w.do(writer, "GET", "/posts/"+draft.ID, nil).want(200)
		w.do(writer, "GET", "/media/"+draft.MediaAssetIDs[0], nil).want(200)
		w.do(w.author, "DELETE", "/posts/"+draft.ID, nil).want(204)
		w.do(w.author, "DELETE", "/media/"+draft.MediaAssetIDs[0], nil).want(204)
		list := decodeAs[apiv1.MediaList](t, w.do(limited, "GET", "/media", nil).want(200))
		if list.Count != 1 || list.Results[0].ID != shown.ID {
			t.Errorf("the key lists %d files", list.Count)
		}
		if all := decodeAs[apiv1.MediaList](t, w.do(nil, "GET", "/media", nil).want(200)); all.Count != 2 {
			t.Errorf("the first key lists %d files", all.Count)
		}
	})
}

func TestDraftKeysChangeOnlyTheirOwnFiles(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		for i, used := range []bool{false, true} {
			foreign := w.upload(mediatest.PNG(5+i, 5))
			w.do(w.drafter, "DELETE", "/media/"+foreign.ID, nil).refused(schedctl.NotYourDraft)
			name := fmt.Sprint("own", i, ".png")
			own := decodeAs[apiv1.UploadedMedia](t, w.do(w.drafter, "POST", "/media?file_name="+name, mediatest.PNG(9+i, 9)).want(201)).MediaAsset
			if !used {
				w.do(w.drafter, "PATCH", "/media/"+own.ID, body{"alt_text": "words"}).want(200)
				w.do(w.drafter, "DELETE", "/media/"+own.ID, nil).want(204)
				continue
			}
			w.do(w.author, "POST", "/posts", body{"content": "x", "media_asset_ids": []string{own.ID}}).want(201)
			w.do(w.drafter, "PATCH", "/media/"+own.ID, body{"alt_text": "words"}).refused(schedctl.NotYourDraft)
			w.do(w.drafter, "DELETE", "/media/"+own.ID, nil).refused(schedctl.NotYourDraft)
		}
	})
}
