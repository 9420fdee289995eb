//go:build unix

package server

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// lockFile creates and locks a file. The error wraps errDataLocked when another
// process has locked it. It uses locks of fcntl(2), because the kernel reports the
// holder only of these. Such a lock also ends when this process closes any other
// descriptor of the file, so this process must not open the file twice.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	whole := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart}
	err = syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &whole)
	if err == nil {
		return f, nil
	}
	f.Close()
	if errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.EAGAIN) {
		return nil, errDataLocked
	}
	return nil, &os.PathError{Op: "lock", Path: path, Err: err}
}

// fileHolder reports whether another process has locked a file, and its process id, or
// 0 if this process cannot see it.
func fileHolder(path string) (pid int, locked bool) {
	f, err := os.Open(path)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	whole := syscall.Flock_t{Type: syscall.F_RDLCK, Whence: io.SeekStart}
	if err := syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &whole); err != nil || whole.Type == syscall.F_UNLCK {
		return 0, false
	}
	return max(0, int(whole.Pid)), true
}

// ownFile reports whether a regular file belongs to the user of this process.
func ownFile(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

// detachedProcess returns the attributes of a process that survives the terminal it was
// started from.
func detachedProcess() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
