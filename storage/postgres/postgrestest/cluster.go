package postgrestest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// startStopLimit is how long a server may take to start or to stop.
const startStopLimit = 10 * time.Minute

// superuser is the role that owns everything in a cluster.
const superuser = "schedctl"

// Cluster is a running PostgreSQL server with its own, initially empty directory.
type Cluster struct {
	dir    string
	bin    string
	flags  []string // of the server
	server *exec.Cmd
	exited chan error // receives the error of the process
}

// Start starts a cluster for one test, which may stop and restart it.
func Start(tb testing.TB) *Cluster {
	tb.Helper()
	c, err := start()
	if err != nil {
		skipOrFail(tb, err)
	}
	tb.Cleanup(func() {
		if err := c.Remove(); err != nil {
			tb.Error(err)
		}
	})
	return c
}

// New starts a cluster for a program that is not a test. The caller must remove it.
func New() (*Cluster, error) { return start() }

// URL returns the URL of a database of the cluster. All databases have the same
// superuser and no password.
func (c *Cluster) URL(database string) string {
	return fmt.Sprintf("postgres:///%s?host=%s&user=%s&sslmode=disable", database, url.QueryEscape(c.dir), superuser)
}

// Socket returns the path of the unix socket that the server listens on.
func (c *Cluster) Socket() string { return filepath.Join(c.dir, ".s.PGSQL.5432") }

// PID returns the process id of the server's main process, the parent of all others.
// The server must be running.
func (c *Cluster) PID() int { return c.server.Process.Pid }

// start creates a cluster with additional server settings, and waits until it accepts
// connections.
func start(settings ...string) (*Cluster, error) {
	bin, err := findServer()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "schedctl-pg-")
	if err != nil {
		return nil, err
	}
	c := &Cluster{dir: dir, bin: bin}
	for _, s := range settings {
		c.flags = append(c.flags, "-c", s)
	}
	if err := c.create(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := c.Run(); err != nil {
		return nil, errors.Join(err, c.Remove())
	}
	return c, nil
}

// Installed reports whether PostgreSQL is installed.
func Installed() bool {
	_, err := findServer()
	return err == nil
}

// findServer returns the directory of the server's programs: the newest of Debian, or
// else the one in the path.
func findServer() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil {
		return "", err
	}
	if len(found) > 0 {
		newest := slices.MaxFunc(found, func(a, b string) int { return len(a) - len(b) + bytes.Compare([]byte(a), []byte(b)) })
		return filepath.Dir(newest), nil
	}
	path, err := exec.LookPath("initdb")
	if err != nil {
		return "", errors.New("initdb not found in /usr/lib/postgresql or in the path")
	}
	return filepath.Dir(path), nil
}

// create fills the cluster's directory.
func (c *Cluster) create() error {
	own, err := ownership(c.dir)
	if err != nil {
		return err
	}
	initdb := exec.Command(filepath.Join(c.bin, "initdb"), "--pgdata", c.data(), "--username", superuser,
		"--auth", "trust", "--encoding", "UTF8", "--no-locale", "--no-sync", "--no-instructions")
	initdb.Dir, initdb.SysProcAttr = c.dir, own
	if out, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	return nil
}

func (c *Cluster) data() string { return filepath.Join(c.dir, "data") }

func (c *Cluster) logPath() string { return filepath.Join(c.dir, "log") }

// Run starts a stopped server, and waits until it accepts connections.
func (c *Cluster) Run() error {
	own, err := ownership(c.dir)
	if err != nil {
		return err
	}
	log, err := os.OpenFile(c.logPath(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	c.server = exec.Command(filepath.Join(c.bin, "postgres"), append([]string{"-D", c.data(), "-k", c.dir,
		"-c", "listen_addresses=", "-c", "max_connections=300", "-c", "timezone=UTC"}, c.flags...)...)
	c.server.Dir, c.server.SysProcAttr, c.server.Stdout, c.server.Stderr = c.dir, own, log, log
	if err := c.server.Start(); err != nil {
		return fmt.Errorf("start postgres: %w", err)
	}
	c.exited = make(chan error, 1)
	go func(server *exec.Cmd, exited chan<- error) { exited <- server.Wait() }(c.server, c.exited)
	return c.await()
}

// await waits until the server accepts connections.
func (c *Cluster) await() error {
	ctx, cancel := context.WithTimeout(context.Background(), startStopLimit)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, c.URL("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("postgres does not take connections: %w\n%s", err, c.Log())
		case ended := <-c.exited:
			c.exited <- ended
			return fmt.Errorf("postgres has ended: %w\n%s", ended, c.Log())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Log returns the end of the server's log.
func (c *Cluster) Log() []byte {
	log, err := os.ReadFile(c.logPath())
	if err != nil {
		return []byte(err.Error())
	}
	return log[max(0, len(log)-4<<10):]
}

// Stop stops the server in the given way and waits until it has ended.
func (c *Cluster) Stop(how Shutdown) error {
	if c.server == nil {
		return nil
	}
	if err := c.server.Process.Signal(syscall.Signal(how)); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop postgres: %w", err)
	}
	select {
	case <-c.exited:
		c.server = nil
		return nil
	case <-time.After(startStopLimit):
		return fmt.Errorf("postgres does not stop\n%s", c.Log())
	}
}

// Shutdown is a way to stop a server.
type Shutdown syscall.Signal

// Fast ends all sessions. Immediate leaves the database to be recovered by the next
// start, like a crash.
const (
	Fast      = Shutdown(syscall.SIGINT)
	Immediate = Shutdown(syscall.SIGQUIT)
)

// Remove stops the server and removes the directory of the cluster.
func (c *Cluster) Remove() error {
	return errors.Join(c.Stop(Immediate), os.RemoveAll(c.dir))
}
