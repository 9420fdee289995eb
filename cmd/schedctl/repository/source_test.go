package repository

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func TestNormalize(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"https://github.com/Me/Posts", "https://github.com/Me/Posts.git", "https://github.com/Me/Posts.git/", "https://GitHub.com:443/Me/Posts",
		"https://user:secret@github.com/Me/Posts.git", "https://user:se%cret@x@github.com/Me/Posts", "ssh://git@github.com:22/Me/Posts.git",
		"git@github.com:Me/Posts.git", "github.com:/Me/Posts", "git://github.com/Me/Posts", "https://github.com/Me/Posts?private_token=secret#x", " https://github.com/Me/Posts\n",
	} {
		if got := Normalize(address); got != "github.com/Me/Posts" {
			t.Errorf("%s: %s", address, got)
		}
	}
	for address, want := range map[string]string{
		"": "", "file:///srv/git/posts.git": "/srv/git/posts", "/srv/git/my posts.git": "/srv/git/my%20posts", "../posts": "../posts", `C:\git\posts`: `C:\git\posts`,
		"https://[::1]:8080/a/b": "[::1]/a/b", "https://example.org/gitlab/a/b": "example.org/gitlab/a/b", "ssh://example.org/ä": "example.org/%C3%A4",
	} {
		if got := Normalize(address); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}

// Every CI system gives the source that the remote of a clone has.
func TestSourceOfCI(t *testing.T) {
	t.Parallel()
	for want, list := range map[string][]map[string]string{
		"github.com/me/posts":    {{"GITHUB_ACTIONS": "true", "GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "me/posts"}},
		"git.example.org/me/p":   {{"GITEA_ACTIONS": "true", "GITHUB_SERVER_URL": "https://git.example.org/", "GITHUB_REPOSITORY": "me/p"}, {"FORGEJO_ACTIONS": "true", "FORGEJO_SERVER_URL": "https://git.example.org", "FORGEJO_REPOSITORY": "me/p"}, {"CI": "woodpecker", "CI_REPO_URL": "https://git.example.org/me/p"}, {"CI": "woodpecker", "CI_REPO_CLONE_URL": "https://git.example.org/me/p.git"}},
		"gitlab.example.org/g/p": {{"GITLAB_CI": "true", "CI_PROJECT_URL": "https://gitlab.example.org/g/p"}},
		"bitbucket.org/me/posts": {{"BITBUCKET_GIT_HTTP_ORIGIN": "http://bitbucket.org/me/posts"}},
		"":                       {{}, {"CI": "true"}, {"GITHUB_ACTIONS": "true"}, {"GITHUB_REPOSITORY": "me/posts"}},
	} {
		for _, env := range list {
			if got := ciSource(func(name string) string { return env[name] }); got != want {
				t.Errorf("%v: %q, want %q", env, got, want)
			}
		}
	}
}

// app returns an app whose Git responds to commands with the texts of replies, by the name
// of the command.
func app(env map[string]string, replies map[string]string) *cli.App {
	return &cli.App{System: cli.System{
		Getenv: func(name string) string { return env[name] }, Environ: func() []string { return nil },
		HasTool: func(string) bool { return true },
		RunTool: func(_ context.Context, _ []string, _ string, args ...string) ([]byte, error) {
			if reply, known := replies[args[4]]; known {
				return []byte(reply + "\n"), nil
			}
			return nil, errors.New("not a git repository")
		},
	}}
}

func TestSource(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ci := map[string]string{"GITLAB_CI": "true", "CI_PROJECT_URL": "https://gitlab.com/a/ci"}
	origin := map[string]string{"remote": "git@github.com:a/origin.git"}
	want := func(a *cli.App, want string) {
		t.Helper()
		if got, err := Source(t.Context(), a, dir); got != want || err != nil {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	want(app(nil, nil), "")
	if err := os.WriteFile(filepath.Join(dir, "schedctl.yaml"), []byte("collection: c\nsource: mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	want(app(nil, nil), "mine")
	want(app(nil, origin), "github.com/a/origin")
	want(app(ci, origin), "gitlab.com/a/ci")
}

func TestWriteSource(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ before, start string }{
		"no file":           {"", "source: "},
		"a file":            {"collection: c\n", "collection: c\nsource: "},
		"without a newline": {"collection: c", "collection: c\nsource: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "schedctl.yaml")
			if tc.before != "" {
				if err := os.WriteFile(path, []byte(tc.before), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			source, err := WriteSource(dir)
			if err != nil || len(source) < 20 {
				t.Fatal(source, err)
			}
			text, _ := os.ReadFile(path)
			if string(text) != tc.start+source+"\n" {
				t.Errorf("%q", text)
			}
			if got, err := Source(t.Context(), app(nil, nil), dir); got != source || err != nil {
				t.Errorf("read %q, %v", got, err)
			}
		})
	}
}

func TestRevision(t *testing.T) {
	t.Parallel()
	clean := map[string]string{"status": "", "log": "0123456789abcdef 1700000000"}
	r := Revision(t.Context(), app(nil, clean), ".")
	if r == nil || r.Commit != "0123456789abcdef" || r.CommittedAt.Unix() != 1700000000 {
		t.Fatalf("%+v", r)
	}
	for name, replies := range map[string]map[string]string{
		"no repository": nil, "no commit": {"status": ""}, "dirty": {"status": "?? a.md", "log": clean["log"]}, "unreadable": {"status": "", "log": "x"},
	} {
		if r := Revision(t.Context(), app(nil, replies), "."); r != nil {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if strings.Contains(Normalize("https://token@example.org/x"), "token") {
		t.Error("credentials in a source")
	}
}
