package deliver_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/storage"
)

var (
	fault     = failing(schedctl.KindPlatform, schedctl.OutcomeNotPublished)
	netDown   = failing(schedctl.KindNetwork, schedctl.OutcomeNotPublished)
	noAnswer  = failing(schedctl.KindNetwork, schedctl.OutcomeUnknown)
	lostReply = publishtest.Response{Err: noAnswer.Err, Accepted: true} // published, but the response is lost
)

const (
	no    = schedctl.OutcomeNotPublished
	yes   = schedctl.OutcomePublished
	maybe = schedctl.OutcomeUnknown
)

func TestRetriesWithBackoff(t *testing.T) {
	bubble(t, func(r *rig) {
		r.fake.Then(fault, fault, fault, fault, fault)
		r.start()
		p := r.publishNow(r.account("me", nil))
		for n, wait := range []time.Duration{10, 80, 640, 5120} {
			synctest.Wait()
			r.wantCalls(n + 1)
			target := r.wantStatus(p, schedctl.Publishing)
			got, want := time.Until(target.AskAt), wait*time.Second
			if got < want*8/10 || got > want*12/10 {
				t.Errorf("wait after try %d is %s, want %s plus or minus 20 %%", n+1, got, want)
			}
			if e := target.Error; e == nil || !e.Retryable || e.Outcome != no {
				t.Errorf("error between two tries: %+v", e)
			}
			r.after(got - time.Millisecond)
			r.wantCalls(n + 1)
			r.after(time.Millisecond)
		}
		r.after(24 * time.Hour)
		r.wantCalls(5)
		want := &schedctl.TargetError{Kind: schedctl.KindPlatform, Code: "test", Message: "said no", HTTPStatus: 500, Outcome: no, Retryable: true}
		if diff := cmp.Diff(want, r.wantStatus(p, schedctl.Failed).Error); diff != "" {
			t.Errorf("error (-want +got):\n%s", diff)
		}
		if got := r.events(); !slices.Equal(got[len(got)-2:], []schedctl.EventType{schedctl.EventPostFailed, schedctl.EventPostCompleted}) {
			t.Errorf("events %v", got)
		}
		// A person's retry starts a new count.
		r.fake.Then(fault)
		r.change(p.ID, func(p *schedctl.Post) ([]schedctl.Event, error) { return p.Retry(schedctl.Retry{}, time.Now()) })
		r.after(time.Minute)
		target := r.wantStatus(p, schedctl.Published)
		if target.Attempts != 7 || target.Error != nil {
			t.Errorf("after the retry: %+v", target)
		}
	})
}

// TestDegradedIsRecorded guards that a change by the network is stored in the target, the
// attempt and the event of the publication.
func TestDegradedIsRecorded(t *testing.T) {
	bubble(t, func(r *rig) {
		r.fake.Then(publishtest.Response{Degraded: schedctl.Degradation{Code: "visibility", Message: "it is public there"}})
		r.start()
		p := r.publishNow(r.account("me", nil))
		r.after(time.Second)
		want := &schedctl.TargetError{Kind: schedctl.KindDegraded, Code: "visibility", Message: "it is public there", Outcome: yes}
		target := r.wantStatus(p, schedctl.Published)
		if diff := cmp.Diff(want, target.Error); diff != "" {
			t.Errorf("target (-want +got):\n%s", diff)
		}
		var attempts []schedctl.Attempt
		r.view(func(reader storage.Reader) (err error) {
			attempts, err = reader.Attempts(target.ID)
			return err
		})
		if diff := cmp.Diff(want, attempts[0].Error); diff != "" || len(attempts) != 1 || attempts[0].Outcome != yes {
			t.Errorf("%d attempts, %s (-want +got):\n%s", len(attempts), attempts[0].Outcome, diff)
		}
		if got := r.events(); !slices.Contains(got, schedctl.EventPostPublished) || slices.Contains(got, schedctl.EventPostFailed) {
			t.Errorf("events %v", got)
		}
		r.after(24 * time.Hour)
		r.wantCalls(1)
	})
}

