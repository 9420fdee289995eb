package openapi_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/schedctl/schedctl/scripts/installed"
	"github.com/schedctl/schedctl/scripts/testsize"
)

// daemon is a running schedctl daemon.
type daemon struct {
	url string
	key string // with all scopes
}

// program builds schedctl, once for all tests.
var program = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "schedctl")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	bin := filepath.Join(dir, "schedctl")
	if out, err := exec.Command("go", "build", "-o", bin, "../../../cmd/schedctl").CombinedOutput(); err != nil {
		return out, err
	}
	return os.ReadFile(bin)
})

// startDaemon runs the program for the length of the test, on a free port.
func startDaemon(t *testing.T) daemon {
	t.Helper()
	built, err := program()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, built)
	}
	dir := t.TempDir()
	bin, data := filepath.Join(dir, "schedctl"), filepath.Join(dir, "data")
	if err := installed.Write(bin, built); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, "daemon", "run", "--data-dir", data, "--listen", "127.0.0.1:0", "--log-format", "json")
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(log)
	t.Cleanup(func() { stopDaemon(t, cmd, lines) })
	d := daemon{url: startedAt(t, lines)}
	key, err := os.ReadFile(filepath.Join(data, "admin.key"))
	if err != nil {
		t.Fatal(err)
	}
	d.key = strings.TrimSpace(string(key))
	return d
}

// startedAt reads the log up to the line with the daemon's URL.
func startedAt(t *testing.T, log *bufio.Reader) string {
	t.Helper()
	var seen bytes.Buffer
	for {
		text, err := log.ReadBytes('\n')
		seen.Write(text)
		if err != nil {
			t.Fatalf("the daemon did not start: %v\n%s", err, &seen)
		}
		var line struct{ Msg, URL string }
		if json.Unmarshal(text, &line) == nil && line.Msg == "daemon started" {
			return line.URL
		}
	}
}

// stopDaemon stops the daemon, kills it if it does not end, and shows the rest of
// its log when the test has failed.
func stopDaemon(t *testing.T, cmd *exec.Cmd, log io.Reader) {
	kill := time.AfterFunc(testsize.Patience, func() { cmd.Process.Kill() })
	defer kill.Stop()
	cmd.Process.Signal(syscall.SIGTERM)
	rest, _ := io.ReadAll(log)
	if err := cmd.Wait(); err != nil {
		t.Errorf("the daemon: %v", err)
	}
	if t.Failed() {
		t.Logf("the daemon's log:\n%s", rest)
	}
}

// get returns the daemon's response, which must have status 200.
func (d daemon) get(t *testing.T, path string) []byte {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+d.key)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("GET %s gets %d, %v: %s", path, res.StatusCode, err, body)
	}
	return body
}
