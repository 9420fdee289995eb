package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// disk is a small file system in memory.
type disk struct{ dir string }

// mountDisk mounts a disk on a directory. It returns errNoDisk without the permission
// to mount.
func mountDisk(dir string) (*disk, error) {
	err := syscall.Mount("schedctl-torture", dir, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, fmt.Sprintf("size=%d", diskSize))
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) {
		return nil, errNoDisk
	}
	if err != nil {
		return nil, os.NewSyscallError("mount", err)
	}
	return &disk{dir}, nil
}

func (d *disk) ballast() string { return filepath.Join(d.dir, "ballast") }

// fill uses up the disk.
func (d *disk) fill() error {
	f, err := os.Create(d.ballast())
	if err != nil {
		return err
	}
	defer f.Close()
	for chunk := make([]byte, 256<<10); len(chunk) > 0; {
		_, err := f.Write(chunk)
		switch {
		case errors.Is(err, syscall.ENOSPC):
			chunk = chunk[:len(chunk)/2]
		case err != nil:
			return err
		}
	}
	return nil
}

// free frees the disk. It may be called repeatedly.
func (d *disk) free() error { return os.RemoveAll(d.ballast()) }

func (d *disk) unmount() error { return os.NewSyscallError("unmount", syscall.Unmount(d.dir, 0)) }

// fullDiskAsRoot runs the scenario in a child process that is root in its own
// namespaces, unless this process is root. done reports whether it did.
func fullDiskAsRoot(ctx context.Context, h *harness) (r result, done bool, err error) {
	if os.Geteuid() == 0 {
		return result{}, false, nil
	}
	self, err := os.Executable()
	if err != nil {
		return result{}, true, err
	}
	out := filepath.Join(h.dir, "full.json")
	args := []string{"-daemon", h.binary, "-run", "^full$", "-seed", fmt.Sprint(h.seed), "-o", out}
	if h.quick {
		args = append(args, "-quick")
	}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		Pdeathsig:   syscall.SIGTERM,
	}
	var said bytes.Buffer
	cmd.Stderr = &said
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		r, err = withoutDisk() // namespaces are not available
		return r, true, err
	}
	r, err = readResult(out)
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, &said)
	}
	return r, true, err
}

// readResult reads the results of a run of one scenario.
func readResult(path string) (r result, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return r, err
	}
	var file struct{ Results []result }
	if err := json.Unmarshal(data, &file); err != nil {
		return r, err
	}
	if len(file.Results) != 1 {
		return r, fmt.Errorf("%s has %d results, want 1", path, len(file.Results))
	}
	return file.Results[0], nil
}
