//go:build !linux

package s3_test

import "syscall"

// endsWithTests returns how to start a process.
func endsWithTests() *syscall.SysProcAttr { return nil }
