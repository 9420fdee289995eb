package action_test

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/schedctl/schedctl/scripts/testsize"
)

// daemon is a daemon with a feed "blog", for the action to use.
type daemon struct {
	t        *testing.T
	data     string
	url, key string
}

func startDaemon(t *testing.T) *daemon {
	t.Helper()
	d := &daemon{t: t, data: filepath.Join(t.TempDir(), "data")}
	cmd := exec.Command(program(t), "daemon", "run", "--data-dir", d.data, "--listen", "127.0.0.1:0")
	var log strings.Builder
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the daemon ends with %v\n%s", err, &log)
		}
	})
	for deadline := time.Now().Add(testsize.Patience); !d.found(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the daemon does not serve\n%s", &log)
		}
	}
	d.schedctl("account", "add", "feed", "--name", "blog")
	return d
}

// found reads the daemon's address from its data directory, and reports whether the
// daemon runs.
func (d *daemon) found() bool {
	var announced struct{ URL string }
	text, err := os.ReadFile(filepath.Join(d.data, "daemon.json"))
	if err != nil || json.Unmarshal(text, &announced) != nil {
		return false
	}
	key, err := os.ReadFile(filepath.Join(d.data, "admin.key"))
	d.url, d.key = announced.URL, strings.TrimSpace(string(key))
	return err == nil
}

