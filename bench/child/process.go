// Package child runs what a measuring or torturing program watches as processes
// of their own: the schedctl daemon, and roles of the program itself, such as the
// network that the daemon publishes to. A process of its own has a processor time
// and a memory that can be told apart, and can be killed.
//
// On Linux a child ends with the program that started it, however that ends.
package child

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
)

// Process is a running child.
type Process struct {
	cmd  *exec.Cmd
	log  *processLog
	done chan struct{} // closed when the process has ended
	err  error         // how it ended, after done
}

// start starts a command with its standard error in the log.
func start(cmd *exec.Cmd) (*Process, error) {
	p := &Process{cmd: cmd, log: new(processLog), done: make(chan struct{})}
	cmd.Stderr = p.log
	endWithParent(cmd)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	go func() {
		p.err = cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// PID returns the number of the process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Log returns what the process has written to its standard error so far.
func (p *Process) Log() string { return p.log.String() }

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Signal sends a signal and does not wait.
func (p *Process) Signal(s os.Signal) error { return p.cmd.Process.Signal(s) }

// Kill ends the process with SIGKILL and waits until it is gone. It reports
// nothing about a process that had ended already.
func (p *Process) Kill() {
	p.cmd.Process.Kill()
	<-p.done
}

// Wait waits until the process has ended and returns nil when it ended well, else
// an error with its log. When ctx ends first, it returns its error.
func (p *Process) Wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return fmt.Errorf("wait for %s: %w", p.cmd.Path, ctx.Err())
	case <-p.done:
	}
	if p.err != nil {
		return fmt.Errorf("%s: %w\n%s", p.cmd.Path, p.err, p.log)
	}
	return nil
}

// processLog keeps what a process writes, for any goroutine.
type processLog struct {
	mu   sync.Mutex
	text bytes.Buffer // mu guards text
}

func (l *processLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *processLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
