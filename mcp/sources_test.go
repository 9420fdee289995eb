package mcp_test

import (
	"strings"
	"testing"

	"github.com/schedctl/schedctl"
)

// TestAgentsMakeSourcesOfDrafts guards that create_source makes drafts only, once, and that no
// option raises the mode.
func TestAgentsMakeSourcesOfDrafts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	key := f.key(schedctl.ScopeSourcesWrite, schedctl.ScopePostsRead, schedctl.ScopePostsWrite, schedctl.ScopeAccountsRead)
	blog := map[string]any{"name": "blog", "url": "https://example.com/feed.xml", "social_account_ids": []string{"blog"}, "options": map[string]any{
		"template": "{{.Title}} {{.Link}}", "filter": map[string]any{"include": []string{"release"}}, "take": 1,
	}}
	for range 2 { // the second is a repetition
		made := f.call(key, "create_source", blog).object(t)["source"].(map[string]any)
		if made["mode"] != "draft" || made["name"] != "blog" || made["accounts"].([]any)[0] != "blog" {
			t.Errorf("%v", made)
		}
	}
	if list := f.call(key, "list_sources", nil).object(t)["results"].([]any); len(list) != 1 {
		t.Errorf("%v", list)
	}
	for _, options := range []map[string]any{{"mode": "now"}, {"kind": "webhook"}, {"queue_id": "que_1"}, {"header": map[string]any{"name": "a", "value": "b"}}} {
		given := map[string]any{"name": "news", "url": "https://example.com/news", "social_account_ids": []string{"blog"}, "options": options}
		if code := f.call(key, "create_source", given).code(t); code != string(schedctl.ValidationFailed) {
			t.Errorf("%v: %q", options, code)
		}
	}
	if said := f.call(f.agent(), "create_source", blog).message(t); !strings.Contains(said, "sources:write") {
		t.Errorf("without the scope: %s", said)
	}
}
