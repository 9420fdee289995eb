package main

import (
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// sound is a state with nothing wrong: a post that is published on a network of
// each kind, one that the first refused, one that was canceled and a draft.
func sound() state {
	s := state{
		posts: map[string]apiv1.Post{}, seen: map[string]delivery{}, told: map[string]int{},
		kinds: map[string]kind{"acct_idempotent": idempotent, "acct_readable": readable, "acct_blind": blind},
	}
	s.tell("published", schedctl.Published, apiv1.Target{Status: schedctl.Published})
	for id, k := range s.kinds {
		s.seen["pt_published_"+string(k)] = delivery{kind: k, account: id, calls: 1, posts: 1, receipt: "n-1", contents: []string{"text of published"}}
	}
	refused := &apiv1.TargetError{Kind: schedctl.KindContent, Outcome: schedctl.OutcomeNotPublished}
	s.tell("refused", schedctl.Failed, apiv1.Target{Status: schedctl.Failed, Error: refused})
	for _, k := range s.kinds {
		s.seen["pt_refused_"+string(k)] = delivery{kind: k, calls: 1, refused: true}
	}
	s.tell("canceled", schedctl.Canceled, apiv1.Target{Status: schedctl.Canceled})
	s.tell("draft", schedctl.Draft, apiv1.Target{Status: schedctl.Draft})
	return s
}

// tell adds a post with a target on each network, its story and its events.
func (s *state) tell(name string, status schedctl.Status, target apiv1.Target) {
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
	told.cause(1, schedctl.EventPostCreated)
	if told.canceled {
		told.cause(1, schedctl.EventPostCanceled)
	}
	s.stories = append(s.stories, told)
	for typ, times := range expected(told, p, nil) {
		for range times {
			s.happen(p.ID, typ)
		}
	}
}

// happen puts an event into the outbox, and tells the webhook.
func (s *state) happen(post string, typ schedctl.EventType) {
	e := apiv1.Event{ID: "evt_" + strings.Repeat("x", len(s.events)), Type: typ, Data: apiv1.EventData{PostID: post}}
	s.events = append(s.events, e)
	s.told[e.ID] = 1
}

// target changes a target of a post.
func (s *state) target(post string, k kind, change func(*apiv1.Target)) {
	p := s.posts["post_"+post]
	for i := range p.Targets {
		if s.kinds[p.Targets[i].SocialAccountID] == k {
			change(&p.Targets[i])
		}
	}
}

// delivery changes what a network saw.
func (s *state) delivery(target string, change func(*delivery)) {
	d := s.seen[target]
	change(&d)
	s.seen[target] = d
}

func TestNothingIsWrongWithASoundState(t *testing.T) {
	t.Parallel()
	var j judgement
	j.judge(sound())
	if r := j.result(nil); r.Verdict != pass || r.Detail != "" {
		t.Errorf("%s%s", r.Verdict, r.Detail)
	}
}

// What the judgement cannot find it would let pass for ever: each of these is
// one fault in a state that is sound otherwise.
func TestEachFaultIsFound(t *testing.T) {
	t.Parallel()
	doubt := &apiv1.TargetError{Kind: schedctl.KindUnknown, Outcome: schedctl.OutcomeUnknown}
	missed := &apiv1.TargetError{Kind: schedctl.KindMissed, Outcome: schedctl.OutcomeNotPublished}
	for name, tt := range map[string]struct {
		want  sin
		spoil func(*state)
	}{
		"a post that is gone":     {lost, func(s *state) { delete(s.posts, "post_draft") }},
		"a change that is gone":   {lost, func(s *state) { s.stories[0].content = "changed" }},
		"a cancel that is gone":   {lost, func(s *state) { s.stories[3].canceled = true }},
		"a cancel of nobody":      {untrue, func(s *state) { s.stories[2].canceled = false }},
		"a post of nobody":        {twice, func(s *state) { s.posts["post_more"] = apiv1.Post{ID: "post_more"} }},
		"a target of no post":     {untrue, func(s *state) { s.seen["pt_more"] = delivery{posts: 1} }},
		"posted twice":            {twice, func(s *state) { s.delivery("pt_published_blind", func(d *delivery) { d.posts = 2 }) }},
		"posted twice and failed": {twice, func(s *state) { s.delivery("pt_refused_blind", func(d *delivery) { d.posts = 2 }) }},
		"posted never":            {lost, func(s *state) { s.delivery("pt_published_readable", func(d *delivery) { d.posts = 0 }) }},
		"another text":            {untrue, func(s *state) { s.delivery("pt_published_blind", func(d *delivery) { d.contents = []string{"old"} }) }},
		"another receipt":         {untrue, func(s *state) { s.delivery("pt_published_blind", func(d *delivery) { d.receipt = "n-2" }) }},
		"no receipt":              {untrue, func(s *state) { s.target("published", blind, func(t *apiv1.Target) { t.PlatformPostID = nil }) }},
		"one post for two": {lost, func(s *state) {
			receipt := "n-1"
			s.target("refused", blind, func(t *apiv1.Target) { t.Status, t.PlatformPostID, t.Error = schedctl.Published, &receipt, nil })
			s.delivery("pt_refused_blind", func(d *delivery) {
				d.posts, d.receipt, d.contents = 1, receipt, []string{"text of refused"}
			})
			s.events = nil
		}},
		"still on its way":             {stuck, func(s *state) { s.target("published", blind, func(t *apiv1.Target) { t.Status = schedctl.Publishing }) }},
		"still to come":                {stuck, func(s *state) { s.target("published", blind, func(t *apiv1.Target) { t.Status = schedctl.Scheduled }) }},
		"failed for no reason":         {lost, func(s *state) { s.delivery("pt_refused_blind", func(d *delivery) { d.refused = false }) }},
		"failed without an error":      {untrue, func(s *state) { s.target("refused", blind, func(t *apiv1.Target) { t.Error = nil }) }},
		"failed and posted":            {untrue, func(s *state) { s.delivery("pt_refused_readable", func(d *delivery) { d.posts = 1 }) }},
		"missed and not late":          {lost, func(s *state) { s.miss(missed); s.late = time.Unix(999, 0) }},
		"doubt that could be repeated": {lost, func(s *state) { s.target("refused", idempotent, func(t *apiv1.Target) { t.Error = doubt }) }},
		"doubt that could be asked":    {lost, func(s *state) { s.target("refused", readable, func(t *apiv1.Target) { t.Error = doubt }) }},
		"doubt after an orderly stop": {lost, func(s *state) {
			s.target("refused", blind, func(t *apiv1.Target) { t.Error = doubt })
			s.certain = true
		}},
		"a canceled target on a network": {untrue, func(s *state) {
			s.seen["pt_canceled_blind"] = delivery{calls: 1, posts: 1, contents: []string{"text of canceled"}}
		}},
		"a draft on a network":        {untrue, func(s *state) { s.seen["pt_draft_blind"] = delivery{calls: 1} }},
		"an event that is gone":       {lost, func(s *state) { s.events = s.events[1:] }},
		"an event too many":           {twice, func(s *state) { s.happen("post_draft", schedctl.EventPostCreated) }},
		"an event twice":              {twice, func(s *state) { s.events = append(s.events, s.events[0]) }},
		"published told twice":        {twice, func(s *state) { s.happen("post_published", schedctl.EventPostPublished) }},
		"a webhook that was not told": {lost, func(s *state) { delete(s.told, s.events[0].ID) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sound()
			tt.spoil(&s)
			var j judgement
			j.judge(s)
			r := j.result(nil)
			if r.Verdict != fail || r.Counts[string(tt.want)] == 0 || !strings.Contains(r.Detail, string(tt.want)) {
				t.Errorf("%s, %v%s, want %s", r.Verdict, r.Counts, r.Detail, tt.want)
			}
		})
	}
}

// miss makes a target that was refused one that was missed, and not called.
func (s *state) miss(e *apiv1.TargetError) {
	s.target("refused", blind, func(t *apiv1.Target) { t.Error = e })
	delete(s.seen, "pt_refused_blind")
}

// Some ends look like faults and are none.
func TestWhatIsAllowed(t *testing.T) {
	t.Parallel()
	doubt := &apiv1.TargetError{Kind: schedctl.KindUnknown, Outcome: schedctl.OutcomeUnknown}
	missed := &apiv1.TargetError{Kind: schedctl.KindMissed, Outcome: schedctl.OutcomeNotPublished}
	for name, allow := range map[string]func(*state){
		"a doubt where nobody can ask": func(s *state) { s.target("refused", blind, func(t *apiv1.Target) { t.Error = doubt }) },
		"a doubt of what was canceled": func(s *state) {
			s.target("canceled", blind, func(t *apiv1.Target) { t.Error = doubt })
			s.seen["pt_canceled_blind"] = delivery{calls: 1, posts: 1, contents: []string{"text of canceled"}}
		},
		"a canceled target that had failed": func(s *state) { s.happen("post_canceled", schedctl.EventPostFailed) },
		"missed since it was late":          func(s *state) { s.miss(missed); s.late = time.Unix(1001, 0) },
		"repeats that were recognised":      func(s *state) { s.delivery("pt_published_idempotent", func(d *delivery) { d.calls = 3 }) },
		"a doubt after five tries": func(s *state) {
			s.target("refused", idempotent, func(t *apiv1.Target) { t.Error, t.Attempts = doubt, maxTries })
		},
		"a story without a post":     func(s *state) { s.stories = append(s.stories, new(story)) },
		"an outbox that nobody read": func(s *state) { s.events = nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sound()
			allow(&s)
			var j judgement
			j.judge(s)
			if r := j.result(nil); r.Verdict != pass {
				t.Errorf("%s%s", r.Verdict, r.Detail)
			}
		})
	}
}
