//go:build !linux

package main

import "context"

// disk is a small file system, which is not available on this system.
type disk struct{}

func mountDisk(string) (*disk, error) { return nil, errNoDisk }

func (*disk) fill() error { return errNoDisk }

func (*disk) free() error { return errNoDisk }

func (*disk) unmount() error { return errNoDisk }

func fullDiskAsRoot(context.Context, *harness) (result, bool, error) { return result{}, false, nil }
