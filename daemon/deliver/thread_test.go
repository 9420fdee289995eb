package deliver_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/deliver"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/storage"
)

// threadOf returns a post with the given number of parts in its thread.
func threadOf(parts int, a schedctl.Account) schedctl.NewPost {
	n := schedctl.NewPost{Content: schedctl.Content{Text: partText(0)}, Accounts: []schedctl.Account{a}, Now: true}
	for i := 1; i < parts; i++ {
		n.Thread = append(n.Thread, schedctl.Part{Content: partText(i)})
	}
	return n
}

func partText(i int) string { return fmt.Sprintf("%s, part %d", secret, i) }

func withComment(n schedctl.NewPost) schedctl.NewPost {
	n.FirstComment = &schedctl.Part{Content: partText(len(n.Thread) + 1)}
	return n
}

// checkChain checks that the network has exactly the given number of parts of a target, in
// order and under the right parents.
func checkChain(t testing.TB, listed []publishtest.FakePost, target string, parts int) {
	t.Helper()
	var own []publishtest.FakePost
	for _, p := range listed {
		if p.TargetID == target {
			own = append(own, p)
		}
	}
	if len(own) != parts {
		t.Errorf("the network has %d parts of %s, want %d: %+v", len(own), target, parts, own)
		return
	}
	for i, p := range own {
		parent := ""
		if i > 0 {
			parent = own[i-1].ID
		}
		if p.Part != i || p.Parent != parent {
			t.Errorf("post %d is part %d under %q, want part %d under %q", i, p.Part, p.Parent, i, parent)
		}
	}
}

// checkUninterrupted checks that no thread has another post of its account between two of
// its parts. First comments may come later.
func checkUninterrupted(t testing.TB, listed []publishtest.FakePost) {
	t.Helper()
	last := map[string]publishtest.FakePost{} // by account
	for _, p := range listed {
		if p.Kind == schedctl.PartReply && last[p.Account].TargetID != p.TargetID {
			t.Errorf("part %d of %s follows a post of %s", p.Part, p.TargetID, last[p.Account].TargetID)
		}
		if p.Kind != schedctl.PartComment {
			last[p.Account] = p
		}
	}
}

// wantThread checks that a post is published with all its parts.
func (r *rig) wantThread(p schedctl.Post) schedctl.Target {
	r.Helper()
	t := r.wantStatus(p, schedctl.Published)
	parts := p.PartCount(&p.Targets[0])
	if len(t.Done) != parts {
		r.Errorf("%d parts are done, want %d\n%s", len(t.Done), parts, r.logs.String())
	}
	checkChain(r, r.fake.Listed(), t.ID, parts)
	checkUninterrupted(r, r.fake.Listed())
	return t
}

// failPart returns a function for OnCall that responds to the given part.
func failPart(part int, response publishtest.Response) func(context.Context, publish.Request) publishtest.Response {
	return func(_ context.Context, r publish.Request) publishtest.Response {
		if r.Part == part && r.Kind != "" && len(r.Content) > len(secret) {
			return response
		}
		return publishtest.Response{}
	}
}

func TestThread(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", nil)
		before := r.publishNow(a)
		r.after(time.Millisecond)
		thread := r.create(withComment(threadOf(5, a)))
		r.after(time.Millisecond)
		after := r.publishNow(a)
		r.start()
		r.after(0)
		target := r.wantThread(thread)
		r.wantStatus(before, schedctl.Published)
		r.wantStatus(after, schedctl.Published)
		if target.CommentStatus != schedctl.Published || target.Error != nil || target.PlatformPostID != target.Done[0].ID || target.Attempts != 6 {
			t.Errorf("target %+v", target)
		}
		calls := r.wantCalls(8)[1:7]
		for i, c := range calls {
			if c.Part != i || c.Attempt != i+1 || c.Content != partText(i) {
				t.Errorf("call %d: part %d, attempt %d, content %q", i, c.Part, c.Attempt, c.Content)
			}
			key := target.ID
			if i > 0 {
				key = fmt.Sprintf("%s-%d", target.ID, i)
				if root, parent := target.Done[0], target.Done[i-1]; c.Root.Ref != root.Ref || c.Parent.ID != parent.ID || c.Parent.Ref != parent.Ref || parent.Ref == "" {
					t.Errorf("call %d: root %+v, parent %+v", i, c.Root, c.Parent)
				}
			}
			if c.Key != key {
				t.Errorf("call %d: key %q, want %q", i, c.Key, key)
			}
		}
		for i, attempt := range r.attempts(thread) {
			if attempt.Part != i || attempt.Key != calls[i].Key || attempt.Outcome != schedctl.OutcomePublished {
				t.Errorf("attempt %+v", attempt)
			}
		}
		if n := count(r.events(), schedctl.EventPostPublished); n != 3 {
			t.Errorf("%d events for three posts", n)
		}
	})
}

