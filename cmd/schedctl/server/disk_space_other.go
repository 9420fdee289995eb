//go:build !linux && !darwin && !freebsd && !windows

package server

import "errors"

// findVolume is not available on this system.
func findVolume(string) (volume, error) { return volume{}, errors.ErrUnsupported }
