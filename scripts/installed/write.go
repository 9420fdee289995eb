package installed

import (
	"os"
	"syscall"
)

// Write writes a program to a new file, to be started at once. A process that another test
// starts meanwhile would inherit the open file for a moment, in which the program cannot be
// started: "text file busy". So none is started while the file is open.
func Write(path string, program []byte) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, program, 0o700)
}
