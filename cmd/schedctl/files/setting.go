package files

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/client/repeat"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

// setting is a queue or a blackout that schedctl.yaml describes, with the change that it
// needs. Queues and blackouts that leave the file stay in the daemon.
type setting struct {
	change
	make   func(context.Context) error // makes the change; nil for none
	wanted *wantedPost                 // of a series with a file; else nil

	createdBy  string // the key that created a series
	people     bool   // agents may not change it
	everywhere bool   // it is about all accounts
}

// wantedSettings are the queues and blackouts of schedctl.yaml.
type wantedSettings struct {
	queues    []wantedQueue
	blackouts []schedctl.Blackout
}

type wantedQueue struct {
	schedctl.Queue
	standard bool // default: true
}

// understandConfig interprets the queues and blackouts of schedctl.yaml, and adds their
// errors to the problems.
func (r *fileReader) understandConfig() {
	r.wanted = wantedSettings{}
	names := map[string]bool{}
	for _, q := range r.config.Queues {
		w := r.understandQueue(q)
		if names[w.Name] && w.Name != "" {
			r.settingProblem(q.Name.Line, "the queue %q is described twice", w.Name)
		}
		names[w.Name] = true
		r.wanted.queues = append(r.wanted.queues, w)
	}
	for _, b := range r.config.Blackouts {
		r.wanted.blackouts = append(r.wanted.blackouts, r.understandBlackout(b))
	}
}

func (r *fileReader) settingProblem(line int, format string, args ...any) {
	r.addProblems(r.config.Problemf(line, format, args...))
}

func (r *fileReader) understandQueue(q postfile.Queue) (w wantedQueue) {
	w.Name, w.Timezone = q.Name.Text, r.settingZone(q.TZ)
	faults := len(r.problems)
	for _, slot := range q.Slots {
		times, err := repeat.ParseSlots(slot.Text)
		if err != nil {
			r.settingProblem(slot.Line, "%v", err)
		}
		w.Times = append(w.Times, times...)
	}
	if q.Gap.Text != "" {
		gap, err := when.ParseDuration(q.Gap.Text)
		if err != nil {
			r.settingProblem(q.Gap.Line, "gap: %v", err)
		}
		w.Gap = gap
	}
	switch q.Default.Text {
	case "", "false":
	case "true":
		w.standard = true
	default:
		r.settingProblem(q.Default.Line, "default must be true or false")
	}
	w.AccountIDs = r.settingAccounts(q.Accounts)
	w.Normalize()
	if err := w.Check(); err != nil && len(r.problems) == faults {
		r.settingProblem(q.Line, "%s", post.RuleText(err))
	}
	return w
}

// settingZone returns the name of the zone of a setting: its own, or that of --tz.
func (r *fileReader) settingZone(v postfile.Value) string {
	if v.Text == "" && r.zone != nil {
		return r.zone.String()
	}
	return v.Text
}

// settingTime reads a local time: a date, or a date and a time of day.
func (r *fileReader) settingTime(key string, v postfile.Value) schedctl.LocalTime {
	if v.Text == "" {
		return ""
	}
	if local, ok := parseLocal(v.Text); ok {
		return local
	}
	r.settingProblem(v.Line, "%s: cannot read %q as a local time; write it like 2026-12-24 or 2026-12-24 18:00", key, cli.Clip(v.Text, 40))
	return ""
}

