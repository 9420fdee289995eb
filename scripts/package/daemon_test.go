package packaging

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/schedctl/schedctl/scripts/testsize"
)

var buildProgram = sync.OnceValues(func() (string, error) {
	bin, err := makeScratch()
	if err != nil {
		return "", err
	}
	cmd := exec.Command("go", "build", "-o", filepath.Join(bin, "schedctl"), "./cmd/schedctl")
	cmd.Dir, cmd.Stderr = root, os.Stderr
	return bin, cmd.Run()
})

// program returns the path of the program built from this source tree.
func program(t *testing.T) string {
	t.Helper()
	bin, err := buildProgram()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(bin, "schedctl")
}

// daemon is a daemon that a recipe of this package started.
type daemon struct {
	t   *testing.T
	cmd *exec.Cmd
	log bytes.Buffer
}

// startDaemon runs the command with only this environment, and waits until the daemon
// has announced itself in the data directory.
func startDaemon(t *testing.T, data string, env []string, name string, args ...string) *daemon {
	t.Helper()
	d := &daemon{t: t, cmd: exec.Command(name, args...)}
	d.cmd.Env, d.cmd.Stderr = env, &d.log
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		d.cmd.Process.Kill() // no effect after stop
		d.cmd.Wait()
	})
	for deadline := time.Now().Add(testsize.Patience); announced(data) != d.cmd.Process.Pid; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the daemon does not serve on the data in %s\n%s", data, &d.log)
		}
	}
	return d
}

// announced returns the process id of the daemon that uses the data, or 0.
func announced(data string) int {
	var found struct{ PID int }
	text, err := os.ReadFile(filepath.Join(data, "daemon.json"))
	if err != nil || json.Unmarshal(text, &found) != nil {
		return 0
	}
	return found.PID
}

// stop stops the daemon with the signal and checks that it exits successfully.
func (d *daemon) stop(signal syscall.Signal) {
	d.t.Helper()
	if err := d.cmd.Process.Signal(signal); err != nil {
		d.t.Fatal(err)
	}
	if err := d.cmd.Wait(); err != nil {
		d.t.Errorf("the daemon ends with %v\n%s", err, &d.log)
	}
}
