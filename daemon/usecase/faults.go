package usecase

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

const (
	maxFaults        = 20   // maximum number of faults in one response
	maxCountedFaults = 1000 // after so many more faults, reading a body ends
	maxName          = 64   // maximum bytes of a client's name or value in a message
	maxMessage       = 1024 // maximum bytes of a network's message in a response
)

// Faults are the invalid fields of a request. The zero value is empty.
type Faults struct {
	list []schedctl.FieldError // at most maxFaults
	more int                   // number of faults left out, at most maxCountedFaults
}

// Count reports whether another fault can be added. Otherwise it counts the fault as left
// out. Call it before each Add, so that no message is built in vain.
func (f *Faults) Count() bool {
	if len(f.list) < maxFaults {
		return true
	}
	f.more = min(f.more+1, maxCountedFaults)
	return false
}

// Add adds a fault.
func (f *Faults) Add(fault schedctl.FieldError) { f.list = append(f.list, fault) }

// Empty reports whether no fault was added.
func (f *Faults) Empty() bool { return len(f.list) == 0 }

// Has reports whether a fault of the field was added.
func (f *Faults) Has(field string) bool {
	return slices.ContainsFunc(f.list, func(fault schedctl.FieldError) bool { return fault.Field == field })
}

// Full reports whether so many faults were counted that the rest of the body need not be
// read.
func (f *Faults) Full() bool { return f.more >= maxCountedFaults }

// All returns the faults. If some were left out, the last one says how many.
func (f *Faults) All() []schedctl.FieldError {
	if f.more == 0 {
		return f.list
	}
	text := "and %d more"
	if f.Full() {
		text = "and at least %d more"
	}
	return append(f.list[:len(f.list):len(f.list)], Fault(f.list[0].Code, "", text, f.more))
}

// Err returns the first fault as an error with all faults as details, or nil.
func (f *Faults) Err() error {
	if f.Empty() {
		return nil
	}
	first := f.list[0]
	return &schedctl.Error{Code: first.Code, Field: first.Field, Message: first.Message, Details: f.All()}
}

// Fault returns a fault.
func Fault(code schedctl.Code, field, format string, args ...any) schedctl.FieldError {
	return schedctl.FieldError{Field: field, Code: code, Message: fmt.Sprintf(format, args...)}
}

// Invalid returns a fault with the code VALIDATION_FAILED.
func Invalid(field, format string, args ...any) schedctl.FieldError {
	return Fault(schedctl.ValidationFailed, field, format, args...)
}

// Join returns the path of a member in a request.
func Join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// Clip cuts s to at most limit bytes, between characters, and marks the cut.
func Clip(s string, limit int) string {
	if len(s) > limit {
		return publish.Clip(s, limit) + "…"
	}
	return s
}

// ClipError shortens the message of an error that repeats a text of the request.
func ClipError(err error) error {
	if e, ok := errors.AsType[*schedctl.Error](err); ok {
		return schedctl.Errorf(e.Code, e.Field, "%s", Clip(e.Message, maxMessage))
	}
	return err
}

// Suggestion suggests the known name that is most similar to an unknown one, or lists the
// known names. Clip the name before: the time of the search grows with its length.
func Suggestion(name string, known []string) string {
	best, distance := "", len(name)
	for _, k := range known {
		if d := schedctl.EditDistance(name, k); d < distance {
			best, distance = k, d
		}
	}
	if best != "" && distance <= max(2, len(best)/3) {
		return `did you mean "` + best + `"?`
	}
	if len(known) == 0 {
		return "no names are allowed here"
	}
	return "known here: " + strings.Join(known, ", ")
}
