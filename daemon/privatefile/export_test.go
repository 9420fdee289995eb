package privatefile

import "os"

// IgnoreModes makes [IgnoresModes] return true until restore is called.
func IgnoreModes() (restore func()) {
	before := modeIgnored
	modeIgnored = func(*os.File) bool { return true }
	return func() { modeIgnored = before }
}

// OnSync calls a function for each synced directory until restore is called.
func OnSync(synced func(dir string)) (restore func()) {
	before := sync
	sync = func(dir *os.File) { synced(dir.Name()); before(dir) }
	return func() { sync = before }
}