// Each part costs one commit, which records the part before it.
func TestCommitsOfAThread(t *testing.T) {
	bubble(t, func(r *rig) {
		counting := &countingStore{Store: r.store}
		r.config = func(c *deliver.Config) { c.Store = counting }
		r.create(threadOf(5, r.account("me", nil)))
		r.start()
		r.after(time.Second)
		r.wantCalls(5)
		if n := counting.updates.Load(); n != 6 {
			t.Errorf("%d transactions, want 6", n)
		}
	})
}

func TestThreadInOneRequest(t *testing.T) {
	bubble(t, func(r *rig) {
		r.fake.SetThreadRules(publish.ThreadRules{Whole: true})
		r.registry = publish.NewRegistry(publishtest.FindingFake{Fake: r.fake})
		r.start()
		p := r.create(withComment(threadOf(5, r.account("me", nil))))
		r.fake.Then(publishtest.Response{Err: &publish.Error{Kind: schedctl.KindNetwork, Message: "cut", Outcome: maybe}, Accepted: true})
		r.after(10 * time.Minute)
		target := r.wantThread(p)
		call := r.wantCalls(1)[0]
		for i, rest := range call.Rest {
			if rest.Key != fmt.Sprintf("%s-%d", target.ID, i+1) || rest.Content != partText(i+1) {
				t.Errorf("rest %d: %+v", i, rest)
			}
		}
		if target.CommentStatus != schedctl.Published || target.Done[5].Attempts != 0 || target.Done[0].Attempts != 1 {
			t.Errorf("target %+v", target)
		}
		if !slices.Contains(r.events(), schedctl.EventPostCompleted) {
			t.Error("the post is not completed")
		}
	})
}

// While a part is retried, the account publishes nothing else.
func TestPartIsRetried(t *testing.T) {
	limited := publishtest.Response{Err: &publish.Error{Kind: schedctl.KindRateLimited, Message: "slow down", Outcome: no}}
	for name, failures := range map[string][]publishtest.Response{
		"limited":       {limited, limited, limited},
		"server errors": {failing(schedctl.KindPlatform, no), failing(schedctl.KindPlatform, no), failing(schedctl.KindPlatform, no), failing(schedctl.KindPlatform, no)},
		"unreachable":   {failing(schedctl.KindNetwork, no), failing(schedctl.KindNetwork, no)},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				a := r.account("me", nil)
				p := r.create(threadOf(5, a))
				var others []schedctl.Post
				for i := range 10 {
					others = append(others, r.schedule(time.Duration(i)*time.Minute+time.Millisecond, a))
				}
				r.fake.Then(append([]publishtest.Response{{}, {}}, failures...)...)
				r.start()
				r.after(24 * time.Hour)
				target := r.wantThread(p)
				if n := 5 + len(failures); target.Attempts != n {
					t.Errorf("%d attempts, want %d", target.Attempts, n)
				}
				for _, other := range others {
					r.wantStatus(other, schedctl.Published)
				}
			})
		})
	}
}

