package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The committed page matches the committed figures.
func TestPageIsCurrent(t *testing.T) {
	t.Parallel()
	want, err := write(benchFile, tortureFile)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(pageFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is outdated; run go generate ./bench/page (-want +got):\n%s", pageFile, diff)
	}
}

func TestPageShowsFigures(t *testing.T) {
	t.Parallel()
	bench := file(t, "bench.json", `{"at":"2026-01-02T03:04:05Z","cpus":2,"results":[
		{"case":"creates | many","measured":"0.90 ×","goal":"≥ 0.80 ×","verdict":"FAIL","detail":"a < b","cpu_per_op_us":91.4,"rss_anon_bytes":6500000}]}`)
	torture := file(t, "torture.json", `{"at":"2026-01-03T03:04:05Z","cpus":2,"seed":7,"results":[
		{"scenario":"kill","promise":"A kill loses nothing.","verdict":"pass","counts":{"posts":12,"lost":0,"acknowledged":1234567}}]}`)
	page, err := write(bench, torture)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`| creates \| many | 0.90 × | ≥ 0.80 × | **FAIL** | 91 µs | 6.5 MB | a &lt; b |`, "2 January 2026", "3 January 2026",
		"A kill loses nothing.", "acknowledged 1,234,567, lost 0, posts 12", "-run '^kill$'", "-seed 7",
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page does not contain %q:\n%s", want, page)
		}
	}
}

func TestUnreadableFileIsNamed(t *testing.T) {
	t.Parallel()
	bad := file(t, "bad.json", "{")
	if _, err := write(bad, bad); err == nil || !strings.Contains(err.Error(), bad) {
		t.Errorf("got %v", err)
	}
	if _, err := write(filepath.Join(t.TempDir(), "none"), bad); err == nil {
		t.Error("no error for a missing file")
	}
}

func file(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
