package files

import (
	"context"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

func (r *fileReader) understandBlackout(b postfile.Blackout) (w wantedBlackout) {
	w.line = b.Line
	w.Reason, w.Timezone, w.Mode = b.Reason.Text, r.settingZone(b.TZ), schedctl.BlackoutMode(cli.FirstNonEmpty(b.Mode.Text, string(schedctl.BlackoutAvoid)))
	faults := len(r.problems)
	w.Label = b.Label.Text
	w.From, w.To = r.settingTime("from", b.From), r.settingTime("to", b.To)
	w.AccountIDs = r.settingAccounts(b.Accounts)
	if err := w.Resolve(); err != nil && len(r.problems) == faults {
		r.settingProblem(b.Line, "%s", post.RuleText(err))
	}
	w.managed = r.settingManaged(digestOf(createBlackout(apiv1.NewBlackout(w.Blackout))))
	return w
}

// wantedBlackout is a blackout that schedctl.yaml describes.
type wantedBlackout struct {
	schedctl.Blackout
	line    int
	managed *apiv1.Managed
}

// over reports whether a blackout has ended.
func (p *planner) over(b *apiv1.Blackout) bool {
	return b.SettledAt != nil || b.EndsAt != nil && !b.EndsAt.After(p.Now())
}

// buildBlackouts compares the blackouts of schedctl.yaml with those of the daemon. If any
// will change, it keeps those that the daemon will have then.
func (p *planner) buildBlackouts(ctx context.Context, existing []apiv1.Blackout) error {
	var own, rest []apiv1.Blackout // those of the collection, and those that it can adopt
	var there []schedctl.Blackout
	for _, b := range existing {
		owner, err := p.otherOwner(ctx, b.Managed)
		if err != nil {
			return err
		}
		switch over := p.over(&b); {
		case p.ours(b.Managed) != nil:
			own = append(own, b)
		case over:
		case owner != "":
			there = append(there, domainBlackout(b))
		default:
			rest = append(rest, b)
		}
	}
	existing = append(own, rest...)
	wanted := slices.DeleteFunc(slices.Clone(p.wanted.blackouts), func(w wantedBlackout) bool { return !w.EndsAt.IsZero() && !w.EndsAt.After(p.Now()) })
	changes := false
	found := p.matchBlackouts(wanted, existing)
	for i := range wanted {
		w := &wanted[i]
		s := p.blackoutSetting(found[i], w)
		if p.settings = append(p.settings, s); s.Action != isDrift {
			there = append(there, w.Blackout)
		} else if !p.over(found[i]) {
			there = append(there, domainBlackout(*found[i]))
		}
		changes = changes || s.Action == doCreate || s.Action == doEdit
	}
	for i := range existing {
		b := &existing[i]
		if slices.Contains(found, b) || p.over(b) {
			continue
		}
		if p.ours(b.Managed) != nil {
			s := p.orphanBlackout(b)
			if p.settings = append(p.settings, s); s.Action == doCancel {
				changes = true
				continue
			}
		}
		there = append(there, domainBlackout(*b))
	}
	if changes {
		p.blackouts = append([]schedctl.Blackout{}, there...)
	}
	return nil
}

// matchBlackouts returns the existing blackout for each wanted one, nil for none: one that is
// equal, or was when it was applied last, or else one with the same reason. Blackouts that are
// over only match what was applied: the next one may have the same reason.
func (p *planner) matchBlackouts(wanted []wantedBlackout, existing []apiv1.Blackout) []*apiv1.Blackout {
	found := make([]*apiv1.Blackout, len(wanted))
	for _, matches := range []func(w *wantedBlackout, b *apiv1.Blackout) bool{
		func(w *wantedBlackout, b *apiv1.Blackout) bool {
			return !p.over(b) && len(p.blackoutDifferences(b, w.Blackout)) == 0
		},
		func(w *wantedBlackout, b *apiv1.Blackout) bool { return sameDigest(p.ours(b.Managed), w.managed) },
		func(w *wantedBlackout, b *apiv1.Blackout) bool {
			return !p.over(b) && w.Reason != "" && cli.Deref(b.Reason) == w.Reason
		},
	} {
		for i := range wanted {
			for k := range existing {
				if b := &existing[k]; found[i] == nil && !slices.Contains(found, b) && matches(&wanted[i], b) {
					found[i] = b
				}
			}
		}
	}
	return found
}

func domainBlackout(b apiv1.Blackout) schedctl.Blackout {
	out := schedctl.Blackout{
		From: schedctl.LocalTime(b.From), To: schedctl.LocalTime(cli.Deref(b.To)), Timezone: b.Timezone, AccountIDs: b.SocialAccountIDs,
		Reason: cli.Deref(b.Reason), Mode: b.Mode, Label: cli.Deref(b.Label), StartsAt: b.StartsAt.Time,
	}
	if b.EndsAt != nil {
		out.EndsAt = b.EndsAt.Time
	}
	return out
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

// createBlackout returns the request that creates a blackout. Its digest is that of the
// blackout.
func createBlackout(b apiv1.Blackout) apiv1.CreateBlackout {
	return apiv1.CreateBlackout{From: b.From, To: b.To, Timezone: b.Timezone, SocialAccountIDs: b.SocialAccountIDs, Reason: b.Reason, Mode: b.Mode, Label: b.Label}
}

func (p *planner) appliedBlackout(b *apiv1.Blackout) applied {
	return applied{p.ours(b.Managed), []string{digestOf(createBlackout(*b))}}
}

// blackoutSetting returns the change of a blackout. have is nil if it does not exist.
func (p *planner) blackoutSetting(have *apiv1.Blackout, w *wantedBlackout) setting {
	s := setting{change: change{Action: doCreate, ID: blackoutID(w.Blackout), File: postfile.ConfigName, Differences: p.blackoutDifferences(have, w.Blackout)}, line: w.line}
	want := apiv1.NewBlackout(w.Blackout)
	if have == nil {
		create := createBlackout(want)
		create.Managed = w.managed
		send := func(ctx context.Context, dry bool) error {
			create := create
			create.DryRun = dry
			_, err := p.client.CreateBlackout(ctx, create)
			return err
		}
		s.make, s.check = sending(send)
		return s
	}
	edit := apiv1.EditBlackout{Managed: w.managed}
	if len(s.Differences) > 0 {
		edit = apiv1.EditBlackout{
			From: &want.From, To: new(cli.Deref(want.To)), Timezone: &want.Timezone, SocialAccountIDs: &want.SocialAccountIDs,
			Reason: new(cli.Deref(want.Reason)), Mode: &want.Mode, Label: new(cli.Deref(want.Label)), Managed: w.managed,
		}
	}
	if p.compare(&s, p.appliedBlackout(have), w.managed, len(s.Differences) == 0) {
		s.make, s.check = sending(p.editBlackout(have, edit))
	}
	return s
}

func (p *planner) editBlackout(have *apiv1.Blackout, edit apiv1.EditBlackout) func(context.Context, bool) error {
	return func(ctx context.Context, dry bool) error {
		edit := edit
		edit.DryRun = dry
		_, err := p.client.EditBlackout(ctx, have.ID, edit, client.IfVersion(have.Version))
		return err
	}
}

// orphanBlackout returns what becomes of a blackout that was removed from schedctl.yaml.
func (p *planner) orphanBlackout(b *apiv1.Blackout) setting {
	s := setting{change: change{ID: blackoutID(domainBlackout(*b)), File: postfile.ConfigName}, line: 1}
	p.compareGone(&s, p.appliedBlackout(b), goneFromConfig, "blackout", "the blackout is removed")
	if s.Action == doCancel {
		_, s.check = sending(p.editBlackout(b, apiv1.EditBlackout{}))
		s.make = func(ctx context.Context) error {
			return p.client.DeleteBlackout(ctx, b.ID, client.IfVersion(b.Version))
		}
	}
	return s
}

func (p *planner) blackoutDifferences(have *apiv1.Blackout, w schedctl.Blackout) []difference {
	fields := func(b apiv1.Blackout) []difference {
		return []difference{
			{Field: "from", After: b.From}, {Field: "to", After: cli.Deref(b.To)}, {Field: "tz", After: b.Timezone},
			{Field: "accounts", After: p.accountsText(b.SocialAccountIDs)}, {Field: "mode", After: string(b.Mode)}, {Field: "reason", After: cli.Deref(b.Reason)},
			{Field: "label", After: cli.Deref(b.Label)},
		}
	}
	var before []difference
	if have != nil {
		before = fields(*have)
	}
	return settingDifferences(before, fields(apiv1.NewBlackout(w)))
}
