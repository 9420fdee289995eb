package api_test

import (
	"testing"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
)

func TestPostsNameTheirAuthors(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		want := func(what string, got apiv1.Authors, created, updated string) {
			t.Helper()
			if got.CreatedBy == nil || got.UpdatedBy == nil || got.CreatedBy.Name != created || got.UpdatedBy.Name != updated {
				t.Errorf("%s: created by %+v, updated by %+v; want %s and %s", what, got.CreatedBy, got.UpdatedBy, created, updated)
			}
		}
		p := w.draftBy(w.agent)
		want("a new post", p.Authors, "agent", "agent")
		if p.CreatedBy.Kind != apiv1.KeyAgent {
			t.Errorf("the kind is %s", p.CreatedBy.Kind)
		}
		want("after an edit", w.do(w.editor, "PATCH", "/posts/"+p.ID, body{"content": "edited"}).want(200).post().Authors, "agent", "editor")
		want("stored", w.get(p.ID).Authors, "agent", "editor")
		w.do(w.author, "POST", "/posts/"+p.ID+"/notes", body{"text": "x"}).want(201)
		want("after a note", w.get(p.ID).Authors, "agent", "editor")

		made := decodeAs[apiv1.SeriesEnvelope](t, w.do(w.author, "POST", "/series", body{
			"name": "daily", "content": "again", "social_account_ids": []string{w.mine.account}, "timezone": "UTC",
			"start": time.Now().UTC().Add(2 * time.Hour).Format("2006-01-02T15:04"), "rule": "FREQ=DAILY;COUNT=2",
		}).want(201)).Series
		want("series", made.Authors, "author", "author")
		w.do(w.editor, "PATCH", "/series/"+made.ID, body{"content": "changed"}).want(200)
		want("edited series", decodeAs[apiv1.SeriesEnvelope](t, w.do(nil, "GET", "/series/"+made.ID, nil).want(200)).Series.Authors, "author", "editor")
		list := decodeAs[apiv1.PostList](t, w.do(nil, "GET", "/posts?series_id="+made.ID, nil).want(200))
		if list.Count != 2 {
			t.Fatalf("the series has %d posts", list.Count)
		}
		want("post of a series", list.Results[0].Authors, "author", "editor")

		for _, query := range []string{"", "&sort=publish_at", "&social_account_id=" + w.mine.account} {
			list = decodeAs[apiv1.PostList](t, w.do(nil, "GET", "/posts?created_by="+p.CreatedBy.ID+query, nil).want(200))
			if list.Count != 1 || list.Results[0].ID != p.ID {
				t.Errorf("%q lists %d posts of the agent", query, list.Count)
			}
		}
		series := decodeAs[apiv1.SeriesList](t, w.do(nil, "GET", "/series?created_by="+p.CreatedBy.ID, nil).want(200))
		if series.Count != 0 {
			t.Errorf("%d series of the agent are listed", series.Count)
		}
		w.do(nil, "GET", "/posts?created_by=me", nil).refused("VALIDATION_FAILED")
	})
}

func TestAuditFilters(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		p := w.draftBy(w.agent)
		w.do(w.editor, "PATCH", "/posts/"+p.ID, body{"content": "edited"}).want(200)
		w.draftBy(w.editor)
		for query, want := range map[string]int{
			"?api_key_id=" + p.CreatedBy.ID: 1, "?post_id=" + p.ID: 2, "?action=createPost": 2,
			"?action=createPost&post_id=" + p.ID: 1, "?action=nothing": 0,
		} {
			if got := w.auditPage(query); got.Count != want {
				t.Errorf("%s lists %d entries, want %d", query, got.Count, want)
			}
		}
		first := w.auditPage("?action=createPost&limit=1")
		w.do(nil, "GET", "/audit?action=editPost&cursor="+*first.NextCursor, nil).refused("INVALID_CURSOR")
	})
}
