package main_test

import (
	"bufio"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestREADMEExamplesWork runs every command of the README's console blocks, in
// their order, as a reader would type them.
func TestREADMEExamplesWork(t *testing.T) {
	t.Parallel()
	commands := consoleCommands(t, "../../README.md")
	if len(commands) < 10 {
		t.Fatalf("only %d commands found in the README", len(commands))
	}
	d := newCrashDaemon(t)
	d.start()
	dir := t.TempDir()
	key, err := os.ReadFile(filepath.Join(d.dir, "admin.key"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "release.md"), []byte("Release notes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"posts.csv":           "id,content,to,at,tz\none,Hello,blog,2099-01-01 9:00,UTC\n",
		"posts/launch.md":     fencedBlock(t, "../../README.md", "markdown"),
		"posts/schedctl.yaml": "collection: website\n",
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	team := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	defer team.Close()
	connect := exec.Command(d.bin, "--url", "http://"+d.address, "--api-key-file", filepath.Join(d.dir, "admin.key"),
		"account", "add", "http", "--name", "team", "--set", "url="+team.URL)
	if out, err := connect.CombinedOutput(); err != nil {
		t.Fatalf("%s%v", out, err)
	}
	shell := func(command string) (string, error) {
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir = dir
		cmd.Env = []string{
			"PATH=" + filepath.Dir(d.bin) + string(os.PathListSeparator) + os.Getenv("PATH"),
			"HOME=" + dir, "SCHEDCTL_DATA_DIR=" + d.dir, "VERSION=1.0", "GORACE=" + os.Getenv("GORACE"),
			"SCHEDCTL_URL=http://" + d.address, "SCHEDCTL_API_KEY=" + strings.TrimSpace(string(key)),
		}
		if strings.Contains(command, "--smtp") {
			cmd.Env = append(cmd.Env, "SCHEDCTL_SECRET=password of the mail server")
		}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if _, err := exec.LookPath("curl"); err != nil {
		t.Log("there is no curl here: its examples are left out")
		commands = slices.DeleteFunc(commands, func(c string) bool { return strings.HasPrefix(c, "curl ") })
	}
	for i, command := range commands {
		if strings.Contains(command, "$POST") {
			break
		}
		if out, err := shell(command); err != nil {
			t.Errorf("$ %s\n%s%v", command, out, err)
		}
		commands[i] = ""
	}
	created, err := exec.Command(d.bin, "--url", "http://"+d.address, "--api-key-file", filepath.Join(d.dir, "admin.key"),
		"post", "create", "words", "--to", "blog", "--in", "1h", "-q").Output()
	if err != nil {
		t.Fatal(err)
	}
	post := strings.TrimSpace(string(created))
	for _, command := range commands {
		if command == "" {
			continue
		}
		if out, err := shell(strings.ReplaceAll(command, "$POST", post)); err != nil {
			t.Errorf("$ %s\n%s%v", command, out, err)
		}
	}
}

// consoleCommands returns the lines after "$ " in a document's console blocks.
func consoleCommands(t *testing.T, path string) (commands []string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	inside := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := lines.Text()
		switch command, isCommand := strings.CutPrefix(line, "$ "); {
		case strings.HasPrefix(line, "```"):
			inside = line == "```console"
		case inside && isCommand:
			commands = append(commands, command)
		}
	}
	return commands
}

// fencedBlock returns the first block of a document in a language.
func fencedBlock(t *testing.T, path, language string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, block, found := strings.Cut(string(text), "```"+language+"\n")
	block, _, ended := strings.Cut(block, "```")
	if !found || !ended {
		t.Fatalf("%s has no block of %s", path, language)
	}
	return block
}
