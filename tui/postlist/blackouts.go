package postlist

import (
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/screen"
)

// IsHolding reports whether a blackout holds posts now. A hold ends when the posts that
// wait have new times.
func IsHolding(b apiv1.Blackout, now time.Time) bool {
	return b.Mode == schedctl.BlackoutHold && b.SettledAt == nil && !now.Before(b.StartsAt.Time)
}

// HeldAccounts returns the names of the accounts of a blackout.
func (s Scene) HeldAccounts(b apiv1.Blackout) string {
	switch {
	case b.Label != nil && len(b.SocialAccountIDs) == 0:
		return LabelText(b)
	case b.Label != nil:
		return LabelText(b) + " on " + s.AccountNames(b.SocialAccountIDs)
	case len(b.SocialAccountIDs) == 0:
		return "all accounts"
	}
	return s.AccountNames(b.SocialAccountIDs)
}

// LabelText names the label of a hold.
func LabelText(b apiv1.Blackout) string { return "label " + screen.OneLine(*b.Label) }

// Shade is the part of a blackout that is on one day.
type Shade struct {
	From, To time.Time // within the day
	AllDay   bool
	Hold     bool
	About    string // the reason and the accounts; may be empty
}

// Hours describes the hours of a shade within its day. brief leaves out the minutes of
// full hours.
func (sh Shade) Hours(day time.Time, brief bool) string {
	clock := func(t time.Time) string {
		if brief && t.Minute() == 0 {
			return t.Format("15")
		}
		return t.Format("15:04")
	}
	switch next := day.AddDate(0, 0, 1); {
	case sh.AllDay:
		return "all day"
	case sh.To.Equal(next):
		return "from " + clock(sh.From)
	case sh.From.Equal(day):
		return "to " + clock(sh.To)
	}
	return clock(sh.From) + "–" + clock(sh.To)
}

// Kind names what a shade is.
func (sh Shade) Kind() string {
	if sh.Hold {
		return "paused"
	}
	return "blackout"
}

// Sentence describes a shade in words.
func (sh Shade) Sentence(day time.Time) string {
	text := sh.Kind() + " " + strings.Replace(sh.Hours(day, false), "–", " to ", 1)
	if sh.About != "" {
		text += ": " + sh.About
	}
	return text
}

// Concerns reports whether a blackout applies to an account of a post.
func Concerns(b apiv1.Blackout, p apiv1.Post) bool {
	return len(b.SocialAccountIDs) == 0 || ShareAccount(b.SocialAccountIDs, p.SocialAccountIDs)
}

// Contains reports whether a time is in a blackout.
func Contains(b apiv1.Blackout, t time.Time) bool {
	return !t.Before(b.StartsAt.Time) && (b.EndsAt == nil || t.Before(b.EndsAt.Time))
}

// ShareAccount reports whether two lists of accounts have one in common.
func ShareAccount(a, b []string) bool {
	for _, x := range a {
		for _, y := range b {
			if x == y {
				return true
			}
		}
	}
	return false
}
