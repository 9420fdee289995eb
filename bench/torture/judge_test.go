package main

import (
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// soundState is a state with nothing wrong: a post that is published on a network of
// each kind, one that the first refused, one that was canceled and a draft.
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

// addEvent puts an event into the outbox, and tells the webhook.
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

// delivery changes what a network saw.
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

// What the judgement cannot find it would let pass for ever: each of these is
// one fault in a state that is sound otherwise.
func TestEachViolationIsFound(t *testing.T) {
	t.Parallel()
	doubt := &apiv1.TargetError{Kind: schedctl.KindUnknown, Outcome: schedctl.OutcomeUnknown}
	missed := &apiv1.TargetError{Kind: schedctl.KindMissed, Outcome: schedctl.OutcomeNotPublished}
	for name, tt := range map[string]struct {
		want  violation
		spoil func(*observation)
	}{
		"a post that is gone":     {lostRecord, func(s *observation) { delete(s.posts, "post_draft") }},
		"a change that is gone":   {lostRecord, func(s *observation) { s.stories[0].content = "changed" }},
		"a cancel that is gone":   {lostRecord, func(s *observation) { s.stories[3].canceled = true }},
		"a cancel of nobody":      {wrongStatus, func(s *observation) { s.stories[2].canceled = false }},
		"a post of nobody":        {doneTwice, func(s *observation) { s.posts["post_more"] = apiv1.Post{ID: "post_more"} }},
		"a target of no post":     {wrongStatus, func(s *observation) { s.seen["pt_more"] = delivery{posts: 1} }},
		"posted twice":            {doneTwice, func(s *observation) { s.delivery("pt_published_blind", func(d *delivery) { d.posts = 2 }) }},
		"posted twice and failed": {doneTwice, func(s *observation) { s.delivery("pt_refused_blind", func(d *delivery) { d.posts = 2 }) }},
		"posted never":            {lostRecord, func(s *observation) { s.delivery("pt_published_readable", func(d *delivery) { d.posts = 0 }) }},
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
		"still on its way": {stuckRecord, func(s *observation) {
			s.target("published", blind, func(t *apiv1.Target) { t.Status = schedctl.Publishing })
		}},
		"still to come": {stuckRecord, func(s *observation) {
			s.target("published", blind, func(t *apiv1.Target) { t.Status = schedctl.Scheduled })
		}},
		"failed for no reason":         {lostRecord, func(s *observation) { s.delivery("pt_refused_blind", func(d *delivery) { d.refused = false }) }},
		"failed without an error":      {wrongStatus, func(s *observation) { s.target("refused", blind, func(t *apiv1.Target) { t.Error = nil }) }},
		"failed and posted":            {wrongStatus, func(s *observation) { s.delivery("pt_refused_readable", func(d *delivery) { d.posts = 1 }) }},
		"missed and not late":          {lostRecord, func(s *observation) { s.markMissed(missed); s.missedBefore = time.Unix(999, 0) }},
		"doubt that could be repeated": {lostRecord, func(s *observation) { s.target("refused", idempotent, func(t *apiv1.Target) { t.Error = doubt }) }},
		"doubt that could be asked":    {lostRecord, func(s *observation) { s.target("refused", readable, func(t *apiv1.Target) { t.Error = doubt }) }},
		"doubt after an orderly stop": {lostRecord, func(s *observation) {
			s.target("refused", blind, func(t *apiv1.Target) { t.Error = doubt })
			s.noUnknownAllowed = true
		}},
		"a canceled target on a network": {wrongStatus, func(s *observation) {
			s.seen["pt_canceled_blind"] = delivery{calls: 1, posts: 1, contents: []string{"text of canceled"}}
		}},
		"a draft on a network":        {wrongStatus, func(s *observation) { s.seen["pt_draft_blind"] = delivery{calls: 1} }},
		"an event that is gone":       {lostRecord, func(s *observation) { s.events = s.events[1:] }},
		"an event too many":           {doneTwice, func(s *observation) { s.addEvent("post_draft", schedctl.EventPostCreated) }},
		"an event twice":              {doneTwice, func(s *observation) { s.events = append(s.events, s.events[0]) }},
		"published told twice":        {doneTwice, func(s *observation) { s.addEvent("post_published", schedctl.EventPostPublished) }},
		"a webhook that was not told": {lostRecord, func(s *observation) { delete(s.webhookDeliveries, s.events[0].ID) }},
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

// markMissed makes a target that was refused one that was missed, and not called.
func (s *observation) markMissed(e *apiv1.TargetError) {
	s.target("refused", blind, func(t *apiv1.Target) { t.Error = e })
	delete(s.seen, "pt_refused_blind")
}

// Some ends look like faults and are none.
func TestAllowedOutcomes(t *testing.T) {
	t.Parallel()
	doubt := &apiv1.TargetError{Kind: schedctl.KindUnknown, Outcome: schedctl.OutcomeUnknown}
	missed := &apiv1.TargetError{Kind: schedctl.KindMissed, Outcome: schedctl.OutcomeNotPublished}
	for name, allow := range map[string]func(*observation){
		"a doubt where nobody can ask": func(s *observation) { s.target("refused", blind, func(t *apiv1.Target) { t.Error = doubt }) },
		"a doubt of what was canceled": func(s *observation) {
			s.target("canceled", blind, func(t *apiv1.Target) { t.Error = doubt })
			s.seen["pt_canceled_blind"] = delivery{calls: 1, posts: 1, contents: []string{"text of canceled"}}
		},
		"a canceled target that had failed": func(s *observation) { s.addEvent("post_canceled", schedctl.EventPostFailed) },
		"missed since it was late":          func(s *observation) { s.markMissed(missed); s.missedBefore = time.Unix(1001, 0) },
		"repeats that were recognised":      func(s *observation) { s.delivery("pt_published_idempotent", func(d *delivery) { d.calls = 3 }) },
		"a doubt after five tries": func(s *observation) {
			s.target("refused", idempotent, func(t *apiv1.Target) { t.Error, t.Attempts = doubt, maxTries })
		},
		"a story without a post":     func(s *observation) { s.stories = append(s.stories, new(story)) },
		"an outbox that nobody read": func(s *observation) { s.events = nil },
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
