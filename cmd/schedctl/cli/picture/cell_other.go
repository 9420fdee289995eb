//go:build !unix

package picture

// CellSize returns false: the system does not report the size of characters.
func CellSize(int) (size Size, ok bool) { return Size{}, false }
