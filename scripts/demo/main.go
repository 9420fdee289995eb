// Command demo shows the main use to a newcomer: it starts a daemon in a temporary
// directory on a free port, connects a feed, schedules a post a few seconds ahead,
// shows it scheduled and then published, prints the feed's entry, and removes
// everything. It needs the built binary and no network.
//
// Usage: demo path/to/schedctl
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const greeting = "Hello from schedctl: scheduled, and published once."

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: demo path/to/schedctl")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "\nThe demo failed:", err)
		os.Exit(1)
	}
}

// demo is one run, with its own data directory and daemon.
type demo struct {
	bin     string
	env     []string
	command func(args ...string) *exec.Cmd // runs schedctl in the demo's environment
	log     bytes.Buffer                   // the daemon's
}

func run(ctx context.Context, bin string) (err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	dir, err := os.MkdirTemp("", "schedctl-demo-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if bin, err = filepath.Abs(bin); err != nil {
		return err
	}
	d := &demo{bin: bin, env: environment(dir)}
	d.command = func(args ...string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, bin, args...)
		cmd.Env = d.env
		return cmd
	}
	daemon, err := d.start()
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, stopDaemon(daemon))
		if err != nil {
			err = fmt.Errorf("%w\nThe daemon's log:\n%s", err, &d.log)
		}
	}()
	return d.show()
}

// environment separates the demo from the user's own daemon and settings.
func environment(dir string) []string {
	env := []string{"SCHEDCTL_DATA_DIR=" + dir}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "SCHEDCTL_") {
			env = append(env, v)
		}
	}
	return env
}

func (d *demo) start() (*exec.Cmd, error) {
	say("1. Start the daemon (here: in a temporary directory, on a free port)")
	echo("daemon", "run", "&")
	daemon := exec.Command(d.bin, "daemon", "run", "--listen", "127.0.0.1:0")
	daemon.Env, daemon.Stderr = d.env, &d.log
	if err := daemon.Start(); err != nil {
		return nil, err
	}
	for range 100 {
		if d.command("me").Run() == nil {
			return daemon, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return nil, errors.Join(errors.New("the daemon did not respond within 10 s"), stopDaemon(daemon), errors.New(d.log.String()))
}

// stopDaemon stops the daemon as a service manager would, and requires exit status 0.
func stopDaemon(daemon *exec.Cmd) error {
	if err := daemon.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("stop the daemon: %w", err)
	}
	if err := daemon.Wait(); err != nil {
		return fmt.Errorf("stop the daemon: %w", err)
	}
	return nil
}

func (d *demo) show() error {
	say("2. Connect an account: a feed, which the daemon serves itself")
	if err := d.visible("account", "add", "feed", "--name", "demo"); err != nil {
		return err
	}
	say("3. Schedule a post, five seconds ahead")
	if err := d.visible("post", "create", greeting, "--to", "demo", "--in", "5s"); err != nil {
		return err
	}
	var posts []struct{ ID, Status string }
	if err := d.read(&posts, "post", "list", "--json"); err != nil {
		return err
	}
	if len(posts) != 1 || posts[0].Status != "scheduled" {
		return fmt.Errorf("want one scheduled post, got %+v", posts)
	}
	say("4. It waits for its time")
	if err := d.visible("post", "list"); err != nil {
		return err
	}
	say("5. It is published")
	if err := d.visible("post", "wait", posts[0].ID, "--timeout", "15s"); err != nil {
		return err
	}
	if err := d.visible("post", "show", posts[0].ID); err != nil {
		return err
	}
	say("6. The feed has it")
	if err := d.showEntry(); err != nil {
		return err
	}
	say("Done: scheduled, published at its time, once.")
	return nil
}

// showEntry prints the feed's one entry, and fails unless it is the post.
func (d *demo) showEntry() error {
	var account struct {
		ProfileURL string `json:"profile_url"`
	}
	if err := d.read(&account, "account", "show", "demo", "--json"); err != nil {
		return err
	}
	resp, err := http.Get(account.ProfileURL)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return err
	}
	var feed struct {
		Entries []struct {
			ID      string `xml:"id"`
			Updated string `xml:"updated"`
			Content string `xml:"content"`
		} `xml:"entry"`
	}
	if err := xml.Unmarshal(body, &feed); err != nil {
		return fmt.Errorf("read %s: %w", account.ProfileURL, err)
	}
	if len(feed.Entries) != 1 || !strings.Contains(feed.Entries[0].Content, greeting) {
		return fmt.Errorf("want the post once in %s, got:\n%s", account.ProfileURL, body)
	}
	e := feed.Entries[0]
	fmt.Printf("%s\n  id       %s\n  updated  %s\n  content  %s\n", account.ProfileURL, e.ID, e.Updated, e.Content)
	return nil
}

// visible prints a command and runs it.
func (d *demo) visible(args ...string) error {
	echo(args...)
	cmd := d.command(args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("schedctl %s: %w", strings.Join(args, " "), err)
	}
	return nil
}

// read decodes the JSON that a command prints.
func (d *demo) read(into any, args ...string) error {
	out, err := d.command(args...).Output()
	if err != nil {
		return fmt.Errorf("schedctl %s: %w", strings.Join(args, " "), err)
	}
	return json.Unmarshal(out, into)
}

func say(text string) { fmt.Printf("\n%s\n", text) }

func echo(args ...string) {
	fmt.Print("$ schedctl")
	for _, a := range args {
		if strings.ContainsAny(a, " '\"") {
			a = "'" + a + "'"
		}
		fmt.Print(" ", a)
	}
	fmt.Println()
}
