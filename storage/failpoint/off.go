//go:build !failpoint

package failpoint

// Hit is to be called at a point. It returns the error that was ordered there;
// without the build tag there is never one.
func Hit(Point) error { return nil }
