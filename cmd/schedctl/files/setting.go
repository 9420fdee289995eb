package files

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// setting is a queue or a blackout that schedctl.yaml describes, or a series, with the change
// that it needs.
type setting struct {
	change
	make   func(context.Context) error // makes the change; nil for none
	late   bool                        // make it after those of posts
	check  func(context.Context) error // asks the daemon whether it would refuse to make the change; nil for series
	line   int                         // of schedctl.yaml
	wanted *wantedPost                 // of a series with a file; else nil

	series    *apiv1.Series // that exists; else nil
	createdBy string        // the key that created a series
}

// wantedSettings are the queues and blackouts of schedctl.yaml.
type wantedSettings struct {
	queues    []wantedQueue
	blackouts []wantedBlackout
}

// understandConfig interprets the queues and blackouts of schedctl.yaml, and adds their
// errors to the problems.
func (r *fileReader) understandConfig() {
	r.wanted = wantedSettings{}
	names, standard := map[string]bool{}, ""
	for _, q := range r.config.Queues {
		w := r.understandQueue(q)
		if names[w.Name] && w.Name != "" {
			r.settingProblem(q.Name.Line, "the queue %q is described twice", w.Name)
		}
		if w.standard && standard != "" {
			r.settingProblem(q.Default.Line, "the queue %q is the default already; a workspace has one default queue", standard)
		}
		if names[w.Name] = true; w.standard {
			standard = w.Name
		}
		r.wanted.queues = append(r.wanted.queues, w)
	}
	for _, b := range r.config.Blackouts {
		r.wanted.blackouts = append(r.wanted.blackouts, r.understandBlackout(b))
	}
}

func (r *fileReader) settingProblem(line int, format string, args ...any) {
	r.addProblems(r.config.Problemf(line, format, args...))
}

// settingZone returns the name of the zone of a setting: its own, or that of --tz.
func (r *fileReader) settingZone(v postfile.Value) string {
	if v.Text == "" && r.zone != nil {
		return r.zone.String()
	}
	if zone, err := when.LoadZone(v.Text); err == nil {
		return zone.String()
	}
	return v.Text // the check of the setting refuses it
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
		found, err := account.PickIDs(r.App, r.known(), []string{v.Text})
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
	if err := p.buildQueues(ctx); err != nil {
		return err
	}
	existing, err := p.client.Blackouts(ctx)
	if err != nil && schedctl.CodeOf(err) != schedctl.NotFound { // a daemon without blackouts
		return err
	}
	if err := p.buildBlackouts(ctx, existing); err != nil {
		return err
	}
	return p.checkSettings(ctx)
}

// checkSettings asks the daemon about the changes of queues and blackouts. It refuses those
// that the daemon would refuse.
func (p *planner) checkSettings(ctx context.Context) error {
	for i := range p.settings {
		s := &p.settings[i]
		if s.make == nil || s.check == nil {
			continue
		}
		err := s.check(ctx)
		status := cli.ExitStatus(err)
		problem := p.config.Problemf(s.line, "%s: %v", s.ID, err)
		switch {
		case err == nil:
		case status == cli.ExitAuth && s.Action == isUnchanged:
			s.make, s.Message = nil, "" // another key takes it into the collection
		case status == cli.ExitAuth || status == cli.ExitConflict:
			p.refuse(refusal{problem, schedctl.CodeOf(err)})
			s.Action, s.Message, s.Differences = isRefused, cli.ErrorLine(err), nil
		case status == cli.ExitInvalid:
			p.addProblems(problem)
			s.Action, s.Message, s.Differences = isRefused, cli.ErrorLine(err), nil
		default:
			return err
		}
	}
	return nil
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

// applySettings makes the changes of queues, blackouts and series, before posts take slots, or
// those that are late. Its error names the first one that failed.
func (p *planner) applySettings(ctx context.Context, late bool) error {
	for _, list := range [][]setting{p.settings, p.series} {
		for i := range list {
			s := &list[i]
			if s.make == nil || s.late != late {
				continue
			}
			if err := s.make(ctx); err != nil && late {
				return fmt.Errorf("%s: %s: %w", s.File, s.ID, err)
			} else if err != nil {
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
