package privatefile

import "os"

// OnSync calls a function for each synced directory until restore is called.
func OnSync(synced func(dir string)) (restore func()) {
	before := sync
	sync = func(dir *os.File) { synced(dir.Name()); before(dir) }
	return func() { sync = before }
}
