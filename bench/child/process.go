// Package child runs child processes for the programs that measure and torture the
// daemon: the daemon itself, and roles of the program, such as the network that the
// daemon publishes to. Processor time and memory of a child can be measured separately,
// and a child can be killed.
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
	err  error         // how it ended; set before done is closed
}

// start starts a command whose standard error goes to the log.
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

// Log returns the standard error output of the process so far.
func (p *Process) Log() string { return p.log.String() }

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Signal sends a signal without waiting.
func (p *Process) Signal(s os.Signal) error { return p.cmd.Process.Signal(s) }

// Kill ends the process with SIGKILL and waits until it has ended. It does nothing for
// a process that has ended already.
func (p *Process) Kill() {
	p.cmd.Process.Kill()
	<-p.done
}

// Wait waits until the process has ended. It returns nil when the process succeeded,
// else an error with its log, and the error of ctx when that ends first.
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

// processLog stores the output of a process, for any goroutine.
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
