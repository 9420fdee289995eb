package api

import (
	"fmt"

	"github.com/schedctl/schedctl"
)

const (
	maxFaults        = 20   // how many faults one response names
	maxCountedFaults = 1000 // after how many more a body is not read any further
)

// fieldErrors are the invalid fields of a request. The zero value has none.
type fieldErrors struct {
	list []schedctl.FieldError // at most maxFaults
	more int                   // how many were left out, at most maxCounted
}

// count reports whether there is room for another fault; else it counts the
// fault among those left out. It goes before each add, so that no message is
// made in vain.
func (f *fieldErrors) count() bool {
	if len(f.list) < maxFaults {
		return true
	}
	f.more = min(f.more+1, maxCountedFaults)
	return false
}

func (f *fieldErrors) add(fault schedctl.FieldError) { f.list = append(f.list, fault) }

// full reports whether reading on says nothing that helps the client.
func (f *fieldErrors) full() bool { return f.more >= maxCountedFaults }

// all returns the faults; when some were left out, the last one says how many.
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

// err returns the first fault as an error with all of them, nil for none.
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
