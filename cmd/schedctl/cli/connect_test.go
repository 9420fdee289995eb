package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each case is the files of the data directory, the environment and the flags.
func TestEndpoint(t *testing.T) {
	t.Parallel()
	const running = `{"url":"http://127.0.0.1:4321","pid":7}`
	for name, tc := range map[string]struct {
		files   map[string]string
		env     map[string]string
		url     string
		keyFile string
		want    Endpoint
		status  int
		err     string
	}{
		"the running daemon": {
			files: map[string]string{"daemon.json": running, "admin.key": "sctl_admin\n"},
			want:  Endpoint{"http://127.0.0.1:4321", "sctl_admin", "DIR"},
		},
		"one on a socket": {
			files: map[string]string{"daemon.json": `{"url":"unix:///run/s.sock","pid":7}`, "admin.key": "sctl_admin\n"},
			want:  Endpoint{"unix:///run/s.sock", "sctl_admin", "DIR"},
		},
		"a daemon that does not run": {
			files:  map[string]string{"admin.key": "sctl_admin"},
			status: 7, err: "no daemon is running on the data in DIR; start one with: schedctl daemon start",
		},
		"a running one without its admin key": {
			files: map[string]string{"daemon.json": running},
			want:  Endpoint{"http://127.0.0.1:4321", "", "DIR"},
		},
		"a daemon that was stopped, with its flags": {
			files:  map[string]string{"admin.key": "sctl_admin", "daemon.lock": `{"flags":["--max-lateness=20h"]}`},
			status: 7, err: "no daemon is running on the data in DIR; start it again with: schedctl daemon restart",
		},
		"none, ever": {status: 7, err: "no daemon has run in DIR; start one with: schedctl daemon start"},
		"none here, but a key": {
			env:  map[string]string{"SCHEDCTL_API_KEY": "sctl_env"},
			want: Endpoint{"http://127.0.0.1:7733", "sctl_env", ""},
		},
		"the environment": {
			files: map[string]string{"daemon.json": running, "admin.key": "sctl_admin"},
			env:   map[string]string{"SCHEDCTL_URL": "https://far.test", "SCHEDCTL_API_KEY": " sctl_env\n"},
			want:  Endpoint{"https://far.test", "sctl_env", ""},
		},
		"a key file in the environment": {
			files: map[string]string{"key": "sctl_file\r\n"},
			env:   map[string]string{"SCHEDCTL_URL": "https://far.test", "SCHEDCTL_API_KEY_FILE": "DIR/key"},
			want:  Endpoint{"https://far.test", "sctl_file", ""},
		},
		"flags before the environment": {
			files: map[string]string{"key": "sctl_flag"},
			env:   map[string]string{"SCHEDCTL_URL": "https://far.test", "SCHEDCTL_API_KEY": "sctl_env", "SCHEDCTL_API_KEY_FILE": "DIR/none"},
			url:   "https://flag.test", keyFile: "DIR/key",
			want: Endpoint{"https://flag.test", "sctl_flag", ""},
		},
		"the address of the running daemon": {
			files: map[string]string{"daemon.json": running, "admin.key": "sctl_admin"}, url: "http://localhost:4321/",
			want: Endpoint{"http://127.0.0.1:4321", "sctl_admin", "DIR"},
		},
		"the admin key for no other port": {
			files: map[string]string{"daemon.json": running, "admin.key": "sctl_admin"}, url: "http://127.0.0.1:9999",
			want: Endpoint{"http://127.0.0.1:9999", "", ""},
		},
		"nor for this machine when no daemon runs": {
			files: map[string]string{"admin.key": "sctl_admin"}, url: "http://localhost:9999",
			want: Endpoint{"http://localhost:9999", "", ""},
		},
		"a key for the running daemon": {
			files: map[string]string{"daemon.json": running}, env: map[string]string{"SCHEDCTL_API_KEY": "sctl_env"},
			want: Endpoint{"http://127.0.0.1:4321", "sctl_env", "DIR"},
		},
		"the admin key for nowhere else": {
			files: map[string]string{"daemon.json": running, "admin.key": "sctl_admin"}, url: "https://far.test",
			want: Endpoint{"https://far.test", "", ""},
		},
		"nor to a name that only looks like it": {
			files: map[string]string{"admin.key": "sctl_admin"}, url: "http://127.0.0.1.far.test",
			want: Endpoint{"http://127.0.0.1.far.test", "", ""},
		},
		"a damaged announcement": {
			files: map[string]string{"daemon.json": "{", "admin.key": "sctl_admin"}, status: 1, err: "find the daemon: DIR/daemon.json is damaged; give its address with --url",
		},
		"an empty key file": {
			files: map[string]string{"key": "\n"}, keyFile: "DIR/key",
			status: 4, err: "DIR/key holds no API key; it must hold the key and nothing else",
		},
		"a key with a line break": {
			env: map[string]string{"SCHEDCTL_API_KEY": "sctl_a\nX-Evil: 1"}, status: 4, err: "SCHEDCTL_API_KEY holds no API key; it must hold the key and nothing else",
		},
		"no such key file": {
			keyFile: "DIR/none", status: 4, err: "the API key cannot be read: open DIR/none: no such file or directory; give a readable file with --api-key-file",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			os.Chmod(dir, 0o700) // whatever the umask is
			for file, text := range tc.files {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			inDir := func(s string) string { return strings.ReplaceAll(s, "DIR", dir) }
			a := &App{URL: tc.url, KeyFile: inDir(tc.keyFile)}
			a.ConfigHome = dir
			a.Getenv = func(name string) string {
				if name == "SCHEDCTL_DATA_DIR" {
					return dir
				}
				return inDir(tc.env[name])
			}
			got, err := a.Endpoint()
			if status := ExitStatus(err); status != tc.status {
				t.Fatalf("got %v (exit status %d), want %d", err, status, tc.status)
			}
			if err != nil {
				if diff := cmp.Diff(inDir(tc.err), err.Error()); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
				return
			}
			tc.want.Announced = inDir(tc.want.Announced)
			if got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func TestDataDir(t *testing.T) {
	t.Parallel()
	a := &App{}
	a.dataHome = "/home/me/.local/share"
	a.Getenv = func(string) string { return "" }
	if got := a.DataDir(); got != "/home/me/.local/share/schedctl" {
		t.Errorf("got %s", got)
	}
	a.Getenv = func(name string) string { return map[string]string{"SCHEDCTL_DATA_DIR": "/data"}[name] }
	if got := a.DataDir(); got != "/data" {
		t.Errorf("got %s", got)
	}
}
