package oracle

import (
	"fmt"
	"slices"
	"time"
)

// donePart is a part that the network has.
type donePart struct {
	id       string
	at       time.Time
	attempts int // of the call that published it
	first    bool
	fault    Fault
	orphan   bool // the network has dropped its parent
}

// degraded is the error of a part that the network has changed.
var degraded = Fault{Kind: "degraded", Outcome: "published"}

// progress returns the status that calls change: that of the first comment once the
// target is published.
func (t *target) progress() *string {
	if t.comment != "" {
		return &t.comment
	}
	return &t.Status
}

// inThread reports whether the network has a part of the thread, and more will follow.
func (t *target) inThread() bool { return t.Status == "publishing" && len(t.done) > 0 }

// lateSince returns the time from which the lateness of the next part counts.
func (t *target) lateSince() time.Time {
	if n := len(t.done); n > 0 && t.done[n-1].at.After(t.queuedAt) {
		return t.done[n-1].at
	}
	return t.queuedAt
}

// partAttempts returns the number of attempts for the next part.
func (t *target) partAttempts() int {
	n := t.Attempts
	for _, d := range t.done {
		if d.first {
			n -= d.attempts
		}
	}
	return n
}

// commentOutstanding reports whether the first comment of a target will be published.
func (t *target) commentOutstanding() bool { return t.comment == "publishing" }

// allows reports whether the state of a post allows an operation. A published post can be
// retried for its first comments.
func (p *post) allows(op Op) bool {
	s, limited := states[op]
	if !limited || slices.Contains(s.allowed, p.status()) {
		return true
	}
	return op == Retry && p.status() == "published" && slices.ContainsFunc(p.targets, func(t *target) bool {
		return t.comment == "failed" || t.waitsForNetwork()
	})
}

// partStates returns the parts of a target with their progress.
func (p *post) partStates(t *target) (list []PartState) {
	all := p.parts(t)
	for i, part := range all {
		s := PartState{Kind: part.kind, Status: "scheduled"}
		if t.Status == "draft" || t.Status == "canceled" {
			s.Status = t.Status
		}
		switch {
		case len(all) == 1:
			s.Status, s.ID, s.PublishedAt, s.Attempts, s.Error = t.Status, t.id, t.PublishedAt, t.Attempts, t.Error
		case i < len(t.done):
			d := t.done[i]
			s.Status, s.ID, s.PublishedAt, s.Attempts, s.Error = "published", d.id, d.at, d.attempts, d.fault
		case i == len(t.done) && t.Status == "failed" && t.Error == degraded: // nothing may reply to the part before
		case i == len(t.done):
			s.Status, s.Attempts, s.Error = *t.progress(), t.partAttempts(), t.Error
			if t.Error == degraded && s.Status != "failed" {
				s.Error = Fault{} // of an earlier part
			}
		}
		list = append(list, s)
	}
	return list
}

// applyPublished applies a call that has published.
func (m *model) applyPublished(a *account, p *post, t *target, now time.Time, r Result) error {
	all, sent := p.parts(t), 1
	if a.Whole {
		sent = len(all) - len(t.done)
	}
	if len(r.IDs) != sent {
		return fmt.Errorf("a call for %s returned %d ids, want %d", t.ID, len(r.IDs), sent)
	}
	for _, id := range r.IDs {
		if err := m.adopt(id); err != nil {
			return err
		}
	}
	a.disrupted = time.Time{}
	p.changed(now)
	if len(all) == 1 {
		t.Status, t.PublishedAt, t.Error, t.id = "published", now, Fault{}, r.IDs[0]
		if r.Degraded != "" && r.Degraded != "reply" {
			t.Error = degraded
		}
		m.finished("post.published", p, t, now)
		return nil
	}
	orphaned := t.addDone(r, now)
	t.tries, t.calls, t.unconfirmed, t.published, t.forced, t.retryPlanned, t.Error = 0, 0, false, false, false, false, Fault{}
	threadEnd := len(all)
	if p.Comment != nil {
		threadEnd--
	}
	switch {
	case t.comment != "":
		t.comment, t.Error = "published", t.firstFault()
		m.complete(p, now)
	case len(t.done) >= threadEnd:
		m.finishThread(p, t, len(all), orphaned, now)
	case t.Status == "canceled":
	case orphaned:
		m.failTarget(p, t, degraded, now)
	default:
		t.Status = "publishing"
		t.setRetry(t.queuedAt, t.queuedAt)
	}
	return nil
}

