// Package repository finds out which repository a directory of post files is in, and at
// which commit.
package repository

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// Source returns the source of a directory: the repository of the CI system, else that of
// the remote origin, else the source in schedctl.yaml. It is empty if there is none of them.
func Source(ctx context.Context, a *cli.App, dir string) (string, error) {
	if found := ciSource(a.Getenv); found != "" {
		return found, nil
	}
	if origin, err := git(ctx, a, dir, "remote", "get-url", "origin"); err == nil && origin != "" {
		return Normalize(origin), nil
	}
	config, _, err := postfile.ReadConfig(os.DirFS(dir))
	if err != nil {
		return "", fmt.Errorf("read the source: %w", err)
	}
	return visible(config.Source.Text), nil
}

// ciSource returns the repository of the run of a CI system, empty outside of one.
func ciSource(getenv func(string) string) string {
	first := func(names ...string) string {
		for _, name := range names {
			if v := getenv(name); v != "" {
				return v
			}
		}
		return ""
	}
	switch {
	case getenv("GITHUB_ACTIONS") == "true" || getenv("FORGEJO_ACTIONS") == "true" || getenv("GITEA_ACTIONS") == "true":
		server, name := first("GITHUB_SERVER_URL", "FORGEJO_SERVER_URL"), first("GITHUB_REPOSITORY", "FORGEJO_REPOSITORY")
		if server != "" && name != "" {
			return Normalize(strings.TrimSuffix(server, "/") + "/" + name)
		}
	case getenv("GITLAB_CI") == "true":
		return Normalize(getenv("CI_PROJECT_URL"))
	case getenv("CI") == "woodpecker":
		return Normalize(first("CI_REPO_URL", "CI_REPO_CLONE_URL"))
	}
	return Normalize(getenv("BITBUCKET_GIT_HTTP_ORIGIN"))
}

// Normalize returns the host in lower case and the path of the address of a repository, in
// one form for https, ssh and the form of scp: without the scheme, user, password, port,
// query and ".git". The path of a local repository stays.
func Normalize(address string) string {
	host, path := "", strings.TrimSpace(address)
	if _, rest, isURL := strings.Cut(path, "://"); isURL {
		host, path, _ = strings.Cut(rest, "/")
		path, _, _ = strings.Cut(path, "?")
		path, _, _ = strings.Cut(path, "#")
		path = "/" + path
	} else if before, after, scp := strings.Cut(path, ":"); scp && len(before) > 1 && !strings.Contains(before, "/") {
		host, path = before, "/"+strings.TrimLeft(after, "/")
	}
	host = host[strings.LastIndexByte(host, '@')+1:]
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		host = host[:i]
	}
	path = strings.TrimRight(strings.TrimSuffix(strings.TrimRight(path, "/"), ".git"), "/")
	return visible(strings.ToLower(host) + path)
}

// visible replaces what is not visible ASCII by percent signs and hexadecimal digits.
func visible(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		if c < 0x21 || c > 0x7e {
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

// WriteSource writes a random source into the schedctl.yaml of a directory, and returns it.
// A missing file is created.
func WriteSource(dir string) (source string, err error) {
	source = strings.ToLower(rand.Text())
	name := filepath.Join(dir, postfile.ConfigName)
	old, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("write the source: %w", err)
	}
	line := "source: " + source + "\n"
	if len(old) > 0 && !strings.HasSuffix(string(old), "\n") {
		line = "\n" + line
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err == nil {
		_, err = f.WriteString(line)
		err = cmp.Or(err, f.Close())
	}
	if err != nil {
		return "", fmt.Errorf("write the source: %w; add a line \"source: NAME\" to %s, with a name of your own", err, name)
	}
	return source, nil
}
