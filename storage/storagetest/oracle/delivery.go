package oracle

import (
	"fmt"
	"time"
)

const (
	maxTries   = 5
	orderly    = 2 // tries after which a target that fails lets later ones go before it
	maxProbe   = time.Minute
	maxLate    = 24 * time.Hour
	overdue    = time.Minute
	punctual   = time.Second     // how late an idle daemon may be
	spaced     = 2 * time.Second // how far apart overdue targets of an account go out, at most
	lastsLong  = 30 * time.Second
	firstPause = 10 * time.Second
	growth     = 8   // of the pause, with each try
	jitter     = 0.2 // of the pause, either way
)

// exchanged judges a call that began or ended, and takes over what follows.
func (m *model) exchanged(x Exchange) error {
	p, t := m.targetOf(x.Target)
	if t == nil && x.Result == nil {
		return fmt.Errorf("the network was called for %s, which is not there", x.Target)
	}
	if t == nil {
		return nil
	}
	a := m.accounts[t.Account]
	if x.Result == nil {
		return m.began(a, p, t, x)
	}
	return m.ended(a, p, t, x.At, *x.Result)
}

// began judges a call that begins.
func (m *model) began(a *account, p *post, t *target, x Exchange) error {
	due, waits := t.due()
	switch {
	case !waits:
		return fmt.Errorf("the network was called for %s, which is %s (in flight: %v)", t.ID, t.Status, t.running)
	case x.At.Before(due):
		return fmt.Errorf("the network was called for %s %v early", t.ID, due.Sub(x.At))
	case a.Status != "connected":
		return fmt.Errorf("the network was called for %s, whose account is in status %s", t.ID, a.Status)
	case x.At.Before(a.PausedUntil):
		return fmt.Errorf("the network was called for %s %v before its account may be used again", t.ID, a.PausedUntil.Sub(x.At))
	case a.calling != "":
		return fmt.Errorf("the network was called for %s during the call for %s", t.ID, a.calling)
	case x.At.Sub(t.queued) > maxLate:
		return fmt.Errorf("the network was called for %s %v after its time", t.ID, x.At.Sub(t.queued))
	case x.Content != p.Content:
		return fmt.Errorf("the network was given %q for %s, want %q", x.Content, t.ID, p.Content)
	}
	if err := m.punctual(a, t, x.At); err != nil {
		return err
	}
	if other := m.older(t); other != nil {
		return fmt.Errorf("the network was called for %s before %s, which has waited for longer", t.ID, other.ID)
	}
	t.Status, t.running = "publishing", true
	t.next(time.Time{}, time.Time{})
	t.asked = false
	t.Attempts++
	t.tries++
	t.calls++
	t.attempts = append(t.attempts, Attempt{Number: t.Attempts, Start: x.At, Outcome: "running"})
	a.calling, a.busy, a.seen = t.ID, x.At, a.disrupted
	p.changed(x.At)
	return nil
}

// punctual says what is wrong when a target of a usable account waits at this
// instant, or has waited until now.
func (m *model) punctual(a *account, t *target, now time.Time) error {
	from := t.PublishAt
	if t.Status == "publishing" {
		from = t.lastDue()
	}
	for _, busy := range []time.Time{t.made, a.busy, a.latest, m.since} {
		if busy.After(from) {
			from = busy
		}
	}
	limit := punctual
	if now.Sub(t.queued) > overdue {
		limit = spaced
	}
	if late := now.Sub(from); late > limit {
		return fmt.Errorf("%s was left waiting for %v although its account was free", t.ID, late)
	}
	return nil
}

// older returns a target of the same account that should have gone out before.
func (m *model) older(t *target) *target {
	at, _ := t.due()
	for _, p := range m.posts {
		for _, o := range p.targets {
			_, waits := o.due()
			if !p.deleted && waits && o != t && o.Account == t.Account && o.lastDue().Before(at) {
				return o
			}
		}
	}
	return nil
}

// ended takes over how a call ended.
func (m *model) ended(a *account, p *post, t *target, now time.Time, r Result) error {
	if !t.running {
		return fmt.Errorf("a call for %s ended that never began", t.ID)
	}
	if r.Has && t.there && !t.forced && !a.Idempotent {
		return fmt.Errorf("the network has %s twice", t.ID)
	}
	t.there = t.there || r.Has
	t.running = false
	a.calling, a.busy = "", now
	last := &t.attempts[len(t.attempts)-1]
	last.End, last.Outcome = now, "published"
	if r.Published {
		t.Status, t.PublishedAt, t.Error = "published", now, Fault{}
		a.disrupted = time.Time{}
		p.changed(now)
		m.finished("post.published", p, t, now)
		return nil
	}
	last.Outcome = r.Outcome
	known := t.calls > 1 && t.Error.Outcome == "unknown"
	canceled := t.Status == "canceled"
	again := t.again(a, r, now)
	m.stop(a, r, now)
	t.doubtful = t.doubtful || r.Outcome == "unknown"
	fault := Fault{Kind: r.Kind, Outcome: "not_published"}
	if t.doubtful {
		fault.Outcome = "unknown"
	}
	if canceled {
		t.next(time.Time{}, time.Time{}) // its account waits all the same
		t.asked = false
		if fault.Outcome == "unknown" {
			t.canceledInDoubt(p, fault, now)
		}
		return nil
	}
	p.changed(now)
	if again {
		fault.Retryable = true
		t.Error = fault
		if fault.Outcome == "unknown" && !known {
			m.emit("post.unconfirmed", p, t, now)
		}
		return nil
	}
	fault.Retryable = !t.doubtful && kindIsRetried(r.Kind)
	m.fail(p, t, fault, now)
	return nil
}

