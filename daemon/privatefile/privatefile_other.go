//go:build !unix

package privatefile

import "io/fs"

const observed Access = 0

func managed(fs.FileInfo) bool { return false }
