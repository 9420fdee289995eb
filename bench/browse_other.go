//go:build !linux

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

func openTerminal(uint16, uint16) (screen, terminal *os.File, err error) {
	return nil, nil, fmt.Errorf("open a terminal: %w", errors.ErrUnsupported)
}

func onTerminal(*exec.Cmd, *os.File) {}
