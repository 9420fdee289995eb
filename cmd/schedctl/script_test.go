package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/daemon"
	"github.com/schedctl/schedctl/daemon/notify/notifytest"
	"github.com/schedctl/schedctl/scripts/testsize"
)

func TestMain(m *testing.M) {
	if base := filepath.Base(os.Args[0]); base != "schedctl" && base != "schedctl.exe" {
		os.Setenv("SCHEDCTL_AGENT", "0") // an agent may have started the tests; scripts have an environment of their own
	}
	if os.Getenv(raceOptions) == "" {
		os.Setenv(raceOptions, "atexit_sleep_ms=0") // else every program of the race detector ends a second late
	}
	testscript.Main(withPostgres{m}, map[string]func(){"schedctl": main, "xdg-open": fakeBrowser})
}

// raceOptions is the variable of the race detector's options; programs that are
// run with an environment of their own need it as well.
const raceOptions = "GORACE"

// TestScripts runs every script below testdata/script against a real daemon:
// "schedctl" is this program in a process of its own.
//
// In addition to the commands of testscript there are
//
//	daemon [flag...]      start a daemon on a free port and wait until it is ready
//	terminate             end it with SIGTERM and check that it exits with 0
//	                      ("stop" is testscript's own and ends the script)
//	receiver              start a receiver for the http platform at $RECEIVER, and a
//	                      Mastodon server that repeats the token it refuses: a
//	                      wrong one at once, a revoked one when it is to publish
//	disk DIR SIZE         mount a disk of this size at DIR
//	received FILE         write what the receiver got to FILE, a line each
//	published FILE        write the texts that the receiver got to FILE, sorted, each with
//	                      its path
//	network NAME VAR      start a fake of linkedin or x, and set VAR to its URL and LOGIN_PORT
//	                      to a free port. The browser "xdg-open" agrees to every login
//	picture FILE WIDTH    write a PNG of this width
//	keep VAR              set VAR to the standard output of the last command
//	status N command...   run the command and check its exit status
//	until REGEXP command...  repeat the command until its output matches, for a minute
//
//	terminal N FILE command...  run the command on a terminal, with the conversation
//	                      in FILE (linux only; see runOnTerminal)
//
//	mailserver            start a mail server without encryption and set MAIL to its address
//	letters FILE TEXT     wait until it took a message with a text, and write all messages
//	postgres VAR          make an empty PostgreSQL database and set VAR to its URL
//	sql URL statement     run a statement in it
//
// and the conditions [mount], whether disks can be mounted, and [postgres],
// whether PostgreSQL is installed.
func TestScripts(t *testing.T) {
	t.Parallel()
	dirs := map[string]bool{}
	err := filepath.WalkDir(filepath.Join("testdata", "script"), func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".txtar" {
			dirs[filepath.Dir(path)] = true
		}
		return err
	})
	if err != nil || len(dirs) == 0 {
		t.Fatalf("found %d directories of scripts: %v", len(dirs), err)
	}
	for dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			testscript.Run(t, testscript.Params{
				Dir: dir, Setup: isolate, RequireExplicitExec: true, RequireUniqueNames: true, Condition: condition,
				Cmds: map[string]func(*testscript.TestScript, bool, []string){
					"daemon": startDaemon, "terminate": terminateDaemon, "receiver": startReceiver, "network": startNetwork(t),
					"received": writeReceived, "published": writePublished, "disk": mountDisk, "keep": keepOutput, "picture": writePicture, "status": checkStatus, "until": untilOutput,
					"mailserver": startMailServer(t), "letters": writeLetters, "terminal": runOnTerminal, "postgres": postgresCommand(t), "sql": runSQL,
				},
			})
		})
	}
}

// isolate keeps a script away from the user's own files and settings.
func isolate(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, "home")
	for _, pair := range [][2]string{
		{"HOME", home}, {"XDG_DATA_HOME", filepath.Join(home, "data")}, {"XDG_CONFIG_HOME", filepath.Join(home, "config")}, {"SCHEDCTL_DATA_DIR", filepath.Join(env.WorkDir, "data")}, {"TZ", "UTC"}, {raceOptions, os.Getenv(raceOptions)},
	} {
		env.Setenv(pair[0], pair[1])
	}
	env.Values[running{}] = &background{}
	env.Defer(func() { stopDaemonsIn(env.WorkDir, env.Getenv("PATH")) })
	return os.Mkdir(home, 0o700)
}

// stopDaemonsIn stops what "schedctl daemon start" has left running on data in a
// directory.
func stopDaemonsIn(dir, path string) {
	locks, _ := filepath.Glob(filepath.Join(dir, "*", "daemon.lock"))
	for _, lock := range locks {
		cmd := exec.Command(filepath.Join(filepath.SplitList(path)[0], "schedctl"), "daemon", "stop", "--data-dir", filepath.Dir(lock))
		cmd.Env = []string{"HOME=" + dir, "PATH=" + path, raceOptions + "=" + os.Getenv(raceOptions)}
		if out, err := cmd.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "stop the daemon on %s: %v\n%s", filepath.Dir(lock), err, out)
		}
	}
}

