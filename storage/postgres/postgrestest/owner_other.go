//go:build !linux

package postgrestest

import (
	"errors"
	"os"
	"syscall"
)

// ownership returns how to start a program of the cluster. PostgreSQL refuses to run as
// root.
func ownership(string) (*syscall.SysProcAttr, error) {
	if os.Getuid() == 0 {
		return nil, errors.New("PostgreSQL does not run as root; run the tests as another user")
	}
	return &syscall.SysProcAttr{}, nil
}
