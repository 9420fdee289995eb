//go:build !linux

package child

import (
	"errors"
	"os/exec"
	"time"
)

// CPUTime returns the processor time of a process. It is available on Linux only.
func CPUTime(int) (time.Duration, error) { return 0, errors.ErrUnsupported }

// Anonymous returns the anonymous memory of a process in bytes. It is available on
// Linux only.
func Anonymous(int) (int64, error) { return 0, errors.ErrUnsupported }

// PeakMemory returns the most memory that a process has used so far in bytes. It is
// available on Linux only.
func PeakMemory(int) (int64, error) { return 0, errors.ErrUnsupported }

func endWithParent(*exec.Cmd) {}
