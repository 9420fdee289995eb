package files

import (
	"context"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

func (r *fileReader) understandBlackout(b postfile.Blackout) (w schedctl.Blackout) {
	w.Reason, w.Timezone, w.Mode = b.Reason.Text, r.settingZone(b.TZ), schedctl.BlackoutMode(cli.FirstNonEmpty(b.Mode.Text, string(schedctl.BlackoutAvoid)))
	faults := len(r.problems)
	w.From, w.To = r.settingTime("from", b.From), r.settingTime("to", b.To)
	w.AccountIDs = r.settingAccounts(b.Accounts)
	if err := w.Resolve(); err != nil && len(r.problems) == faults {
		r.settingProblem(b.Line, "%s", post.RuleText(err))
	}
	return w
}

// buildBlackouts compares the blackouts of schedctl.yaml with those of the daemon. If any
// will change, it keeps those that the daemon will have then.
func (p *planner) buildBlackouts(existing []apiv1.Blackout) {
	over := func(end *apiv1.Time) bool { return end != nil && !end.After(p.Now()) }
	existing = slices.DeleteFunc(existing, func(b apiv1.Blackout) bool { return b.SettledAt != nil || over(b.EndsAt) })
	wanted := slices.DeleteFunc(slices.Clone(p.wanted.blackouts), func(w schedctl.Blackout) bool { return over(apiv1.NewTime(w.EndsAt)) })
	var rest []schedctl.Blackout
	for _, w := range wanted {
		i := slices.IndexFunc(existing, func(b apiv1.Blackout) bool { return len(p.blackoutDifferences(&b, w)) == 0 })
		if i < 0 {
			rest = append(rest, w)
			continue
		}
		existing = slices.Delete(existing, i, i+1)
		p.settings = append(p.settings, setting{change: change{Action: isUnchanged, ID: blackoutID(w), File: postfile.ConfigName}})
	}
	for _, w := range rest {
		i := slices.IndexFunc(existing, func(b apiv1.Blackout) bool {
			return w.Reason != "" && cli.Deref(b.Reason) == w.Reason && (w.To != "" || b.To == nil)
		})
		if i < 0 {
			p.settings = append(p.settings, p.blackoutSetting(nil, w))
			continue
		}
		p.settings = append(p.settings, p.blackoutSetting(&existing[i], w))
		existing = slices.Delete(slices.Clone(existing), i, i+1)
	}
	if len(rest) == 0 {
		return
	}
	p.blackouts = wanted
	for _, b := range existing {
		kept := schedctl.Blackout{
			From: schedctl.LocalTime(b.From), To: schedctl.LocalTime(cli.Deref(b.To)), Timezone: b.Timezone, AccountIDs: b.SocialAccountIDs,
			Reason: cli.Deref(b.Reason), Mode: b.Mode, StartsAt: b.StartsAt.Time,
		}
		if b.EndsAt != nil {
			kept.EndsAt = b.EndsAt.Time
		}
		p.blackouts = append(p.blackouts, kept)
	}
}

// avoided returns a problem for each account of a fixed time that will be in a blackout
// of mode avoid. It is for plans that change blackouts: the daemon, which knows only the
// blackouts of today, checks all others. As there, a post may keep a time that it has.
func (p *planner) avoided(s *step) (list []postfile.Problem) {
	w := s.wanted
	if w.At == "" {
		return nil
	}
	at := w.moment.Time
	for _, id := range w.Accounts {
		if s.PostID != "" && stateOf(s.post).At == w.At && slices.Contains(s.post.SocialAccountIDs, id) {
			continue
		}
		i := slices.IndexFunc(p.blackouts, func(b schedctl.Blackout) bool { return b.Avoids(id, at) })
		if i >= 0 {
			b := p.blackouts[i]
			list = append(list, w.doc.Problemf(w.doc.Line("at"), "%s: %s is in the %s (%s to %s %s); use another time, or the next slot of a queue",
				cli.FirstNonEmpty(p.names[id], id), w.At, blackoutID(b), b.From, b.To, b.Timezone))
		}
	}
	return list
}

func blackoutID(b schedctl.Blackout) string {
	return "blackout " + cli.FirstNonEmpty(b.Reason, string(b.From))
}

// blackoutSetting returns the change of a blackout. have is nil if it does not exist.
func (p *planner) blackoutSetting(have *apiv1.Blackout, w schedctl.Blackout) setting {
	s := setting{change: change{Action: doCreate, ID: blackoutID(w), File: postfile.ConfigName, Differences: p.blackoutDifferences(have, w)}, people: true, everywhere: len(w.AccountIDs) == 0}
	want := apiv1.NewBlackout(w)
	if have == nil {
		s.make = func(ctx context.Context) error {
			_, err := p.client.CreateBlackout(ctx, apiv1.CreateBlackout{
				From: want.From, To: want.To, Timezone: want.Timezone, SocialAccountIDs: want.SocialAccountIDs, Reason: want.Reason, Mode: want.Mode,
			})
			return err
		}
		return s
	}
	s.Action = doEdit
	s.make = func(ctx context.Context) error {
		_, err := p.client.EditBlackout(ctx, have.ID, apiv1.EditBlackout{
			From: &want.From, To: want.To, Timezone: &want.Timezone, SocialAccountIDs: &want.SocialAccountIDs, Mode: &want.Mode,
		})
		return err
	}
	return s
}

func (p *planner) blackoutDifferences(have *apiv1.Blackout, w schedctl.Blackout) []difference {
	fields := func(b apiv1.Blackout) []difference {
		return []difference{
			{Field: "from", After: b.From}, {Field: "to", After: cli.Deref(b.To)}, {Field: "tz", After: b.Timezone},
			{Field: "accounts", After: p.accountsText(b.SocialAccountIDs)}, {Field: "mode", After: string(b.Mode)}, {Field: "reason", After: cli.Deref(b.Reason)},
		}
	}
	var before []difference
	if have != nil {
		before = fields(*have)
	}
	return settingDifferences(before, fields(apiv1.NewBlackout(w)))
}
