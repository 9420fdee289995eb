package child

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
)

// Role is the running program once more, as a child in another role.
type Role struct {
	*Process
	Address string // what it printed first: where it serves
	stdin   io.Closer
}

// StartRole starts this program with arguments that give it a role, and waits for
// the line that it prints when it is ready: see Serve.
func StartRole(args ...string) (*Role, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, args...)
	in, stdin, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	out, stdout, err := os.Pipe()
	if err != nil {
		stdin.Close()
		return nil, err
	}
	defer out.Close()
	cmd.Stdin, cmd.Stdout = in, stdout
	p, err := start(cmd)
	stdout.Close()
	if err != nil {
		stdin.Close()
		return nil, err
	}
	r := &Role{Process: p, stdin: stdin}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		r.Kill()
		stdin.Close()
		return nil, fmt.Errorf("role %s does not start: %w\n%s", args[0], err, p.Log())
	}
	r.Address = strings.TrimSpace(line)
	return r, nil
}

// Stop ends the role by ending its standard input, and waits.
func (r *Role) Stop() error {
	r.stdin.Close()
	return r.Wait(context.Background())
}

// Serve is the body of a role that serves HTTP: it prints its address, and
// returns when its standard input ends. Connections are cut, so that nobody
// waits for an answer that takes long.
func Serve(handler http.Handler) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	fmt.Println(l.Addr())
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	server.Close()
	if err := <-served; err != http.ErrServerClosed {
		return err
	}
	return nil
}
