package openapi_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTypeScript generates types from the file, compiles a program with them under
// the strictest rules, and runs it on a real daemon. The program prints the post
// that it created, scheduled and canceled.
func TestTypeScript(t *testing.T) {
	t.Parallel()
	dir := tools(t)
	work := t.TempDir()
	for _, name := range []string{"scenario.ts", "tsconfig.json"} {
		text, err := os.ReadFile(filepath.Join("typescript", name))
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(work, name), text)
	}
	writeFile(t, filepath.Join(work, "package.json"), []byte(`{"private": true, "type": "module"}`))
	if err := os.Symlink(filepath.Join(dir, "node_modules"), filepath.Join(work, "node_modules")); err != nil {
		t.Fatal(err)
	}
	run(t, dir, work, npmBin(dir, "openapi-typescript"), absolute(t, documentFile), "--output", "schema.d.ts")
	run(t, dir, work, npmBin(dir, "tsc"), "--project", "tsconfig.json")

	d := startDaemon(t)
	id := strings.TrimSpace(run(t, dir, work, "node", filepath.Join("out", "scenario.js"), d.url, d.key))
	var out struct {
		Post struct{ Content, Status string }
	}
	if err := json.Unmarshal(d.get(t, "/api/v1/posts/"+id), &out); err != nil {
		t.Fatal(err)
	}
	if out.Post.Content != "Written in TypeScript" || out.Post.Status != "canceled" {
		t.Errorf("the post is %+v", out.Post)
	}
}

func writeFile(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}