// A part that keeps failing ends the thread. A retry continues with it.
func TestRetryContinuesTheThread(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", nil)
		p := r.create(threadOf(5, a))
		other := r.schedule(time.Minute, a)
		r.fake.OnCall(failPart(2, failing(schedctl.KindPlatform, no)))
		r.start()
		r.after(24 * time.Hour)
		target := r.wantStatus(p, schedctl.Failed)
		checkChain(t, r.fake.Listed(), target.ID, 2)
		r.wantStatus(other, schedctl.Published)
		if target.Error.Kind != schedctl.KindPlatform || len(target.Done) != 2 || target.Attempts != 7 {
			t.Errorf("target %+v, error %+v", target, target.Error)
		}
		r.fake.OnCall(nil)
		r.change(p.ID, func(p *schedctl.Post) ([]schedctl.Event, error) { return p.Retry(schedctl.Retry{}, time.Now()) })
		r.after(time.Minute)
		target = r.wantStatus(p, schedctl.Published)
		checkChain(t, r.fake.Listed(), target.ID, 5)
		if target.Attempts != 10 {
			t.Errorf("%d attempts", target.Attempts)
		}
	})
}

func TestParentRemovedBetweenTwoParts(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", nil)
		p := r.create(threadOf(5, a))
		other := r.schedule(time.Second, a)
		r.fake.OnCall(func(_ context.Context, c publish.Request) publishtest.Response {
			if c.Part == 3 {
				r.fake.Remove(c.Parent.ID)
			}
			return publishtest.Response{}
		})
		r.start()
		r.after(time.Hour)
		target := r.wantStatus(p, schedctl.Failed)
		checkChain(t, r.fake.Listed(), target.ID, 3)
		if e := target.Error; e.Kind != schedctl.KindContent || e.Code != publish.CodeParentMissing || e.Outcome != no || len(target.Done) != 3 {
			t.Errorf("error %+v", e)
		}
		r.wantStatus(other, schedctl.Published)
	})
}

func TestReplyWithoutParentStopsTheThread(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", nil)
		p := r.create(withComment(threadOf(5, a)))
		other := r.schedule(time.Second, a)
		r.fake.OnCall(failPart(2, publishtest.Response{Degraded: publish.LostParent()}))
		r.start()
		r.after(time.Hour)
		target := r.wantStatus(p, schedctl.Failed)
		if e := target.Error; e.Code != schedctl.DegradedReply || e.Outcome != schedctl.OutcomePublished || len(target.Done) != 3 {
			t.Errorf("%d parts, error %+v", len(target.Done), e)
		}
		r.wantCalls(4)
		r.wantStatus(other, schedctl.Published)
	})
}

func TestFirstCommentFailsAndIsRetried(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", nil)
		p := r.create(withComment(threadOf(1, a)))
		other := r.schedule(time.Second, a)
		r.fake.OnCall(failPart(1, failing(schedctl.KindContent, no)))
		r.start()
		r.after(time.Hour)
		target := r.wantStatus(p, schedctl.Published)
		if target.CommentStatus != schedctl.Failed || target.Error.Kind != schedctl.KindContent || len(target.Done) != 1 {
			t.Errorf("target %+v, error %+v", target, target.Error)
		}
		r.wantStatus(other, schedctl.Published)
		if events := r.events(); count(events, schedctl.EventPostCommentFailed) != 1 || count(events, schedctl.EventPostFailed) != 0 || count(events, schedctl.EventPostCompleted) != 2 {
			t.Errorf("events %v", events)
		}
		r.fake.OnCall(nil)
		r.change(p.ID, func(p *schedctl.Post) ([]schedctl.Event, error) { return p.Retry(schedctl.Retry{}, time.Now()) })
		r.after(time.Minute)
		if target = r.wantStatus(p, schedctl.Published); target.CommentStatus != schedctl.Published || target.Error != nil {
			t.Errorf("target %+v", target)
		}
		checkChain(t, r.fake.Listed(), target.ID, 2)
	})
}

// A first comment that is retried delays other posts no more than a post does, and ends
// when it is too late.
func TestFirstCommentIsLate(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", nil)
		p := r.create(withComment(threadOf(2, a)))
		r.fake.OnCall(failPart(2, failing(schedctl.KindNetwork, no)))
		r.start()
		r.after(23 * time.Hour)
		if target := r.wantStatus(p, schedctl.Published); target.CommentStatus != schedctl.Publishing {
			t.Errorf("target %+v", target)
		}
		r.after(2 * time.Hour)
		target := r.wantStatus(p, schedctl.Published)
		if target.CommentStatus != schedctl.Failed || target.Error.Kind != schedctl.KindMissed {
			t.Errorf("target %+v, error %+v", target, target.Error)
		}
		if _, waits := target.Due(); waits {
			t.Error("the comment is still due")
		}
	})
}

