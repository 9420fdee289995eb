package main

import (
	"strings"
	"testing"

	"github.com/schedctl/schedctl/client/apiv1"
)

// TestNoInputReadsNoTerminal guards that --no-input never reads from a terminal.
func TestNoInputReadsNoTerminal(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"post", "create", "-"},
		{"post", "create", "-F", "-"},
		{"post", "edit", "post_1", "-"},
		{"post", "validate", "-", "--to", "demo"},
		{"post", "import", "-"},
		{"api", "POST", "/posts", "-F", "-"},
		{"account", "add", "http", "--name", "x", "--set", "url=http://x.test", "--secret-file", "-"},
		{"login", "--url", "http://daemon.test", "--api-key-file", "-"},
	} {
		m := newMachine(t, routes{"GET /social-accounts": twoAccounts, "GET /posts/post_1": apiv1.PostEnvelope{}}).terminals()
		m.In = strings.NewReader("content\nHello\n")
		status := m.run(t, append(args, "--no-input")...)
		if status != 2 || m.err.String() != "schedctl: standard input is a terminal, and --no-input never prompts; give a file or a pipe\n" {
			t.Errorf("%q: exit status %d: %s", args, status, &m.err)
		}
	}
}
