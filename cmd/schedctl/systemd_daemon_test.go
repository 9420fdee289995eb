package main_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl/scripts/testsize"
)

// managed is a daemon as a service manager runs it.
type managed struct {
	*crashDaemon
	t      *testing.T
	heard  *net.UnixConn // its notifications
	socket *os.File      // the socket it is given, if any
	env    []string
}

func newManaged(t *testing.T) *managed {
	t.Helper()
	m := &managed{crashDaemon: newCrashDaemon(t), t: t}
	path := filepath.Join(t.TempDir(), "notify")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	m.heard, m.env = conn, []string{"NOTIFY_SOCKET=" + path}
	return m
}

// hand opens the socket that the daemon is to be given.
func (m *managed) hand(l interface{ File() (*os.File, error) }, err error) {
	m.t.Helper()
	if err == nil {
		m.socket, err = l.File()
	}
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { m.socket.Close() })
}

// run starts the daemon with the flags. A socket comes with the process id of
// the daemon, which a shell knows and then becomes.
func (m *managed) run(flags ...string) {
	m.t.Helper()
	m.cmd = exec.Command(m.bin, append([]string{"daemon", "run", "--data-dir", m.dir}, flags...)...)
	if m.socket != nil {
		m.cmd = exec.Command("sh", append([]string{"-c", `LISTEN_FDS=1 LISTEN_PID=$$ exec "$0" "$@"`}, m.cmd.Args...)...)
		m.cmd.ExtraFiles = []*os.File{m.socket}
	}
	m.cmd.Env = append(os.Environ(), m.env...)
	m.cmd.Stderr = &m.log
	if err := m.cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
}

// hear waits for a notification with the prefix, and returns all notifications until
// then.
func (m *managed) hear(prefix string) (all []string) {
	m.t.Helper()
	buffer := make([]byte, 4096)
	m.heard.SetReadDeadline(time.Now().Add(testsize.Patience))
	for {
		n, err := m.heard.Read(buffer)
		if err != nil {
			m.t.Fatalf("no %s came, only %q: %v\n%s", prefix, all, err, &m.log)
		}
		all = append(all, string(buffer[:n]))
		if strings.HasPrefix(string(buffer[:n]), prefix) {
			return all
		}
	}
}

// stop ends the daemon as a service manager does and returns its exit error.
func (m *managed) stop() error {
	m.t.Helper()
	if err := m.cmd.Process.Signal(os.Interrupt); err != nil {
		m.t.Fatal(err)
	}
	err := m.cmd.Wait()
	m.cmd = nil
	return err
}

// status returns the HTTP status of GET /readyz over a connection to the address.
func status(t *testing.T, network, address string) int {
	t.Helper()
	conn, err := net.Dial(network, address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET /readyz HTTP/1.0\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil || !bytes.HasPrefix(answer, []byte("HTTP/1.0 ")) || len(answer) < 12 {
		t.Fatalf("answer %q: %v", answer, err)
	}
	return map[string]int{"200": http.StatusOK, "503": http.StatusServiceUnavailable}[string(answer[9:12])]
}

func TestServiceManagerIsToldWhenTheDaemonServesLivesAndStops(t *testing.T) {
	t.Parallel()
	m := newManaged(t)
	m.env = append(m.env, "WATCHDOG_USEC=100000")
	m.run("--listen", m.address)
	for _, early := range m.hear("READY=1\n") {
		if strings.HasPrefix(early, "WATCHDOG=1") {
			t.Errorf("%q came before it was ready", early)
		}
	}
	if got := status(t, "tcp", m.address); got != http.StatusOK {
		t.Errorf("/readyz responds %d after READY=1", got)
	}
	m.hear("WATCHDOG=1\n")
	m.hear("WATCHDOG=1\n")
	if err := m.stop(); err != nil {
		t.Errorf("it ends with %v\n%s", err, &m.log)
	}
	m.hear("STOPPING=1\n")
}

func TestDaemonServesOnTheSocketItIsGiven(t *testing.T) {
	t.Parallel()
	t.Run("tcp", func(t *testing.T) {
		t.Parallel()
		m := newManaged(t)
		l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
		m.hand(l, err)
		address := l.Addr().String()
		l.Close() // the file is enough
		waiting, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatalf("a client that comes before the daemon: %v", err)
		}
		waiting.Close()
		m.run()
		m.hear("READY=1\n")
		if got := status(t, "tcp", address); got != http.StatusOK {
			t.Errorf("/readyz answers %d", got)
		}
		m.finds("http://" + address)
	})
	t.Run("unix", func(t *testing.T) {
		t.Parallel()
		m := newManaged(t)
		path := filepath.Join(t.TempDir(), "s")
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
		m.hand(l, err)
		l.SetUnlinkOnClose(false)
		l.Close()
		m.run()
		m.hear("READY=1\n")
		m.finds("unix://" + path)
		if err := m.stop(); err != nil {
			t.Errorf("it ends with %v\n%s", err, &m.log)
		}
		if _, err := os.Lstat(path); err != nil {
			t.Errorf("the socket belongs to the service manager, and is gone: %v", err)
		}
	})
}