func TestRefusedContentIsFinal(t *testing.T) {
	for _, kind := range []schedctl.ErrorKind{schedctl.KindContent, schedctl.KindMedia, schedctl.KindDuplicate} {
		t.Run(string(kind), func(t *testing.T) {
			bubble(t, func(r *rig) {
				r.fake.Then(failing(kind, no))
				r.start()
				p := r.publishNow(r.account("me", nil))
				r.after(time.Hour)
				r.wantCalls(1)
				if e := r.wantStatus(p, schedctl.Failed).Error; e.Kind != kind || e.Retryable {
					t.Errorf("error %+v", e)
				}
			})
		})
	}
}

func TestRateLimitPausesTheAccount(t *testing.T) {
	bubble(t, func(r *rig) {
		limited, other := r.account("limited", nil), r.account("other", nil)
		until := time.Now().Add(7 * time.Minute).UTC()
		r.fake.Then(publishtest.Response{Err: &publish.Error{Kind: schedctl.KindRateLimited, Outcome: no, RetryAt: until}})
		x := r.start()
		first := r.publishNow(limited)
		synctest.Wait()
		second, elsewhere := r.publishNow(limited), r.publishNow(other)
		synctest.Wait()
		r.wantStatus(elsewhere, schedctl.Published)
		if got := r.wantStatus(first, schedctl.Publishing).AskAt; !got.Equal(until) {
			t.Errorf("next attempt at %s, the network asked for %s", got, until)
		}
		if got := r.readAccount(limited.ID).PausedUntil; !got.Equal(until) {
			t.Errorf("account paused until %s, the network asked for %s", got, until)
		}
		if got := x.Stats(); got.Held != 2 || got.InFlight != 0 {
			t.Errorf("stats %+v, want two targets held", got)
		}
		r.after(7*time.Minute - time.Millisecond)
		r.wantCalls(2)
		r.after(time.Millisecond)
		r.wantStatus(first, schedctl.Published)
		r.wantCalls(3)
		r.after(time.Second) // both are overdue and spaced
		r.wantStatus(second, schedctl.Published)
		r.wantCalls(4)
	})
}

// TestRetryEndsAPause guards that a person who retries a post need not wait for the end of a
// rate limit.
func TestRetryEndsAPause(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("limited", nil)
		until := time.Now().Add(20 * time.Hour).UTC()
		r.fake.Then(publishtest.Response{Err: &publish.Error{Kind: schedctl.KindRateLimited, Outcome: no, RetryAt: until}})
		r.start()
		p := r.publishNow(a)
		r.after(time.Minute)
		if got := r.readAccount(a.ID); !got.PausedUntil.Equal(until) || got.PausedBy != schedctl.KindRateLimited {
			t.Errorf("paused until %s by %q", got.PausedUntil, got.PausedBy)
		}
		r.change(p.ID, func(p *schedctl.Post) ([]schedctl.Event, error) { return p.Retry(schedctl.Retry{}, time.Now()) })
		r.after(time.Minute)
		r.wantCalls(1)
		now := r.readAccount(a.ID)
		now.EndPause()
		r.putAccount(now)
		r.after(time.Second)
		r.wantStatus(p, schedctl.Published)
		r.wantCalls(2)
	})
}

// A pause that was removed in the store ends at the next sweep, even without a
// notification.
func TestPauseIsReadAgain(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", nil)
		a.PausedUntil = time.Now().Add(time.Hour).UTC()
		r.putAccount(a)
		x := r.start()
		p := r.publishNow(a)
		r.after(time.Minute)
		r.wantCalls(0)
		r.deafen()
		a.PausedUntil = time.Time{}
		r.putAccount(a)
		r.after(30 * time.Second)
		r.wantStatus(p, schedctl.Published)
		x.stop()
	})
}

func TestUnknownOutcomeIsNeverRepeatedBlindly(t *testing.T) {
	for _, test := range []struct {
		name   string
		answer publishtest.Response
	}{
		{"no answer", noAnswer},
		{"lost reply", lostReply},
		{"server error", failing(schedctl.KindPlatform, maybe)},
		{"time-out", publishtest.Response{After: time.Hour}},
		{"not a publisher's error", publishtest.Response{Err: errors.New("broken")}},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				r.fake.Then(test.answer)
				r.start()
				p := r.publishNow(r.account("me", nil))
				r.after(24 * time.Hour)
				r.wantCalls(1)
				if e := r.wantStatus(p, schedctl.Failed).Error; e.Outcome != maybe || e.Retryable {
					t.Errorf("error %+v", e)
				}
				if got := r.outcomes(p); !slices.Equal(got, []schedctl.Outcome{maybe}) {
					t.Errorf("attempts %v", got)
				}
			})
		})
	}
}

