package clock

import (
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// sinceBoot returns how long ago the machine was booted, with the time in suspend.
func sinceBoot() (time.Duration, bool) {
	var t unix.Timespec
	err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &t)
	return time.Duration(t.Nano()), err == nil
}

// bootID returns the kernel's id of this boot, or the empty string if it is unknown.
func bootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}

// synchronized reports whether a time server keeps the clock that shows a time. The
// kernel forgets that whenever the clock is stepped, until the next synchronization.
func synchronized(wall time.Time) bool {
	var t unix.Timex
	state, err := unix.Adjtimex(&t)
	if err != nil || state == timeError || t.Status&unix.STA_UNSYNC != 0 {
		return false
	}
	// The kernel's status is about its own clock. Tests use a different one.
	return wall.Sub(time.Unix(int64(t.Time.Sec), 0)).Abs() < minSetBack
}

// timeError is TIME_ERROR of adjtimex(2): the clock is not synchronized.
const timeError = 5