// schedctl runs a command as the daemon's user.
func (d *daemon) schedctl(args ...string) string {
	d.t.Helper()
	cmd := exec.Command(program(d.t), args...)
	cmd.Env = append(os.Environ(), "SCHEDCTL_DATA_DIR="+d.data)
	out, err := cmd.Output()
	if err != nil {
		d.t.Fatalf("schedctl %q: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

// inputs returns the inputs needed to reach the daemon, plus the given ones.
func (d *daemon) inputs(more map[string]string) map[string]string {
	all := map[string]string{"url": d.url, "api-key": d.key}
	maps.Copy(all, more)
	return all
}

func (d *daemon) posts() []string { return strings.Fields(d.schedctl("post", "list", "--all", "-q")) }

func TestActionRunAgainMakesNoSecondPost(t *testing.T) {
	t.Parallel()
	d, p := startDaemon(t), publish(t)
	announce := d.inputs(map[string]string{"command": "post create", "args": "Version 1.0 is out\n--to\nblog\n--now\n-q"})
	var first string
	for attempt := range 3 { // each on a fresh machine
		r := newRunner(t, p.URL)
		r.env["GITHUB_RUN_ATTEMPT"] = string(rune('1' + attempt))
		res := r.use(announce)
		if res.err != nil || !strings.HasPrefix(res.outputs["result"], "post_") {
			t.Fatalf("attempt %d: %v, result %q\n%s", attempt+1, res.err, res.outputs["result"], res.log)
		}
		if first == "" {
			first = res.outputs["result"]
		}
		if res.outputs["result"] != first {
			t.Errorf("attempt %d returned %s, the first returned %s", attempt+1, res.outputs["result"], first)
		}
	}
	if posts := d.posts(); len(posts) != 1 {
		t.Errorf("posts: %q", posts)
	}

	// Another run, another text or a user-defined key creates another post.
	r := newRunner(t, p.URL)
	r.env["GITHUB_RUN_ID"] = "4712"
	for _, args := range []string{"Version 1.0 is out\n--to\nblog\n--now", "Version 1.1 is out\n--to\nblog\n--now", "Version 1.0 is out\n--to\nblog\n--now\n--idempotency-key\nmine"} {
		if res := r.use(d.inputs(map[string]string{"command": "post create", "args": args})); res.err != nil {
			t.Errorf("%v\n%s", res.err, res.log)
		}
	}
	if posts := d.posts(); len(posts) != 4 {
		t.Errorf("there are %d posts, want 4", len(posts))
	}
}

func TestActionAppliesPostFiles(t *testing.T) {
	t.Parallel()
	d, p := startDaemon(t), publish(t)
	for checkout := range 2 { // the second checkout does not know what the first has applied
		r := newRunner(t, p.URL)
		posts := filepath.Join(r.workspace, "posts")
		if err := os.Mkdir(posts, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(posts, "schedctl.yaml"), []byte("collection: website\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		post := "---\nid: launch\nat: 2099-12-08 09:00\ntz: UTC\nto: [blog]\n---\nVersion 1.0 is out.\n"
		if err := os.WriteFile(filepath.Join(posts, "launch.md"), []byte(post), 0o600); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if res := r.use(d.inputs(map[string]string{"apply": "posts"})); res.err != nil {
				t.Fatalf("checkout %d: %v\n%s", checkout+1, res.err, res.log)
			}
		}
	}
	if posts := d.posts(); len(posts) != 1 {
		t.Errorf("posts: %q", posts)
	}
}

func TestActionTakesArgumentsAsTheyAre(t *testing.T) {
	t.Parallel()
	d := startDaemon(t)
	text := `$(touch oops) "quoted" 'twice' * ${HOME} ; false`
	r := newRunner(t, publish(t).URL)
	res := r.use(d.inputs(map[string]string{"command": "post create", "args": text + "\r\n\n--json=content\n"}))
	want := map[string]string{"content": text}
	var got map[string]string
	if err := json.Unmarshal([]byte(res.outputs["result"]), &got); err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v: result %q\n%s", res.err, err, res.outputs["result"], res.log)
	}
	if _, err := os.Stat(filepath.Join(r.workspace, "oops")); err == nil {
		t.Error("the text was run")
	}
}

func TestActionNeverPrintsTheKey(t *testing.T) {
	t.Parallel()
	d, p := startDaemon(t), publish(t)
	wrong := "sctl_" + strings.Repeat("9", len(d.key)-5)
	for name, c := range map[string]struct {
		inputs map[string]string
		key    string
		status int
	}{
		"works":           {d.inputs(map[string]string{"command": "me"}), d.key, 0},
		"debug":           {d.inputs(map[string]string{"command": "me", "args": "--debug"}), d.key, 0},
		"refused":         {d.inputs(map[string]string{"command": "me", "api-key": wrong}), wrong, 4},
		"no daemon":       {d.inputs(map[string]string{"command": "me", "url": "http://127.0.0.1:1"}), d.key, 7},
		"no such command": {d.inputs(map[string]string{"command": "frobnicate"}), d.key, 2},
		"a plan as well":  {d.inputs(map[string]string{"plan": "posts", "apply": "posts"}), d.key, 2},
		"two at once":     {d.inputs(map[string]string{"command": "me", "apply": "posts"}), d.key, 2},
		"no such post":    {d.inputs(map[string]string{"command": "post show", "args": "post_01M7ZCK4D548QF7S5J8592KXEF"}), d.key, 3},
	} {
		res := newRunner(t, p.URL).use(c.inputs)
		status := 0
		var exit *exec.ExitError
		if errors.As(res.err, &exit) {
			status = exit.ExitCode()
		}
		if status != c.status {
			t.Errorf("%s: exit status %d, want %d\n%s", name, status, c.status, res.log)
		}
		if strings.Contains(res.log+res.files, c.key) {
			t.Errorf("%s: the key is in\n%s%s", name, res.log, res.files)
		}
	}
}

func TestActionResultCanHoldItsOwnEnd(t *testing.T) {
	t.Parallel()
	d := startDaemon(t)
	file := filepath.Join(t.TempDir(), "text")
	text := "result<<end of result\nend of result\nend of result\nmore"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	post := d.schedctl("post", "create", "-F", file, "-q")
	r := newRunner(t, publish(t).URL)
	res := r.use(d.inputs(map[string]string{"command": "post show", "args": post + "\n--jq\n.content"}))
	if res.err != nil || res.outputs["result"] != text {
		t.Errorf("%v: result %q\n%s", res.err, res.outputs["result"], res.log)
	}
}
