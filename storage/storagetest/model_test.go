package storagetest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl/storage/storagetest/oracle"
)

// fullLifeScript takes a post through every state.
var fullLifeScript = oracle.Script{
	{Do: "create", Text: "apple", Accounts: []int{0, 1}, When: "later", In: time.Minute, Once: 1},
	{Do: "repeat"},
	{Do: "create", Text: "banana"},
	{Do: "edit", Post: 1, Text: "pineapple", Accounts: []int{1, 2}},
	{Do: "walk", Query: oracle.Query{Sort: "publish_at", Limit: 1}},
	{Do: "mood", On: 1, Mood: "down"},
	{Do: "pass", In: time.Minute},
	{Do: "pass", In: 24 * time.Hour},
	{Do: "mood", On: 1, Mood: "locked"},
	{Do: "retry"},
	{Do: "verify", On: 1},
	{Do: "timeline"},
	{Do: "cancel"},
	{Do: "schedule", Accounts: []int{0}, When: "later", In: time.Minute},
	{Do: "disconnect"},
	{Do: "restart", In: time.Hour},
	{Do: "create", Text: "apple", Accounts: []int{1, 2}},
	{Do: "reconnect", On: 1},
	{Do: "publish-now"},
	{Do: "create", Text: "gone"},
	{Do: "delete"},
	{Do: "list", Query: oracle.Query{Limit: 2}},
	{Do: "more"},
}

// faultySubject is a subject with false states or responses.
type faultySubject struct {
	oracle.Subject
	look   func(*oracle.State)
	answer func(*oracle.Response)
	settle func([]oracle.Exchange) []oracle.Exchange
}

func (l faultySubject) Look() oracle.State {
	sight := l.Subject.Look()
	if l.look != nil {
		l.look(&sight)
	}
	return sight
}

func (l faultySubject) Do(r oracle.Request) oracle.Response {
	out := l.Subject.Do(r)
	if l.answer != nil {
		l.answer(&out)
	}
	return out
}

func (l faultySubject) Settle() []oracle.Exchange {
	exchanges := l.Subject.Settle()
	if l.settle != nil {
		exchanges = l.settle(exchanges)
	}
	return exchanges
}

// TestModelDetectsFaults guards that the model does not accept everything.
func TestModelDetectsFaults(t *testing.T) {
	t.Parallel()
	for name, lie := range map[string]faultySubject{
		"a missing due entry":     {look: func(s *oracle.State) { s.Due = s.Due[:max(0, len(s.Due)-1)] }},
		"a missing event":         {look: func(s *oracle.State) { s.Events = s.Events[:max(0, len(s.Events)-1)] }},
		"events in another order": {look: func(s *oracle.State) { slices.Reverse(s.Events) }},
		"a missing post":          {look: func(s *oracle.State) { s.Posts = s.Posts[:max(0, len(s.Posts)-1)] }},
		"another account":         {look: func(s *oracle.State) { s.Accounts[0].Status = "error" }},
		"no replay":               {answer: func(r *oracle.Response) { r.Replayed = false }},
		"another page":            {answer: func(r *oracle.Response) { slices.Reverse(r.Posts) }},
		"a list that ends early":  {answer: func(r *oracle.Response) { r.Next = "" }},
		"no refusal":              {answer: func(r *oracle.Response) { r.Code = "" }},
		"another version": {answer: func(r *oracle.Response) {
			if r.Post != nil {
				r.Post.Version++
			}
		}},
		"a call that is not reported": {settle: func(all []oracle.Exchange) []oracle.Exchange { return all[:0] }},
		"a call made twice":           {settle: func(all []oracle.Exchange) []oracle.Exchange { return append(all, all...) }},
		"an early call": {settle: func(all []oracle.Exchange) []oracle.Exchange {
			for i := range all {
				all[i].At = all[i].At.Add(-time.Second)
			}
			return all
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lie.Subject = newModelSubject(t, NewMemory(), nil)
			if err := oracle.Play(lie, fullLifeScript); err == nil || !strings.Contains(err.Error(), "after step") {
				t.Errorf("the model says: %v", err)
			}
		})
	}
	if err := oracle.Play(newModelSubject(t, NewMemory(), nil), fullLifeScript); err != nil {
		t.Errorf("no fault was injected: %v", err)
	}
}

// TestModelOfThreads plays scripts about posts with several parts, and guards that the
// model does not accept everything about them.
func TestModelOfThreads(t *testing.T) {
	t.Parallel()
	for name, script := range oracle.ThreadScripts() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := oracle.Play(newModelSubject(t, NewMemory(), nil), script); err != nil {
				t.Error(err)
			}
		})
	}
	for name, fault := range map[string]faultySubject{
		"another parent": {settle: func(all []oracle.Exchange) []oracle.Exchange {
			for i := range all {
				if all[i].Sent.Parent != "" {
					all[i].Sent.Parent += "x"
				}
			}
			return all
		}},
		"another poll": {settle: func(all []oracle.Exchange) []oracle.Exchange {
			for i := range all {
				all[i].Sent.Poll = nil
			}
			return all
		}},
		"an older status of a part": {look: func(s *oracle.State) {
			for _, p := range s.Posts {
				for _, t := range p.Targets {
					t.Parts[len(t.Parts)-1].Status = "scheduled"
				}
			}
		}},
		"a missing id": {look: func(s *oracle.State) {
			s.Publications = append(s.Publications, oracle.Publication{ID: "x", Targets: []string{"y"}})
		}},
		"a missing twin": {look: func(s *oracle.State) { s.Twins[0].Posts = nil }},
		"an event of part 0": {look: func(s *oracle.State) {
			for i := range s.Events {
				s.Events[i].Parts = 0
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fault.Subject = newModelSubject(t, NewMemory(), nil)
			if err := oracle.Play(fault, oracle.ThreadScripts()["all parts"]); err == nil || !strings.Contains(err.Error(), "after step") {
				t.Errorf("the model says: %v", err)
			}
		})
	}
}

// TestModelOfACallFoundTooLate guards the order of two events: a starting daemon finds
// an unfinished call, and its target is too late for another one.
func TestModelOfACallFoundTooLate(t *testing.T) {
	t.Parallel()
	err := oracle.Play(newModelSubject(t, NewMemory(), nil), oracle.Script{
		{Do: "mood", On: 2, Mood: "slow"},
		{Do: "create", Text: "apple", Accounts: []int{2}, When: "now"},
		{Do: "restart", In: 25 * time.Hour},
		{Do: "timeline"},
	})
	if err != nil {
		t.Error(err)
	}
}
