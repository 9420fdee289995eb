package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// daemon is the subject: a schedctl daemon as a child process.
type daemon struct {
	cmd     *exec.Cmd
	log     *bytes.Buffer
	dir     string
	address string        // host:port
	key     string        // of the first workspace
	ready   time.Duration // from the start of the process to the first readyz 200
}

// start runs a daemon on a data directory and waits until it is ready.
func (b *bench) start(ctx context.Context, dir string) (*daemon, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	d := &daemon{dir: dir, address: address, log: new(bytes.Buffer)}
	d.cmd = exec.Command(b.binary, "daemon", "run", "--data-dir", dir, "--listen", address, "--allow-private-networks")
	d.cmd.Stderr = d.log
	began := time.Now()
	if err := d.cmd.Start(); err != nil {
		return nil, err
	}
	for !d.isReady() {
		if time.Since(began) > time.Minute || ctx.Err() != nil {
			d.stop()
			return nil, fmt.Errorf("the daemon is not ready after %s:\n%s", time.Since(began), d.log)
		}
		time.Sleep(2 * time.Millisecond)
	}
	d.ready = time.Since(began)
	key, err := os.ReadFile(filepath.Join(dir, "admin.key"))
	d.key = strings.TrimSpace(string(key))
	return d, err
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

func (d *daemon) isReady() bool {
	resp, err := http.Get("http://" + d.address + "/readyz")
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// stop ends the daemon in order and reports a bad end.
func (d *daemon) stop() error {
	d.cmd.Process.Signal(syscall.SIGTERM)
	if err := d.cmd.Wait(); err != nil {
		return fmt.Errorf("daemon: %w\n%s", err, d.log)
	}
	return nil
}

// call makes one API call and decodes its answer.
func (d *daemon) call(ctx context.Context, method, path, body string, into any) error {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+d.address+"/api/v1"+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+d.key)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, answer)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(answer, into)
}

// connect adds an account and returns its id.
func (d *daemon) connect(ctx context.Context, body string) (string, error) {
	var answer struct {
		SocialAccount struct{ ID string } `json:"social_account"`
	}
	err := d.call(ctx, "POST", "/social-accounts", body, &answer)
	return answer.SocialAccount.ID, err
}

// anonymous returns the daemon's anonymous memory, in bytes.
func (d *daemon) anonymous() (int64, error) { return anonymous(d.cmd.Process.Pid) }

// anonymous returns the anonymous memory of a process, in bytes.
func anonymous(pid int) (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if rest, found := strings.CutPrefix(line, "RssAnon:"); found {
			kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kib << 10, err
		}
	}
	return 0, fmt.Errorf("no RssAnon in /proc/%d/status", pid)
}