// background is what a script has running.
type background struct {
	daemon   *exec.Cmd
	log      *bytes.Buffer
	receiver *receiver
	mail     *notifytest.Server
}

type running struct{}

func of(ts *testscript.TestScript) *background { return ts.Value(running{}).(*background) }

// program returns a command that runs schedctl in the script's environment.
func program(ts *testscript.TestScript, args ...string) *exec.Cmd {
	cmd := exec.Command(scriptProgram(ts, "schedctl"), args...)
	cmd.Dir, cmd.Env = ts.MkAbs("."), scriptEnv(ts)
	return cmd
}

// scriptProgram returns the path of a program of this test. An absolute path is one of a file
// in the script.
func scriptProgram(ts *testscript.TestScript, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.SplitList(ts.Getenv("PATH"))[0], name)
}

func scriptEnv(ts *testscript.TestScript) (env []string) {
	for _, name := range []string{"PATH", "HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "SCHEDCTL_DATA_DIR", "TZ", "TERM", "ACCESSIBLE", "DISPLAY", "SCHEDCTL_PAGER", "VISUAL", "EDITOR", "NO_COLOR", "SCHEDCTL_STORE", "CREDENTIALS_DIRECTORY", "TESTSCRIPT_COVER_DIR", "GOCOVERDIR", raceOptions} {
		if value := ts.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

func startDaemon(ts *testscript.TestScript, neg bool, args []string) {
	b := of(ts)
	if neg || b.daemon != nil {
		ts.Fatalf("usage: daemon [flag...], once at a time")
	}
	b.log = &bytes.Buffer{}
	b.daemon = program(ts, append([]string{"daemon", "run", "--listen", "127.0.0.1:0", "--allow-private-networks"}, args...)...)
	b.daemon.Stderr = b.log
	ts.Check(b.daemon.Start())
	ts.Defer(func() {
		if b.daemon != nil {
			b.daemon.Process.Kill()
			b.daemon.Wait()
		}
	})
	for deadline := time.Now().Add(testsize.Patience); !ready(ts.Getenv("SCHEDCTL_DATA_DIR"), b.daemon.Process.Pid); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			b.daemon.Process.Kill()
			b.daemon.Wait()
			ts.Fatalf("the daemon is not ready:\n%s", b.log)
		}
	}
}

// ready reports whether the daemon with this process id serves.
func ready(dir string, pid int) bool {
	text, err := os.ReadFile(filepath.Join(dir, daemon.AnnouncementFile))
	var found daemon.Announcement
	if err != nil || json.Unmarshal(text, &found) != nil || found.PID != pid {
		return false
	}
	key, err := os.ReadFile(filepath.Join(dir, daemon.AdminKeyFile))
	if err != nil {
		return false
	}
	c, err := client.New(client.Config{URL: found.URL, Key: strings.TrimSpace(string(key))})
	if err != nil {
		return false
	}
	defer c.Close()
	_, err = c.Me(context.Background())
	return err == nil
}

func terminateDaemon(ts *testscript.TestScript, neg bool, args []string) {
	b := of(ts)
	if neg || len(args) > 0 || b.daemon == nil {
		ts.Fatalf("usage: terminate, after daemon")
	}
	ts.Check(b.daemon.Process.Signal(syscall.SIGTERM))
	err := b.daemon.Wait()
	b.daemon = nil
	if err != nil {
		ts.Fatalf("the daemon ended with %v:\n%s", err, b.log)
	}
	ts.Check(os.WriteFile(ts.MkAbs("daemon.log"), b.log.Bytes(), 0o600))
}

// receiver responds according to the last part of the path: /drop breaks the
// connection, /422 responds with that status, every other path is accepted.
type receiver struct {
	*httptest.Server
	mu   sync.Mutex // mu guards seen
	seen []string

	texts []string // of the http platform, each with its path
}

func startReceiver(ts *testscript.TestScript, neg bool, args []string) {
	r := &receiver{}
	r.Server = httptest.NewServer(r)
	of(ts).receiver = r
	ts.Defer(r.Close)
	ts.Setenv("RECEIVER", r.URL)
}

