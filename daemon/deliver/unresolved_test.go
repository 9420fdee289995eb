package deliver_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/storage"
)

// A server that is down for two minutes gets the posts of the account within a minute of
// its return and in order, even if the daemon was restarted in that time.
func TestServerAwayForTwoMinutes(t *testing.T) {
	gateway := publishtest.Response{Err: &publish.Error{Kind: schedctl.KindPlatform, HTTPStatus: 502, Outcome: maybe, Message: "bad gateway"}}
	for _, test := range []struct {
		name    string
		answer  publishtest.Response
		options schedctl.Options
		restart bool
	}{
		{name: "no connection", answer: netDown},
		{name: "no connection, restart", answer: netDown, restart: true},
		{name: "no response, repeatable", answer: noAnswer, options: schedctl.Options{"idempotent": true}},
		{name: "gateway, repeatable", answer: gateway, options: schedctl.Options{"idempotent": true}},
		{name: "gateway, repeatable, restart", answer: gateway, options: schedctl.Options{"idempotent": true}, restart: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				back := time.Now().Add(2 * time.Minute)
				r.fake.OnCall(func(context.Context, publish.Request) publishtest.Response {
					if time.Now().Before(back) {
						return test.answer
					}
					return publishtest.Response{}
				})
				r.start()
				a := r.account("me", test.options)
				var posts []schedctl.Post
				for i := range 5 {
					posts = append(posts, r.schedule(time.Duration(1+20*i)*time.Second, a))
				}
				r.after(100 * time.Second)
				for _, q := range r.fake.Requests() {
					if q.PostID != posts[0].ID {
						t.Fatal("a post other than the first probes the network")
					}
				}
				if test.restart {
					r.kill()
					r.start()
				}
				r.after(80*time.Second + 6*time.Second) // a minute after the return, plus the space between overdue posts
				last := back
				for i, p := range posts {
					got := r.wantStatus(p, schedctl.Published)
					if got.PublishedAt.Before(last) {
						t.Errorf("post %d was published before its predecessor", i)
					}
					last = got.PublishedAt
				}
				if late := r.target(posts[0]).PublishedAt.Sub(back); late > time.Minute {
					t.Errorf("the first post was published %s after the server was back", late)
				}
			})
		})
	}
}

// A post that its network refuses with errors delays later posts for its first tries,
// and then no longer.
func TestFaultyPostGivesWay(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", nil)
		bad := r.schedule(time.Second, a)
		r.fake.OnCall(func(_ context.Context, q publish.Request) publishtest.Response {
			if q.PostID == bad.ID {
				return fault
			}
			return publishtest.Response{}
		})
		r.start()
		next := r.schedule(2*time.Second, a)
		r.after(30 * time.Second)
		r.wantStatus(next, schedctl.Scheduled)
		r.after(90 * time.Second)
		r.wantStatus(next, schedctl.Published)
		r.wantStatus(bad, schedctl.Publishing)
	})
}

// attempts returns the attempts of a post's first target.
func (r *rig) attempts(p schedctl.Post) (attempts []schedctl.Attempt) {
	r.Helper()
	r.view(func(tx storage.Reader) (err error) {
		attempts, err = tx.Attempts(p.Targets[0].ID)
		return err
	})
	return attempts
}

// wantUnresolved checks that a target shows that it is unresolved, and when the network is
// asked next.
func (r *rig) wantUnresolved(p schedctl.Post, asks int, message string) schedctl.Target {
	r.Helper()
	got := r.wantStatus(p, schedctl.Publishing)
	if got.Error == nil || got.Error.Outcome != maybe || !strings.Contains(got.Error.Message, message) {
		r.Errorf("error %+v, want %q", got.Error, message)
	}
	if got.AskAt.Before(time.Now()) || time.Until(got.AskAt) > time.Minute {
		r.Errorf("asked next at %s, it is %s", got.AskAt, time.Now())
	}
	if a := r.attempts(p)[0]; a.Outcome != schedctl.OutcomeRunning || a.Error == nil || a.Asks != asks {
		r.Errorf("attempt %+v with error %+v, want %d asks", a, a.Error, asks)
	}
	return got
}

