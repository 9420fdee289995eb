package main

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"testing"
)

// An interrupted apply reports its progress, and the next one continues.
func TestApplyIsInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, id := range []string{"a", "b", "c"} {
		if err := os.WriteFile(filepath.Join(dir, id+".md"), []byte("---\nid: "+id+"\n---\nHello "+id+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "schedctl.yaml"), []byte("source: mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := newPosts()
	ctx, interrupt := context.WithCancel(t.Context())
	d.before = func(r *http.Request) *refused {
		if r.Method == http.MethodPost && r.URL.Path == "/api/v1/posts" {
			interrupt()
			<-r.Context().Done()
			return &refused{http.StatusInternalServerError, "INTERNAL"} // the client is gone
		}
		return nil
	}
	m := newMachine(t, d)
	if status := run(ctx, m.System, []string{"apply", dir, "--yes", "--collection", "web"}); status != 130 {
		t.Errorf("exit status %d", status)
	}
	if want := "no posts\nschedctl: interrupted after 0 of 3 files; run the same command again to continue\n"; m.err.String() != want {
		t.Errorf("got %q, want %q", &m.err, want)
	}
	d.before = nil
	if status := m.run(t, "apply", dir, "--yes", "--collection", "web"); status != 0 || len(d.kept) != 3 {
		t.Errorf("exit status %d, %d posts: %s", status, len(d.kept), &m.err)
	}
}
