package api

import (
	"strings"

	"github.com/schedctl/schedctl"
)

// suggestedName is an unknown name. String suggests a known name. It is computed
// only when the message is printed.
type suggestedName struct {
	name  string // clipped, because the search time grows with the length
	known []string
}

// String returns a suggestion.
func (n suggestedName) String() string { return suggestion(n.name, n.known) }

// suggestion suggests the most similar known name, or lists the known names.
func suggestion(name string, known []string) string {
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
