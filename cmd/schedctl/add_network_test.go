package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	codeBlock  = regexp.MustCompile("(?s)`([a-z/_]+\\.go)`:\n\n```go\n(.*?)```")
	namedPath  = regexp.MustCompile("`((?:daemon|cmd|docs|bench)/[A-Za-z0-9_/.-]+)`")
	identifier = regexp.MustCompile("`(?:(publish|outbound|publishtest)\\.)?([A-Z][A-Za-z]+)`")
)

// TestAddANetworkWorks builds the network of docs/add-a-network.md, without writing it into
// the source tree, and runs its tests.
func TestAddANetworkWorks(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs(repository)
	if err != nil {
		t.Fatal(err)
	}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	dir := t.TempDir()
	for _, block := range codeBlock.FindAllStringSubmatch(addANetwork(t), -1) {
		file := filepath.Join(dir, strings.ReplaceAll(block[1], "/", "_"))
		if err := os.WriteFile(file, []byte(block[2]), 0o600); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[filepath.Join(root, filepath.FromSlash(block[1]))] = file
	}
	if len(overlay.Replace) != 3 {
		t.Fatalf("the page has %d files, want 3", len(overlay.Replace))
	}
	files, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, files, 0o600); err != nil {
		t.Fatal(err)
	}
	registered := exec.CommandContext(t.Context(), "go", "build", "-overlay", list, "./daemon/publish/publishtest/networks")
	registered.Dir = root
	if out, err := registered.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// The directory of the package does not exist, so that the test cannot run there.
	binary := filepath.Join(dir, "chirp.test")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-overlay", list, "-o", binary, "./daemon/publish/chirp")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := exec.CommandContext(t.Context(), binary)
	run.Dir = dir
	if out, err := run.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func addANetwork(t *testing.T) string {
	t.Helper()
	text := documents(t)["docs/add-a-network.md"]
	if text == "" {
		t.Fatal("the page is missing")
	}
	return text
}

// TestAddANetworkNamesWhatExists guards that the files and identifiers of the page exist.
func TestAddANetworkNamesWhatExists(t *testing.T) {
	t.Parallel()
	text := addANetwork(t)
	for _, match := range namedPath.FindAllStringSubmatch(text, -1) {
		if strings.Contains(match[1], "chirp") {
			continue
		}
		if _, err := os.Stat(filepath.Join(repository, match[1])); err != nil {
			t.Errorf("the page names %s, which does not exist", match[1])
		}
	}
	var sources strings.Builder
	for _, pattern := range []string{"daemon/publish/*.go", "daemon/publish/outbound/*.go", "daemon/publish/publishtest/*.go", "daemon/publish/publishtest/networks/*.go", "daemon/publish/all/*.go"} {
		paths, err := filepath.Glob(filepath.Join(repository, pattern))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, path := range paths {
			source, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			sources.Write(source)
		}
	}
	checked := 0
	prose := fenced.ReplaceAllString(text, "")
	for _, match := range identifier.FindAllStringSubmatch(prose, -1) {
		checked++
		if !regexp.MustCompile(`(?m)^(?:func|type|var) (?:\([^)]*\) )?` + match[2] + `\b`).MatchString(sources.String()) {
			t.Errorf("the page names %s, which does not exist", match[0])
		}
	}
	if checked < 15 {
		t.Errorf("only %d identifiers were found", checked)
	}
}
