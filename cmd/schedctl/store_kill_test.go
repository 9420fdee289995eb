package main_test

import (
	"bufio"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl/storage/bolt"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// TestCopyThatIsKilledGoesOn guards that a copy that is killed several times can be
// continued and is verified in the end.
func TestCopyThatIsKilledGoesOn(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector sees a copy in TestScripts/store")
	}
	t.Parallel()
	for name, to := range map[string]struct {
		store func(t *testing.T, dir string) string
		kills int
	}{
		"file":   {func(_ *testing.T, dir string) string { return "bolt:" + filepath.Join(dir, "to.db") }, 4},
		"server": {func(t *testing.T, _ string) string { return postgrestest.Database(t) }, 1}, // each waits for a lease
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			from := filepath.Join(dir, "from.db")
			stockFile(t, from)
			c := copyCommand{t: t, from: "bolt:" + from, to: to.store(t, dir)}
			for range to.kills {
				c.killed(10 * time.Millisecond)
			}
			if told := c.completed(); !told.Resumed || told.Copied == 0 {
				t.Errorf("the last run reports %+v", told)
			}
		})
	}
}

func stockFile(t *testing.T, path string) {
	t.Helper()
	store, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	storagetest.Stock(t, store, 200) // more than is copied before the last kill
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
}

// copyCommand is a schedctl store copy.
type copyCommand struct {
	t        *testing.T
	from, to string
}

func (c *copyCommand) command() *exec.Cmd {
	c.t.Helper()
	program, err := exec.LookPath("schedctl")
	if err != nil {
		c.t.Fatal(err)
	}
	return exec.Command(program, "store", "copy", "--from", c.from, "--to", c.to, "--skip-lost-media", "--json=copied,resumed")
}

// killed runs the command and kills it some time after it has started to copy.
func (c *copyCommand) killed(after time.Duration) {
	c.t.Helper()
	cmd := c.command()
	told, err := cmd.StderrPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	var seen strings.Builder
	for lines := bufio.NewScanner(told); lines.Scan(); {
		seen.WriteString(lines.Text() + "\n")
		if !strings.HasPrefix(lines.Text(), "copying ") {
			continue
		}
		time.Sleep(after)
		if err := cmd.Process.Kill(); err != nil {
			c.t.Fatal(err)
		}
	}
	if cmd.Wait() == nil || !strings.Contains(seen.String(), "copying ") || strings.Contains(seen.String(), "verifying ") {
		c.t.Fatalf("it was not killed while it copied:\n%s", &seen)
	}
}

// completed runs the command to its end and returns its result.
func (c *copyCommand) completed() (told struct {
	Copied  int
	Resumed bool
}) {
	c.t.Helper()
	cmd := c.command()
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		c.t.Fatalf("%v\n%s", err, &problems)
	}
	if err := json.Unmarshal(out, &told); err != nil {
		c.t.Fatal(err)
	}
	return told
}
