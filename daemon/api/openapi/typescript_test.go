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
	work := project(t, dir, "scenario.ts")
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

// TestHeyAPI generates a client from the file with Hey API, and compiles a program with it
// under the strictest rules that the generated code itself meets.
func TestHeyAPI(t *testing.T) {
	t.Parallel()
	dir := tools(t)
	work := project(t, dir, "heyapi.ts")
	run(t, dir, work, npmBin(dir, "openapi-ts"), "--input", absolute(t, documentFile), "--output", "client", "--no-log-file")
	run(t, dir, work, npmBin(dir, "tsc"), "--project", "tsconfig.json")
}

// project returns a new directory with a program of the folder typescript and its settings.
func project(t *testing.T, tools, program string) string {
	t.Helper()
	work := t.TempDir()
	for from, to := range map[string]string{program: program, strings.TrimSuffix(program, ".ts") + ".tsconfig.json": "tsconfig.json"} {
		text, err := os.ReadFile(filepath.Join("typescript", from))
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(work, to), text)
	}
	writeFile(t, filepath.Join(work, "package.json"), []byte(`{"private": true, "type": "module"}`))
	if err := os.Symlink(filepath.Join(tools, "node_modules"), filepath.Join(work, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return work
}

func writeFile(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}
