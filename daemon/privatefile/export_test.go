package privatefile

import "os"

// OnSync has a test told of directories that are synced, until restore is called.
func OnSync(told func(dir string)) (restore func()) {
	before := sync
	sync = func(dir *os.File) { told(dir.Name()); before(dir) }
	return func() { sync = before }
}