func TestUnknownOutcomeIsRepeatedWhereItIsRecognized(t *testing.T) {
	bubble(t, func(r *rig) {
		r.fake.Then(lostReply, noAnswer)
		r.start()
		p := r.publishNow(r.account("me", schedctl.Options{"idempotent": true}))
		r.after(2 * time.Minute)
		calls := r.wantCalls(3)
		r.wantStatus(p, schedctl.Published)
		for i, q := range calls {
			if q.Key != p.Targets[0].ID || q.Attempt != i+1 {
				t.Errorf("call %d has key %s and attempt %d", i+1, q.Key, q.Attempt)
			}
		}
		if n := r.fake.Posts()[p.Targets[0].ID]; n != 1 {
			t.Errorf("published %d times", n)
		}
		if got := r.outcomes(p); !slices.Equal(got, []schedctl.Outcome{maybe, maybe, yes}) {
			t.Errorf("attempts %v", got)
		}
	})
}

// After a call that may have published, a later refusal does not prove that it has not.
func TestUnknownOutcomeOutlivesLaterFailures(t *testing.T) {
	bubble(t, func(r *rig) {
		r.fake.Then(lostReply, fault, fault, fault, fault, fault)
		r.start()
		p := r.publishNow(r.account("me", schedctl.Options{"idempotent": true}))
		r.after(3 * time.Hour)
		r.wantCalls(6) // the first call got no response, so it does not count as a try
		if e := r.wantStatus(p, schedctl.Failed).Error; e.Outcome != maybe || e.Retryable {
			t.Errorf("error %+v", e)
		}
		if got := r.outcomes(p); !slices.Equal(got, []schedctl.Outcome{maybe, no, no, no, no, no}) {
			t.Errorf("attempts %v", got)
		}
	})
}

func TestNoRepeatWhenTheAccountIsNoLongerIdempotent(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", schedctl.Options{"idempotent": true})
		r.fake.Then(lostReply, noAnswer)
		r.start()
		p := r.publishNow(a)
		synctest.Wait()
		a.Options = nil
		r.putAccount(a)
		r.after(time.Hour)
		r.wantCalls(2) // the repeat at once
		if e := r.wantStatus(p, schedctl.Failed).Error; e.Outcome != maybe || e.Code != "in_doubt" {
			t.Errorf("error %+v", e)
		}
	})
}

// finder is a network that can be asked, if it responds.
type finder struct {
	publishtest.FindingFake

	mu     sync.Mutex    // mu guards the fields below
	silent int           // how many questions get no response; -1 for all
	unable bool          // with silent: it never responds
	limit  time.Duration // the retry time of a failed question
	back   time.Time     // before this it is down
	barred bool          // it refuses the account
	since  []time.Time
}

func (f *finder) Find(ctx context.Context, r publish.Request, since time.Time) (schedctl.Receipt, bool, error) {
	if f.isBarred() {
		return schedctl.Receipt{}, false, &publish.Error{Kind: schedctl.KindAuth, Code: "revoked", HTTPStatus: 401, Outcome: maybe, Message: "connect it again"}
	}
	if f.note(since) {
		if f.limit > 0 {
			return schedctl.Receipt{}, false, &publish.Error{Kind: schedctl.KindRateLimited, RetryAt: time.Now().Add(f.limit), Outcome: maybe}
		}
		if f.unable {
			return schedctl.Receipt{}, false, &publish.Error{Kind: schedctl.KindPlatform, Code: publish.CodeCannotAsk, Outcome: maybe}
		}
		return schedctl.Receipt{}, false, netDown.Err
	}
	return f.FindingFake.Find(ctx, r, since)
}

func (f *finder) isBarred() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.barred
}

func (f *finder) bar(barred bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.barred = barred
}

func (f *finder) note(since time.Time) (silent bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.since = append(f.since, since)
	if time.Now().Before(f.back) {
		return true
	}
	if f.silent != 0 {
		f.silent--
		return true
	}
	return false
}

// asked returns the since times of all questions.
func (f *finder) asked() []time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.since)
}

