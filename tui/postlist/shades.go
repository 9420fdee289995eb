package postlist

import (
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/tui/screen"
)

// ShadesOf returns the blackouts of a day, for one account or for all if accountID is
// empty. A hold with an open end is shown up to the current day.
func (s Scene) ShadesOf(day time.Time, accountID string) (list []Shade) {
	next := day.AddDate(0, 0, 1)
	for _, b := range s.Blackouts {
		end := DayOf(s.Now, s.Zone).AddDate(0, 0, 1)
		if b.EndsAt != nil {
			end = b.EndsAt.Time
		}
		if b.SettledAt != nil && b.SettledAt.Before(end) {
			end = b.SettledAt.Time
		}
		if accountID != "" && len(b.SocialAccountIDs) > 0 && !slices.Contains(b.SocialAccountIDs, accountID) {
			continue
		}
		from, to := b.StartsAt.Time, end
		if from.Before(day) {
			from = day
		}
		if to.After(next) {
			to = next
		}
		if !from.Before(to) {
			continue
		}
		sh := Shade{From: from.In(s.Zone), To: to.In(s.Zone), Hold: b.Mode == schedctl.BlackoutHold}
		sh.AllDay = from.Equal(day) && to.Equal(next)
		if b.Reason != nil {
			sh.About = screen.OneLine(*b.Reason)
		}
		if b.Label != nil {
			sh.About = strings.TrimSuffix(LabelText(b)+", "+sh.About, ", ")
		}
		switch {
		case len(b.SocialAccountIDs) > 0 && sh.About != "":
			sh.About += ", " + s.AccountNames(b.SocialAccountIDs)
		case len(b.SocialAccountIDs) > 0:
			sh.About = s.AccountNames(b.SocialAccountIDs)
		}
		list = append(list, sh)
	}
	slices.SortStableFunc(list, func(a, b Shade) int { return a.From.Compare(b.From) })
	return list
}
