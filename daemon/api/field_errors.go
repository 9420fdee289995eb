package api

import (
	"fmt"
	"slices"

	"github.com/schedctl/schedctl"
)

const (
	maxFaults        = 20   // maximum number of faults in one response
	maxCountedFaults = 1000 // after so many more faults, reading the body ends
)

// fieldErrors are the invalid fields of a request. The zero value is empty.
type fieldErrors struct {
	list []schedctl.FieldError // at most maxFaults
	more int                   // number of faults left out, at most maxCounted
}

// count reports whether another fault can be added. Otherwise it counts the fault
// as left out. Call it before each add, so that no message is built in vain.
func (f *fieldErrors) count() bool {
	if len(f.list) < maxFaults {
		return true
	}
	f.more = min(f.more+1, maxCountedFaults)
	return false
}

func (f *fieldErrors) add(fault schedctl.FieldError) { f.list = append(f.list, fault) }

// has reports whether a fault of the field was added.
func (f *fieldErrors) has(field string) bool {
	return slices.ContainsFunc(f.list, func(fault schedctl.FieldError) bool { return fault.Field == field })
}

// full reports whether so many faults were counted that the rest of the body need
// not be read.
func (f *fieldErrors) full() bool { return f.more >= maxCountedFaults }

// all returns the faults. If some were left out, the last one says how many.
func (f *fieldErrors) all() []schedctl.FieldError {
	if f.more == 0 {
		return f.list
	}
	text := "and %d more"
	if f.full() {
		text = "and at least %d more"
	}
	return append(f.list[:len(f.list):len(f.list)], fieldError(f.list[0].Code, "", text, f.more))
}

// err returns the first fault as an error with all faults as details, or nil.
func (f *fieldErrors) err() error {
	if len(f.list) == 0 {
		return nil
	}
	first := f.list[0]
	return &schedctl.Error{Code: first.Code, Field: first.Field, Message: first.Message, Details: f.all()}
}

func fieldError(code schedctl.Code, field, format string, args ...any) schedctl.FieldError {
	return schedctl.FieldError{Field: field, Code: code, Message: fmt.Sprintf(format, args...)}
}

// invalid returns a fault with the code VALIDATION_FAILED.
func invalid(field, format string, args ...any) schedctl.FieldError {
	return fieldError(schedctl.ValidationFailed, field, format, args...)
}