// canceledInDoubt lets a canceled target tell that it may have been published.
// Nothing tries it again.
func (t *target) canceledInDoubt(p *post, fault Fault, now time.Time) {
	t.Error = fault
	p.changed(now)
}

// again plans the next try of a target after a call that did not publish, and
// reports whether there is one. What the network did not respond to is no try: the
// account is probed, and the target keeps its place. It also keeps its place after
// its first tries, and where the network says when to return.
func (t *target) again(a *account, r Result, now time.Time) bool {
	since := a.disrupted
	a.disrupted = time.Time{}
	unknown := r.Outcome == "unknown"
	if unknown && !a.Idempotent {
		return false
	}
	keep := func(from, to time.Time) {
		t.next(from, to)
		t.place, t.asked = t.queued, true
	}
	switch {
	case r.Kind == "auth":
		t.next(t.queued, t.queued) // in its old place, until the account works again
		return true
	case r.Kind == "network":
		t.tries--
		a.disrupted = since
		if since.IsZero() {
			a.disrupted = now
		}
		if unknown && a.seen.IsZero() {
			keep(now, now) // a repeat is safe
			return true
		}
		pause := firstPause
		if !a.seen.IsZero() {
			pause = min(max(now.Sub(a.seen), firstPause), maxProbe)
		}
		from, to := around(now, pause)
		to = earlier(to, now.Add(maxProbe))
		keep(from, to)
		a.pause(from, to)
		return true
	case t.tries >= maxTries:
		return false
	case r.Kind == "unknown":
		keep(now, now) // found by a start
		return true
	case !kindIsRetried(r.Kind):
		return false
	}
	pause := firstPause
	for range t.tries - 1 {
		pause *= growth
	}
	from, to := around(now, pause)
	if !r.RetryAt.IsZero() {
		from, to = r.RetryAt, r.RetryAt
	}
	if unknown && r.RetryAt.IsZero() {
		if a.disrupted = since; since.IsZero() {
			a.disrupted = now
		}
	}
	if r.Kind == "rate_limited" || !r.RetryAt.IsZero() || t.tries <= orderly {
		keep(from, to)
		a.pause(from, to)
		return true
	}
	t.next(from, to)
	t.asked = true
	return true
}

// around returns the instants between which a pause with jitter ends.
func around(now time.Time, pause time.Duration) (from, to time.Time) {
	most := time.Duration(jitter * float64(pause))
	return now.Add(pause - most), now.Add(pause + most + time.Millisecond)
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func kindIsRetried(kind string) bool {
	return kind == "rate_limited" || kind == "network" || kind == "platform"
}

// stop applies to an account what a network has said of it.
func (m *model) stop(a *account, r Result, now time.Time) {
	if r.Kind == "rate_limited" && !r.RetryAt.IsZero() {
		a.pause(r.RetryAt, r.RetryAt)
	}
	if r.Kind == "auth" && a.Status == "connected" {
		a.Status = "error"
		m.events = append(m.events, Event{
			Type: "social_account.error", Workspace: a.Workspace, Account: a.ID, At: now,
			Error: Fault{Kind: "auth", Outcome: "not_published", Retryable: true},
		})
	}
}

// fail gives a target up.
func (m *model) fail(p *post, t *target, f Fault, now time.Time) {
	t.Status, t.Error = "failed", f
	t.next(time.Time{}, time.Time{})
	m.finished("post.failed", p, t, now)
}

func (m *model) finished(typ string, p *post, t *target, now time.Time) {
	m.emit(typ, p, t, now)
	if s := p.status(); s == "published" || s == "failed" {
		m.emit("post.completed", p, nil, now)
	}
}

// givenUp judges a target that failed without a call, and takes it over.
func (m *model) givenUp(e Event) error {
	p, t := m.targetOf(e.Target)
	if t == nil {
		return fmt.Errorf("%s failed, and is not there", e.Target)
	}
	a := m.accounts[t.Account]
	due, waits := t.due()
	late := e.At.Sub(t.queued)
	switch {
	case !waits || e.At.Before(due):
		return fmt.Errorf("%s was given up as %s before its time, as %s", t.ID, e.Error.Kind, t.Status)
	case e.Error.Kind == "auth" && a.Status != "disconnected":
		return fmt.Errorf("%s was given up for its account, which is in status %s", t.ID, a.Status)
	case e.Error.Kind == "missed" && late <= maxLate:
		return fmt.Errorf("%s was given up as missed %v after its time", t.ID, late)
	}
	fault := Fault{Kind: e.Error.Kind, Outcome: "not_published"}
	if t.doubtful {
		fault.Outcome = "unknown"
	}
	fault.Retryable = e.Error.Kind == "missed" && !t.doubtful
	p.changed(e.At)
	m.fail(p, t, fault, e.At)
	return nil
}

// neglected says which target should be gone by now and still waits.
func (m *model) neglected(now time.Time) error {
	for _, p := range m.posts {
		for _, t := range p.targets {
			due, waits := t.due()
			if p.deleted || !waits || due.After(now) {
				continue
			}
			a := m.accounts[t.Account]
			if late := now.Sub(t.queued); late > maxLate+punctual && a.calling == "" {
				return fmt.Errorf("%s still waits %v after its time", t.ID, late)
			}
			if a.Status == "error" || a.calling != "" || now.Before(a.PausedUntil) {
				continue
			}
			if err := m.punctual(a, t, now); err != nil {
				return err
			}
		}
	}
	return nil
}
