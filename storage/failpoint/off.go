//go:build !failpoint

package failpoint

// Hit must be called at a point. It returns the injected error. Without the build tag
// "failpoint" it always returns nil.
func Hit(Point) error { return nil }
