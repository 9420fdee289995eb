// Package pattern keeps regular expressions from being compiled as a program
// starts. The adapters of all networks are in every program that knows one of
// them, and compiling their expressions takes longer than all else that a short
// command does.
package pattern

import (
	"regexp"
	"sync"
)

// Lazy returns a function that compiles expr when it is first called, and
// returns the same result each time. It may be called from any goroutine. Like
// [regexp.MustCompile] it panics when expr is none, so a test must call it.
func Lazy(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
