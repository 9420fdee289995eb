package main

import (
	"archive/zip"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

// offered returns what a shell would offer.
func offered(t *testing.T, m *machine, args ...string) []string {
	t.Helper()
	if status := m.run(t, append([]string{cobra.ShellCompRequestCmd}, args...)...); status != 0 {
		t.Errorf("%q: exit status %d: %s", args, status, &m.err)
	}
	lines := strings.Split(strings.TrimSpace(m.out.String()), "\n")
	return lines[:len(lines)-1] // the last one is for the shell itself
}

func TestCompletionTellsPostsApart(t *testing.T) {
	t.Parallel()
	var asked string
	m := newMachine(t, routes{"GET /posts": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.RawQuery
		routes{"GET /posts": apiv1.PostList{Results: []apiv1.Post{
			{ID: "post_1", Status: schedctl.Scheduled, PublishAt: at(2 * time.Hour), Content: "Tea\nat two \x1b[31m"},
			{ID: "post_2", Status: schedctl.Draft, Content: "An idea"},
		}}}.ServeHTTP(w, r)
	})})
	want := []string{"post_1\tscheduled 21 Nov 14:00, in 2 hours: Tea at two \ufffd[31m", "post_2\tdraft: An idea"}
	for command, statuses := range map[string]string{
		"show": "", "cancel": "&status=scheduled&status=publishing", "delete": "&status=draft", "retry": "&status=failed", "schedule": "&status=draft",
	} {
		if diff := cmp.Diff(want, offered(t, m, "post", command, "")); diff != "" {
			t.Errorf("post %s: -want +got:\n%s", command, diff)
		}
		if asked != "limit=50"+statuses {
			t.Errorf("post %s: asked for %s", command, asked)
		}
	}
	if diff := cmp.Diff(want[1:], offered(t, m, "post", "show", "post_1", "")); diff != "" {
		t.Errorf("the second post: -want +got:\n%s", diff)
	}
}

func TestCompletionOffersFields(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil)
	for typed, want := range map[string][]string{
		"--json=":                   {"--json=bytes", "--json=media_bytes", "--json=media_files", "--json=media_lost", "--json=path"},
		"--json=p":                  {"--json=path"},
		"--json=path,b":             {"--json=path,bytes"},
		"--json=path,bytes,media_":  {"--json=path,bytes,media_bytes", "--json=path,bytes,media_files", "--json=path,bytes,media_lost"},
		"--json=path,bytes,p":       nil,
		"--json=nothing,that,is,pa": {"--json=nothing,that,is,path"},
	} {
		got := offered(t, m, "backup", typed)
		for i := range got {
			got[i] = "--json=" + got[i]
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: -want +got:\n%s", typed, diff)
		}
	}
	if got := offered(t, m, "post", "create", "--dry-run", "--json=a"); !slices.Equal(got, []string{"allowed", "accounts"}) {
		t.Errorf("with --dry-run: %q", got)
	}
	if got := offered(t, m, "api", "--json="); len(got) > 0 {
		t.Errorf("of a command without fields: %q", got)
	}
}

func TestUsefulNamesCommands(t *testing.T) {
	t.Parallel()
	root := tree(t)
	for path := range post.CompletableStatuses {
		cmd, _, err := root.Find(strings.Fields(path)[1:])
		if err != nil || cmd.CommandPath() != path {
			t.Errorf("there is no command %s", path)
		}
	}
}

// Completion does not wait for a daemon that does not respond, nor for a keyring, and
// prints no error.
func TestCompletionDoesNotWait(t *testing.T) {
	t.Parallel()
	m := newMachine(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	stuck := make(chan struct{})
	defer close(stuck)
	for name, m := range map[string]*machine{"daemon": m, "keyring": stuckMachine(t, stuck), "nothing": newMachine(t, nil)} {
		m.AskTime = cli.CompletionTime
		for _, args := range [][]string{{"post", "show", ""}, {"post", "create", "--to", ""}, {"account", "show", ""}} {
			if got := offered(t, m, args...); len(got) > 0 {
				t.Errorf("%s: %q are offered", name, got)
			}
			if text := m.err.String(); strings.Contains(text, "schedctl:") {
				t.Errorf("%s: standard error has %q", name, text)
			}
		}
	}
}

// stuckKeyring never returns.
type stuckKeyring struct {
	noKeyring
	stuck chan struct{}
}

func (k stuckKeyring) Get(string, string) (string, error) {
	<-k.stuck
	return "", errNoKeyring
}

func stuckMachine(t *testing.T, stuck chan struct{}) *machine {
	t.Helper()
	m, _ := newContextMachine(t)
	m.want(t, 0, "work\n", "", "login", "--url", "http://work.test", "--context", "work", "--api-key-file", writeKey(t, "sctl_good"), "-q")
	m.Keyring = stuckKeyring{stuck: stuck}
	return m
}

func TestCompletionOfContexts(t *testing.T) {
	t.Parallel()
	m, _ := newContextMachine(t)
	m.run(t, "context", "add", "work", "--url", "http://work.test")
	want := []string{"local\tthe daemon of this user on this machine", "work\thttp://work.test"}
	if diff := cmp.Diff(want[1:], offered(t, m, "context", "remove", "")); diff != "" {
		t.Errorf("context remove: -want +got:\n%s", diff)
	}
	for _, args := range [][]string{{"context", "use", ""}, {"me", "--context", ""}} {
		if diff := cmp.Diff(want, offered(t, m, args...)); diff != "" {
			t.Errorf("%q: -want +got:\n%s", args, diff)
		}
	}
}

func TestCompletionOfZones(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil)
	if diff := cmp.Diff([]string{"Europe/Berlin"}, offered(t, m, "time", "9am", "--tz", "Europe/Berl")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := offered(t, m, "post", "list", "--tz", "america/arg"); !slices.Contains(got, "America/Argentina/Ushuaia") {
		t.Errorf("got %q", got)
	}
}

// The zones that are offered are those that Go comes with, but for the names
// that are kept for old programs alone.
func TestZonesAreFresh(t *testing.T) {
	t.Parallel()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	database, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer database.Close()
	names := []string{"UTC"}
	for _, f := range database.File {
		if strings.Contains(f.Name, "/") && !strings.HasSuffix(f.Name, "/") && !strings.HasPrefix(f.Name, "Etc/") {
			names = append(names, f.Name)
		}
	}
	slices.Sort(names)
	got := strings.Join(names, "\n") + "\n"
	if *update {
		if err := os.WriteFile("../../client/when/zones.txt", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(when.ZoneNames, got); diff != "" {
		t.Errorf("zones.txt is stale: run go test ./cmd/schedctl -update, -kept +got:\n%s", diff)
	}
	for _, name := range names {
		if _, err := time.LoadLocation(name); err != nil {
			t.Error(err)
		}
	}
}
