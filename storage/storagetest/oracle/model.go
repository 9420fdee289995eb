package oracle

import (
	"fmt"
	"slices"
	"time"
)

// model is the expected state after the steps so far.
type model struct {
	world       World
	accounts    map[string]*account
	posts       []*post // in order of creation; deleted posts stay
	ids         map[string]bool
	idempotency map[idempotencyScope]idempotencyRecord

	events []Event   // events expected from the current step
	since  time.Time // start of the current run of the daemon
}

// account is an account with the state of its network.
type account struct {
	Account
	inFlight        string    // target with a call in flight, or empty
	busy            time.Time // until when the queue was last blocked
	latestPause     time.Time // PausedUntil is between that of Account and this time
	disrupted       time.Time // since when no call got a usable response, or zero
	disruptedAtCall time.Time // disrupted at the start of the call in flight
}

// post is a post with its hidden state.
type post struct {
	Post
	author   string // name of the key
	targets  []*target
	canceled bool
	deleted  bool
	inSlot   bool // its time is that of a slot
	events   []Event
}

// target is a target with its hidden state.
type target struct {
	Target
	own          Override   // without its account
	done         []donePart // the parts that the network has, if there are several
	id           string     // the network's id of a target with one part
	comment      string     // status of the first comment of a published target
	createdAt    time.Time  // creation for its account, which may be after the due time
	running      bool
	tries        int       // since it was last queued by a person
	queuedAt     time.Time // start of its lateness
	unconfirmed  bool      // one of these tries may have published
	published    bool      // the network has published it
	forced       bool      // a person has forced a repeat
	retryPlanned bool      // NextAttemptAt is a planned retry after a failure
	latest       time.Time // NextAttemptAt is between that of Target and this time
	queuePlace   time.Time // position in the queue while NextAttemptAt is the time of the account's next call
	calls        int       // since it was last queued by a person, including those that do not count as tries
	attempts     []Attempt
}

// idempotencyScope is the scope of an Idempotency-Key.
type idempotencyScope struct {
	workspace string
	op        Op
	post      string
	once      string
}

// idempotencyRecord is a request with the response to replay.
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

// find returns an existing post, or nil.
func (m *model) find(id string) *post {
	for _, p := range m.posts {
		if p.ID == id && !p.deleted {
			return p
		}
	}
	return nil
}

// targetOf returns an existing target and its post.
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

// adopt takes over an id made by the subject.
func (m *model) adopt(id string) error {
	if id == "" || m.ids[id] {
		return fmt.Errorf("id %q is not a new one", id)
	}
	m.ids[id] = true
	return nil
}

// visibleTo returns the post if the key may see it, or nil.
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

// emit adds an expected event about a post, or about one of its targets.
func (m *model) emit(typ string, p *post, t *target, now time.Time) {
	e := Event{Type: typ, Workspace: p.Workspace, Post: p.ID, Status: p.status(), At: now}
	if t != nil {
		e.Target, e.Account, e.Status, e.Error, e.Parts = t.ID, t.Account, t.Status, t.Error, len(t.done)
	}
	m.events = append(m.events, e)
	p.events = append(p.events, e)
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

// public returns the post as clients must see it.
func (p *post) public() Post {
	v := p.Post
	v.Status = p.status()
	v.Targets, v.Overrides = nil, p.overrides()
	for _, t := range p.targets {
		shown := t.Target
		shown.Parts = p.partStates(t)
		v.Targets = append(v.Targets, shown)
	}
	return v
}

func (p *post) changed(now time.Time) {
	p.Version++
	p.UpdatedAt = now
}

// due returns when a target is due, and whether it is waiting.
func (t *target) due() (at time.Time, waits bool) {
	switch {
	case t.Status == "scheduled":
		return t.PublishAt, true
	case *t.progress() == "publishing" && !t.running:
		if !t.queuePlace.IsZero() {
			return t.queuePlace, true
		}
		return t.NextAttemptAt, true
	}
	return time.Time{}, false
}

// lastDue returns the latest possible due time of a waiting target.
func (t *target) lastDue() time.Time {
	if at, _ := t.due(); t.Status == "scheduled" || !t.queuePlace.IsZero() {
		return at
	}
	return t.latest
}

// setRetry sets the time of the next try: one instant, or a range.
func (t *target) setRetry(from, to time.Time) {
	t.NextAttemptAt, t.latest, t.queuePlace = from, to, time.Time{}
}

// waitsForNetwork reports whether a retry makes the daemon query the network at once.
func (t *target) waitsForNetwork() bool {
	return *t.progress() == "publishing" && !t.running && t.retryPlanned &&
		(t.Error.Kind == "network" || (t.Error.Outcome == "unknown" && t.Error.Kind != "rate_limited"))
}

// recover ends the pause before the next probe of an account.
func (a *account) recover() {
	if !a.disrupted.IsZero() {
		a.PausedUntil, a.latestPause, a.disrupted = time.Time{}, time.Time{}, time.Time{}
	}
}

// pause pauses an account until an instant within a range.
func (a *account) pause(from, to time.Time) {
	if to.After(a.latestPause) {
		a.PausedUntil, a.latestPause = from, to
	}
}
