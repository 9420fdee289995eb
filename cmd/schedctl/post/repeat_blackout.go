package post

import (
	"context"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// sayBlackouts names the next occurrences of a new series that fall into a blackout of one
// of its accounts. A series in slots of a queue has other times, and a key that may not read
// blackouts learns nothing.
func (o *createOptions) sayBlackouts(ctx context.Context, c *client.Client, accounts []string) {
	if o.Quiet || o.slot.queue != "" {
		return
	}
	skipped, err := o.repeat.skipped()
	if err != nil {
		return
	}
	list, _ := c.Blackouts(ctx)
	for _, next := range nextOccurrences(o.repeat.parsed, o.repeat.loc) {
		i := slices.IndexFunc(list, func(b apiv1.Blackout) bool { return avoids(b, accounts, next.At) })
		if i < 0 || slices.Contains(skipped, next.Occurrence) {
			continue
		}
		name := "a blackout"
		if reason := cli.Deref(list[i].Reason); reason != "" {
			name = "the blackout " + cli.OneLine(reason)
		}
		o.Messagef("note: %s is in %s, and left out", when.FormatFor(next.At.In(o.repeat.loc), o.Local), name)
	}
}

// avoids reports whether a blackout keeps occurrences at a time from one of the accounts.
func avoids(b apiv1.Blackout, accounts []string, at apiv1.Time) bool {
	if b.Label != nil || b.Mode == schedctl.BlackoutHold && b.EndsAt == nil || at.Before(b.StartsAt.Time) || b.EndsAt != nil && !at.Before(b.EndsAt.Time) {
		return false
	}
	return len(b.SocialAccountIDs) == 0 || slices.ContainsFunc(b.SocialAccountIDs, func(id string) bool { return slices.Contains(accounts, id) })
}
