package oracle

import (
	"fmt"
	"slices"
	"time"
)

// model is what must be there after the steps so far.
type model struct {
	world       World
	accounts    map[string]*account
	posts       []*post // in order of creation; deleted ones stay
	ids         map[string]bool
	idempotency map[idempotencyScope]idempotencyRecord

	events []Event   // what the current step has to have told
	since  time.Time // when the current run of the daemon began
}

// account is an account and what is known of its network.
type account struct {
	Account
	inFlight        string    // the target with a call in flight, or empty
	busy            time.Time // until when something was in the way of its queue
	latestPause     time.Time // PausedUntil is between that of Account and this one
	disrupted       time.Time // since when no call had a usable response, or zero
	disruptedAtCall time.Time // disrupted as the call in flight has found it
}

// post is a post and what cannot be seen of it.
type post struct {
	Post
	targets    []*target
	canceled   bool
	deleted    bool
	eventTypes []string // types of all its events
}

// target is a target and what cannot be seen of it.
type target struct {
	Target
	createdAt    time.Time // for its account, perhaps when its post was due already
	running      bool
	tries        int       // since a person queued it
	queuedAt     time.Time // from when its lateness counts
	unconfirmed  bool      // one of these tries may have published
	published    bool      // the network has it
	forced       bool      // a person wants it to be sent even so
	retryPlanned bool      // NextAttemptAt is when the network is called again after a failure
	latest       time.Time // NextAttemptAt is between that of Target and this one
	queuePlace   time.Time // in the queue, where NextAttemptAt is when its account is called again
	calls        int       // since a person queued it, with those that tries leaves out
	attempts     []Attempt
}

// idempotencyScope is what an Idempotency-Key is good for.
type idempotencyScope struct {
	workspace string
	op        Op
	post      string
	once      string
}

// idempotencyRecord is an answer that is given again.
type idempotencyRecord struct {
	request  Request
	response Response
	at       time.Time
}

func newModel(w World, now time.Time) *model {
	m := &model{
		world: w, accounts: map[string]*account{}, ids: map[string]bool{},
		idempotency: map[idempotencyScope]idempotencyRecord{}, since: now,
	}
	for _, a := range w.Accounts {
		m.accounts[a.ID] = &account{Account: a, busy: now}
	}
	return m
}

// find returns a post that is there, or nil.
func (m *model) find(id string) *post {
	for _, p := range m.posts {
		if p.ID == id && !p.deleted {
			return p
		}
	}
	return nil
}

// targetOf returns a target that is there and its post.
func (m *model) targetOf(id string) (*post, *target) {
	for _, p := range m.posts {
		for _, t := range p.targets {
			if t.ID == id && !p.deleted {
				return p, t
			}
		}
	}
	return nil, nil
}

// adopt takes an id that the subject has made over.
func (m *model) adopt(id string) error {
	if id == "" || m.ids[id] {
		return fmt.Errorf("id %q is not a new one", id)
	}
	m.ids[id] = true
	return nil
}

// visibleTo returns the key's view of a post: nil when it is not there for it.
func (m *model) visibleTo(k Key, id string) *post {
	p := m.find(id)
	if p == nil || p.Workspace != k.Workspace {
		return nil
	}
	for _, t := range p.targets {
		if !k.mayUse(t.Account) {
			return nil
		}
	}
	return p
}

func (k Key) mayUse(account string) bool {
	return len(k.Accounts) == 0 || slices.Contains(k.Accounts, account)
}

func (k Key) holds(scope string) bool { return slices.Contains(k.Scopes, scope) }

// emit notes an event about a post, or about one of its targets.
func (m *model) emit(typ string, p *post, t *target, now time.Time) {
	e := Event{Type: typ, Workspace: p.Workspace, Post: p.ID, Status: p.status(), At: now}
	if t != nil {
		e.Target, e.Account, e.Status, e.Error = t.ID, t.Account, t.Status, t.Error
	}
	m.events = append(m.events, e)
	p.eventTypes = append(p.eventTypes, typ)
}

// status derives a post's status from its targets.
func (p *post) status() string {
	count := p.summary()
	finished := count["published"] + count["failed"] + count["canceled"]
	switch {
	case p.canceled:
		return "canceled"
	case len(p.targets) == 0 || count["draft"] > 0:
		return "draft"
	case count["publishing"] > 0 || (finished > 0 && count["scheduled"] > 0):
		return "publishing"
	case count["scheduled"] > 0:
		return "scheduled"
	case count["failed"] > 0:
		return "failed"
	}
	return "published"
}

func (p *post) summary() map[string]int {
	count := map[string]int{}
	for _, t := range p.targets {
		count[t.Status]++
	}
	return count
}

// public returns the post as it must be seen.
func (p *post) public() Post {
	v := p.Post
	v.Status = p.status()
	v.Targets = nil
	for _, t := range p.targets {
		v.Targets = append(v.Targets, t.Target)
	}
	return v
}

func (p *post) changed(now time.Time) {
	p.Version++
	p.UpdatedAt = now
}

// due returns when a target is to be claimed; it waits for that or it does not.
func (t *target) due() (at time.Time, waits bool) {
	switch {
	case t.Status == "scheduled":
		return t.PublishAt, true
	case t.Status == "publishing" && !t.running:
		if !t.queuePlace.IsZero() {
			return t.queuePlace, true
		}
		return t.NextAttemptAt, true
	}
	return time.Time{}, false
}

// lastDue returns the latest time at which a waiting target may be due.
func (t *target) lastDue() time.Time {
	if at, _ := t.due(); t.Status != "publishing" || !t.queuePlace.IsZero() {
		return at
	}
	return t.latest
}

// setRetry sets when a target is tried next: at one instant, or in between two.
func (t *target) setRetry(from, to time.Time) {
	t.NextAttemptAt, t.latest, t.queuePlace = from, to, time.Time{}
}

// waitsForNetwork reports whether a retry asks the network at once.
func (t *target) waitsForNetwork() bool {
	return t.Status == "publishing" && !t.running && t.retryPlanned &&
		(t.Error.Kind == "network" || (t.Error.Outcome == "unknown" && t.Error.Kind != "rate_limited"))
}

// recover ends the wait for the next probe of an account.
func (a *account) recover() {
	if !a.disrupted.IsZero() {
		a.PausedUntil, a.latestPause, a.disrupted = time.Time{}, time.Time{}, time.Time{}
	}
}

// pause leaves an account alone until an instant between two.
func (a *account) pause(from, to time.Time) {
	if to.After(a.latestPause) {
		a.PausedUntil, a.latestPause = from, to
	}
}