func (r *rig) findable() *finder {
	f := &finder{FindingFake: publishtest.FindingFake{Fake: r.fake}}
	r.registry["fake"] = f
	return f
}

func TestNetworkIsAskedAfterAnUnknownOutcome(t *testing.T) {
	for _, test := range []struct {
		name     string
		answer   publishtest.Response
		silent   int
		asks     int
		calls    int
		outcomes []schedctl.Outcome
		status   schedctl.Status
	}{
		{"has it", lostReply, 0, 1, 1, []schedctl.Outcome{yes}, schedctl.Published},
		{"does not have it", noAnswer, 0, 1, 2, []schedctl.Outcome{no, yes}, schedctl.Published},
		{"has it, responds to the third question", lostReply, 2, 3, 1, []schedctl.Outcome{yes}, schedctl.Published},
		{"never answers", lostReply, -1, -1, 1, []schedctl.Outcome{maybe}, schedctl.Failed},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				f := r.findable()
				f.silent = test.silent
				r.fake.Then(test.answer)
				x := r.start()
				began := time.Now()
				p := r.publishNow(r.account("me", nil))
				r.after(time.Minute - time.Millisecond)
				if len(f.asked()) != 0 {
					t.Error("asked before the network can have finished the call")
				}
				if got := x.Stats().InFlight; got != 0 {
					t.Errorf("%d workers taken by waiting", got)
				}
				if test.asks < 0 { // until it is too late
					r.after(20 * time.Hour)
					r.wantStatus(p, schedctl.Publishing)
				}
				r.after(5 * time.Hour)
				r.wantCalls(test.calls)
				r.wantStatus(p, test.status)
				r.after(24 * time.Hour)
				asked := f.asked()
				if test.asks < 0 {
					if n := len(asked); n < 24*60 || n > 24*90 {
						t.Errorf("asked %d times in a day", n)
					}
				} else if len(asked) != test.asks {
					t.Fatalf("asked %d times, want %d", len(asked), test.asks)
				}
				if !asked[0].Equal(schedctl.Millis(began)) {
					t.Errorf("asked for posts since %s, the attempt started at %s", asked[0], began)
				}
				if got := r.outcomes(p); !slices.Equal(got, test.outcomes) {
					t.Errorf("attempts %v, want %v", got, test.outcomes)
				}
				if n := r.fake.Posts()[p.Targets[0].ID]; n != 1 {
					t.Errorf("published %d times", n)
				}
			})
		})
	}
}

// A token that is revoked while an attempt is unresolved puts the account in error. The
// question is not lost: the network is asked when the account is reconnected.
func TestRefusedWhileUnresolved(t *testing.T) {
	for _, test := range []struct {
		name   string
		answer publishtest.Response
		calls  int
	}{{"has it", lostReply, 1}, {"does not have it", noAnswer, 2}} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				f := r.findable()
				f.bar(true)
				r.fake.Then(test.answer)
				r.start()
				a := r.account("me", nil)
				p, next := r.publishNow(a), r.schedule(time.Second, a)
				r.after(5 * time.Hour)
				r.wantStatus(p, schedctl.Publishing)
				if got := r.readAccount(a.ID); got.Status != schedctl.AccountError || got.Error == nil || got.Error.Code != "revoked" {
					t.Errorf("account is %s: %+v", got.Status, got.Error)
				}
				if n := count(r.events(), schedctl.EventAccountError); n != 1 {
					t.Errorf("reported %d times", n)
				}
				f.bar(false)
				r.reconnect(a.ID)
				r.after(time.Second)
				r.wantStatus(p, schedctl.Published)
				r.after(time.Minute)
				r.wantStatus(next, schedctl.Published)
				r.wantCalls(test.calls + 1)
				if n := r.fake.Posts()[p.Targets[0].ID]; n != 1 {
					t.Errorf("published %d times", n)
				}
			})
		})
	}
}

// If the account is not reconnected, the target fails at the late limit.
func TestRefusedWhileUnresolvedForTooLong(t *testing.T) {
	bubble(t, func(r *rig) {
		f := r.findable()
		f.bar(true)
		r.fake.Then(noAnswer)
		r.start()
		p := r.publishNow(r.account("me", nil))
		r.after(25 * time.Hour)
		if e := r.wantStatus(p, schedctl.Failed).Error; e.Outcome != maybe || e.Retryable {
			t.Errorf("error %+v", e)
		}
		r.wantCalls(1)
	})
}

