package s3_test

import "syscall"

// endsWithTests returns how to start a process that ends with the tests.
func endsWithTests() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
