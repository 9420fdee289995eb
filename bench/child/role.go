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

// Role is another process of the running program, in a different role.
type Role struct {
	*Process
	Address string // first line of its output: the address that it serves on
	stdin   io.Closer
}

// StartRole starts this program with arguments that select a role, and waits for the
// line that it prints when it is ready; see Serve.
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
		return nil, fmt.Errorf("role %s did not start: %w\n%s", args[0], err, p.Log())
	}
	r.Address = strings.TrimSpace(line)
	return r, nil
}

// Stop stops the role by closing its standard input, and waits.
func (r *Role) Stop() error {
	r.stdin.Close()
	return r.Wait(context.Background())
}

// Serve serves HTTP for a role: it prints its address, and returns when its standard
// input is closed. It cuts connections instead of waiting for slow responses.
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
