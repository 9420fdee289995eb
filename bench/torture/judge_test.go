package main

import (
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// soundState returns a state without violations: a post published on a network of each
// kind, one that the first network refused, a canceled one and a draft.
func soundState() observation {
	s := observation{
		posts: map[string]apiv1.Post{}, seen: map[string]delivery{}, webhookDeliveries: map[string]int{},
		kinds: map[string]kind{"acct_idempotent": idempotent, "acct_readable": readable, "acct_blind": blind},
	}
	s.addStory("published", schedctl.Published, apiv1.Target{Status: schedctl.Published})
	for id, k := range s.kinds {
		s.seen["pt_published_"+string(k)] = delivery{kind: k, account: id, calls: 1, posts: 1, receipt: "n-1", contents: []string{"text of published"}}
	}
	refused := &apiv1.TargetError{Kind: schedctl.KindContent, Outcome: schedctl.OutcomeNotPublished}
	s.addStory("refused", schedctl.Failed, apiv1.Target{Status: schedctl.Failed, Error: refused})
	for _, k := range s.kinds {
		s.seen["pt_refused_"+string(k)] = delivery{kind: k, calls: 1, refused: true}
	}
	s.addStory("canceled", schedctl.Canceled, apiv1.Target{Status: schedctl.Canceled})
	s.addStory("draft", schedctl.Draft, apiv1.Target{Status: schedctl.Draft})
	return s
}

// addStory adds a post with a target on each network, its story and its events.
func (s *observation) addStory(name string, status schedctl.Status, target apiv1.Target) {
	p := apiv1.Post{ID: "post_" + name, Content: "text of " + name, Status: status}
	receipt, due := "n-1", apiv1.NewTime(time.Unix(1000, 0))
	for id, k := range s.kinds {
		t := target
		t.ID, t.SocialAccountID, t.PublishAt = "pt_"+name+"_"+string(k), id, due
		if t.Status == schedctl.Published {
			t.PlatformPostID = &receipt
		}
		p.Targets = append(p.Targets, t)
	}
	s.posts[p.ID] = p
	told := &story{post: p.ID, content: p.Content, canceled: status == schedctl.Canceled}
	told.expectEvents(1, schedctl.EventPostCreated)
	if told.canceled {
		told.expectEvents(1, schedctl.EventPostCanceled)
	}
	s.stories = append(s.stories, told)
	for typ, times := range expected(told, p, nil) {
		for range times {
			s.addEvent(p.ID, typ)
		}
	}
}

// addEvent adds an event to the outbox and to the webhook's deliveries.
func (s *observation) addEvent(post string, typ schedctl.EventType) {
	e := apiv1.Event{ID: "evt_" + strings.Repeat("x", len(s.events)), Type: typ, Data: apiv1.EventData{PostID: post}}
	s.events = append(s.events, e)
	s.webhookDeliveries[e.ID] = 1
}

// target changes a target of a post.
func (s *observation) target(post string, k kind, change func(*apiv1.Target)) {
	p := s.posts["post_"+post]
	for i := range p.Targets {
		if s.kinds[p.Targets[i].SocialAccountID] == k {
			change(&p.Targets[i])
		}
	}
}

// delivery changes the deliveries to a network.
func (s *observation) delivery(target string, change func(*delivery)) {
	d := s.seen[target]
	change(&d)
	s.seen[target] = d
}

func TestSoundStateHasNoViolations(t *testing.T) {
	t.Parallel()
	var j verdictCollector
	j.judge(soundState())
	if r := j.result(nil); r.Verdict != pass || r.Detail != "" {
		t.Errorf("%s%s", r.Verdict, r.Detail)
	}
}

// Each case adds one violation to a state that is otherwise sound.
func TestEachViolationIsFound(t *testing.T) {
	t.Parallel()
	doubt := &apiv1.TargetError{Kind: schedctl.KindUnknown, Outcome: schedctl.OutcomeUnknown}
	missed := &apiv1.TargetError{Kind: schedctl.KindMissed, Outcome: schedctl.OutcomeNotPublished}
	for name, tt := range map[string]struct {
		want  violation
		spoil func(*observation)
	}{
		"a post that is missing":   {lostRecord, func(s *observation) { delete(s.posts, "post_draft") }},
		"a change that is missing": {lostRecord, func(s *observation) { s.stories[0].content = "changed" }},
		"a cancel that is missing": {lostRecord, func(s *observation) { s.stories[3].canceled = true }},
		"an unrequested cancel":    {wrongStatus, func(s *observation) { s.stories[2].canceled = false }},
		"an unrequested post":      {doneTwice, func(s *observation) { s.posts["post_more"] = apiv1.Post{ID: "post_more"} }},
		"a target of no post":      {wrongStatus, func(s *observation) { s.seen["pt_more"] = delivery{posts: 1} }},
		"posted twice":             {doneTwice, func(s *observation) { s.delivery("pt_published_blind", func(d *delivery) { d.posts = 2 }) }},
		"posted twice and failed":  {doneTwice, func(s *observation) { s.delivery("pt_refused_blind", func(d *delivery) { d.posts = 2 }) }},
		"never posted":             {lostRecord, func(s *observation) { s.delivery("pt_published_readable", func(d *delivery) { d.posts = 0 }) }},
		"another text": {wrongStatus, func(s *observation) {
			s.delivery("pt_published_blind", func(d *delivery) { d.contents = []string{"old"} })
		}},
		"another receipt": {wrongStatus, func(s *observation) { s.delivery("pt_published_blind", func(d *delivery) { d.receipt = "n-2" }) }},
		"no receipt":      {wrongStatus, func(s *observation) { s.target("published", blind, func(t *apiv1.Target) { t.PlatformPostID = nil }) }},
		"one post for two": {lostRecord, func(s *observation) {
			receipt := "n-1"
			s.target("refused", blind, func(t *apiv1.Target) { t.Status, t.PlatformPostID, t.Error = schedctl.Published, &receipt, nil })
			s.delivery("pt_refused_blind", func(d *delivery) {
				d.posts, d.receipt, d.contents = 1, receipt, []string{"text of refused"}
			})
			s.events = nil
		}},
		"still publishing": {stuckRecord, func(s *observation) {
			s.target("published", blind, func(t *apiv1.Target) { t.Status = schedctl.Publishing })
		}},
		"still scheduled": {stuckRecord, func(s *observation) {
			s.target("published", blind, func(t *apiv1.Target) { t.Status = schedctl.Scheduled })
		}},
		"failed for no reason":                     {lostRecord, func(s *observation) { s.delivery("pt_refused_blind", func(d *delivery) { d.refused = false }) }},
		"failed without an error":                  {wrongStatus, func(s *observation) { s.target("refused", blind, func(t *apiv1.Target) { t.Error = nil }) }},
		"failed and posted":                        {wrongStatus, func(s *observation) { s.delivery("pt_refused_readable", func(d *delivery) { d.posts = 1 }) }},
		"missed and not late":                      {lostRecord, func(s *observation) { s.markMissed(missed); s.missedBefore = time.Unix(999, 0) }},
		"unknown where a repeat is safe":           {lostRecord, func(s *observation) { s.target("refused", idempotent, func(t *apiv1.Target) { t.Error = doubt }) }},
		"unknown where the network can be queried": {lostRecord, func(s *observation) { s.target("refused", readable, func(t *apiv1.Target) { t.Error = doubt }) }},
		"unknown after a clean stop": {lostRecord, func(s *observation) {
			s.target("refused", blind, func(t *apiv1.Target) { t.Error = doubt })
			s.noUnknownAllowed = true
		}},
		"a canceled target on a network": {wrongStatus, func(s *observation) {
			s.seen["pt_canceled_blind"] = delivery{calls: 1, posts: 1, contents: []string{"text of canceled"}}
		}},
		"a draft on a network":                {wrongStatus, func(s *observation) { s.seen["pt_draft_blind"] = delivery{calls: 1} }},
		"an event that is missing":            {lostRecord, func(s *observation) { s.events = s.events[1:] }},
		"an additional event":                 {doneTwice, func(s *observation) { s.addEvent("post_draft", schedctl.EventPostCreated) }},
		"an event twice":                      {doneTwice, func(s *observation) { s.events = append(s.events, s.events[0]) }},
		"published event twice":               {doneTwice, func(s *observation) { s.addEvent("post_published", schedctl.EventPostPublished) }},
		"an event without a webhook delivery": {lostRecord, func(s *observation) { delete(s.webhookDeliveries, s.events[0].ID) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := soundState()
			tt.spoil(&s)
			var j verdictCollector
			j.judge(s)
			r := j.result(nil)
			if r.Verdict != fail || r.Counts[string(tt.want)] == 0 || !strings.Contains(r.Detail, string(tt.want)) {
				t.Errorf("%s, %v%s, want %s", r.Verdict, r.Counts, r.Detail, tt.want)
			}
		})
	}
}

// markMissed turns a refused target into a missed target without a call.
func (s *observation) markMissed(e *apiv1.TargetError) {
	s.target("refused", blind, func(t *apiv1.Target) { t.Error = e })
	delete(s.seen, "pt_refused_blind")
}

// Outcomes that look like violations and are allowed.
func TestAllowedOutcomes(t *testing.T) {
	t.Parallel()
	doubt := &apiv1.TargetError{Kind: schedctl.KindUnknown, Outcome: schedctl.OutcomeUnknown}
	missed := &apiv1.TargetError{Kind: schedctl.KindMissed, Outcome: schedctl.OutcomeNotPublished}
	for name, allow := range map[string]func(*observation){
		"unknown where the network cannot be queried": func(s *observation) { s.target("refused", blind, func(t *apiv1.Target) { t.Error = doubt }) },
		"unknown and then canceled": func(s *observation) {
			s.target("canceled", blind, func(t *apiv1.Target) { t.Error = doubt })
			s.seen["pt_canceled_blind"] = delivery{calls: 1, posts: 1, contents: []string{"text of canceled"}}
		},
		"a canceled target that had failed":   func(s *observation) { s.addEvent("post_canceled", schedctl.EventPostFailed) },
		"missed because of an outage":         func(s *observation) { s.markMissed(missed); s.missedBefore = time.Unix(1001, 0) },
		"repeats that the network recognized": func(s *observation) { s.delivery("pt_published_idempotent", func(d *delivery) { d.calls = 3 }) },
		"unknown after five tries": func(s *observation) {
			s.target("refused", idempotent, func(t *apiv1.Target) { t.Error, t.Attempts = doubt, maxTries })
		},
		"a story without a post":      func(s *observation) { s.stories = append(s.stories, new(story)) },
		"an outbox that was not read": func(s *observation) { s.events = nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := soundState()
			allow(&s)
			var j verdictCollector
			j.judge(s)
			if r := j.result(nil); r.Verdict != pass {
				t.Errorf("%s%s", r.Verdict, r.Detail)
			}
		})
	}
}
