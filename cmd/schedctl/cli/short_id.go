package cli

import (
	"fmt"
	"iter"
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
	return InvalidError(schedctl.ValidationFailed, "%q matches several %s", Clip(ref, 60), nouns).WithHint("use one of " + strings.Join(Candidates(candidates), ", "))
}

// Candidates returns the first labels of a list, few enough for an error message, and
// how many more there are.
func Candidates(labels []string) []string {
	if more := len(labels) - maxCandidates; more > 0 {
		return append(labels[:maxCandidates:maxCandidates], fmt.Sprintf("%d more", more))
	}
	return labels
}

// FindID returns the id of the object that an argument names: an id, an abbreviated one
// of the newest objects, or [LastRef]. An argument that names none is returned unchanged,
// for the daemon to refuse. An abbreviation of several ids is an error with exit status
// 5; nouns and label are for its message.
func FindID[T any](a *App, n Noun, ref string, newest iter.Seq2[T, error], nouns string, id, label func(T) string) (string, error) {
	if ref == LastRef {
		return a.LastID(n)
	}
	short, ok := ParseShortID(n.Prefix, ref)
	if _, whole := schedctl.ParseID(n.Prefix, ref); whole || !ok {
		return ref, nil
	}
	var found, labels []string
	searched := 0
	for v, err := range newest {
		if err != nil {
			return "", err
		}
		if short.Matches(id(v)) {
			found = append(found, id(v))
			labels = append(labels, fmt.Sprintf("%s (%s)", id(v), label(v)))
		}
		if searched++; searched == maxSearched {
			break
		}
	}
	switch len(found) {
	case 0:
		return ref, nil
	case 1:
		return found[0], nil
	}
	return "", AmbiguousIDError(ref, nouns, labels)
}

// maxSearched is how many of the newest objects are searched for an abbreviated id.
const maxSearched = 1000

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

// maxCandidates keeps an error message readable.
const maxCandidates = 10
