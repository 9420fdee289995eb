package api

import "github.com/schedctl/schedctl/daemon/usecase"

// suggestedName is an unknown name. String suggests a known name. It is computed
// only when the message is printed.
type suggestedName struct {
	name  string // clipped, because the search time grows with the length
	known []string
}

// String returns a suggestion.
func (n suggestedName) String() string { return usecase.Suggestion(n.name, n.known) }

// clip cuts s to at most limit bytes, between characters.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && s[limit]&0xc0 == 0x80 {
		limit--
	}
	return s[:limit] + "…"
}
