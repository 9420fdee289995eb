package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
)

// child is this program in another role: it prints its address and ends with
// its standard input.
type child struct {
	cmd     *exec.Cmd
	stdin   io.Closer
	address string
}

// startChild starts this program with a role and waits for its address.
func startChild(role ...string) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &child{cmd: exec.Command(self, role...)}
	c.cmd.Stderr = os.Stderr
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	c.address = strings.TrimSpace(address)
	return c, err
}

func (c *child) stop() error { return errors.Join(c.stdin.Close(), c.cmd.Wait()) }
