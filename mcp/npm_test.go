package mcp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/mcp"
	"github.com/schedctl/schedctl/scripts/testsize"
)

// TestMain lets the test program be the server that clients start: it serves standard
// input and output if the environment has a daemon for it.
func TestMain(m *testing.M) {
	if daemon := os.Getenv("MCP_TEST_DAEMON"); daemon != "" {
		os.Exit(serveStdio(daemon, os.Getenv("MCP_TEST_KEY")))
	}
	os.Exit(m.Run())
}

func serveStdio(daemon, key string) int {
	c, err := client.New(client.Config{URL: daemon, Key: key})
	if err != nil {
		return 1
	}
	caller, err := mcp.Read(context.Background(), c)
	if err != nil {
		return 1
	}
	if err := (&mcp.Server{}).RunStdio(context.Background(), caller, os.Stdin, os.Stdout); err != nil {
		return 1
	}
	return 0
}

// packages returns the directory of the packages that install.sh installs.
func packages(t *testing.T) string {
	t.Helper()
	servers := os.Getenv("SCHEDCTL_SERVERS")
	if servers == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			t.Fatal(err)
		}
		servers = filepath.Join(home, ".cache", "schedctl-servers")
	}
	dir := filepath.Join(servers, "mcp")
	if _, err := os.Stat(filepath.Join(dir, "installed")); err != nil {
		if os.Getenv("SCHEDCTL_REQUIRE_ALL") != "" {
			t.Fatal("the MCP clients are missing: run mcp/install.sh")
		}
		t.Skip("the MCP clients are missing: run mcp/install.sh")
	}
	return dir
}

// node runs a program of the packages and returns what it wrote.
func node(t *testing.T, dir string, env []string, name string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testsize.Patience)
	defer cancel()
	bin := filepath.Join(dir, "node_modules", ".bin")
	if !filepath.IsAbs(name) {
		name = filepath.Join(bin, name)
	}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"), "HOME="+cmd.Dir, "NO_COLOR=1")
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// script copies a script of testdata to the packages, where it can import them.
func script(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.CreateTemp(dir, "*.mjs")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(f.Name()) })
	if _, err := f.Write(text); err != nil {
		t.Fatal(err)
	}
	f.Close()
	return f.Name()
}

func TestClients(t *testing.T) {
	t.Parallel()
	dir := packages(t)
	f := newFixture(t)
	key, path := f.agent(), script(t, dir, "client.mjs")
	self, err := os.Executable()
	f.ok(err)
	for _, args := range [][]string{{"http", f.url + "/mcp", key}, {"stdio", self, key}} {
		out, err := node(t, dir, []string{"MCP_TEST_DAEMON=" + f.url, "MCP_TEST_KEY=" + key}, "node", append([]string{path}, args...)...)
		if err != nil || strings.Count(out, "ok ") != 3 {
			t.Errorf("%s: %v\n%s", args[0], err, out)
		}
	}
}

func TestInspector(t *testing.T) {
	t.Parallel()
	dir := packages(t)
	f := newFixture(t)
	key := f.agent()
	for _, tt := range []struct{ args, want string }{
		{"--method tools/list", `"create_draft"`},
		{"--method tools/call --tool-name whoami", "posts:draft"},
		{"--method tools/call --tool-name create_draft --tool-arg content=hello", "hello"},
		{"--method prompts/list", "plan-the-week"},
		{"--method resources/templates/list", "schedctl://posts/{id}"},
	} {
		args := append([]string{"--cli", f.url + "/mcp", "--transport", "http", "--header", "Authorization: Bearer " + key}, strings.Fields(tt.args)...)
		if out, err := node(t, dir, nil, "mcp-inspector", args...); err != nil || !strings.Contains(out, tt.want) {
			t.Errorf("%s: %v\n%.2000s", tt.args, err, out)
		}
	}
}

// TestConformance runs the public suite. It knows no API keys, so a proxy adds one.
// testdata/expected-failures.yml has the reason of each failure.
func TestConformance(t *testing.T) {
	t.Parallel()
	dir := packages(t)
	f := newFixture(t)
	key := f.publisher()
	target, err := url.Parse(f.url)
	f.ok(err)
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host // the server checks it
		r.Out.Header.Set("Authorization", "Bearer "+key)
	}, ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) { t.Log(err) }})
	t.Cleanup(proxy.Close)
	expected, err := filepath.Abs("testdata/expected-failures.yml")
	f.ok(err)
	out, err := node(t, dir, nil, "conformance", "server", "--url", proxy.URL+"/mcp", "--expected-failures", expected)
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