func TestCanceledDuringAPart(t *testing.T) {
	for name, test := range map[string]struct {
		post      func(schedctl.Account) schedctl.NewPost
		published int
		status    schedctl.Status
		comment   schedctl.Status
	}{
		"in the middle":        {func(a schedctl.Account) schedctl.NewPost { return withComment(threadOf(5, a)) }, 3, schedctl.Canceled, ""},
		"in the last part":     {func(a schedctl.Account) schedctl.NewPost { return withComment(threadOf(3, a)) }, 3, schedctl.Published, schedctl.Canceled},
		"in the first comment": {func(a schedctl.Account) schedctl.NewPost { return withComment(threadOf(2, a)) }, 3, schedctl.Published, schedctl.Published},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				a := r.account("me", nil)
				p := r.create(test.post(a))
				other := r.schedule(time.Second, a)
				r.fake.OnCall(failPart(2, publishtest.Response{After: 10 * time.Second}))
				r.start()
				r.after(5 * time.Second)
				canceled := r.tryCancel(p)
				r.after(time.Hour)
				target := r.target(p)
				checkChain(t, r.fake.Listed(), target.ID, test.published)
				if canceled && (target.Status != test.status || target.CommentStatus != test.comment) {
					t.Errorf("target %+v", target)
				}
				if len(target.Done) != test.published {
					t.Errorf("%d parts are done", len(target.Done))
				}
				r.wantStatus(other, schedctl.Published)
			})
		})
	}
}

// tryCancel cancels a post if its status allows that.
func (r *rig) tryCancel(p schedctl.Post) bool {
	stored := r.post(p.ID)
	if schedctl.CheckOperation(schedctl.OpCancel, stored.Status()) != nil {
		return false
	}
	r.cancel(p.ID)
	return true
}

// A thread continues after a restart, and after its account was refused.
func TestThreadContinues(t *testing.T) {
	for name, between := range map[string]func(*rig, schedctl.Account){
		"stopped": func(r *rig, _ schedctl.Account) { r.kill(); r.after(time.Hour); r.start() },
		"killed":  func(r *rig, _ schedctl.Account) { r.endFor(storage.ErrBroken); r.after(time.Hour); r.start() },
		"refused": func(r *rig, a schedctl.Account) {
			r.fake.Then(failing(schedctl.KindAuth, no))
			r.after(time.Hour)
			r.reconnect(a.ID)
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				r.registry = publish.NewRegistry(publishtest.FindingFake{Fake: r.fake})
				a := r.account("me", nil)
				p := r.create(withComment(threadOf(5, a)))
				others := []schedctl.Post{r.schedule(time.Millisecond, a), r.schedule(time.Hour, a)}
				r.fake.OnCall(func(context.Context, publish.Request) publishtest.Response {
					return publishtest.Response{After: 2 * time.Second, Accepted: true}
				})
				r.start()
				r.after(5 * time.Second)
				between(r, a)
				r.after(2 * time.Hour)
				r.wantThread(p)
				for _, other := range others {
					r.wantStatus(other, schedctl.Published)
				}
			})
		})
	}
}

func TestDisconnectedBetweenTwoParts(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", nil)
		p := r.create(threadOf(5, a))
		r.fake.OnCall(failPart(2, publishtest.Response{After: 10 * time.Second}))
		r.start()
		r.after(5 * time.Second)
		gone := r.readAccount(a.ID)
		gone.Status = schedctl.AccountDisconnected
		r.putAccount(gone)
		r.after(time.Minute)
		target := r.wantStatus(p, schedctl.Failed)
		checkChain(t, r.fake.Listed(), target.ID, 3)
		if len(target.Done) != 3 || target.Error.Code != "disconnected" || target.Error.Outcome != no {
			t.Errorf("target %+v, error %+v", target, target.Error)
		}
	})
}

