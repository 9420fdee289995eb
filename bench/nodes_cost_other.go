//go:build !linux

package main

import (
	"errors"
	"time"
)

// family is not known on this system.
func family(int) ([]int, time.Duration, error) { return nil, 0, errors.ErrUnsupported }
