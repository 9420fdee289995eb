package api

import (
	"slices"
	"strconv"
	"strings"

	"github.com/schedctl/schedctl"
)

// precondition is an If-Match field (RFC 9110, section 13.1.1). The zero value
// always holds.
type precondition struct {
	given    bool
	any      bool     // "*"
	versions []string // strong tags, without quotes; a weak one never matches
}

// parseIfMatch reads an If-Match field.
func parseIfMatch(lines []string) (precondition, error) {
	if len(lines) == 0 {
		return precondition{}, nil
	}
	p := precondition{given: true}
	rest := strings.Trim(strings.Join(lines, ","), ", \t")
	if rest == "*" {
		p.any = true
		return p, nil
	}
	tags := 0
	for rest != "" {
		tag, weak, after, ok := cutTag(rest)
		if !ok {
			return precondition{}, errIfMatch
		}
		if !weak {
			p.versions = append(p.versions, tag)
		}
		tags++
		after = strings.TrimLeft(after, " \t")
		if after != "" && after[0] != ',' {
			return precondition{}, errIfMatch
		}
		rest = strings.TrimLeft(after, ", \t")
	}
	if tags == 0 {
		return precondition{}, errIfMatch
	}
	return p, nil
}

var errIfMatch = schedctl.Errorf(schedctl.ValidationFailed, "If-Match",
	`If-Match must be the ETag of a response, such as \"3\" with its quotes, or *`)

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

// check returns nil when the post may be changed.
func (p precondition) check(post *schedctl.Post) error { return p.checkVersion("post", post.Version) }

// checkVersion returns nil when an object with this version may be changed. what names
// the object in the message.
func (p precondition) checkVersion(what string, version int64) error {
	if !p.given || p.any {
		return nil
	}
	current := strconv.FormatInt(version, 10)
	if slices.Contains(p.versions, current) {
		return nil
	}
	return schedctl.Errorf(schedctl.VersionMismatch, "If-Match",
		"the %s is now at version %s; read it again and repeat the change if it still applies", what, current)
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
