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
	lostRecord  violation = "lost"   // something acknowledged is not there, or was never published
	doneTwice   violation = "twice"  // something was done more often than it was asked for
	stuckRecord violation = "stuck"  // something goes on for ever
	wrongStatus violation = "untrue" // the daemon says something else than is
	brokenStore violation = "broken" // records and indexes disagree, or the daemon does not end well
)

// maxTries is how often a daemon calls a network for a target.
const maxTries = 5

// maxFaults is how many faults of each sin are told in words.
const maxFaults = 5

// verdictCollector collects what is wrong. It may be used from any goroutine; the zero
// value has nothing.
type verdictCollector struct {
	mu         sync.Mutex // mu guards what follows
	violations map[violation]int64
	notes      map[string]int64 // what is no sin, and may be asked about
	faults     []string
}

// violation notes one.
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

// note counts what is remarkable and right.
func (j *verdictCollector) note(what string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.notes == nil {
		j.notes = map[string]int64{}
	}
	j.notes[what]++
}

// observation is all that is known when everything has settled.
type observation struct {
	stories           []*story              // what the clients were told
	posts             map[string]apiv1.Post // what the daemon says, by id
	events            []apiv1.Event         // its whole outbox; nil when it was not read
	seen              map[string]delivery   // what the networks saw, by target
	webhookDeliveries map[string]int        // how often a webhook was told of each event; nil without one
	kinds             map[string]kind       // of the network of each account
	missedBefore      time.Time             // what was due before may have been missed; zero for nothing
	noUnknownAllowed  bool                  // no call was cut off, so that nothing may have ended in doubt
}

// judge holds what was promised against what is.
func (j *verdictCollector) judge(s observation) {
	byPost := map[string]map[schedctl.EventType]int{}
	j.judgeEvents(s, byPost)
	known := map[string]bool{}
	targets := map[string]bool{}
	late := map[string]bool{} // contents of posts that may be there
	for _, story := range s.stories {
		if story.post == "" {
			late[story.content] = story.mayAppearLater
			continue
		}
		known[story.post] = true
		p, found := s.posts[story.post]
		if !found {
			j.violation(lostRecord, "post %s was acknowledged and is not there", story.post)
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
			late[p.Content] = false // one of them
			j.note("done_late")
			for _, t := range p.Targets {
				targets[t.ID] = true
				j.judgeTarget(s, p, t)
			}
		default:
			j.violation(doneTwice, "post %s (%q) is there, and nobody was told of it", id, p.Content)
		}
	}
	j.judgePlatformPosts(s)
	for id, d := range s.seen {
		if !targets[id] && d.posts > 0 {
			j.violation(wrongStatus, "a network has target %s, which no post has", id)
		}
	}
}

// judgePlatformPosts asks that no post of a network counts for two targets of an account.
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
		j.violation(lostRecord, "post %s: %q was acknowledged, and it has %q", p.ID, s.content, p.Content)
	}
	switch canceled := p.Status == schedctl.Canceled; {
	case s.canceled && !canceled:
		j.violation(lostRecord, "post %s: its cancel was acknowledged, and it is %s", p.ID, p.Status)
	case canceled && !s.canceled:
		j.violation(wrongStatus, "post %s is canceled, and nobody was told that", p.ID)
	}
}

// judgeTarget holds what the daemon says of a target against what its network
// saw.
func (j *verdictCollector) judgeTarget(s observation, p apiv1.Post, t apiv1.Target) {
	d, k := s.seen[t.ID], s.kinds[t.SocialAccountID]
	if d.posts > 1 {
		j.violation(doneTwice, "target %s (%s) was posted %d times on a network that is %s", t.ID, t.Status, d.posts, k)
	}
	for _, content := range d.contents {
		if content != p.Content {
			j.violation(wrongStatus, "target %s: the network has %q, the post says %q", t.ID, content, p.Content)
		}
	}
	switch t.Status {
	case schedctl.Published:
		j.judgePublished(t, d)
	case schedctl.Failed:
		j.judgeFailed(s, t, d, k)
	case schedctl.Canceled:
		if d.posts > 0 && (t.Error == nil || t.Error.Outcome != schedctl.OutcomeUnknown) {
			j.violation(wrongStatus, "target %s is canceled without a doubt, and the network has it", t.ID)
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
		j.violation(lostRecord, "target %s is published, and the network never had it", t.ID)
	case t.PlatformPostID == nil || *t.PlatformPostID != d.receipt:
		j.violation(wrongStatus, "target %s: the network calls it %s, the daemon %v", t.ID, d.receipt, t.PlatformPostID)
	}
}

// judgeFailed allows what a network has refused for good, what was too late, and
// a doubt only where nobody can know.
func (j *verdictCollector) judgeFailed(s observation, t apiv1.Target, d delivery, k kind) {
	switch {
	case t.Error == nil:
		j.violation(wrongStatus, "target %s failed without an error", t.ID)
	case t.Error.Outcome == schedctl.OutcomeUnknown && k == idempotent && t.Attempts == maxTries:
		j.note("out_of_tries") // the daemon was killed in each of them
	case t.Error.Outcome == schedctl.OutcomeUnknown && (s.noUnknownAllowed || k != blind):
		j.violation(lostRecord, "target %s ended in doubt after %d attempts and %d posts on a network that is %s: %s", t.ID, t.Attempts, d.posts, k, t.Error.Message)
	case t.Error.Outcome == schedctl.OutcomeUnknown:
	case d.posts > 0:
		j.violation(wrongStatus, "target %s says that it was not published, and the network has it", t.ID)
	case t.Error.Kind == schedctl.KindMissed && t.PublishAt.Before(s.missedBefore):
	case !d.refused:
		j.violation(lostRecord, "target %s failed (%s), and the network had not refused it", t.ID, t.Error.Message)
	}
}

// judgeEvents counts the events of each post into byPost, and asks that a webhook
// was told of each.
func (j *verdictCollector) judgeEvents(s observation, byPost map[string]map[schedctl.EventType]int) {
	ids := map[string]bool{}
	for _, e := range s.events {
		if ids[e.ID] {
			j.violation(doneTwice, "event %s is in the outbox twice", e.ID)
		}
		ids[e.ID] = true
		if s.webhookDeliveries != nil && s.webhookDeliveries[e.ID] == 0 {
			j.violation(lostRecord, "the webhook was never told of event %s (%s)", e.ID, e.Type)
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

// expected returns how often each event of a post must be in the outbox: what
// its writes have caused, and what its targets have come to. A target that is
// canceled may have failed before.
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
	// Each attempt may have been in doubt, and none has to.
	out[schedctl.EventPostUnconfirmed] = min(got[schedctl.EventPostUnconfirmed], attempts)
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

// result returns the verdict with the counts, and those that are given.
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
