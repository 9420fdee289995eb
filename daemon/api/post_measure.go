package api

import (
	"reflect"
	"slices"

	"github.com/schedctl/schedctl"
)

// measurer returns the problems of a parcel as faults of a request. They are
// the caller's own.
type measurer func(parcel) []schedctl.FieldError

// faultsOf measures.
func (s *Server) faultsOf(c parcel) []schedctl.FieldError {
	_, faults := s.measure(c)
	return faults
}

// measurements are the parcels of a post that were measured, by account.
type measurements map[string]measurement

type measurement struct {
	parcel parcel
	faults []schedctl.FieldError
}

// noting measures and notes what it found.
func (s *Server) noting(known measurements) measurer {
	return func(c parcel) []schedctl.FieldError {
		faults := s.faultsOf(c)
		known[c.account.ID] = measurement{c, slices.Clone(faults)}
		return faults
	}
}

// recalling measures what was not measured before exactly as it is now. It
// changes nothing and so may be used where a transaction is composed.
func (s *Server) recalling(known measurements) measurer {
	return func(c parcel) []schedctl.FieldError {
		if before, there := known[c.account.ID]; there && reflect.DeepEqual(before.parcel, c) {
			return slices.Clone(before.faults)
		}
		return s.faultsOf(c)
	}
}
