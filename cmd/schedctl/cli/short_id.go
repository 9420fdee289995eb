package cli

import (
	"fmt"
	"strings"

	"github.com/schedctl/schedctl"
)

// minShortID is the least number of characters of an abbreviated id. Six at the end
// of an id are 30 random bits.
const minShortID = 6

// shortID is an abbreviated id: the start or the end of an id, without regard to case.
// Without the prefix and its underscore it may be either; with the prefix it is the
// start.
type shortID struct {
	prefix string // such as "post_"
	text   string // in upper case
	begins bool   // the prefix was given
}

// ParseShortID reports whether a text can be an abbreviated id of a kind.
func ParseShortID(p schedctl.Prefix, ref string) (s shortID, ok bool) {
	const whole, digits = 26, "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	s.prefix = string(p) + "_"
	s.text = strings.ToUpper(strings.TrimPrefix(ref, s.prefix))
	s.begins = strings.HasPrefix(ref, s.prefix)
	foreign := strings.ContainsFunc(s.text, func(r rune) bool { return !strings.ContainsRune(digits, r) })
	return s, len(s.text) >= minShortID && len(s.text) <= whole && !foreign
}

func (s shortID) Matches(id string) bool {
	ulid := strings.TrimPrefix(id, s.prefix)
	return strings.HasPrefix(ulid, s.text) || !s.begins && strings.HasSuffix(ulid, s.text)
}

// AmbiguousIDError returns the error for an abbreviation of several ids.
func AmbiguousIDError(ref, nouns string, candidates []string) error {
	if more := len(candidates) - MaxCandidates; more > 0 {
		candidates = append(candidates[:MaxCandidates:MaxCandidates], fmt.Sprintf("%d more", more))
	}
	return InvalidError(schedctl.ValidationFailed, "%q matches several %s", Clip(ref, 60), nouns).WithHint("use one of " + strings.Join(candidates, ", "))
}

// MatchShortID returns the elements of a list whose id an argument abbreviates.
func MatchShortID[T any](list []T, p schedctl.Prefix, ref string, id func(T) string) (found []T) {
	short, ok := ParseShortID(p, ref)
	if !ok {
		return nil
	}
	for _, v := range list {
		if short.Matches(id(v)) {
			found = append(found, v)
		}
	}
	return found
}

// MaxCandidates keeps an error message readable.
const MaxCandidates = 10
