package clock

import (
	"time"

	"golang.org/x/sys/unix"
)

// sinceBoot returns how long ago the machine was booted, with the time asleep, from a
// clock that is never adjusted.
func sinceBoot() (time.Duration, bool) {
	var t unix.Timespec
	err := unix.ClockGettime(unix.CLOCK_MONOTONIC_RAW, &t)
	return time.Duration(t.Nano()), err == nil
}

// bootID returns the kernel's id of this boot, or the empty string if it is unknown.
func bootID() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}

// synchronized returns false: macOS does not report it.
func synchronized(time.Time) bool { return false }
