package api_test

import (
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// TestPostsOfSourcesNameThem guards that a post shows the source and the item that it was made
// of, in lists too, and the key that changed it since.
func TestPostsOfSourcesNameThem(t *testing.T) {
	t.Parallel()
	onDatabases(t, func(t *testing.T, w *reviewing) {
		sourceID := w.webhookSource("builds")
		sent := decodeAs[apiv1.SourceItemEnvelope](t, w.do(nil, "POST", "/sources/"+sourceID+"/items", body{"external_id": "1", "title": "Release 1"}).want(201))
		if sent.Item.PostID == nil {
			t.Fatalf("no post: %+v", sent.Item)
		}
		p := w.get(*sent.Item.PostID)
		for _, p := range []apiv1.Post{p, decodeAs[apiv1.PostList](t, w.do(nil, "GET", "/posts", nil).want(200)).Results[0]} {
			if p.SourceID == nil || *p.SourceID != sourceID || p.SourceItemID == nil || *p.SourceItemID != sent.Item.ID {
				t.Errorf("source %v, item %v", p.SourceID, p.SourceItemID)
			}
			if want := (apiv1.Author{ID: sourceID, Name: "builds", Kind: apiv1.AuthorSource}); p.CreatedBy == nil || *p.CreatedBy != want || p.UpdatedBy != nil {
				t.Errorf("created by %+v, updated by %+v", p.CreatedBy, p.UpdatedBy)
			}
		}
		p = w.do(w.editor, "PATCH", "/posts/"+p.ID, body{"content": "edited"}).want(200).post()
		if p.CreatedBy.ID != sourceID || p.UpdatedBy == nil || p.UpdatedBy.Name != "editor" {
			t.Errorf("after an edit: created by %+v, updated by %+v", p.CreatedBy, p.UpdatedBy)
		}
		w.do(nil, "DELETE", "/sources/"+sourceID, nil).want(204)
		if p = w.get(p.ID); p.CreatedBy.Name != "builds" {
			t.Errorf("after the removal: created by %+v", p.CreatedBy)
		}
		w.do(nil, "POST", "/posts", body{"content": "x", "external_id": schedctl.SourceExternalID(sourceID, "1", 1)}).refused(schedctl.ValidationFailed)
	})
}