// ServeHTTP records the request and responds.
func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	r.mu.Lock()
	r.seen = append(r.seen, fmt.Sprintf("%s %s key=%s signed=%v auth=%q %s (%v)", req.Method, req.URL.Path, req.Header.Get("Idempotency-Key"),
		req.Header.Get("webhook-signature") != "", req.Header.Get("Authorization"), body, err))
	var post struct{ Content string }
	if json.Unmarshal(body, &post) == nil && post.Content != "" {
		r.texts = append(r.texts, fmt.Sprintf("%s %q", req.URL.Path, post.Content))
	}
	r.mu.Unlock()
	last := filepath.Base(req.URL.Path)
	switch last {
	case "drop":
		panic(http.ErrAbortHandler)
	case "verify_credentials":
		if strings.Contains(req.Header.Get("Authorization"), "wrong") {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error":"no such token: %s"}`, req.Header.Get("Authorization"))
			return
		}
		fmt.Fprint(w, `{"id":"1","username":"me","acct":"me","url":"https://social.test/@me"}`)
		return
	case "cat.png":
		w.Header().Set("Content-Type", "image/png")
		png.Encode(w, image.NewGray(image.Rect(0, 0, 8, 4)))
		return
	case "apps":
		fmt.Fprint(w, `{"client_id":"the-client","client_secret":"its-secret"}`)
		return
	case "token":
		fmt.Fprint(w, `{"access_token":"fresh-token","scope":"read write"}`)
		return
	case "statuses", "repeat":
		switch auth := req.Header.Get("Authorization"); {
		case strings.Contains(auth, "revoked"):
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"error":"The access token was revoked"}`)
			return
		case strings.Contains(auth, "fresh"):
			fmt.Fprint(w, `{"id":"7","url":"https://social.test/@me/7","content":"<p>Hello</p>","visibility":"public"}`)
			return
		}
		w.WriteHeader(http.StatusUnprocessableEntity)
		fmt.Fprintf(w, `{"error":"no: %s %s"}`, req.Header.Get("Authorization"), req.Header.Get("webhook-signature"))
		return
	}
	if status, err := strconv.Atoi(last); err == nil {
		w.WriteHeader(status)
		return
	}
	fmt.Fprintf(w, `{"id":"remote-1","url":"https://bot.test/1"}`)
}

// writePublished writes what was published to the receiver, a line for each account and text.
func writePublished(ts *testscript.TestScript, neg bool, args []string) {
	r := of(ts).receiver
	if neg || len(args) != 1 || r == nil {
		ts.Fatalf("usage: published FILE, after receiver")
	}
	r.mu.Lock()
	lines := slices.Clone(r.texts)
	r.mu.Unlock()
	slices.Sort(lines)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Join(append(lines, ""), "\n")), 0o600))
}

// writePicture writes a PNG; the bytes follow from the width.
func writePicture(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: picture FILE WIDTH")
	}
	width, err := strconv.Atoi(args[1])
	ts.Check(err)
	var b bytes.Buffer
	ts.Check(png.Encode(&b, image.NewGray(image.Rect(0, 0, width, 4))))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b.Bytes(), 0o600))
}

func writeReceived(ts *testscript.TestScript, neg bool, args []string) {
	r := of(ts).receiver
	if neg || len(args) != 1 || r == nil {
		ts.Fatalf("usage: received FILE, after receiver")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Join(append(r.seen, ""), "\n")), 0o600))
}

func startMailServer(t *testing.T) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		of(ts).mail = notifytest.NewServer(t, notifytest.Settings{NoTLS: true})
		ts.Setenv("MAIL", of(ts).mail.Addr)
	}
}

func writeLetters(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 || of(ts).mail == nil {
		ts.Fatalf("usage: letters FILE TEXT, after mailserver")
	}
	text := ""
	for deadline := time.Now().Add(testsize.Patience); !strings.Contains(text, args[1]); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			ts.Fatalf("no message has %q:\n%s", args[1], text)
		}
		text = ""
		for _, l := range of(ts).mail.Letters() {
			text += fmt.Sprintf("from %s to %s\n%s\n", l.From, l.To, l.Data)
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

// mountDisk makes a small disk of memory.
func mountDisk(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: disk DIR SIZE")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o700))
	ts.Check(mount(dir, args[1]))
	ts.Defer(func() { ts.Check(unmount(dir)) })
}

func mount(dir, size string) error {
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size="+size, "tmpfs", dir).CombinedOutput(); err != nil {
		return fmt.Errorf("mount %s: %w: %s", dir, err, out)
	}
	return nil
}

func unmount(dir string) error {
	if out, err := exec.Command("umount", "-l", dir).CombinedOutput(); err != nil {
		return fmt.Errorf("unmount %s: %w: %s", dir, err, out)
	}
	return nil
}

// canMount tries, because even root may not, in a container for example.
var canMount = sync.OnceValue(func() bool {
	dir, err := os.MkdirTemp("", "schedctl-mount")
	if err != nil {
		return false
	}
	defer os.Remove(dir)
	return runtime.GOOS == "linux" && mount(dir, "64k") == nil && unmount(dir) == nil
})

// condition evaluates [mount] and [postgres].
func condition(name string) (bool, error) {
	switch name {
	case "mount":
		return canMount(), nil
	case "postgres":
		return hasPostgres(), nil
	}
	return false, fmt.Errorf("unknown condition %q", name)
}

func keepOutput(ts *testscript.TestScript, neg bool, args []string) {
	out := strings.TrimSpace(ts.ReadFile("stdout"))
	if neg || len(args) != 1 || out == "" {
		ts.Fatalf("usage: keep VAR, after a command with output; there is %q", out)
	}
	ts.Setenv(args[0], out)
}

func checkStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command [argument...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}
