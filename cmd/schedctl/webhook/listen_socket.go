package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// triggerTimeout is the time limit for forwarding a triggered event, including the
// events before it.
const triggerTimeout = time.Minute

// listenSockets returns the sockets on which "schedctl listen" accepts events from
// "schedctl trigger".
func listenSockets(a *cli.App) (paths []string) {
	entries, err := os.ReadDir(a.ConfigDir())
	if err != nil {
		return nil // the directory does not exist
	}
	for _, entry := range entries {
		if name := entry.Name(); strings.HasPrefix(name, "listen-") && strings.HasSuffix(name, ".sock") {
			paths = append(paths, filepath.Join(a.ConfigDir(), name))
		}
	}
	return paths
}

// triggeredEvent is an event from "schedctl trigger". "schedctl listen" sends the
// result.
type triggeredEvent struct {
	event  apiv1.Event
	result chan<- forwarded // never blocks
}

// triggers accepts events on a socket of this user.
type triggers struct {
	events chan triggeredEvent
	path   string
	socket net.Listener
	cancel context.CancelFunc
	done   sync.WaitGroup
}

// openTriggers opens the socket. The caller must close it.
func openTriggers(ctx context.Context, a *cli.App) (*triggers, error) {
	dir := a.ConfigDir()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, fmt.Sprintf("listen-%d.sock", os.Getpid()))
	// The socket gets its name only when it accepts connections.
	hidden := filepath.Join(dir, fmt.Sprintf(".listen-%d", os.Getpid()))
	os.Remove(hidden)
	socket, err := net.ListenUnix("unix", &net.UnixAddr{Name: hidden, Net: "unix"})
	if err != nil {
		return nil, err
	}
	socket.SetUnlinkOnClose(false)
	if err := errors.Join(os.Chmod(hidden, 0o600), os.Rename(hidden, path)); err != nil {
		socket.Close()
		os.Remove(hidden)
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	t := &triggers{events: make(chan triggeredEvent), path: path, socket: socket, cancel: cancel}
	t.done.Go(func() { t.accept(ctx) })
	return t, nil
}

// close removes the socket and returns when all its connections have ended.
func (t *triggers) close() {
	os.Remove(t.path)
	t.socket.Close()
	t.cancel()
	t.done.Wait()
}

func (t *triggers) accept(ctx context.Context) {
	for {
		conn, err := t.socket.Accept()
		if err != nil {
			return
		}
		t.done.Go(func() { t.serve(ctx, conn) })
	}
}

// serve passes one event on and sends back the result.
func (t *triggers) serve(ctx context.Context, conn net.Conn) {
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	conn.SetDeadline(time.Now().Add(triggerTimeout))
	result := make(chan forwarded, 1)
	h := triggeredEvent{result: result}
	if json.NewDecoder(conn).Decode(&h.event) != nil {
		return
	}
	select {
	case t.events <- h:
	case <-ctx.Done():
		return
	}
	select {
	case f := <-result:
		json.NewEncoder(conn).Encode(f)
	case <-ctx.Done():
	}
}

// errNoListener means that no process listens on the socket.
var errNoListener = errors.New("no listener")

// sendTriggered sends an event to the process that listens on a socket. It removes the
// socket of a killed process.
func sendTriggered(ctx context.Context, path string, e apiv1.Event) (result forwarded, err error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", path)
	if errors.Is(err, syscall.ECONNREFUSED) {
		os.Remove(path)
	}
	if err != nil {
		return result, errors.Join(errNoListener, err)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	err = json.NewEncoder(conn).Encode(e)
	if err == nil {
		err = json.NewDecoder(conn).Decode(&result)
	}
	if ctx.Err() != nil {
		return result, context.Cause(ctx)
	}
	if err != nil {
		return result, &cli.Failure{Status: cli.ExitUnreachable, Code: cli.CodeUnreachable, Message: "schedctl listen ended before it had forwarded the event"}
	}
	return result, nil
}
