package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl/client/apiv1"
)

// noKeyring is a machine without a keyring.
type noKeyring struct{}

var errNoKeyring = errors.New("there is no\nkeyring")

func (noKeyring) Get(string, string) (string, error) { return "", errNoKeyring }
func (noKeyring) Set(string, string, string) error   { return errNoKeyring }
func (noKeyring) Delete(string, string) error        { return errNoKeyring }

// memoryKeyring is a keyring by service and user.
type memoryKeyring map[string]string

func (k memoryKeyring) Get(service, user string) (string, error) {
	if secret, ok := k[service+" "+user]; ok {
		return secret, nil
	}
	return "", errors.New("secret not found in keyring")
}

func (k memoryKeyring) Set(service, user, secret string) error {
	k[service+" "+user] = secret
	return nil
}

func (k memoryKeyring) Delete(service, user string) error {
	delete(k, service+" "+user)
	return nil
}

// calledDaemon serves GET /me and records the URL and the key of the request.
type calledDaemon struct{ url, key string }

func (d *calledDaemon) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.url, d.key = "http://"+r.Host, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if d.key == "sctl_wrong" {
		routes{"GET /me": refused{http.StatusUnauthorized, "INVALID_API_KEY"}}.ServeHTTP(w, r)
		return
	}
	json.NewEncoder(w).Encode(apiv1.Me{Workspace: apiv1.Workspace{Name: "default"}, APIKey: apiv1.APIKey{Name: "mine"}})
}

// newContextMachine returns a machine without a configured daemon.
func newContextMachine(t *testing.T) (*machine, *calledDaemon) {
	t.Helper()
	d := &calledDaemon{}
	m := newMachine(t, d)
	m.env["SCHEDCTL_URL"], m.env["SCHEDCTL_API_KEY"] = "", ""
	m.Keyring = memoryKeyring{}
	return m, d
}

// wantCall runs a command and checks which daemon it called with what key.
func wantCall(t *testing.T, m *machine, d *calledDaemon, want calledDaemon, args ...string) {
	t.Helper()
	*d = calledDaemon{}
	if status := m.run(t, append([]string{"me"}, args...)...); status != 0 {
		t.Errorf("%q: exit status %d: %s", args, status, &m.err)
	}
	if diff := cmp.Diff(want, *d, cmp.AllowUnexported(calledDaemon{})); diff != "" {
		t.Errorf("%q: -want +got:\n%s", args, diff)
	}
}

