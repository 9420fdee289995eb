package postlist

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/recurrence"
)

// IsSeries reports whether a row of the review is a series.
func IsSeries(p apiv1.Post) bool {
	return strings.HasPrefix(p.ID, string(schedctl.SeriesPrefix)+"_")
}

// Noun returns what a row of the review is.
func Noun(p apiv1.Post) string {
	if IsSeries(p) {
		return "series"
	}
	return "post"
}

// SeriesRow returns the row of a series in the review: a draft with the id, the version and
// the content of the series, proposed for its next time.
func SeriesRow(s apiv1.Series) apiv1.Post {
	p := apiv1.Post{
		ID: s.ID, SeriesID: &s.ID, Version: s.Version, Status: schedctl.Draft, Approval: s.Approval, CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt,
		Content: s.Content, Media: s.Media, Extras: s.Extras, Labels: s.Labels, QueueID: s.QueueID,
		SocialAccountIDs: s.SocialAccountIDs, TargetOverrides: s.TargetOverrides,
	}
	if len(s.Variants) > 0 {
		var texts []string
		for i, text := range s.Variants {
			texts = append(texts, fmt.Sprintf("%d of %d: %s", i+1, len(s.Variants), text))
		}
		p.Content = strings.Join(texts, "\n\n")
	}
	if s.NextAt != nil {
		p.ProposedAt = &apiv1.ProposedTime{Time: s.NextAt.Time}
	}
	for _, id := range s.SocialAccountIDs {
		p.Targets = append(p.Targets, apiv1.Target{SocialAccountID: id, Status: schedctl.Draft})
	}
	return p
}

// TimesByRule returns the next times of a series by its rule.
func TimesByRule(s apiv1.Series, now time.Time) (times []time.Time) {
	loc, err := time.LoadLocation(s.Timezone)
	if err != nil {
		return nil
	}
	rule, _, err := recurrence.Parse(s.Rule, schedctl.LocalTime(s.Start), loc)
	if err != nil {
		return nil // of a newer daemon
	}
	const several = 50 // some may be skipped
	for _, local := range rule.Next(schedctl.LocalTimeOf(now.In(loc)), several) {
		at, _ := local.In(loc)
		if len(times) < NextTimes && at.After(now) && !slices.Contains(s.Exdates, string(local)) {
			times = append(times, at)
		}
	}
	return times
}
