package postgrestest

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// PoolMode is how a PgBouncer assigns server sessions.
type PoolMode string

// Sessions are assigned for as long as a client is connected, the same with no more
// sessions than the documentation asks for, or for a transaction.
const (
	SessionPool     PoolMode = "session"
	NarrowPool      PoolMode = "narrow"
	TransactionPool PoolMode = "transaction"
)

// bouncer is a running PgBouncer in front of a cluster.
type bouncer struct {
	dir    string
	server *exec.Cmd
	exited chan error // receives the error of the process
}

// bouncerUsers is the number of configured users; each test uses one.
const bouncerUsers = 5000

// bouncerConfig defines a database for each mode. In transaction mode many clients
// share few sessions, so that they rarely get the same one again. Idle sessions end
// soon, because each test leaves some behind.
const bouncerConfig = `[databases]
session = host=%[1]s dbname=postgres pool_mode=session pool_size=80
narrow = host=%[1]s dbname=postgres pool_mode=session pool_size=16
transaction = host=%[1]s dbname=postgres pool_mode=transaction pool_size=6

[pgbouncer]
listen_addr =
unix_socket_dir = %[2]s
auth_type = trust
auth_file = %[2]s/users
max_client_conn = 1000
server_idle_timeout = 1
`

// Pooled returns the URL of a new, empty schema as [Schema] does, behind a PgBouncer.
// The test is skipped when none is installed.
func Pooled(tb testing.TB, mode PoolMode) string {
	tb.Helper()
	c, name := nextDatabase(tb)
	b, err := sharedBouncer(c)
	if err != nil {
		skipOrFail(tb, err)
	}
	// session settings would leak to the next client, so that the schema is that of the
	// user
	made := strings.ReplaceAll(`CREATE ROLE NAME SUPERUSER LOGIN; CREATE SCHEMA NAME;
		ALTER ROLE NAME SET search_path = NAME`, "NAME", name)
	if err := c.Exec(made); err != nil {
		tb.Fatal(err)
	}
	return fmt.Sprintf("postgres:///%s?host=%s&port=6432&user=%s&sslmode=disable", mode, url.QueryEscape(b.dir), name)
}

// sharedBouncer returns the PgBouncer of the test binary.
func sharedBouncer(c *Cluster) (*bouncer, error) {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.bouncer == nil && shared.bouncerErr == nil {
		shared.bouncer, shared.bouncerErr = startBouncer(c)
	}
	return shared.bouncer, shared.bouncerErr
}

// startBouncer starts a PgBouncer and waits until it accepts connections.
func startBouncer(c *Cluster) (*bouncer, error) {
	bin, err := findBouncer()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "schedctl-bouncer-")
	if err != nil {
		return nil, err
	}
	b := &bouncer{dir: dir}
	if err := b.run(bin, c); err != nil {
		return nil, errors.Join(err, b.remove())
	}
	return b, nil
}

func findBouncer() (string, error) {
	const debian = "/usr/sbin/pgbouncer" // often not in the path
	if _, err := os.Stat(debian); err == nil {
		return debian, nil
	}
	path, err := exec.LookPath("pgbouncer")
	if err != nil {
		return "", errors.New("pgbouncer not found in /usr/sbin or in the path")
	}
	return path, nil
}

func (b *bouncer) run(bin string, c *Cluster) error {
	own, err := ownership(b.dir)
	if err != nil {
		return err
	}
	var users strings.Builder
	for n := range bouncerUsers {
		fmt.Fprintf(&users, "\"test%d\" \"\"\n", n)
	}
	config := filepath.Join(b.dir, "config")
	for path, text := range map[string]string{config: fmt.Sprintf(bouncerConfig, c.dir, b.dir), filepath.Join(b.dir, "users"): users.String()} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	log, err := os.Create(filepath.Join(b.dir, "log"))
	if err != nil {
		return err
	}
	defer log.Close()
	b.server = exec.Command(bin, config)
	b.server.Dir, b.server.SysProcAttr, b.server.Stdout, b.server.Stderr = b.dir, own, log, log
	if err := b.server.Start(); err != nil {
		return fmt.Errorf("start pgbouncer: %w", err)
	}
	b.exited = make(chan error, 1)
	go func() { b.exited <- b.server.Wait() }()
	return b.await()
}

// await waits until a login succeeds or is refused.
func (b *bouncer) await() error {
	for deadline := time.Now().Add(startStopLimit); ; {
		_, err := os.Stat(filepath.Join(b.dir, ".s.PGSQL.6432"))
		if err == nil {
			return nil
		}
		select {
		case ended := <-b.exited:
			b.exited <- ended
			return fmt.Errorf("pgbouncer has ended: %w\n%s", ended, b.log())
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("pgbouncer does not listen: %w\n%s", err, b.log())
		}
	}
}

// log returns the output of PgBouncer.
func (b *bouncer) log() []byte {
	log, err := os.ReadFile(filepath.Join(b.dir, "log"))
	if err != nil {
		return []byte(err.Error())
	}
	return log[max(0, len(log)-4<<10):]
}

// remove stops PgBouncer and removes its directory.
func (b *bouncer) remove() error {
	var err error
	if b.exited != nil {
		err = b.server.Process.Signal(syscall.SIGTERM)
		if errors.Is(err, os.ErrProcessDone) {
			err = nil
		}
		select {
		case <-b.exited:
		case <-time.After(startStopLimit):
			err = errors.Join(err, errors.New("pgbouncer does not stop"))
		}
	}
	return errors.Join(err, os.RemoveAll(b.dir))
}
