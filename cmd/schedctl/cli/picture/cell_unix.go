//go:build unix

package picture

import "golang.org/x/sys/unix"

// CellSize returns the size of a character of the terminal with a file descriptor. ok is
// false if the terminal does not report it.
func CellSize(fd int) (size Size, ok bool) {
	w, err := unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ)
	if err != nil || w.Col == 0 || w.Row == 0 || w.Xpixel < w.Col || w.Ypixel < w.Row {
		return Size{}, false
	}
	return Size{int(w.Xpixel / w.Col), int(w.Ypixel / w.Row)}, true
}