// finds checks that commands on the data find the daemon at the URL.
func (m *managed) finds(url string) {
	m.t.Helper()
	cmd := exec.Command(m.bin, "me", "--json")
	cmd.Env = append(os.Environ(), "SCHEDCTL_DATA_DIR="+m.dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		m.t.Errorf("schedctl me: %v\n%s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(m.dir, "daemon.json"))
	var announced struct{ URL string }
	if err != nil || json.Unmarshal(text, &announced) != nil || announced.URL != url {
		m.t.Errorf("it announces %s, want %s: %v", text, url, err)
	}
}

func TestDaemonRefusesSocketsItCannotServeOn(t *testing.T) {
	t.Parallel()
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	m := newManaged(t)
	m.hand(l, nil)
	for want, script := range map[string]string{
		"--listen 127.0.0.1:1: the service manager passes a socket to listen on; leave --listen out, or disable the socket unit": `LISTEN_FDS=1 LISTEN_PID=$$ exec "$0" "$@" --listen 127.0.0.1:1`,
		"the service manager passes 2 sockets: give the socket unit one ListenStream":                                            `LISTEN_FDS=2 LISTEN_PID=$$ exec "$0" "$@"`,
		"listen on the socket of the service manager: ":                                                                          `LISTEN_FDS=1 LISTEN_PID=$$ exec "$0" "$@" 3</dev/null`,
	} {
		cmd := exec.Command("sh", "-c", script, m.bin, "daemon", "run", "--data-dir", filepath.Join(t.TempDir(), "data"))
		cmd.ExtraFiles = []*os.File{m.socket}
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "schedctl: "+want) {
			t.Errorf("%v: %s, want %q", err, out, want)
		}
	}
}

// TestDaemonLeavesSocketsOfOthersAlone guards that a socket of the parent process, for
// example a shell, is not mistaken for the daemon's.
func TestDaemonLeavesSocketsOfOthersAlone(t *testing.T) {
	t.Parallel()
	m := newManaged(t)
	m.env = append(m.env, "LISTEN_FDS=1", "LISTEN_PID=1")
	m.run("--listen", m.address)
	m.hear("READY=1\n")
	m.finds("http://" + m.address)
}

func TestDaemonTakesItsSealingKeyFromCredentials(t *testing.T) {
	t.Parallel()
	m := newManaged(t)
	credentials := t.TempDir()
	m.env = append(m.env, "CREDENTIALS_DIRECTORY="+credentials)
	key := bytes.Repeat([]byte{7}, 32)
	if err := os.WriteFile(filepath.Join(credentials, "secret.key"), key, 0o400); err != nil {
		t.Fatal(err)
	}
	m.run("--listen", m.address)
	m.hear("READY=1\n")
	if _, err := os.Lstat(filepath.Join(m.dir, "secret.key")); err == nil {
		t.Error("a key was written to the data directory, too")
	}
	if err := m.stop(); err != nil {
		t.Fatal(err)
	}

	// Without the credential the daemon does not start with another key.
	cmd := exec.Command(m.bin, "daemon", "run", "--data-dir", m.dir, "--listen", m.address)
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "secret.key is missing") {
		t.Errorf("without it: %v\n%s", err, out)
	}

	// A key in the data directory comes first.
	own := filepath.Join(m.dir, "secret.key")
	if err := os.WriteFile(own, key[:5], 0o600); err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command(m.bin, "daemon", "run", "--data-dir", m.dir, "--listen", m.address)
	cmd.Env = append(os.Environ(), m.env...)
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), own+" has 5 bytes") {
		t.Errorf("with a broken key of its own: %v\n%s", err, out)
	}
}
