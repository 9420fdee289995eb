package mcp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// raw returns the whole JSON of a response.
func (f *fixture) raw(secret, method string, params any) map[string]json.RawMessage {
	f.t.Helper()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	f.ok(err)
	_, text, _ := f.send(secret, string(body))
	var out struct{ Result map[string]json.RawMessage }
	f.ok(json.Unmarshal([]byte(text), &out))
	return out.Result
}

// larger returns the larger of the text and the structured content of a result.
func (a answer) larger(t *testing.T) string {
	t.Helper()
	if a.Result.IsError {
		t.Fatalf("%+v", a.Result)
	}
	text := a.Result.Content[0].Text
	if len(a.Result.StructuredContent) > len(text) {
		text = string(a.Result.StructuredContent)
	}
	return text
}

// longPost returns a post with a text of more than what lists show, and a label.
func (f *fixture) longPost(i int) apiv1.CreatePost {
	text := fmt.Sprintf("Release %d is here. It schedules posts for every network you use, and warns you early. ", i) + strings.Repeat("We rewrote how queues work, so that a slot is never lost. ", 6)
	return apiv1.CreatePost{
		Content: text, SocialAccountIDs: []string{f.account}, Labels: []string{"launch"},
		PublishAt: apiv1.At(time.Date(2090, time.January, 1+i, 9, 0, 0, 0, time.UTC)),
	}
}

// sized are texts that models read, with their limits in tokens and in bytes. The limits in
// bytes only go down: they guard the others where no tokenizer is installed.
type sized struct {
	name, text    string
	tokens, bytes int
}

// sizedTexts returns what the limits are about.
func sizedTexts(t *testing.T) []sized {
	f := newFixture(t)
	agent, publisher := f.agent(), f.publisher()
	c := f.client(publisher)
	var first apiv1.Post
	accounts := []string{f.account, f.connect("company news", schedctl.AccountConnected), f.connect("mastodon", schedctl.AccountConnected)}
	for i := range 20 {
		request := f.longPost(i)
		request.SocialAccountIDs = accounts
		p, err := c.CreatePost(t.Context(), request)
		f.ok(err)
		if i == 0 {
			first = p
		}
	}
	counted := newResultsFixture(t)
	one := counted.manyResults()
	return []sized{
		{"the tools of an agent", string(f.raw(agent, "tools/list", map[string]any{})["tools"]), 4000, 15950},
		{"the tools of a publisher", string(f.raw(publisher, "tools/list", map[string]any{})["tools"]), 6000, 24300},
		{"the instructions", string(f.raw(agent, "initialize", json.RawMessage(`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`))["instructions"]), 400, 1000},
		{"a post", f.call(agent, "get_post", map[string]any{"id": first.ID}).larger(t), 200, 600},
		{"twenty posts", f.call(agent, "list_posts", map[string]any{"limit": 20}).larger(t), 3000, 9500},
		{"twenty posts of a calendar", f.call(agent, "get_calendar", map[string]any{"from": "2090-01-01", "before": "2090-02-01"}).larger(t), 3000, 9500},
		{"the results of twenty accounts", counted.call(counted.agent(), "results", map[string]any{"id": one}).larger(t), 20*40 + 100, 1700},
		{"the results of fifty posts", counted.call(counted.agent(), "results", map[string]any{"limit": 50}).larger(t), 50 * (40 + 35), 7500},
	}
}

func TestBytesOfWhatModelsRead(t *testing.T) {
	t.Parallel()
	for _, s := range sizedTexts(t) {
		if len(s.text) > s.bytes {
			t.Errorf("%s: %d bytes, at most %d", s.name, len(s.text), s.bytes)
		}
		t.Logf("%s: %d bytes", s.name, len(s.text))
	}
}

func TestTokensOfWhatModelsRead(t *testing.T) {
	t.Parallel()
	dir := packages(t)
	var texts []string
	sized := sizedTexts(t)
	for _, s := range sized {
		texts = append(texts, s.text)
	}
	for i, n := range countTokens(t, dir, texts) {
		if s := sized[i]; n > s.tokens {
			t.Errorf("%s: %d tokens, at most %d", s.name, n, s.tokens)
		}
		t.Logf("%s: %d tokens", sized[i].name, n)
	}
}

// countTokens returns how many tokens models read for texts.
func countTokens(t *testing.T, dir string, texts []string) (counts []int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "texts")
	var lines strings.Builder
	for _, text := range texts {
		lines.WriteString(strings.ReplaceAll(text, "\n", " ") + "\n")
	}
	if err := os.WriteFile(path, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := node(t, dir, nil, "node", script(t, dir, "tokens.mjs"), path)
	for text := range strings.FieldsSeq(out) {
		n, bad := strconv.Atoi(text)
		if bad != nil {
			t.Fatal(bad)
		}
		counts = append(counts, n)
	}
	if err != nil || len(counts) != len(texts) {
		t.Fatalf("%v\n%s", err, out)
	}
	return counts
}

// TestSchemasAreSimple checks that every client can read the schemas: none has what some
// clients refuse.
func TestSchemasAreSimple(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	refused := regexp.MustCompile(`"\$ref"|"\$defs"|"allOf"|"type":\[`)
	for _, tool := range f.request(f.publisher(), "tools/list", map[string]any{}).Result.Tools {
		if part := refused.FindString(string(tool.InputSchema)); part != "" || len(tool.OutputSchema) > 0 {
			t.Errorf("%s: %s, %s", tool.Name, part, tool.OutputSchema)
		}
		var schema map[string]any
		f.ok(json.Unmarshal(tool.InputSchema, &schema))
		for _, name := range []string{"anyOf", "oneOf", "enum", "not"} {
			if schema[name] != nil {
				t.Errorf("%s has %s at the top", tool.Name, name)
			}
		}
		checkSchema(t, tool.Name, schema)
	}
}

// checkSchema checks that lists have items, and objects with properties take no others.
func checkSchema(t *testing.T, name string, s map[string]any) {
	if s["type"] == "array" && s["items"] == nil {
		t.Errorf("%s: a list without items", name)
	}
	if s["properties"] != nil && s["additionalProperties"] != false {
		t.Errorf("%s: an open object", name)
	}
	for key, v := range s {
		if of, ok := v.(map[string]any); ok {
			checkSchema(t, name+"/"+key, of)
		}
	}
}
