package oracle

import (
	"fmt"
	"slices"
	"time"
)

const (
	maxTries     = 5
	orderedTries = 2 // tries after which later targets may overtake a failing one
	maxProbe     = time.Minute
	maxLate      = 24 * time.Hour
	overdue      = time.Minute
	maxIdleDelay = time.Second     // maximum delay of an idle daemon
	maxPacing    = 2 * time.Second // maximum distance between overdue targets of an account
	longOutage   = 30 * time.Second
	firstPause   = 10 * time.Second
	growth       = 8   // factor of the pause, per try
	jitter       = 0.2 // fraction of the pause, either way
)

// judgeExchange checks the start or end of a call, and applies its consequences.
func (m *model) judgeExchange(x Exchange) error {
	p, t := m.targetOf(x.Target)
	if t == nil && x.Result == nil {
		return fmt.Errorf("the network was called for %s, which does not exist", x.Target)
	}
	if t == nil {
		return nil
	}
	a := m.accounts[t.Account]
	if x.Result == nil {
		return m.judgeCallStart(a, p, t, x)
	}
	return m.applyCallEnd(a, p, t, x.At, *x.Result)
}

// judgeCallStart checks the start of a call.
func (m *model) judgeCallStart(a *account, p *post, t *target, x Exchange) error {
	due, waits := t.due()
	switch {
	case !waits:
		return fmt.Errorf("the network was called for %s, which is %s (in flight: %v)", t.ID, t.Status, t.running)
	case x.At.Before(due):
		return fmt.Errorf("the network was called for %s %v early", t.ID, due.Sub(x.At))
	case a.Status != "connected":
		return fmt.Errorf("the network was called for %s, whose account is in status %s", t.ID, a.Status)
	case x.At.Before(a.PausedUntil):
		return fmt.Errorf("the network was called for %s %v before the end of its account's pause", t.ID, a.PausedUntil.Sub(x.At))
	case a.inFlight != "":
		return fmt.Errorf("the network was called for %s during the call for %s", t.ID, a.inFlight)
	case x.At.Sub(t.lateSince()) > maxLate:
		return fmt.Errorf("the network was called for %s %v after its time", t.ID, x.At.Sub(t.lateSince()))
	case len(t.done) >= len(p.parts(t)):
		return fmt.Errorf("the network was called for %s, and already has all %d parts", t.ID, len(t.done))
	}
	part, sent := p.sent(a, t)
	switch {
	case !slices.Equal(x.Media, part.Media):
		return fmt.Errorf("the network received the media %v for %s, want %v", x.Media, t.ID, part.Media)
	case x.Content != part.Text:
		return fmt.Errorf("the network received %q for %s, want %q", x.Content, t.ID, part.Text)
	case x.Sent.text() != sent.text():
		return fmt.Errorf("the network received for %s\n%s\nwant\n%s", t.ID, x.Sent.text(), sent.text())
	}
	if other := m.unfinishedThread(t); other != nil {
		return fmt.Errorf("the network was called for %s between two parts of %s", t.ID, other.ID)
	}
	if err := m.judgePunctuality(a, t, x.At); err != nil {
		return err
	}
	if other := m.olderTarget(t); other != nil {
		return fmt.Errorf("the network was called for %s before %s, which has waited longer", t.ID, other.ID)
	}
	if t.comment == "" {
		t.Status = "publishing"
	}
	t.running = true
	t.setRetry(time.Time{}, time.Time{})
	t.retryPlanned = false
	t.Attempts++
	t.tries++
	t.calls++
	t.attempts = append(t.attempts, Attempt{Number: t.Attempts, Start: x.At, Outcome: "running"})
	a.inFlight, a.busy, a.disruptedAtCall = t.ID, x.At, a.disrupted
	p.changed(x.At)
	return nil
}