// A network that can never respond to questions is asked once.
func TestNetworkThatCannotBeAsked(t *testing.T) {
	bubble(t, func(r *rig) {
		f := r.findable()
		f.silent, f.unable = -1, true
		r.fake.Then(lostReply)
		r.start()
		p := r.publishNow(r.account("me", nil))
		r.after(time.Minute + time.Second)
		if e := r.wantStatus(p, schedctl.Failed).Error; e.Outcome != maybe {
			t.Errorf("error %+v", e)
		}
		if n := len(f.asked()); n != 1 {
			t.Errorf("asked %d times", n)
		}
	})
}

// A network that rate-limits questions is asked at the time that it names.
func TestNetworkSaysWhenToAsk(t *testing.T) {
	bubble(t, func(r *rig) {
		f := r.findable()
		f.silent, f.limit = 1, 15*time.Minute
		r.fake.Then(lostReply)
		r.start()
		p := r.publishNow(r.account("me", nil))
		r.after(16*time.Minute - time.Millisecond)
		if n := len(f.asked()); n != 1 {
			t.Errorf("asked %d times within the time that the network wanted", n)
		}
		r.after(time.Millisecond)
		r.wantStatus(p, schedctl.Published)
		r.wantCalls(1)
	})
}

// panicking is a publisher that panics.
type panicking struct {
	*publishtest.Fake
	with func(publish.Request)
}

func (p panicking) Publish(_ context.Context, r publish.Request) (schedctl.Receipt, error) {
	p.with(r)
	return schedctl.Receipt{}, nil
}

func TestPublisherPanics(t *testing.T) {
	for _, test := range []struct {
		name string
		with func(publish.Request)
	}{
		{"with the post", func(r publish.Request) { panic(r.Content + r.Credentials["token"]) }},
		{"at run time", func(publish.Request) { var none []int; _ = none[len(none)] }},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				r.registry["fake"] = panicking{r.fake, test.with}
				a := r.account("me", nil)
				r.start()
				p := r.publishNow(a)
				r.after(time.Hour)
				if e := r.wantStatus(p, schedctl.Failed).Error; e.Kind != schedctl.KindUnknown || e.Outcome != maybe || e.Code != "panic" {
					t.Errorf("error %+v", e)
				}
				if log := r.logs.String(); !strings.Contains(log, "outcome_test.go") {
					t.Errorf("no stack in the log:\n%s", log)
				}
				r.wantDiscretion()
				r.registry["fake"] = r.fake
			})
		})
	}
}

// wantDiscretion checks that the log contains neither content nor credentials.
func (r *rig) wantDiscretion() {
	r.Helper()
	for _, word := range []string{secret, token} {
		if strings.Contains(r.logs.String(), word) {
			r.Errorf("the log contains %q:\n%s", word, r.logs.String())
		}
	}
}

func TestNothingConfidentialInLogsAndErrors(t *testing.T) {
	bubble(t, func(r *rig) {
		r.fake.OnCall(func(_ context.Context, q publish.Request) publishtest.Response {
			if q.Account.Name == "other" {
				return publishtest.Response{Err: errors.New(q.Content + q.Credentials["token"])}
			}
			cause := errors.New("POST " + q.Credentials["token"] + " " + q.Content)
			return publishtest.Response{Err: &publish.Error{
				Kind: schedctl.KindPlatform, Code: "x " + q.Content, Message: "<h1>" + q.Content + "</h1> " + q.Credentials["token"],
				Outcome: no, Err: cause,
			}}
		})
		r.start()
		p := r.publishNow(r.account("me", nil))
		r.publishNow(r.account("other", nil))
		r.after(3 * time.Hour)
		r.wantDiscretion()
		e := r.wantStatus(p, schedctl.Failed).Error
		if want := "<h1>[hidden]</h1> [hidden]"; e.Message != want || e.Code != "x [hidden]" {
			t.Errorf("message %q and code %q, want %q", e.Message, e.Code, want)
		}
		if log := r.logs.String(); !strings.Contains(log, "POST [hidden] [hidden]") {
			t.Errorf("the cause is not in the log:\n%s", log)
		}
	})
}
