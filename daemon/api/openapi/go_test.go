package openapi_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestGo generates a client from the file with oapi-codegen, as it is by default, and runs a
// program with it on a real daemon. The program prints the post that it created and
// scheduled.
func TestGo(t *testing.T) {
	t.Parallel()
	work := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum", "scenario.go"} {
		text, err := os.ReadFile(filepath.Join("testdata", "oapicodegen", name))
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(work, name), text)
	}
	generate := goCommand(work, "tool", "oapi-codegen", "-package", "main", "-o", "client.gen.go", absolute(t, documentFile))
	if out, err := generate.CombinedOutput(); err != nil {
		if strings.Contains(string(out), "GOPROXY=off") {
			notInstalled(t, "oapi-codegen, or a module that it needs,")
		}
		t.Fatalf("oapi-codegen: %v\n%s", err, out)
	}
	if out, err := goCommand(work, "build", "-o", "scenario", ".").CombinedOutput(); err != nil {
		t.Fatalf("what oapi-codegen generates does not compile: %v\n%s", err, out)
	}
	d := startDaemon(t)
	id, err := exec.CommandContext(t.Context(), filepath.Join(work, "scenario"), d.url, d.key).CombinedOutput()
	if err != nil {
		t.Fatalf("the program: %v\n%s", err, id)
	}
	var out struct {
		Post struct{ Content, Status string }
	}
	if err := json.Unmarshal(d.get(t, "/api/v1/posts/"+strings.TrimSpace(string(id))), &out); err != nil {
		t.Fatal(err)
	}
	if out.Post.Content != "Written in Go" || out.Post.Status != "scheduled" {
		t.Errorf("the post is %+v", out.Post)
	}
}

// goCommand returns a go command in a directory, which downloads nothing.
func goCommand(in string, args ...string) *exec.Cmd {
	cmd := exec.Command("go", args...)
	cmd.Dir = in
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOWORK=off")
	return cmd
}
