package postgrestest

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
)

// shared is the cluster of the test binary. mu guards the other fields.
var shared struct {
	mu         sync.Mutex
	cluster    *Cluster
	err        error // why it is not available
	bouncer    *bouncer
	bouncerErr error // why it is not available
	number     int   // of the last database
}

// Main runs the tests of a binary and then stops the shared cluster, if it was started.
// It returns the argument of os.Exit.
func Main(m *testing.M) int {
	code := m.Run()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.bouncer != nil {
		if err := shared.bouncer.remove(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
	}
	if shared.cluster != nil {
		if err := shared.cluster.Remove(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return max(code, 1)
		}
	}
	return code
}

// Database returns the URL of a new, empty database in the shared cluster. It is
// removed with the cluster: dropping a database makes the server write all of its
// databases to disk.
func Database(tb testing.TB) string {
	tb.Helper()
	c, name := nextDatabase(tb)
	if err := c.Exec("CREATE DATABASE " + name); err != nil {
		tb.Fatal(err)
	}
	return c.URL(name)
}

// Schema returns the URL of a new, empty schema in a database that the tests of a
// binary share. It is created faster than a database, and removed with the cluster.
// Commits do not wait for the disk: a test in which the server crashes needs its own
// cluster. JIT compilation is off; a server without statistics would use it.
func Schema(tb testing.TB) string {
	tb.Helper()
	c, name := nextDatabase(tb)
	if err := c.Exec("CREATE SCHEMA " + name); err != nil {
		tb.Fatal(err)
	}
	return c.URL("postgres") + "&search_path=" + name
}

// nextDatabase returns the shared cluster, started if necessary, and an unused name.
func nextDatabase(tb testing.TB) (*Cluster, string) {
	tb.Helper()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.cluster == nil && shared.err == nil {
		shared.cluster, shared.err = start("fsync=off", "full_page_writes=off", "jit=off")
	}
	if shared.err != nil {
		skipOrFail(tb, shared.err)
	}
	shared.number++
	return shared.cluster, fmt.Sprintf("test%d", shared.number)
}

// skipOrFail skips or fails a test that has no server.
func skipOrFail(tb testing.TB, err error) {
	tb.Helper()
	if os.Getenv("SCHEDCTL_REQUIRE_ALL") == "1" {
		tb.Fatal(err)
	}
	tb.Skipf("needs PostgreSQL: %v; storage/postgres/postgrestest/install.sh installs it", err)
}

// Exec runs one statement in the cluster's first database.
func (c *Cluster) Exec(sql string) error {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, c.URL("postgres"))
	if err != nil {
		return fmt.Errorf("connect to the temporary cluster: %w", err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, sql); err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	return nil
}
