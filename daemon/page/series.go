package page

import (
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/repeat"
	"github.com/schedctl/schedctl/daemon/usecase"
)

// shownOccurrences is how many of the next times of a series its page shows.
const shownOccurrences = 5

// repeats says in words when a series publishes, such as "every week on Tuesday at 9:00 from
// 2026-12-01". It names the zone if that is not the one of the page.
func (f *Frame) repeats(one *schedctl.Series) string {
	rule, _ := usecase.SeriesPlan(one, f.Now, 0)
	text := "repeats " + repeat.Words(&rule, one.Start)
	if utc := "Etc/"; strings.TrimPrefix(one.Timezone, utc) != strings.TrimPrefix(f.clock().zone.String(), utc) {
		text += " (" + one.Timezone + ")"
	}
	if one.QueueID != "" {
		text += ", in the next free slot of a queue"
	}
	return text
}

// plan returns what the page of a series says about its times.
func (f *Frame) plan(one *schedctl.Series) (facts []fact) {
	_, next := usecase.SeriesPlan(one, f.Now, shownOccurrences)
	for _, at := range next {
		facts = append(facts, fact{Name: "Next time", When: f.date("", at, ", "+f.clock().distance(at))})
	}
	if one.State == schedctl.SeriesPaused {
		facts = append(facts, fact{Name: "Paused", Value: "no posts are made until somebody resumes the series"})
	}
	return facts
}

// variants returns the texts of a series that take turns, if it has several.
func (b *budget) variants(one *schedctl.Series) []string {
	if one == nil || len(one.Variants) < 2 {
		return nil
	}
	return fit(append([]string(nil), one.Variants...), func(text *string) bool {
		if !b.take(itemBytes) {
			return false
		}
		*text = b.text(*text, 1)
		return true
	})
}
