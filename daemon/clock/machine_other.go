//go:build !linux && !darwin

package clock

import "time"

// sinceBoot reports that time in suspend cannot be measured here.
func sinceBoot() (time.Duration, bool) { return 0, false }

func bootID() string { return "" }

func synchronized(time.Time) bool { return false }
