package recurrence

import (
	"time"

	"github.com/schedctl/schedctl"
)

// Before returns the text of the rule that ends before a local time: with the day before
// it, unless there are occurrences earlier on the same day. It reports false if the rule
// has no occurrence before the local time.
func (r *Rule) Before(local schedctl.LocalTime) (text string, found bool) {
	cut := *r
	cut.until = local.Civil().Add(-time.Minute)
	cut.parts.count, cut.parts.until = 0, cut.until.Format("20060102T150405")
	if !r.has(schedctl.LocalTime(local.Day()+"T00:00"), local) {
		cut.parts.until = local.Civil().AddDate(0, 0, -1).Format("20060102")
	}
	if _, found := cut.first(); !found {
		return "", false
	}
	return cut.parts.text(), true
}

// has reports whether the rule has an occurrence between two local times; until is
// exclusive.
func (r *Rule) has(from, until schedctl.LocalTime) bool {
	for range r.All(from, until) {
		return true
	}
	return false
}

// Rest returns the text of the rule that starts at the occurrence with an index. COUNT
// is smaller by the occurrences before it.
func (r *Rule) Rest(index int) string {
	rest := r.parts
	if rest.count > 0 {
		rest.count = max(1, rest.count-index)
	}
	return rest.text()
}