// writeKey writes a key to a file.
func writeKey(t *testing.T, key string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte(key+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Flags go before the environment, that before the context in use, and that
// before the local daemon. A key is for one daemon.
func TestWhichDaemonIsCalled(t *testing.T) {
	t.Parallel()
	m, d := newContextMachine(t)
	m.run(t, "context", "add", "work", "--url", "http://work.test", "--api-key-file", writeKey(t, "sctl_work"), "--use")
	m.run(t, "context", "add", "home", "--url", "http://home.test", "--api-key-file", writeKey(t, "sctl_home"))
	if err := os.WriteFile(filepath.Join(m.env["SCHEDCTL_DATA_DIR"], "daemon.json"), []byte(`{"url":"http://127.0.0.1:7","pid":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(m.env["SCHEDCTL_DATA_DIR"], "admin.key"), []byte("sctl_admin"), 0o600); err != nil {
		t.Fatal(err)
	}
	flagKey := writeKey(t, "sctl_flag")

	wantCall(t, m, d, calledDaemon{"http://work.test", "sctl_work"})
	wantCall(t, m, d, calledDaemon{"http://home.test", "sctl_home"}, "--context", "home")
	wantCall(t, m, d, calledDaemon{"http://127.0.0.1:7", "sctl_admin"}, "--context", "local")
	wantCall(t, m, d, calledDaemon{"http://work.test", "sctl_flag"}, "--api-key-file", flagKey)
	wantCall(t, m, d, calledDaemon{"http://other.test", ""}, "--url", "http://other.test")
	wantCall(t, m, d, calledDaemon{"http://other.test", ""}, "--url", "http://other.test", "--context", "home")
	wantCall(t, m, d, calledDaemon{"http://home.test", "sctl_home"}, "--url", "http://home.test", "--context", "home")

	m.env["SCHEDCTL_CONTEXT"] = "home"
	wantCall(t, m, d, calledDaemon{"http://home.test", "sctl_home"})
	wantCall(t, m, d, calledDaemon{"http://work.test", "sctl_work"}, "--context", "work")
	m.env["SCHEDCTL_CONTEXT"] = "local"
	wantCall(t, m, d, calledDaemon{"http://127.0.0.1:7", "sctl_admin"})

	m.env["SCHEDCTL_API_KEY"] = "sctl_env"
	wantCall(t, m, d, calledDaemon{"http://127.0.0.1:7", "sctl_env"})
	wantCall(t, m, d, calledDaemon{"http://127.0.0.1:7", "sctl_admin"}, "--context", "local")
	wantCall(t, m, d, calledDaemon{"http://home.test", "sctl_home"}, "--context", "home")
	m.env["SCHEDCTL_CONTEXT"] = ""
	wantCall(t, m, d, calledDaemon{"http://work.test", "sctl_env"})

	m.env["SCHEDCTL_URL"] = "http://env.test"
	wantCall(t, m, d, calledDaemon{"http://env.test", "sctl_env"})
	wantCall(t, m, d, calledDaemon{"http://home.test", "sctl_home"}, "--context", "home")
	wantCall(t, m, d, calledDaemon{"http://127.0.0.1:7", "sctl_admin"}, "--context", "local")
	m.env["SCHEDCTL_API_KEY"] = ""
	wantCall(t, m, d, calledDaemon{"http://env.test", ""})
	m.env["SCHEDCTL_URL"] = ""
	m.run(t, "context", "use", "local")
	wantCall(t, m, d, calledDaemon{"http://127.0.0.1:7", "sctl_admin"})
}

func TestContexts(t *testing.T) {
	t.Parallel()
	m, _ := newContextMachine(t)
	key := writeKey(t, "sctl_work")
	m.want(t, 0, "*\tlocal\thttp://127.0.0.1:7733\t\n", "", "context", "list")
	m.want(t, 0, "\twork\thttp://work.test\t"+key+"\n", "", "context", "add", "work", "--url", "http://work.test", "--api-key-file", key)
	m.want(t, 0, "dotted.name\n", "", "context", "add", "dotted.name", "--url", "unix:///run/schedctl.sock", "-q")
	m.want(t, 0, `{"name":"work","url":"http://work.test","key":"`+key+`","kind":"","current":true}`+"\n", "", "context", "use", "work", "--json")
	m.want(t, 0, "\tlocal\thttp://127.0.0.1:7733\t\n\tdotted.name\tunix:///run/schedctl.sock\t\n*\twork\thttp://work.test\t"+key+"\n", "", "context", "list")
	m.want(t, 0, "local\ndotted.name\nwork\n", "", "context", "list", "-q")
	m.want(t, 0, "work\n", "", "context", "list", "--jq", ".[] | select(.current) | .name")

	m.want(t, 6, "", "schedctl: there is a context \"work\" already; remove it first: schedctl context remove work\n", "context", "add", "work", "--url", "http://work.test")
	m.want(t, 3, "", "schedctl: there is no context \"play\"; the contexts are local, dotted.name, work\n", "context", "use", "play")
	m.want(t, 3, "", "schedctl: there is no context \"play\"; the contexts are local, dotted.name, work\n", "me", "--context", "play")
	m.want(t, 3, "", "schedctl: there is no context \"local\"; the contexts are local, dotted.name, work\n", "context", "remove", "local")
	m.want(t, 2, "", "schedctl: \"local\" cannot be the name of a context; a name has up to 64 letters, digits, dots, dashes and underscores; local is taken\n", "context", "add", "local", "--url", "http://work.test")
	m.want(t, 2, "", "schedctl: \"a/b\" cannot be the name of a context; a name has up to 64 letters, digits, dots, dashes and underscores; local is taken\n", "context", "add", "a/b", "--url", "http://work.test")
	m.want(t, 2, "", "schedctl: schedctl context add needs --url, the address of the daemon; give --url http://host:port, https://host or unix:///path\n", "context", "add", "new")
	m.want(t, 2, "", "schedctl: context new: daemon URL \"nonsense\": use http://host:port, https://host or unix:///path\n", "context", "add", "new", "--url", "nonsense")
	m.want(t, 4, "", "schedctl: the API key cannot be read: open /no/such/key: no such file or directory; give a readable file with --api-key-file\n", "context", "add", "new", "--url", "http://work.test", "--api-key-file", "/no/such/key")

	m.want(t, 0, "work\n", "", "context", "remove", "work")
	m.want(t, 0, "*\tlocal\thttp://127.0.0.1:7733\t\n\tdotted.name\tunix:///run/schedctl.sock\t\n", "", "context", "list")
	if _, err := os.Stat(key); err != nil {
		t.Errorf("a key that the user named is gone: %v", err)
	}
	m.terminals().noColorEnv()
	m.In = strings.NewReader("n\n")
	m.want(t, 130, "", "Remove context dotted.name and its key? [y/N] schedctl: no changes were made\n", "context", "remove", "dotted.name")
	m.want(t, 0, "Removed context dotted.name\n", "", "context", "remove", "dotted.name", "--yes")
}

func TestDamagedConfigurations(t *testing.T) {
	t.Parallel()
	m, d := newContextMachine(t)
	path := filepath.Join(t.TempDir(), "config.yaml")
	m.env["SCHEDCTL_CONFIG"] = path
	for text, want := range map[string]string{
		"contexts: [":                        "[1:11] sequence end token ']' not found; correct it",
		"curent: work\n":                     "invalid keys: curent",
		"contexts: {work: {}}":               "context work: daemon URL \"\"",
		"contexts: {work: {url: 'ftp://x'}}": "use http://host:port",
		"contexts: {work: {url: 'http://x', key: secret-itself}}": `key is "secret-itself", and can only be keyring`,
		"contexts: {work: {url: 'http://x', pass: y}}":            "invalid keys: pass",
		"contexts: {local: {url: 'http://x'}}":                    `"local" cannot be the name of a context`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if status := m.run(t, "me"); status != 2 || !strings.HasPrefix(m.err.String(), "schedctl: "+path+" cannot be used: ") || !strings.Contains(m.err.String(), want) {
			t.Errorf("%q: exit status %d: %s", text, status, &m.err)
		}
		wantCall(t, m, d, calledDaemon{"http://other.test", ""}, "--url", "http://other.test") // needs no configuration
	}
}

func TestTheConfigurationIsPrivate(t *testing.T) {
	t.Parallel()
	m, _ := newContextMachine(t)
	kept := filepath.Join(t.TempDir(), "dotfiles.yaml")
	link := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(kept, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(kept, link); err != nil {
		t.Skip(err)
	}
	m.env["SCHEDCTL_CONFIG"] = link
	m.want(t, 0, "work\n", "", "context", "add", "work", "--url", "http://work.test", "-q")
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v", err)
	}
	info, err = os.Stat(kept)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got mode %v (%v)", info.Mode(), err)
	}
	if left, err := os.ReadDir(filepath.Dir(kept)); err != nil || len(left) != 1 {
		t.Errorf("files are left behind: %v (%v)", left, err)
	}
}
