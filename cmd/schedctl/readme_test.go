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

	"github.com/schedctl/schedctl/skills"
)

// TestDocumentExamplesWork runs every command of the console blocks of the README
// and of each page of docs, in their order, as a reader would type them.
func TestDocumentExamplesWork(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts the commands of TestHelpExamplesWork and TestScripts")
	}
	t.Parallel()
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	skill := []string{"../../skills/schedctl/SKILL.md", "../../skills/schedctl/references/posts.md"}
	for _, path := range append(append(pages, "../../README.md"), skill...) {
		commands := consoleCommands(t, path)
		if total += len(commands); len(commands) == 0 {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			r := newReader(t)
			if filepath.Base(path) != "README.md" { // a reader comes from there
				r.run("schedctl account add feed --name blog")
				r.run("schedctl account add http --name team --set url=" + httpServer(t))
				r.post = strings.TrimSpace(r.run("schedctl post create 'An example' --to blog --in 1h -q"))
			}
			if slices.Contains(skill, path) {
				r.run("schedctl agent setup generic --key-file agent.key")
				r.env = append(r.env, "SCHEDCTL_API_KEY=", "SCHEDCTL_API_KEY_FILE=agent.key", "SCHEDCTL_AGENT=1")
				r.run("schedctl post create 'A draft' --to blog")
			}
			for _, command := range commands {
				r.run(command)
			}
		})
	}
	if total < 60 {
		t.Errorf("only %d commands found", total)
	}
}

// TestSkillIsShort guards the size of the skill file, which agents read whole.
func TestSkillIsShort(t *testing.T) {
	t.Parallel()
	if n := len(skills.Schedctl); n == 0 || n > 2048 {
		t.Errorf("the skill file has %d bytes", n)
	}
}

// reader types the commands of a document in a directory with example files.
type reader struct {
	t    *testing.T
	dir  string
	env  []string
	post string // the id that documents call $POST
}

// readmePicture is a PNG of 8 by 4 pixels.
const readmePicture = "\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x08\x00\x00\x00\x04\x08\x02\x00\x00\x00\x3c\xaf\xe9\xa7\x00\x00\x00\x12\x49\x44\x41\x54\x78\x9c\x63\xf8\xcf\xc0\x80\x15\x61\x17\x25\x4b\x02\x00\x5a\x5e\x1f\xe1\x1e\x42\x84\x28\x00\x00\x00\x00\x49\x45\x4e\x44\xae\x42\x60\x82"

func newReader(t *testing.T) *reader {
	t.Helper()
	d := newCrashDaemon(t)
	d.start()
	dir := t.TempDir()
	key, err := os.ReadFile(filepath.Join(d.dir, "admin.key"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"release.md": "Release notes\n",
		"cat.png":    readmePicture,
		"holidays.ics": "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:example\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTAMP:20260101T000000Z\r\n" +
			"SUMMARY:Holiday\r\nDTSTART;VALUE=DATE:20270101\r\nRRULE:FREQ=YEARLY\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
		"posts.csv":           "id,content,to,at,tz\none,Hello,blog,2099-01-01 9:00,UTC\n",
		"posts/launch.md":     fencedBlock(t, "../../docs/files.md", "markdown"),
		"posts/schedctl.yaml": fencedBlock(t, "../../docs/files.md", "yaml"),
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return &reader{t: t, dir: dir, env: []string{
		"PATH=" + filepath.Dir(d.bin) + string(os.PathListSeparator) + os.Getenv("PATH"),
		"HOME=" + dir, "SCHEDCTL_DATA_DIR=" + d.dir, "VERSION=1.0", "GORACE=" + os.Getenv("GORACE"),
		"SCHEDCTL_URL=http://" + d.address, "SCHEDCTL_API_KEY=" + strings.TrimSpace(string(key)),
	}}
}

// httpServer returns the URL of a server that accepts every request.
func httpServer(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	t.Cleanup(server.Close)
	return server.URL
}

// run runs a command in a shell and returns its standard output.
func (r *reader) run(command string) string {
	r.t.Helper()
	if _, err := exec.LookPath("curl"); err != nil && strings.HasPrefix(command, "curl ") {
		r.t.Log("curl is not installed; its examples are skipped")
		return ""
	}
	command = strings.ReplaceAll(command, "https://example.com/feed.xml", "$SCHEDCTL_URL/feeds/blog.atom") // a feed that is there
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir, cmd.Env = r.dir, append(r.env, "POST="+r.post)
	if strings.Contains(command, "--smtp") {
		cmd.Env = append(cmd.Env, "SCHEDCTL_SECRET=password of the mail server")
	}
	var told strings.Builder
	cmd.Stderr = &told
	out, err := cmd.Output()
	if err != nil {
		r.t.Errorf("$ %s\n%s%s%v", command, out, &told, err)
	}
	return string(out)
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
