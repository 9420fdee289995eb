package postgrestest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Standby starts a hot standby of the cluster: a separate server that replicates its
// commits and refuses writes.
func (c *Cluster) Standby(tb testing.TB) *Cluster {
	tb.Helper()
	dir, err := os.MkdirTemp("", "schedctl-pg-")
	if err != nil {
		tb.Fatal(err)
	}
	s := &Cluster{dir: dir, bin: c.bin}
	tb.Cleanup(func() {
		if err := s.Remove(); err != nil {
			tb.Error(err)
		}
	})
	own, err := ownership(dir)
	if err != nil {
		tb.Fatal(err)
	}
	backup := exec.Command(filepath.Join(c.bin, "pg_basebackup"), "--pgdata", s.data(), "--host", c.dir, "--username", superuser,
		"--write-recovery-conf", "--checkpoint", "fast", "--no-sync")
	backup.Dir, backup.SysProcAttr = dir, own
	if out, err := backup.CombinedOutput(); err != nil {
		tb.Fatal(fmt.Errorf("pg_basebackup: %w\n%s", err, out))
	}
	if err := s.Run(); err != nil {
		tb.Fatal(err)
	}
	return s
}