// A part is too late only a day after the part before it.
func TestLateParts(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", nil)
		p := r.create(threadOf(3, a))
		r.fake.OnCall(failPart(1, failing(schedctl.KindNetwork, no)))
		r.start()
		r.after(20 * time.Hour)
		r.fake.OnCall(failPart(2, failing(schedctl.KindNetwork, no)))
		r.after(20 * time.Hour)
		if target := r.wantStatus(p, schedctl.Publishing); len(target.Done) != 2 {
			t.Errorf("target %+v", target)
		}
		r.after(5 * time.Hour)
		if target := r.wantStatus(p, schedctl.Failed); target.Error.Kind != schedctl.KindMissed {
			t.Errorf("error %+v", target.Error)
		}
	})
}

// plain is a network without replies and polls.
type plain struct{ publish.Publisher }

func TestUnsupportedThreadsAndPolls(t *testing.T) {
	for code, change := range map[string]func(*schedctl.NewPost){
		"thread": func(n *schedctl.NewPost) { n.FirstComment = &schedctl.Part{Content: "comment"} },
		"poll":   func(n *schedctl.NewPost) { n.Poll = &schedctl.Poll{Options: []string{"a", "b"}, ExpiresIn: time.Hour} },
	} {
		t.Run(code, func(t *testing.T) {
			bubble(t, func(r *rig) {
				r.registry = publish.NewRegistry(plain{r.fake})
				r.start()
				n := threadOf(1, r.account("me", nil))
				change(&n)
				p := r.create(n)
				r.after(time.Minute)
				r.wantCalls(0)
				if e := r.wantStatus(p, schedctl.Failed).Error; e.Kind != schedctl.KindContent || e.Code != code || e.Outcome != no {
					t.Errorf("error %+v", e)
				}
			})
		})
	}
}

func TestPollIsSent(t *testing.T) {
	bubble(t, func(r *rig) {
		r.start()
		n := threadOf(2, r.account("me", nil))
		n.Poll = &schedctl.Poll{Options: []string{"a", "b"}, ExpiresIn: time.Hour}
		n.Visibility = schedctl.VisibilityUnlisted
		n.LinkPreview = schedctl.LinkPreview{Mode: schedctl.PreviewNone}
		p := r.create(n)
		r.after(time.Minute)
		r.wantThread(p)
		calls := r.wantCalls(2)
		if calls[0].Poll == nil || calls[1].Poll != nil {
			t.Error("the poll does not belong to part 0")
		}
		for _, c := range calls {
			if c.Visibility != schedctl.VisibilityUnlisted || c.Preview.Mode != schedctl.PreviewNone {
				t.Errorf("request %+v", c.Extras)
			}
		}
	})
}

// keyedParts is a network with keys of its own.
type keyedParts struct {
	publishtest.FindingFake
	keys *int
}

func (k keyedParts) NewKey(time.Time) string {
	*k.keys++
	return fmt.Sprint("key", *k.keys)
}

func (k keyedParts) PartKey(first string, part int) string { return fmt.Sprintf("%s+%d", first, part) }

// All attempts of a part have the key that follows from the key of part 0.
func TestKeysOfParts(t *testing.T) {
	bubble(t, func(r *rig) {
		r.registry = publish.NewRegistry(keyedParts{publishtest.FindingFake{Fake: r.fake}, new(int)})
		r.fake.Then(failing(schedctl.KindPlatform, no), publishtest.Response{}, failing(schedctl.KindPlatform, no), failing(schedctl.KindPlatform, maybe))
		r.start()
		p := r.create(threadOf(3, r.account("me", nil)))
		r.after(12 * time.Hour)
		r.wantThread(p)
		var keys []string
		for _, c := range r.fake.Requests() {
			keys = append(keys, c.Key)
		}
		first := keys[1] // after an attempt that published nothing
		if want := []string{keys[0], first, first + "+1", first + "+1", first + "+1", first + "+2"}; first == keys[0] || !slices.Equal(keys, want) {
			t.Errorf("keys %v, want %v", keys, want)
		}
	})
}

