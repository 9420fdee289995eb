package main

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// violation is a way to break a promise.
type violation string

const (
	lostRecord  violation = "lost"   // something acknowledged is missing or was never published
	doneTwice   violation = "twice"  // something was done more often than requested
	stuckRecord violation = "stuck"  // something never ends
	wrongStatus violation = "untrue" // the daemon reports something false
	brokenStore violation = "broken" // records and indexes disagree, or the daemon does not stop cleanly
)

// maxTries is how often a daemon calls a network for a target.
const maxTries = 5

// maxFaults is how many violations of each kind are described.
const maxFaults = 5

// verdictCollector collects violations. It may be used from any goroutine; the zero
// value has none.
type verdictCollector struct {
	mu         sync.Mutex // mu guards what follows
	violations map[violation]int64
	notes      map[string]int64 // counts of allowed but remarkable outcomes
	faults     []string
}

// violation records a violation.
func (j *verdictCollector) violation(s violation, format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.violations == nil {
		j.violations = map[violation]int64{}
	}
	if j.violations[s]++; j.violations[s] <= maxFaults {
		j.faults = append(j.faults, fmt.Sprintf("%s: %s", s, fmt.Sprintf(format, args...)))
	}
}

// note counts an allowed but remarkable outcome.
func (j *verdictCollector) note(what string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.notes == nil {
		j.notes = map[string]int64{}
	}
	j.notes[what]++
}

// observation is everything known once the daemon is idle.
type observation struct {
	stories           []*story              // requests of the clients, with responses
	posts             map[string]apiv1.Post // posts of the daemon, by id
	events            []apiv1.Event         // all events of the outbox; nil when it was not read
	seen              map[string]delivery   // posts that the networks received, by target
	webhookDeliveries map[string]int        // webhook deliveries of each event; nil without a webhook
	kinds             map[string]kind       // network kind of each account
	missedBefore      time.Time             // posts due before this time may have been missed; zero for none
	noUnknownAllowed  bool                  // no call was cut off, so that no outcome may be unknown
}

// judge compares the observations with the promises.
func (j *verdictCollector) judge(s observation) {
	byPost := map[string]map[schedctl.EventType]int{}
	j.judgeEvents(s, byPost)
	known := map[string]bool{}
	targets := map[string]bool{}
	late := map[string]bool{} // contents of posts that may have been created late
	for _, story := range s.stories {
		if story.post == "" {
			late[story.content] = story.mayAppearLater
			continue
		}
		known[story.post] = true
		p, found := s.posts[story.post]
		if !found {
			j.violation(lostRecord, "post %s was acknowledged and is missing", story.post)
			continue
		}
		j.judgePost(story, p)
		for _, t := range p.Targets {
			targets[t.ID] = true
			j.judgeTarget(s, p, t)
		}
		if s.events != nil {
			j.compareEvents(p, expected(story, p, byPost[p.ID]), byPost[p.ID])
		}
	}
	for id, p := range s.posts {
		switch {
		case known[id]:
		case late[p.Content]:
			late[p.Content] = false // only one of them
			j.note("done_late")
			for _, t := range p.Targets {
				targets[t.ID] = true
				j.judgeTarget(s, p, t)
			}
		default:
			j.violation(doneTwice, "post %s (%q) exists without an acknowledgment", id, p.Content)
		}
	}
	j.judgePlatformPosts(s)
	for id, d := range s.seen {
		if !targets[id] && d.posts > 0 {
			j.violation(wrongStatus, "a network has target %s, which belongs to no post", id)
		}
	}
}

// judgePlatformPosts checks that no network post belongs to two targets of an account.
func (j *verdictCollector) judgePlatformPosts(s observation) {
	owners := map[[2]string]string{}
	for _, p := range s.posts {
		for _, t := range p.Targets {
			if t.Status != schedctl.Published || t.PlatformPostID == nil {
				continue
			}
			of := [2]string{t.SocialAccountID, *t.PlatformPostID}
			if other := owners[of]; other != "" {
				j.violation(lostRecord, "targets %s and %s are both published as %s", min(other, t.ID), max(other, t.ID), of[1])
			}
			owners[of] = t.ID
		}
	}
}

func (j *verdictCollector) judgePost(s *story, p apiv1.Post) {
	if p.Content != s.content {
		j.violation(lostRecord, "post %s: %q was acknowledged, and its content is %q", p.ID, s.content, p.Content)
	}
	switch canceled := p.Status == schedctl.Canceled; {
	case s.canceled && !canceled:
		j.violation(lostRecord, "post %s: its cancel was acknowledged, and its status is %s", p.ID, p.Status)
	case canceled && !s.canceled:
		j.violation(wrongStatus, "post %s is canceled without an acknowledged cancel", p.ID)
	}
}

// judgeTarget compares a target with the deliveries to its network.
func (j *verdictCollector) judgeTarget(s observation, p apiv1.Post, t apiv1.Target) {
	d, k := s.seen[t.ID], s.kinds[t.SocialAccountID]
	if d.posts > 1 {
		j.violation(doneTwice, "target %s (%s) was posted %d times on a network that is %s", t.ID, t.Status, d.posts, k)
	}
	for _, content := range d.contents {
		if content != p.Content {
			j.violation(wrongStatus, "target %s: the network has %q, the daemon reports %q", t.ID, content, p.Content)
		}
	}
	switch t.Status {
	case schedctl.Published:
		j.judgePublished(t, d)
	case schedctl.Failed:
		j.judgeFailed(s, t, d, k)
	case schedctl.Canceled:
		if d.posts > 0 && (t.Error == nil || t.Error.Outcome != schedctl.OutcomeUnknown) {
			j.violation(wrongStatus, "target %s is canceled without an unknown outcome, and the network, which is %s, has it (attempts %d, calls %d, error %+v)", t.ID, k, t.Attempts, d.calls, t.Error)
		}
	case schedctl.Draft:
		if d.calls > 0 {
			j.violation(wrongStatus, "target %s is a draft, and the network was called", t.ID)
		}
	default:
		j.violation(stuckRecord, "target %s is still %s after %d attempts: %+v", t.ID, t.Status, t.Attempts, t.Error)
	}
}