// addDone adds the parts that a call has published. It reports whether one of them lost
// its parent.
func (t *target) addDone(r Result, now time.Time) (orphaned bool) {
	attempts := t.partAttempts()
	for i, id := range r.IDs {
		d := donePart{id: id, at: now, attempts: attempts, first: i == 0}
		if r.Degraded != "" && (r.Degraded != "reply" || len(t.done) > 0) {
			d.fault, d.orphan = degraded, r.Degraded == "reply"
		}
		orphaned = orphaned || d.orphan
		t.done = append(t.done, d)
	}
	return orphaned
}

// firstFault returns the first change that the network made to a part.
func (t *target) firstFault() Fault {
	for _, d := range t.done {
		if d.fault != (Fault{}) {
			return d.fault
		}
	}
	return Fault{}
}

// finishThread publishes a target whose thread is on the network.
func (m *model) finishThread(p *post, t *target, parts int, orphaned bool, now time.Time) {
	canceled := t.Status == "canceled"
	t.Status, t.PublishedAt, t.Error = "published", now, t.firstFault()
	t.setRetry(time.Time{}, time.Time{})
	switch {
	case p.Comment == nil:
	case len(t.done) == parts:
		t.comment = "published"
	case canceled:
		t.comment = "canceled"
	case orphaned:
		t.comment = "failed"
	default:
		t.comment = "publishing"
		t.setRetry(t.queuedAt, t.queuedAt)
	}
	m.emit("post.published", p, t, now)
	if t.comment == "failed" {
		m.emit("post.comment_failed", p, t, now)
	}
	m.complete(p, now)
}

// complete emits post.completed if nothing of the post is outstanding.
func (m *model) complete(p *post, now time.Time) {
	s := p.status()
	if (s == "published" || s == "failed") && !slices.ContainsFunc(p.targets, (*target).commentOutstanding) {
		m.emit("post.completed", p, nil, now)
	}
}

// platformIDs returns the network's ids of the published parts of a target.
func (t *target) platformIDs() (ids []string) {
	if t.id != "" {
		ids = append(ids, t.id)
	}
	for _, d := range t.done {
		ids = append(ids, d.id)
	}
	return ids
}

// comparePublications checks which targets the store knows for ids of networks.
func (m *model) comparePublications(got []Publication) error {
	want := map[string]string{}
	for _, p := range m.posts {
		for _, t := range p.targets {
			for _, id := range t.platformIDs() {
				if !p.deleted {
					want[id] = t.ID
				}
			}
		}
	}
	for _, g := range got {
		var targets []string
		if id := want[g.ID]; id != "" {
			targets = []string{id}
		}
		if !slices.Equal(g.Targets, targets) {
			return fmt.Errorf("the network's id %s belongs to %v, want %v", g.ID, g.Targets, targets)
		}
	}
	return nil
}

// compareTwins checks which posts the store knows for the content of a target.
func (m *model) compareTwins(got []Twins) error {
	for _, g := range got {
		p, t := m.targetOf(g.Target)
		if t == nil {
			return fmt.Errorf("%s does not exist", g.Target)
		}
		key, want := p.contentKey(t), []string{}
		for _, o := range m.posts {
			if !o.deleted && slices.ContainsFunc(o.targets, func(other *target) bool {
				return other.Account == t.Account && other.occupies() && o.contentKey(other) == key
			}) {
				want = append(want, o.ID)
			}
		}
		have := slices.Sorted(slices.Values(g.Posts))
		slices.Sort(want)
		if !slices.Equal(have, want) {
			return fmt.Errorf("the posts with the content of %s are %v, want %v", t.ID, have, want)
		}
	}
	return nil
}

// occupies reports whether the account has, gets or may have what the target publishes.
func (t *target) occupies() bool {
	return t.Status == "scheduled" || t.Status == "publishing" || t.Status == "published" || len(t.done) > 0 || t.Error.Outcome == "unknown"
}
