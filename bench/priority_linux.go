package main

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// lowestPriority gives this process only the processor time that others leave. On Linux
// each thread has a priority of its own; new threads inherit it.
func lowestPriority() error {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return err
	}
	for _, t := range threads {
		id, err := strconv.Atoi(t.Name())
		if err != nil {
			return err
		}
		if err := unix.Setpriority(unix.PRIO_PROCESS, id, 19); err != nil {
			return err
		}
	}
	return nil
}
