package cli

import (
	"os"
	"os/exec"
	"path/filepath"
)

// ProgramPath returns the path with which this program was called. A link still leads
// to the program after an upgrade.
func ProgramPath() string {
	self, err := os.Executable()
	called, notFound := exec.LookPath(os.Args[0])
	if notFound == nil {
		called, notFound = filepath.Abs(called)
	}
	if err != nil || notFound == nil && sameFile(called, self) {
		return called
	}
	return self
}

func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	second, otherErr := os.Stat(b)
	return err == nil && otherErr == nil && os.SameFile(first, second)
}
