package schedctl

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Limits of blackouts.
const (
	MaxBlackouts      = 200 // unsettled blackouts of a workspace
	MaxBlackoutReason = 200 // Unicode code points
)

// Blackout is a period in which accounts do not publish.
type Blackout struct {
	ID          string
	WorkspaceID string
	From        LocalTime
	To          LocalTime // exclusive; empty for an open end, which only [BlackoutHold] can have
	Timezone    string    // IANA name of the zone of From and To
	AccountIDs  []string  // sorted; empty for all accounts of the workspace
	Reason      string    // may be empty
	Mode        BlackoutMode
	Label       string // a hold of posts with this label alone; empty for all posts

	// StartsAt and EndsAt are the instants of From and To. EndsAt is zero for an open
	// end. See [Blackout.Resolve].
	StartsAt time.Time
	EndsAt   time.Time

	// SettledAt is set when the blackout is over and the posts that it held have new
	// times. Its copies have left the accounts then.
	SettledAt time.Time

	Managed   *Managed // the collection of files that the blackout belongs to, or nil
	CreatedAt time.Time
	UpdatedAt time.Time
	Version   int64 // 1 when created, +1 with every change
}

// BlackoutMode says what a blackout prevents.
type BlackoutMode string

// The modes.
const (
	// BlackoutAvoid blocks slots and occurrences, and refuses new posts with a time in the
	// period. Posts that are scheduled already are published.
	BlackoutAvoid BlackoutMode = "avoid"

	// BlackoutHold stops all publication of the accounts until it ends. With an end, it
	// also blocks slots.
	BlackoutHold BlackoutMode = "hold"
)

// BlackoutModes lists the modes.
func BlackoutModes() []BlackoutMode { return []BlackoutMode{BlackoutAvoid, BlackoutHold} }

// AccountBlackout is the copy of a blackout in each of its accounts. It leaves the
// account when the blackout is settled or deleted, not when it ends.
type AccountBlackout struct {
	ID   string // of the blackout
	Mode BlackoutMode
	From time.Time
	To   time.Time // exclusive; zero for an open end

	Label string // of the posts that it is about; empty for all
}

// Contains reports whether t is in the period.
func (b AccountBlackout) Contains(t time.Time) bool {
	return !t.Before(b.From) && (b.To.IsZero() || t.Before(b.To))
}

// Blocks reports whether slots and occurrences step around the blackout at t. A hold
// with an open end, and one for a label, block none.
func (b AccountBlackout) Blocks(t time.Time) bool {
	return b.Label == "" && b.Contains(t) && (b.Mode == BlackoutAvoid || !b.To.IsZero())
}

// holds reports whether the blackout is a hold that has started at t. A hold that is over
// still counts until it is settled, so that nothing is published before the posts that it
// held have new times.
func (b AccountBlackout) holds(t time.Time) bool {
	return b.Mode == BlackoutHold && !t.Before(b.From)
}

// BlackoutAt returns the first blackout of the account that blocks slots at t.
func (a *Account) BlackoutAt(t time.Time) (b AccountBlackout, blocked bool) {
	i := slices.IndexFunc(a.Blackouts, func(b AccountBlackout) bool { return b.Blocks(t) })
	if i < 0 {
		return b, false
	}
	return a.Blackouts[i], true
}

// AvoidedAt returns the first blackout of mode avoid that contains t.
func (a *Account) AvoidedAt(t time.Time) (b AccountBlackout, avoided bool) {
	i := slices.IndexFunc(a.Blackouts, func(b AccountBlackout) bool { return b.Mode == BlackoutAvoid && b.Contains(t) })
	if i < 0 {
		return b, false
	}
	return a.Blackouts[i], true
}

// HeldAt returns the first hold of all posts that has started at t, and is not settled.
func (a *Account) HeldAt(t time.Time) (b AccountBlackout, held bool) {
	return a.firstHold(func(b AccountBlackout) bool { return b.Label == "" && b.holds(t) })
}

// LabelHeldAt returns the first hold of one of these labels that has started at t, and is
// not settled.
func (a *Account) LabelHeldAt(labels []string, t time.Time) (b AccountBlackout, held bool) {
	return a.firstHold(func(b AccountBlackout) bool { return slices.Contains(labels, b.Label) && b.holds(t) })
}

// PostHeldAt is HeldAt for a post with these labels: a hold of all posts, or else one of
// its labels.
func (a *Account) PostHeldAt(labels []string, t time.Time) (b AccountBlackout, held bool) {
	if b, held = a.HeldAt(t); held {
		return b, true
	}
	return a.LabelHeldAt(labels, t)
}

