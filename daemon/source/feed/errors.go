package feed

import (
	"errors"
	"fmt"
)

// The errors of [Parse]. Their messages are for people.
var (
	ErrNotFeed   = errors.New("not a feed")                           // a web page, or another format
	ErrMalformed = errors.New("the feed cannot be read")              // neither XML nor JSON that can be read
	ErrCut       = errors.New("the feed ends in the middle")          // only a part of it was received
	ErrTooLarge  = errors.New("the feed is too large or too complex") // more than MaxBytes, or nested too deeply
)

// errorf returns an error that wraps one of the errors of [Parse] and says more.
func errorf(kind error, format string, args ...any) error {
	return fmt.Errorf("%w: %s", kind, fmt.Sprintf(format, args...))
}
