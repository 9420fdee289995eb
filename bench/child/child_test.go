package child_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/schedctl/schedctl/bench/child"
)

// TestMain lets the test program run as its own children: the daemon that Start runs,
// and a role.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 2 && os.Args[1] == "daemon":
		end(fakeDaemon(os.Args[2:]))
	case len(os.Args) == 2 && os.Args[1] == "echo":
		end(child.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) })))
	case len(os.Args) == 2 && os.Args[1] == "broken":
		end(errors.New("cannot serve"))
	}
	os.Exit(m.Run())
}

func end(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// fakeDaemon is ready at once, refuses requests as environment variables tell it, and
// ends on SIGTERM.
func fakeDaemon(args []string) error {
	if os.Getenv("CHILD_REFUSES") != "" {
		return errors.New("the disk is gone")
	}
	dir, address := args[2], args[4]
	if err := os.WriteFile(filepath.Join(dir, "admin.key"), []byte("sctl_key\n"), 0o600); err != nil {
		return err
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("POST /api/v1/social-accounts", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer sctl_key" || r.Header.Get("Content-Type") != "application/json" {
			http.Error(w, "unknown key", http.StatusUnauthorized)
			return
		}
		fmt.Fprint(w, `{"social_account":{"id":"acct_1"}}`)
	})
	go http.Serve(l, mux)
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	<-stop
	fmt.Fprintln(os.Stderr, "stopped cleanly")
	return nil
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestDaemonIsStartedAskedAndStopped(t *testing.T) {
	t.Parallel()
	d, err := child.Start(t.Context(), child.Config{Binary: self(t), Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Kill()
	if id, err := d.Connect(t.Context(), `{"platform":"feed"}`); id != "acct_1" || err != nil {
		t.Errorf("connected %q, %v", id, err)
	}
	var refused *child.StatusError
	if err := d.Call(t.Context(), "GET", "/posts", "", nil); !errors.As(err, &refused) || refused.Status != http.StatusNotFound {
		t.Errorf("an unknown path: %v", err)
	}
	if d.Ready <= 0 {
		t.Errorf("ready after %s", d.Ready)
	}
	if err := d.Stop(); err != nil {
		t.Error(err)
	}
	if !strings.Contains(d.Log(), "stopped cleanly") {
		t.Errorf("log %q", d.Log())
	}
}

func TestDaemonComesBackOnItsAddress(t *testing.T) {
	t.Parallel()
	c := child.Config{Binary: self(t), Dir: t.TempDir()}
	for range 2 {
		d, err := child.Start(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		c.Address = d.Address
		d.Kill()
		if err := d.Wait(t.Context()); err == nil {
			t.Error("a killed daemon ended without an error")
		}
	}
}

func TestDaemonThatDoesNotStartSaysWhy(t *testing.T) {
	t.Parallel()
	_, err := child.Start(t.Context(), child.Config{Binary: self(t), Dir: t.TempDir(), Env: []string{"CHILD_REFUSES=yes"}})
	if err == nil || !strings.Contains(err.Error(), "the disk is gone") {
		t.Errorf("error %v", err)
	}
}

func TestRoleServesUntilItIsStopped(t *testing.T) {
	t.Parallel()
	r, err := child.StartRole("echo")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Kill()
	resp, err := http.Post("http://"+r.Address, "text/plain", strings.NewReader("hello"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if answer, err := io.ReadAll(resp.Body); string(answer) != "hello" || err != nil {
		t.Errorf("response %q, %v", answer, err)
	}
	if err := r.Stop(); err != nil {
		t.Error(err)
	}
}

func TestRoleThatDoesNotStartSaysWhy(t *testing.T) {
	t.Parallel()
	if _, err := child.StartRole("broken"); err == nil || !strings.Contains(err.Error(), "cannot serve") {
		t.Errorf("error %v", err)
	}
}
