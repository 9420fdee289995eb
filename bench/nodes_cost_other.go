//go:build !linux

package main

import (
	"errors"
	"time"
)

// processTree is not available on this system.
func family(int) ([]int, time.Duration, error) { return nil, 0, errors.ErrUnsupported }
