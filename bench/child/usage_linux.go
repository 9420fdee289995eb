package child

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// CPUTime returns the user and system processor time of a process.
func CPUTime(pid int) (time.Duration, error) {
	var t unix.Timespec
	if err := unix.ClockGettime(cpuClock(pid), &t); err != nil {
		return 0, fmt.Errorf("processor time of process %d: %w", pid, err)
	}
	return time.Duration(t.Nano()), nil
}

// cpuClock returns the id of a process's CPU clock, as clock_getcpuclockid(3) does. It
// is exact to the nanosecond, while /proc counts ticks of 10 ms.
func cpuClock(pid int) int32 {
	const scheduled = 2 // CPUCLOCK_SCHED
	return int32(^pid<<3 | scheduled)
}

// Anonymous returns the anonymous memory of a process in bytes: private memory that
// cannot be read again from a file.
func Anonymous(pid int) (int64, error) { return memory(pid, "RssAnon:") }

// PeakMemory returns the most memory that a process has used so far in bytes, with files
// that it has mapped.
func PeakMemory(pid int) (int64, error) { return memory(pid, "VmHWM:") }

// memory returns a line of the status of a process.
func memory(pid int, name string) (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if rest, found := strings.CutPrefix(line, name); found {
			kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kib << 10, err
		}
	}
	return 0, fmt.Errorf("no %s in /proc/%d/status", strings.TrimSuffix(name, ":"), pid)
}

func endWithParent(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}
