package api

import "github.com/schedctl/schedctl/daemon/usecase"

type fieldErrors = usecase.Faults

var (
	fieldError = usecase.Fault
	invalid    = usecase.Invalid
	clip       = usecase.Clip
	join       = usecase.Join
)

// suggestedName is an unknown name. String suggests a known name. It is computed
// only when the message is printed.
type suggestedName struct {
	name  string // clipped
	known []string
}

// String returns a suggestion.
func (n suggestedName) String() string { return usecase.Suggestion(n.name, n.known) }