// HoldsLabels reports whether a hold of a label has started at t.
func (a *Account) HoldsLabels(t time.Time) bool {
	return slices.ContainsFunc(a.Blackouts, func(b AccountBlackout) bool { return b.Label != "" && b.holds(t) })
}

// EndsHold reports whether a hold of the account at t does not hold the same posts in a
// later version of the account.
func (a *Account) EndsHold(later *Account, t time.Time) bool {
	return slices.ContainsFunc(a.Blackouts, func(b AccountBlackout) bool {
		return b.holds(t) && !slices.ContainsFunc(later.Blackouts, func(l AccountBlackout) bool {
			return l.ID == b.ID && l.holds(t) && (l.Label == "" || l.Label == b.Label)
		})
	})
}

func (a *Account) firstHold(is func(AccountBlackout) bool) (b AccountBlackout, held bool) {
	i := slices.IndexFunc(a.Blackouts, is)
	if i < 0 {
		return b, false
	}
	return a.Blackouts[i], true
}

// Covers reports whether the blackout is about the account.
func (b *Blackout) Covers(accountID string) bool {
	return len(b.AccountIDs) == 0 || slices.Contains(b.AccountIDs, accountID)
}

// Avoids reports whether the blackout refuses new posts of the account at t.
func (b *Blackout) Avoids(accountID string, t time.Time) bool {
	return b.Mode == BlackoutAvoid && b.Covers(accountID) && b.OnAccount().Contains(t)
}

// OnAccount returns the copy of the blackout for its accounts.
func (b *Blackout) OnAccount() AccountBlackout {
	return AccountBlackout{ID: b.ID, Mode: b.Mode, From: b.StartsAt, To: b.EndsAt, Label: b.Label}
}

// SetBlackout adds the copy of a blackout to the account, or replaces it. It removes
// the copy if the blackout is settled or is not about the account. The copies stay in
// order of their ids.
func (a *Account) SetBlackout(b *Blackout) {
	a.RemoveBlackout(b.ID)
	if !b.SettledAt.IsZero() || !b.Covers(a.ID) {
		return
	}
	at, _ := slices.BinarySearchFunc(a.Blackouts, b.ID, func(x AccountBlackout, id string) int { return strings.Compare(x.ID, id) })
	a.Blackouts = slices.Insert(slices.Clone(a.Blackouts), at, b.OnAccount())
}

// RemoveBlackout removes the copy of a blackout from the account.
func (a *Account) RemoveBlackout(id string) {
	a.Blackouts = slices.DeleteFunc(slices.Clone(a.Blackouts), func(b AccountBlackout) bool { return b.ID == id })
}

// Clone returns a copy that shares nothing with b.
func (b *Blackout) Clone() Blackout {
	c := *b
	c.AccountIDs, c.Managed = slices.Clone(b.AccountIDs), b.Managed.clone()
	return c
}

// Resolve checks the fields, sorts the accounts, and sets StartsAt and EndsAt. Errors:
// [ValidationFailed].
func (b *Blackout) Resolve() error {
	loc, err := LoadZone("timezone", b.Timezone)
	if err != nil {
		return err
	}
	if _, err := ParseLocalTime("from", string(b.From)); err != nil {
		return err
	}
	switch {
	case !slices.Contains(BlackoutModes(), b.Mode):
		return Errorf(ValidationFailed, "mode", "mode must be avoid or hold")
	case b.To == "" && b.Mode != BlackoutHold:
		return Errorf(ValidationFailed, "to", "a blackout of mode %s needs an end; only a hold can be open", b.Mode)
	case b.Label != "" && b.Mode != BlackoutHold:
		return Errorf(ValidationFailed, "label", "only a hold can be about a label; use mode hold, or leave the label out")
	case utf8.RuneCountInString(b.Reason) > MaxBlackoutReason || !utf8.ValidString(b.Reason) || strings.ContainsFunc(b.Reason, unicode.IsControl):
		return Errorf(ValidationFailed, "reason", "the reason has at most %d characters and no control characters", MaxBlackoutReason)
	}
	if b.Label != "" {
		if err := CheckLabel("label", b.Label); err != nil {
			return err
		}
	}
	b.StartsAt, _ = b.From.In(loc)
	b.StartsAt, b.EndsAt = b.StartsAt.UTC(), time.Time{}
	if b.To != "" {
		if _, err := ParseLocalTime("to", string(b.To)); err != nil {
			return err
		}
		b.EndsAt, _ = b.To.In(loc)
		if b.EndsAt = b.EndsAt.UTC(); !b.EndsAt.After(b.StartsAt) {
			return Errorf(ValidationFailed, "to", "the blackout ends before it starts; use a time after %s", b.From)
		}
	}
	slices.Sort(b.AccountIDs)
	b.AccountIDs = slices.Compact(b.AccountIDs)
	return nil
}
