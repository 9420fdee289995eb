package api

import (
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/usecase"
)

// parseIfMatch returns the versions that an If-Match field names (RFC 9110, section
// 13.1.1), nil for any. A weak tag names no version.
func parseIfMatch(lines []string) (usecase.Versions, error) {
	if len(lines) == 0 {
		return nil, nil
	}
	rest := strings.Trim(strings.Join(lines, ","), ", \t")
	if rest == "*" {
		return nil, nil
	}
	if rest == "" {
		return nil, errIfMatch
	}
	versions := usecase.Versions{}
	for rest != "" {
		tag, weak, after, ok := cutTag(rest)
		if !ok {
			return nil, errIfMatch
		}
		if !weak {
			versions = append(versions, tag)
		}
		after = strings.TrimLeft(after, " \t")
		if after != "" && after[0] != ',' {
			return nil, errIfMatch
		}
		rest = strings.TrimLeft(after, ", \t")
	}
	return versions, nil
}

var errIfMatch = schedctl.Errorf(schedctl.ValidationFailed, "If-Match",
	`If-Match must be the ETag of a response, such as \"3\" with its quotes, or *`)

// needsVersion reports whether a request must name the version that its client has seen.
func (rt *route) needsVersion() bool { return slices.Contains(rt.codes, schedctl.VersionRequired) }

var errVersionRequired = schedctl.Errorf(schedctl.VersionRequired, "If-Match",
	"a decision needs the version that was seen: read the object, and send its ETag in If-Match; * is not enough")

// cutTag cuts an entity-tag off the beginning of s.
func cutTag(s string) (tag string, weak bool, after string, ok bool) {
	s, weak = strings.CutPrefix(s, "W/")
	if !strings.HasPrefix(s, `"`) {
		return "", false, "", false
	}
	tag, after, ok = strings.Cut(s[1:], `"`)
	if !ok || strings.ContainsFunc(tag, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return "", false, "", false
	}
	return tag, weak, after, true
}

// matchesNone reports whether an If-None-Match field (RFC 9110, section 13.1.2)
// names the entity tag, so that the client already has the representation. Parts
// that cannot be parsed match no entity tag.
func matchesNone(lines []string, etag string) bool {
	rest := strings.Trim(strings.Join(lines, ","), ", \t")
	if rest == "*" {
		return true
	}
	for rest != "" {
		tag, _, after, ok := cutTag(rest)
		if !ok {
			return false
		}
		if `"`+tag+`"` == etag {
			return true
		}
		rest = strings.TrimLeft(after, ", \t")
	}
	return false
}