func (j *verdictCollector) judgePublished(t apiv1.Target, d delivery) {
	switch {
	case d.posts == 0:
		j.violation(lostRecord, "target %s is published, and the network does not have it", t.ID)
	case t.PlatformPostID == nil || *t.PlatformPostID != d.receipt:
		j.violation(wrongStatus, "target %s: the network calls it %s, the daemon %v", t.ID, d.receipt, t.PlatformPostID)
	}
}

// judgeFailed allows final refusals and missed posts, and unknown outcomes only where
// the network cannot be queried.
func (j *verdictCollector) judgeFailed(s observation, t apiv1.Target, d delivery, k kind) {
	switch {
	case t.Error == nil:
		j.violation(wrongStatus, "target %s failed without an error", t.ID)
	case t.Error.Outcome == schedctl.OutcomeUnknown && k == idempotent && t.Attempts == maxTries:
		j.note("out_of_tries") // the daemon was killed during each of them
	case t.Error.Outcome == schedctl.OutcomeUnknown && (s.noUnknownAllowed || k != blind):
		j.violation(lostRecord, "target %s ended with an unknown outcome after %d attempts and %d posts on a network that is %s: %s", t.ID, t.Attempts, d.posts, k, t.Error.Message)
	case t.Error.Outcome == schedctl.OutcomeUnknown:
	case d.posts > 0:
		j.violation(wrongStatus, "target %s is reported as not published, and the network has it", t.ID)
	case t.Error.Kind == schedctl.KindMissed && t.PublishAt.Before(s.missedBefore):
	case !d.refused:
		j.violation(lostRecord, "target %s failed (%s) without a refusal of the network", t.ID, t.Error.Message)
	}
}

// judgeEvents counts the events of each post in byPost, and checks that the webhook
// received each.
func (j *verdictCollector) judgeEvents(s observation, byPost map[string]map[schedctl.EventType]int) {
	ids := map[string]bool{}
	for _, e := range s.events {
		if ids[e.ID] {
			j.violation(doneTwice, "event %s is in the outbox twice", e.ID)
		}
		ids[e.ID] = true
		if s.webhookDeliveries != nil && s.webhookDeliveries[e.ID] == 0 {
			j.violation(lostRecord, "the webhook never received event %s (%s)", e.ID, e.Type)
		}
		if e.Data.PostID == "" {
			continue
		}
		if byPost[e.Data.PostID] == nil {
			byPost[e.Data.PostID] = map[schedctl.EventType]int{}
		}
		byPost[e.Data.PostID][e.Type]++
	}
}

// expected returns how often each event of a post must be in the outbox, given its
// writes and the status of its targets. A canceled target may have failed before.
func expected(s *story, p apiv1.Post, got map[schedctl.EventType]int) map[schedctl.EventType]int {
	out := maps.Clone(s.events)
	mayHaveFailed, attempts := 0, 0
	for _, t := range p.Targets {
		attempts += t.Attempts
		switch t.Status {
		case schedctl.Published:
			out[schedctl.EventPostPublished]++
		case schedctl.Failed:
			out[schedctl.EventPostFailed]++
		case schedctl.Canceled:
			mayHaveFailed++
		}
	}
	if more := got[schedctl.EventPostFailed] - out[schedctl.EventPostFailed]; more > 0 {
		out[schedctl.EventPostFailed] += min(more, mayHaveFailed)
	}
	// Each attempt may have been unconfirmed.
	out[schedctl.EventPostUnconfirmed] = min(got[schedctl.EventPostUnconfirmed], attempts)
	// Whether something is announced depends on when the daemon looks.
	out[schedctl.EventForecastAppeared] = got[schedctl.EventForecastAppeared]
	if p.Status == schedctl.Published || p.Status == schedctl.Failed {
		out[schedctl.EventPostCompleted]++
	}
	return out
}

func (j *verdictCollector) compareEvents(p apiv1.Post, want, got map[schedctl.EventType]int) {
	for _, typ := range schedctl.EventTypes() {
		switch {
		case got[typ] < want[typ]:
			j.violation(lostRecord, "post %s (%s): event %s is in the outbox %d times, want %d", p.ID, p.Status, typ, got[typ], want[typ])
		case got[typ] > want[typ]:
			j.violation(doneTwice, "post %s (%s): event %s is in the outbox %d times, want %d", p.ID, p.Status, typ, got[typ], want[typ])
		}
	}
}

// result returns the verdict with its counts and the given ones.
func (j *verdictCollector) result(counts map[string]int64) result {
	j.mu.Lock()
	defer j.mu.Unlock()
	r := result{Verdict: pass, Counts: map[string]int64{string(lostRecord): 0, string(doneTwice): 0, string(stuckRecord): 0}}
	maps.Copy(r.Counts, counts)
	maps.Copy(r.Counts, j.notes)
	for s, n := range j.violations {
		r.Counts[string(s)] = n
	}
	if len(j.faults) > 0 {
		r.Verdict = fail
		slices.Sort(j.faults)
		for _, f := range j.faults {
			r.Detail += "\n  " + f
		}
	}
	return r
}
