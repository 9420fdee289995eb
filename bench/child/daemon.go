package child

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// startStopLimit is how long a daemon may take to become ready, and to stop.
const startStopLimit = time.Minute

// Config is the configuration of a daemon.
type Config struct {
	Binary  string   // path of the schedctl program
	Dir     string   // the data directory
	Address string   // host:port to listen on; empty for a free port of 127.0.0.1
	Args    []string // additional arguments of schedctl daemon run
	Env     []string // additional environment variables, KEY=value
	Key     string   // API key for requests; empty for the one in admin.key
}

// Daemon is a schedctl daemon that runs as a child process.
type Daemon struct {
	*Process
	Dir     string
	Address string        // host:port
	Key     string        // API key of the first workspace, or the one from Config
	Ready   time.Duration // time from the start of the process to the first 200 of readyz
	started time.Time
	http    *http.Client
}

// Start starts a daemon that may publish to this machine, and waits until it is ready.
// When it ends before that, the error contains its log.
func Start(ctx context.Context, c Config) (*Daemon, error) {
	d, err := Launch(c)
	if err != nil {
		return nil, err
	}
	if err := d.AwaitReady(ctx); err != nil {
		d.Kill()
		return nil, err
	}
	return d, nil
}

// Launch starts a daemon without waiting. Its Key and Ready are set once AwaitReady has
// returned.
func Launch(c Config) (*Daemon, error) {
	if c.Address == "" {
		port, err := FreePort()
		if err != nil {
			return nil, err
		}
		c.Address = fmt.Sprintf("127.0.0.1:%d", port)
	}
	args := append([]string{"daemon", "run", "--data-dir", c.Dir, "--listen", c.Address, "--allow-private-networks"}, c.Args...)
	cmd := exec.Command(c.Binary, args...)
	cmd.Env = append(os.Environ(), c.Env...)
	started := time.Now()
	p, err := start(cmd)
	if err != nil {
		return nil, err
	}
	return &Daemon{Process: p, Dir: c.Dir, Address: c.Address, started: started, Key: c.Key, http: &http.Client{Transport: new(http.Transport)}}, nil
}

// StartTime returns the start time of the process.
func (d *Daemon) StartTime() time.Time { return d.started }

// AwaitReady waits up to a minute until the daemon is ready.
func (d *Daemon) AwaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startStopLimit)
	defer cancel()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !d.isReady(ctx) {
		select {
		case <-ctx.Done():
			return fmt.Errorf("the daemon is not ready: %w\n%s", ctx.Err(), d.Log())
		case <-d.Done():
			return fmt.Errorf("the daemon ended before it was ready: %s\n%s", d.cmd.ProcessState, d.Log())
		case <-tick.C:
		}
	}
	d.Ready = time.Since(d.started)
	if d.Key != "" {
		return nil
	}
	key, err := os.ReadFile(filepath.Join(d.Dir, "admin.key"))
	d.Key = strings.TrimSpace(string(key))
	return err
}

func (d *Daemon) isReady(ctx context.Context) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+d.Address+"/readyz", nil)
	if err != nil {
		return false
	}
	resp, err := d.http.Do(req)
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// Database returns the path of the daemon's database.
func (d *Daemon) Database() string { return filepath.Join(d.Dir, "schedctl.db") }

// Stop stops the daemon with SIGTERM and waits up to a minute. The error of a daemon
// that does not stop cleanly contains its log.
func (d *Daemon) Stop() error {
	defer d.http.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(context.Background(), startStopLimit)
	defer cancel()
	d.Signal(syscall.SIGTERM)
	err := d.Wait(ctx)
	if ctx.Err() != nil {
		d.Kill()
		return fmt.Errorf("the daemon did not stop: %w\n%s", err, d.Log())
	}
	return err
}

// Kill ends the daemon with SIGKILL and waits until it has ended.
func (d *Daemon) Kill() {
	d.Process.Kill()
	d.http.CloseIdleConnections()
}