// A restored backup continues no thread and no first comment on its own.
func TestWithheldThreads(t *testing.T) {
	bubble(t, func(r *rig) {
		thread := r.create(threadOf(5, r.account("a", nil)))
		comment := r.create(withComment(threadOf(1, r.account("b", nil))))
		r.fake.OnCall(failPart(1, failing(schedctl.KindPlatform, no)))
		r.start()
		r.after(5 * time.Minute) // three attempts of part 1 have failed
		r.endFor(storage.ErrBroken)
		r.fake.OnCall(nil)
		r.withhold(2)
		r.start()
		r.after(48 * time.Hour)
		r.wantWithheld(thread)
		if target := r.target(thread); len(target.Done) != 1 {
			t.Errorf("target %+v", target)
		}
		target := r.wantStatus(comment, schedctl.Published)
		if target.CommentStatus != schedctl.Failed || target.Error.Outcome != maybe {
			t.Errorf("target %+v, error %+v", target, target.Error)
		}
	})
}

// A target that is due before a thread waits for its end, if the thread has started.
func TestThreadGoesBeforeEarlierTargets(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", nil)
		thread := r.create(threadOf(5, a))
		r.fake.Then(publishtest.Response{}, publishtest.Response{}, publishtest.Response{Err: &publish.Error{
			Kind: schedctl.KindRateLimited, Message: "slow down", Outcome: no, RetryAt: time.Now().Add(10 * time.Minute),
		}})
		r.start()
		r.after(time.Minute)
		earlier := r.create(schedctl.NewPost{Content: schedctl.Content{Text: secret}, Accounts: []schedctl.Account{a}, Now: true})
		r.change(earlier.ID, func(p *schedctl.Post) ([]schedctl.Event, error) {
			p.Targets[0].PublishAt = thread.PublishAt.Add(-time.Second)
			p.Targets[0].NextAttemptAt = p.Targets[0].PublishAt
			return nil, nil
		})
		r.kill()
		r.start()
		r.after(time.Hour)
		r.wantThread(thread)
		r.wantStatus(earlier, schedctl.Published)
		if got := r.readAccount(a.ID); got.ThreadTargetID != "" {
			t.Error("the account remembers a thread that has ended")
		}
	})
}

// Each part is called once, whatever the store says about the transaction that records the
// part before it.
func TestNextPartIsCalledOnceWhateverTheStoreSays(t *testing.T) {
	for name, at := range moments {
		for times := range 4 {
			t.Run(fmt.Sprint(name, " ", times), func(t *testing.T) {
				bubble(t, func(r *rig) {
					faulty := r.faulty()
					release := r.fake.Hold()
					r.start()
					a := r.account("me", nil)
					p := r.create(withComment(threadOf(3, a)))
					other := r.schedule(time.Millisecond, a)
					r.after(time.Second)
					faulty.FailUpdates(times, at)
					release()
					r.after(time.Minute)
					r.wantCalls(5)
					r.wantThread(p)
					r.wantAttempts(p, yes, yes, yes, yes)
					r.wantStatus(other, schedctl.Published)
				})
			})
		}
	}
}

// Threads and first comments continue that were queued while the clock was ahead.
func TestThreadOfAClockThatWasSetBack(t *testing.T) {
	bubble(t, func(r *rig) {
		thread := r.create(withComment(threadOf(3, r.account("a", nil))))
		comment := r.create(withComment(threadOf(1, r.account("b", nil))))
		r.fake.OnCall(failPart(1, failing(schedctl.KindPlatform, no)))
		r.start()
		r.after(time.Second)
		r.kill()
		r.fake.OnCall(nil)
		r.fake.Then(failing(schedctl.KindPlatform, no))
		const ahead = 9 * 365 * 24 * time.Hour
		for _, p := range []schedctl.Post{thread, comment} {
			r.change(p.ID, func(p *schedctl.Post) ([]schedctl.Event, error) {
				t := &p.Targets[0]
				for _, at := range []*time.Time{&p.UpdatedAt, &t.PublishAt, &t.PublishedAt, &t.NextAttemptAt, &t.AskAt} {
					if !at.IsZero() {
						*at = at.Add(ahead)
					}
				}
				for i := range t.Done {
					t.Done[i].PublishedAt = t.Done[i].PublishedAt.Add(ahead)
				}
				return nil, nil
			})
		}
		r.start()
		r.after(5 * time.Minute)
		r.wantThread(thread)
		r.wantThread(comment)
	})
}