// The state of an unresolved attempt is shown from its start, and survives a restart.
func TestUnresolvedAttemptIsShown(t *testing.T) {
	bubble(t, func(r *rig) {
		f := r.findable()
		f.back = time.Now().Add(10 * time.Minute)
		r.fake.Then(lostReply)
		r.start()
		p := r.publishNow(r.account("me", nil))
		synctest.Wait()
		r.wantUnresolved(p, 0, "it is unknown whether the post was published: schedctl will ask the network at")
		if n := count(r.events(), schedctl.EventPostUnconfirmed); n != 1 {
			t.Errorf("%d events", n)
		}
		r.after(time.Minute)
		r.wantUnresolved(p, 1, "schedctl has asked the network once and will ask again at")
		r.after(time.Minute)
		asked := r.wantUnresolved(p, 2, "schedctl has asked the network 2 times").Error.Message
		r.kill()
		if got := r.target(p).Error.Message; got != asked {
			t.Errorf("after the stop: %s", got)
		}
		r.start()
		synctest.Wait()
		r.wantUnresolved(p, 3, "schedctl has asked the network 3 times")
		r.after(10 * time.Minute)
		if got := r.wantStatus(p, schedctl.Published); !got.AskAt.IsZero() || got.Error != nil {
			t.Errorf("published: %+v", got)
		}
		if got := r.readAccount(p.Targets[0].AccountID); !got.DisruptedSince.IsZero() {
			t.Errorf("the account is disrupted since %s", got.DisruptedSince)
		}
		if n := count(r.events(), schedctl.EventPostUnconfirmed); n != 1 {
			t.Errorf("%d events", n)
		}
		if log := r.logs.String(); strings.Contains(log, "<nil>") {
			t.Errorf("the log has an error that is nil:\n%s", log)
		}
	})
}

// A network that loses several requests in a row, and reports each time that it does not
// have the post, gets the post in the end. A settled attempt no longer counts as
// uncertain.
func TestUnresolvedAttemptsInARow(t *testing.T) {
	for _, restart := range []bool{false, true} {
		t.Run(fmt.Sprint("restart: ", restart), func(t *testing.T) {
			bubble(t, func(r *rig) {
				r.findable()
				r.fake.Then(noAnswer, noAnswer, noAnswer)
				r.start()
				p := r.publishNow(r.account("me", nil))
				r.after(90 * time.Second)
				r.wantCalls(2)
				if restart {
					r.kill()
					r.start()
				}
				r.after(5 * time.Minute)
				r.wantStatus(p, schedctl.Published)
				r.wantCalls(4)
				if got := r.outcomes(p); !slices.Equal(got, []schedctl.Outcome{no, no, no, schedctl.OutcomePublished}) {
					t.Errorf("attempts %v", got)
				}
			})
		})
	}
}

// A retry or a successful verification makes schedctl ask at once. A missing post proves
// nothing while the network may still be processing the call.
func TestUnresolvedAttemptIsAskedAboutAtOnce(t *testing.T) {
	ask := map[string]func(*rig, schedctl.Post){
		"verify": func(r *rig, p schedctl.Post) {
			a := r.readAccount(p.Targets[0].AccountID)
			a.EndDisruption()
			r.putAccount(a)
		},
		"retry": func(r *rig, p schedctl.Post) {
			r.change(p.ID, func(p *schedctl.Post) ([]schedctl.Event, error) { return p.Retry(schedctl.Retry{}, time.Now()) })
			r.putAccount(r.readAccount(p.Targets[0].AccountID))
		},
	}
	for name, ask := range ask {
		for _, there := range []bool{true, false} {
			t.Run(fmt.Sprint(name, ", there: ", there), func(t *testing.T) {
				bubble(t, func(r *rig) {
					f := r.findable()
					r.fake.Then(publishtest.Response{Err: noAnswer.Err, Accepted: there})
					r.start()
					p := r.publishNow(r.account("me", nil))
					r.after(10 * time.Second)
					ask(r, p)
					synctest.Wait()
					if n := len(f.asked()); n != 1 {
						t.Errorf("asked %d times", n)
					}
					if there {
						r.wantStatus(p, schedctl.Published)
						return
					}
					r.after(49 * time.Second)
					r.wantStatus(p, schedctl.Publishing)
					r.wantCalls(1)
					r.after(time.Second)
					r.wantStatus(p, schedctl.Published)
					r.wantCalls(2)
				})
			})
		}
	}
}

// A retry or a verification also ends the wait for the next probe.
func TestProbeAtOnce(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", nil)
		r.fake.Then(netDown, netDown, netDown)
		r.start()
		p := r.publishNow(a)
		r.after(30 * time.Second)
		r.wantCalls(3)
		if got := r.target(p); !got.WaitsForNetwork() || got.Tries() != 3 || got.Unreached != 3 {
			t.Errorf("target %+v", got)
		}
		verified := r.readAccount(a.ID)
		verified.EndDisruption()
		r.putAccount(verified)
		synctest.Wait()
		r.wantStatus(p, schedctl.Published)
	})
}

// A cut call is repeated at once where the network recognizes a repeat.
func TestSafeRepeatIsImmediate(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", schedctl.Options{"idempotent": true})
		r.fake.Then(lostReply)
		r.start()
		p, next := r.publishNow(a), r.publishNow(a)
		synctest.Wait()
		r.wantStatus(p, schedctl.Published)
		r.wantStatus(next, schedctl.Published)
		if calls := r.wantCalls(3); calls[1].PostID != calls[0].PostID {
			t.Error("the next post was called before the repeat")
		}
	})
}