// judgePunctuality checks that no target of a usable account waits longer than allowed.
func (m *model) judgePunctuality(a *account, t *target, now time.Time) error {
	from := t.PublishAt
	if t.Status != "scheduled" {
		from = t.lastDue()
	}
	for _, busy := range []time.Time{t.createdAt, a.busy, a.latestPause, m.since} {
		if busy.After(from) {
			from = busy
		}
	}
	limit := maxIdleDelay
	if now.Sub(t.queuedAt) > overdue {
		limit = maxPacing
	}
	if late := now.Sub(from); late > limit {
		return fmt.Errorf("%s was left waiting for %v although its account was free", t.ID, late)
	}
	return nil
}

// olderTarget returns a target of the same account that should have been published
// earlier.
func (m *model) olderTarget(t *target) *target {
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

// unfinishedThread returns another target of the same account of whose thread the network
// has only the beginning.
func (m *model) unfinishedThread(t *target) *target {
	for _, p := range m.posts {
		for _, o := range p.targets {
			if !p.deleted && o != t && o.Account == t.Account && o.inThread() {
				return o
			}
		}
	}
	return nil
}

// applyCallEnd applies the result of a call.
func (m *model) applyCallEnd(a *account, p *post, t *target, now time.Time, r Result) error {
	if !t.running {
		return fmt.Errorf("a call for %s ended without a start", t.ID)
	}
	if r.Has && t.published && !t.forced && !a.Idempotent {
		return fmt.Errorf("the network has %s twice", t.ID)
	}
	t.published = t.published || r.Has
	t.running = false
	a.inFlight, a.busy = "", now
	last := &t.attempts[len(t.attempts)-1]
	last.End, last.Outcome = now, "published"
	if r.Published {
		return m.applyPublished(a, p, t, now, r)
	}
	last.Outcome = r.Outcome
	known := t.calls > 1 && t.Error.Outcome == "unknown"
	canceled := *t.progress() == "canceled"
	again := t.planRetry(a, p, r, now)
	m.applyAccountRefusal(a, r, now)
	t.unconfirmed = t.unconfirmed || r.Outcome == "unknown"
	fault := Fault{Kind: r.Kind, Outcome: "not_published"}
	if t.unconfirmed {
		fault.Outcome = "unknown"
	}
	if canceled {
		t.setRetry(time.Time{}, time.Time{}) // its account is paused, too
		t.retryPlanned = false
		if fault.Outcome == "unknown" {
			t.reportUnconfirmed(p, fault, now)
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
	fault.Retryable = !t.unconfirmed && kindIsRetried(r.Kind)
	m.failTarget(p, t, fault, now)
	return nil
}

// reportUnconfirmed makes a canceled target report that it may have been published. It
// is not retried.
func (t *target) reportUnconfirmed(p *post, fault Fault, now time.Time) {
	t.Error = fault
	p.changed(now)
}

// planRetry plans the next try after a call that did not publish, and reports whether
// there is one. A call without a usable response does not count as a try: the account
// is probed, and the target keeps its queue position. The target also keeps it after
// its first tries, between two parts of a thread, and where the network says when to
// retry.
func (t *target) planRetry(a *account, p *post, r Result, now time.Time) bool {
	since := a.disrupted
	a.disrupted = time.Time{}
	unknown := r.Outcome == "unknown"
	if unknown && !a.Idempotent {
		return false
	}
	keep := func(from, to time.Time) {
		t.setRetry(from, to)
		t.queuePlace, t.retryPlanned = t.queuedAt, true
	}
	switch {
	case r.Kind == "auth":
		t.setRetry(t.queuedAt, t.queuedAt) // in its old position, until the account works again
		return true
	case r.Kind == "network":
		t.tries--
		a.disrupted = since
		if since.IsZero() {
			a.disrupted = now
		}
		if unknown && a.disruptedAtCall.IsZero() {
			keep(now, now) // a repeat is safe
			return true
		}
		pause := firstPause
		if !a.disruptedAtCall.IsZero() {
			pause = min(max(now.Sub(a.disruptedAtCall), firstPause), maxProbe)
		}
		from, to := jitterRange(now, pause)
		to = earlier(to, now.Add(maxProbe))
		keep(from, to)
		a.pause(from, to)
		return true
	case t.tries >= maxTries:
		return false
	case r.Kind == "unknown":
		keep(now, now) // found at a start
		return true
	case !kindIsRetried(r.Kind):
		return false
	}
	pause := firstPause
	for range t.tries - 1 {
		pause *= growth
	}
	from, to := jitterRange(now, pause)
	if !r.RetryAt.IsZero() {
		from, to = r.RetryAt, r.RetryAt
	}
	if unknown && r.RetryAt.IsZero() {
		if a.disrupted = since; since.IsZero() {
			a.disrupted = now
		}
	}
	inThread := len(t.done) > 0 || unknown || t.unconfirmed
	if all := p.parts(t); len(all) == 1 || all[max(1, len(t.done))].kind != "reply" {
		inThread = false
	}
	if r.Kind == "rate_limited" || !r.RetryAt.IsZero() || t.tries <= orderedTries || inThread {
		keep(from, to)
		a.pause(from, to)
		return true
	}
	t.setRetry(from, to)
	t.retryPlanned = true
	return true
}

// jitterRange returns the range of instants in which a pause with jitter ends.
func jitterRange(now time.Time, pause time.Duration) (from, to time.Time) {
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

// applyAccountRefusal applies a network's refusal of an account.
func (m *model) applyAccountRefusal(a *account, r Result, now time.Time) {
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

// failTarget fails a target.
func (m *model) failTarget(p *post, t *target, f Fault, now time.Time) {
	event := "post.failed"
	if t.comment != "" {
		event = "post.comment_failed"
	}
	*t.progress(), t.Error = "failed", f
	t.setRetry(time.Time{}, time.Time{})
	m.finished(event, p, t, now)
}

func (m *model) finished(typ string, p *post, t *target, now time.Time) {
	m.emit(typ, p, t, now)
	m.complete(p, now)
}

// judgeGivenUp checks a target that failed without a call, and applies its failure.
func (m *model) judgeGivenUp(e Event) error {
	p, t := m.targetOf(e.Target)
	if t == nil {
		return fmt.Errorf("%s failed, but does not exist", e.Target)
	}
	a := m.accounts[t.Account]
	due, waits := t.due()
	late := e.At.Sub(t.lateSince())
	switch {
	case !waits || e.At.Before(due):
		return fmt.Errorf("%s was given up as %s before its time, as %s", t.ID, e.Error.Kind, t.Status)
	case e.Error.Kind == "auth" && a.Status != "disconnected":
		return fmt.Errorf("%s was given up for its account, which is in status %s", t.ID, a.Status)
	case e.Error.Kind == "missed" && late <= maxLate:
		return fmt.Errorf("%s was given up as missed %v after its time", t.ID, late)
	}
	fault := Fault{Kind: e.Error.Kind, Outcome: "not_published"}
	if t.unconfirmed {
		fault.Outcome = "unknown"
	}
	fault.Retryable = e.Error.Kind == "missed" && !t.unconfirmed
	p.changed(e.At)
	m.failTarget(p, t, fault, e.At)
	return nil
}

// judgeNeglected returns an error for a target that should have failed by now and still
// waits.
func (m *model) judgeNeglected(now time.Time) error {
	for _, p := range m.posts {
		for _, t := range p.targets {
			due, waits := t.due()
			if p.deleted || !waits || due.After(now) {
				continue
			}
			a := m.accounts[t.Account]
			if late := now.Sub(t.lateSince()); late > maxLate+maxIdleDelay && a.inFlight == "" {
				return fmt.Errorf("%s still waits %v after its time", t.ID, late)
			}
			if a.Status == "error" || a.inFlight != "" || now.Before(a.PausedUntil) {
				continue
			}
			if err := m.judgePunctuality(a, t, now); err != nil {
				return err
			}
		}
	}
	return nil
}
