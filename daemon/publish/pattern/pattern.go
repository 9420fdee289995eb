// Package pattern delays the compilation of regular expressions until they are used.
// Every program that imports one network imports all of them, and compiling their
// expressions would take longer than the rest of a short command.
package pattern

import (
	"regexp"
	"sync"
)

// Lazy returns a function that compiles expr on its first call and returns the same
// result each time. It may be called from any goroutine. Like [regexp.MustCompile]
// the function panics if expr is not valid, so tests must call it.
func Lazy(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
