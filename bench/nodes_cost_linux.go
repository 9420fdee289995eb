package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// processTree returns a process and its children, and the processor time of ended
// children.
func processTree(pid int) (pids []int, ended time.Duration, err error) {
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return nil, 0, err
	}
	for _, text := range append(strings.Fields(string(children)), strconv.Itoa(pid)) {
		n, err := strconv.Atoi(text)
		if err != nil {
			return nil, 0, err
		}
		pids = append(pids, n)
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, 0, err
	}
	// proc_pid_stat(5): cutime and cstime are fields 16 and 17, in ticks of 10 ms; the
	// text after the name in parentheses starts with field 3.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	for _, text := range fields[13:15] {
		ticks, err := strconv.Atoi(text)
		if err != nil {
			return nil, 0, err
		}
		ended += time.Duration(ticks) * 10 * time.Millisecond
	}
	return pids, ended, nil
}
