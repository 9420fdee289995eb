package files

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/client/repeat"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

// wantedQueue is a queue that schedctl.yaml describes.
type wantedQueue struct {
	schedctl.Queue
	standard bool // default: true
	line     int
}

func (r *fileReader) understandQueue(q postfile.Queue) (w wantedQueue) {
	w.Name, w.Timezone, w.line = q.Name.Text, r.settingZone(q.TZ), q.Line
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

// buildQueues compares the queues of schedctl.yaml with those of the daemon.
func (p *planner) buildQueues(ctx context.Context) error {
	gone := map[string]bool{} // queues of the collection
	for _, q := range p.queues {
		gone[q.ID] = p.ours(q.Managed) != nil
	}
	for _, w := range p.wanted.queues {
		s, id, err := p.queueSetting(ctx, w)
		if err != nil {
			return err
		}
		p.settings = append(p.settings, s)
		gone[id] = false
	}
	for _, q := range p.queues {
		if gone[q.ID] {
			p.settings = append(p.settings, p.orphanQueue(q))
		}
	}
	return nil
}

// queueSetting returns the change of a queue, and the id of the queue, empty for a new one.
// A queue is found by its name, or after another client renamed it by what was applied.
func (p *planner) queueSetting(ctx context.Context, w wantedQueue) (s setting, id string, err error) {
	want := apiv1.NewQueue(w.Queue)
	want.Default = w.standard
	create := createQueue(want)
	create.Managed = p.settingManaged(digestOf(create))
	s = setting{change: change{Action: doCreate, ID: "queue " + w.Name, File: postfile.ConfigName}, line: w.line}
	i := slices.IndexFunc(p.queues, func(q apiv1.Queue) bool { return q.Name == w.Name })
	if i < 0 {
		i = slices.IndexFunc(p.queues, func(q apiv1.Queue) bool { return sameDigest(p.ours(q.Managed), create.Managed) })
	}
	if i < 0 {
		s.Differences = p.queueDifferences(nil, want)
		s.make, s.check = sending(p.newQueue(create))
		return s, "", nil
	}
	have := p.queues[i]
	owner, err := p.otherOwner(ctx, have.Managed)
	if err != nil {
		return s, have.ID, err
	}
	if owner != "" {
		s.Action, s.Message = isRefused, fmt.Sprintf("the collection %s has a queue of this name; choose another name, or, if its files are no longer applied, run: schedctl collection remove %s", owner, owner)
		p.refuse(refusal{p.config.Problemf(w.line, "%s: %s", s.ID, s.Message), schedctl.SourceMismatch})
		return s, have.ID, nil
	}
	want.Default = w.standard || have.Default // the file cannot take it away
	s.Differences = p.queueDifferences(&have, want)
	edit := apiv1.EditQueue{Managed: create.Managed}
	if len(s.Differences) > 0 {
		edit = apiv1.EditQueue{Name: &want.Name, Timezone: &want.Timezone, Times: &want.Times, SocialAccountIDs: &want.SocialAccountIDs, Gap: &want.Gap, Managed: create.Managed}
	}
	if w.standard {
		edit.Default = &w.standard
	}
	if p.compare(&s, applied{p.ours(have.Managed), queueDigests(have)}, create.Managed, len(s.Differences) == 0) {
		s.make, s.check = sending(p.editQueue(have, edit))
	}
	return s, have.ID, nil
}

// createQueue returns the request that creates a queue. Its digest is that of the queue.
func createQueue(q apiv1.Queue) apiv1.CreateQueue {
	return apiv1.CreateQueue{Name: q.Name, Timezone: q.Timezone, Times: q.Times, SocialAccountIDs: q.SocialAccountIDs, Gap: q.Gap, Default: q.Default}
}

// queueDigests returns the digest of a queue, and that of a file that does not make it the
// default.
func queueDigests(q apiv1.Queue) []string {
	create := createQueue(q)
	digest := digestOf(create)
	create.Default = false
	return []string{digest, digestOf(create)}
}

// newQueue creates a queue.
func (p *planner) newQueue(create apiv1.CreateQueue) func(context.Context, bool) error {
	return func(ctx context.Context, dry bool) error {
		create := create
		create.DryRun = dry
		made, err := p.client.CreateQueue(ctx, create)
		if err == nil && !dry {
			p.queues, p.names[made.Queue.ID] = append(p.queues, made.Queue), made.Queue.Name
		}
		return err
	}
}

// editQueue changes a queue.
func (p *planner) editQueue(have apiv1.Queue, edit apiv1.EditQueue) func(context.Context, bool) error {
	return func(ctx context.Context, dry bool) error {
		edit := edit
		edit.DryRun = dry
		version, err := p.queueVersion(ctx, have)
		if err != nil {
			return err
		}
		made, err := p.client.EditQueue(ctx, have.ID, edit, version)
		if n := len(made.Displaced); err == nil && n > 0 && edit.Times != nil && !dry {
			p.Messagef("%s no longer at a time of the queue %s; to move them, run: schedctl queue reflow %s", cli.IsOrAre(n, "post"), have.Name, have.ID)
		}
		return err
	}
}

// queueVersion returns the condition for a change of a queue: that it is as it was when it
// was read, except that another queue may have become the default since.
func (p *planner) queueVersion(ctx context.Context, have apiv1.Queue) (client.Option, error) {
	now, err := p.client.Queue(ctx, have.ID)
	if err != nil {
		return nil, err
	}
	version := have.Version
	if queueDigests(now.Queue)[1] == queueDigests(have)[1] {
		version = now.Queue.Version
	}
	return client.IfVersion(version), nil
}

// orphanQueue returns what becomes of a queue that was removed from schedctl.yaml.
func (p *planner) orphanQueue(q apiv1.Queue) setting {
	s := setting{change: change{Action: isUnchanged, ID: "queue " + q.Name, File: postfile.ConfigName}, line: 1, late: true}
	effect := "the queue is deleted; its posts keep their times"
	if q.Default {
		effect += ", and the workspace has no default queue"
	}
	p.compareGone(&s, applied{p.ours(q.Managed), queueDigests(q)}, goneFromConfig, "queue", effect)
	if s.Action != doCancel {
		return s
	}
	if p.filesUse(q.ID) {
		s.Action, s.Message = isOrphan, goneFromConfig+", but stays: files take its slots"
		return s
	}
	_, s.check = sending(p.editQueue(q, apiv1.EditQueue{}))
	s.make = func(ctx context.Context) error {
		version, err := p.queueVersion(ctx, q)
		if err != nil {
			return err
		}
		return p.client.DeleteQueue(ctx, q.ID, version)
	}
	return s
}

// filesUse reports whether posts or series of the files take slots of a queue.
func (p *planner) filesUse(queueID string) bool {
	return slices.ContainsFunc(p.steps, func(s step) bool { return s.wanted.Queue == queueID }) ||
		slices.ContainsFunc(p.series, func(s setting) bool { return s.wanted != nil && s.wanted.Queue == queueID })
}

func (p *planner) queueDifferences(have *apiv1.Queue, want apiv1.Queue) []difference {
	fields := func(q apiv1.Queue) []difference {
		var times []schedctl.QueueTime
		for _, t := range q.Times {
			if domain, valid := t.Domain(); valid {
				times = append(times, domain)
			}
		}
		return []difference{
			{Field: "name", After: q.Name}, {Field: "tz", After: q.Timezone}, {Field: "slots", After: strings.Join(repeat.SlotWords(times), "; ")},
			{Field: "accounts", After: p.accountsText(q.SocialAccountIDs)}, {Field: "gap", After: q.Gap}, {Field: "default", After: fmt.Sprint(q.Default)},
		}
	}
	var before []difference
	if have != nil {
		before = fields(*have)
	}
	if have == nil {
		want.Name = "" // the id of the change has it
	}
	return settingDifferences(before, fields(want))
}
