package mcp_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/storage"
)

// put sends a file without an API key.
func (f *fixture) put(address string, file []byte) (status int) {
	f.t.Helper()
	r, err := http.NewRequestWithContext(f.t.Context(), http.MethodPut, address, bytes.NewReader(file))
	f.ok(err)
	resp, err := http.DefaultClient.Do(r)
	f.ok(err)
	resp.Body.Close()
	return resp.StatusCode
}

// TestUploadLink: the same call gives the same address until it is used or has ended, and
// then another one. A draft has the file before it is sent.
func TestUploadLink(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	key := f.agent()
	link := func(arguments map[string]any) (out, of map[string]any) {
		t.Helper()
		out = f.call(key, "upload_link", arguments).object(t)
		return out, out["upload_link"].(map[string]any)
	}
	cat := map[string]any{"alt_text": "a cat", "file_name": "cat.png"}
	a := f.call(key, "upload_link", cat)
	_, first := link(cat)
	address := first["url"].(string)
	if !strings.HasPrefix(address, f.url+"/api/v1/uploads/") || !strings.Contains(a.Result.Content[0].Text, "curl -T FILE '"+address+"'") || first["local"] == "" || first["method"] != "PUT" {
		t.Errorf("%v, %+v", first, a.Result.Content)
	}
	if again, same := link(cat); same["url"] != address || again["replayed"] != true {
		t.Errorf("%v", again)
	}
	draft := f.call(key, "create_draft", map[string]any{"content": "a cat", "social_account_ids": []string{"blog"}, "media": []any{map[string]any{"id": first["media_id"]}}}).post(t).Post
	if status := f.put(address, mediatest.PNG(3, 4)); status != http.StatusCreated {
		t.Fatal(status)
	}
	if status := f.put(address, mediatest.PNG(3, 4)); status != http.StatusNotFound {
		t.Errorf("the address takes a second file: %d", status)
	}
	p, err := f.client(key).Post(t.Context(), draft.ID)
	f.ok(err)
	if len(p.MediaAssets) != 1 || p.MediaAssets[0].Status != schedctl.MediaReady || *p.Media[0].AltText != "a cat" {
		t.Errorf("%+v, %+v", p.Media, p.MediaAssets)
	}
	next, fresh := link(cat)
	if fresh["media_id"] == first["media_id"] || next["recreated"] != true || next["replayed"] != nil {
		t.Errorf("%v", next)
	}
	// One that was never used is gone with its asset.
	f.ok(f.client(key).DeleteMediaAsset(t.Context(), fresh["media_id"].(string)))
	if _, third := link(cat); third["media_id"] == fresh["media_id"] {
		t.Errorf("%v", third)
	}
	// It ends with the key.
	_, last := link(map[string]any{})
	f.update(func(tx storage.Tx) error {
		keys, err := tx.Keys(f.workspace)
		for i := range keys {
			keys[i].RevokedAt = keys[i].CreatedAt
			if err == nil {
				err = tx.PutKey(keys[i])
			}
		}
		return err
	})
	if status := f.put(last["url"].(string), mediatest.PNG(3, 4)); status != http.StatusNotFound {
		t.Errorf("after the end of the key: %d", status)
	}
}

// TestManyUploadLinks: a call that was made very often needs a request_key, and the error says
// so without the claim that anything was deleted.
func TestManyUploadLinks(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	key := f.agent()
	for range 20 {
		link := f.call(key, "upload_link", map[string]any{}).object(t)["upload_link"].(map[string]any)
		if status := f.put(link["url"].(string), mediatest.PNG(3, 4)); status != http.StatusCreated {
			t.Fatal(status)
		}
	}
	if full := f.call(key, "upload_link", map[string]any{}); !strings.Contains(full.Result.Content[0].Text, "the addresses of 20 such calls are gone; pass a new request_key") {
		t.Errorf("%+v", full.Result)
	}
	if link := f.call(key, "upload_link", map[string]any{"request_key": "another"}).object(t); link["recreated"] != nil || link["replayed"] != nil {
		t.Errorf("%v", link)
	}
}

// TestKnownBytes: known bytes with another alt text are another file that keeps it.
func TestKnownBytes(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	upload := func(key, alt string) map[string]any {
		t.Helper()
		arguments := map[string]any{"data": mediatest.PNG(3, 4), "file_name": "a.png"}
		if alt != "" {
			arguments["alt_text"] = alt
		}
		out := f.call(key, "upload_media", arguments).object(t)
		file := out["media"].(map[string]any)
		file["existing"] = out["existing"]
		return file
	}
	key, other := f.agent(), f.agent()
	first, second, same, theirs := upload(key, "one"), upload(key, "two"), upload(other, "one"), upload(other, "")
	if first["id"] == second["id"] || second["alt_text"] != "two" || second["existing"] != nil {
		t.Errorf("%v, then %v", first, second)
	}
	if same["id"] != first["id"] || same["existing"] != true {
		t.Errorf("%v, then %v", first, same)
	}
	if theirs["alt_text"] != nil {
		t.Errorf("the words of another key: %v", theirs)
	}
	if again, err := f.client(key).MediaAsset(t.Context(), first["id"].(string)); err != nil || *again.AltText != "one" {
		t.Errorf("%+v, %v", again, err)
	}
	f.ok(f.client(key).DeleteMediaAsset(t.Context(), second["id"].(string)))
	if anew := f.call(key, "upload_media", map[string]any{"data": mediatest.PNG(3, 4), "file_name": "a.png", "alt_text": "two"}); anew.object(t)["recreated"] != true || anew.object(t)["media"].(map[string]any)["id"] == second["id"] {
		t.Errorf("%s", anew.Result.StructuredContent)
	}
}