// settingAccounts returns the ids of accounts, sorted; none if the accounts are not known.
func (r *fileReader) settingAccounts(list []postfile.Value) (ids []string) {
	if r.accounts == nil {
		return nil
	}
	for _, v := range list {
		found, err := account.PickIDs(r.App, r.accounts, []string{v.Text})
		if err != nil {
			r.settingProblem(v.Line, "%v", err)
		}
		ids = append(ids, found...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// buildSettings compares the queues and blackouts of schedctl.yaml with those of the
// daemon.
func (p *planner) buildSettings(ctx context.Context) error {
	p.settings, p.blackouts = nil, nil
	for _, w := range p.wanted.queues {
		p.settings = append(p.settings, p.queueSetting(w))
	}
	if len(p.wanted.blackouts) > 0 {
		existing, err := p.client.Blackouts(ctx)
		if err != nil {
			return err
		}
		p.buildBlackouts(existing)
	}
	p.maySettings(p.settings)
	return nil
}

// queueSetting returns the change of a queue. A queue is found by its name.
func (p *planner) queueSetting(w wantedQueue) setting {
	want := apiv1.NewQueue(w.Queue)
	s := setting{change: change{Action: doCreate, ID: "queue " + w.Name, File: postfile.ConfigName}, everywhere: len(w.AccountIDs) == 0}
	i := slices.IndexFunc(p.queues, func(q apiv1.Queue) bool { return q.Name == w.Name })
	if i < 0 {
		s.Differences = p.queueDifferences(nil, want, w.standard)
		s.make = func(ctx context.Context) error {
			made, err := p.client.CreateQueue(ctx, apiv1.CreateQueue{
				Name: want.Name, Timezone: want.Timezone, Times: want.Times, SocialAccountIDs: want.SocialAccountIDs, Gap: want.Gap, Default: w.standard,
			})
			if err == nil {
				p.queues, p.names[made.Queue.ID] = append(p.queues, made.Queue), made.Queue.Name
			}
			return err
		}
		return s
	}
	have := p.queues[i]
	if s.Differences = p.queueDifferences(&have, want, w.standard); len(s.Differences) == 0 {
		s.Action = isUnchanged
		return s
	}
	s.Action = doEdit
	s.make = func(ctx context.Context) error {
		edit := apiv1.EditQueue{Timezone: &want.Timezone, Times: &want.Times, SocialAccountIDs: &want.SocialAccountIDs, Gap: &want.Gap}
		if w.standard {
			edit.Default = &w.standard
		}
		made, err := p.client.EditQueue(ctx, have.ID, edit)
		if n := len(made.Displaced); err == nil && n > 0 {
			p.Messagef("%s no longer at a time of the queue %s; to move them, run: schedctl queue reflow %s", cli.IsOrAre(n, "post"), have.Name, have.ID)
		}
		return err
	}
	return s
}

func (p *planner) queueDifferences(have *apiv1.Queue, want apiv1.Queue, standard bool) []difference {
	fields := func(q apiv1.Queue) []difference {
		var times []schedctl.QueueTime
		for _, t := range q.Times {
			if domain, valid := t.Domain(); valid {
				times = append(times, domain)
			}
		}
		return []difference{
			{Field: "tz", After: q.Timezone}, {Field: "slots", After: strings.Join(repeat.SlotWords(times), "; ")},
			{Field: "accounts", After: p.accountsText(q.SocialAccountIDs)}, {Field: "gap", After: q.Gap}, {Field: "default", After: fmt.Sprint(q.Default)},
		}
	}
	var before []difference
	if have != nil {
		before = fields(*have)
	}
	if want.Default = standard; have != nil {
		want.Default = standard || have.Default // the file cannot take it away
	}
	return settingDifferences(before, fields(want))
}

func (p *planner) accountsText(ids []string) string {
	if len(ids) == 0 {
		return "all"
	}
	return strings.Join(p.names.Names(ids), ", ")
}

// settingDifferences returns the fields that differ. before is nil for a new setting.
func settingDifferences(before, after []difference) (list []difference) {
	for i, d := range after {
		if before != nil {
			d.Before = before[i].After
		}
		if d.Before != d.After {
			list = append(list, d)
		}
	}
	return list
}

// applySettings makes the changes of queues, blackouts and series, before posts take slots. Its
// error names the first one that failed.
func (p *planner) applySettings(ctx context.Context) error {
	for _, list := range [][]setting{p.settings, p.series} {
		for i := range list {
			s := &list[i]
			if s.make == nil {
				continue
			}
			if err := s.make(ctx); err != nil {
				return fmt.Errorf("%s: %s: %w; no post was changed", s.File, s.ID, err)
			}
		}
	}
	return nil
}

// allSteps returns the changes of queues, blackouts and series, and then those of posts.
func (p *planner) allSteps() []step {
	list := make([]step, 0, len(p.settings)+len(p.series)+len(p.steps))
	for _, s := range slices.Concat(p.settings, p.series) {
		list = append(list, step{change: s.change, series: s.File != postfile.ConfigName})
	}
	return append(list, p.steps...)
}
