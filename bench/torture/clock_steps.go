package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// How long something may take: prompt is when nothing has to be noticed, and slow
// when a clock has to be looked at, which is done every 30 s; both with room for a
// machine that is busy.
const (
	promptLimit     = 10 * time.Second
	clockCheckLimit = 45 * time.Second
)

// clockWorld is a world whose clock jumps.
type clockWorld struct {
	*world
	hands  *clockControl
	jumps  int64
	waited int64  // milliseconds at most until what had to happen then has happened
	seen   string // the event to resume after
}

// clockStep is a part of a course of events.
type clockStep func(context.Context) error

// runSteps takes one step after another.
func (x *clockWorld) runSteps(ctx context.Context, steps ...clockStep) error {
	for i, s := range steps {
		if err := s(ctx); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return nil
}

func (x *clockWorld) set(by time.Duration) clockStep {
	return func(context.Context) error {
		x.jumps++
		return x.hands.jump(by)
	}
}

func (x *clockWorld) wait(d time.Duration) clockStep {
	return func(ctx context.Context) error { return sleep(ctx, d) }
}

// suspendFor lets time pass in which the machine is suspended.
func (x *clockWorld) suspendFor(d time.Duration) clockStep {
	return func(context.Context) error {
		x.jumps++
		return x.hands.sleep(d)
	}
}

// restart stops the daemon in order and starts it again.
func (x *clockWorld) restart(ctx context.Context) error {
	return x.stopped(x.wait(0))(ctx)
}

// stopped takes a step while the daemon is stopped.
func (x *clockWorld) stopped(s clockStep) clockStep {
	return func(ctx context.Context) error {
		if err := x.daemon().Stop(); err != nil {
			return err
		}
		if err := s(ctx); err != nil {
			return err
		}
		return x.start(ctx)
	}
}

// schedule makes a post that is due after a time of the daemon's clock.
func (x *clockWorld) schedule(ctx context.Context, in time.Duration, k kind) (*story, error) {
	s := x.tell()
	return s, x.authors[0].scheduleAt(ctx, s, x.accounts[k], x.hands.now().Add(in))
}

func (x *clockWorld) tell() *story {
	s := new(story)
	x.authors[0].stories = append(x.authors[0].stories, s)
	return s
}

// publishes makes a post that is due now.
func (x *clockWorld) publishes(s *story, k kind) clockStep {
	return func(ctx context.Context) error {
		x.authors[0].stories = append(x.authors[0].stories, s)
		return x.authors[0].now(ctx, s, x.accounts[k])
	}
}

// publishesSoon makes a post that is due now and must go out when the clock has been
// looked at.
func (x *clockWorld) publishesSoon(k kind) clockStep {
	return func(ctx context.Context) error {
		s := new(story)
		if err := x.publishes(s, k)(ctx); err != nil {
			return err
		}
		return x.isPublished(s, clockCheckLimit)(ctx)
	}
}

// publishesOnTime makes a post that is due in a second and must go out then.
func (x *clockWorld) publishesOnTime(k kind) clockStep {
	return func(ctx context.Context) error {
		s, err := x.schedule(ctx, time.Second, k)
		if err != nil {
			return err
		}
		return x.isPublished(s, promptLimit)(ctx)
	}
}

// isPublished asks that a post is published within a time.
func (x *clockWorld) isPublished(s *story, within time.Duration) clockStep {
	return x.reachesStatus(s, schedctl.Published, within)
}

// reachesStatus asks that a post comes to a status within a time.
func (x *clockWorld) reachesStatus(s *story, want schedctl.Status, within time.Duration) clockStep {
	return func(ctx context.Context) error {
		began := time.Now()
		for {
			p, err := x.read(ctx, s)
			if err != nil {
				return err
			}
			took := time.Since(began)
			if p.Status == want {
				x.waited = max(x.waited, took.Milliseconds())
				return nil
			}
			if took > within {
				x.judged.violation(stuckRecord, "%s: post %s is %s after %s, want %s: %+v", x.name, s.post, p.Status, within, want, p.Targets)
				return nil
			}
			if err := sleep(ctx, 100*time.Millisecond); err != nil {
				return err
			}
		}
	}
}

// hasStatus asks that a post has a status.
func (x *clockWorld) hasStatus(s *story, want schedctl.Status) clockStep {
	return func(ctx context.Context) error {
		p, err := x.read(ctx, s)
		if err == nil && p.Status != want {
			x.judged.violation(wrongStatus, "%s: post %s is %s, want %s: %+v", x.name, s.post, p.Status, want, p.Targets)
		}
		return err
	}
}

// allHaveStatus asks that posts have a status.
func (x *clockWorld) allHaveStatus(want schedctl.Status, stories ...*story) clockStep {
	return func(ctx context.Context) error {
		var errs []error
		for _, s := range stories {
			errs = append(errs, x.hasStatus(s, want)(ctx))
		}
		return errors.Join(errs...)
	}
}

// awaitFailedAttempt waits until an attempt of a post has failed.
func (x *clockWorld) awaitFailedAttempt(s *story) clockStep {
	return func(ctx context.Context) error {
		for end := time.Now().Add(clockCheckLimit); time.Now().Before(end); {
			p, err := x.read(ctx, s)
			if err != nil {
				return err
			}
			if p.Targets[0].Attempts > 0 && p.Targets[0].NextAttemptAt != nil {
				return nil
			}
			if err := sleep(ctx, 50*time.Millisecond); err != nil {
				return err
			}
		}
		return fmt.Errorf("post %s was not tried", s.post)
	}
}

func (x *clockWorld) read(ctx context.Context, s *story) (apiv1.Post, error) {
	var answer apiv1.PostEnvelope
	err := x.daemon().Call(ctx, "GET", "/posts/"+s.post, "", &answer)
	return answer.Post, err
}

// resendAll sends every acknowledged write again.
func (x *clockWorld) resendAll(ctx context.Context) error {
	for _, s := range x.authors[0].stories {
		for _, r := range s.writes {
			if err := x.resend(ctx, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// newKey makes an API key that expires after a time of the daemon's clock.
func (x *clockWorld) newKey(ctx context.Context, expires time.Duration) (secret string, err error) {
	body, err := json.Marshal(map[string]any{"name": "short", "scopes": []string{"posts:read"}, "expires_at": apiv1.NewTime(x.hands.now().Add(expires))})
	if err != nil {
		return "", err
	}
	answer, err := x.createReliably(ctx, "/api-keys", string(body), "key")
	if err != nil {
		return "", err
	}
	var made struct{ Secret string }
	return made.Secret, json.Unmarshal(answer, &made)
}

// keyWorks asks that a key is good.
func (x *clockWorld) keyWorks(secret string) clockStep {
	return func(ctx context.Context) error {
		c, err := client.New(client.Config{URL: "http://" + x.daemon().Address, Key: secret})
		if err != nil {
			return err
		}
		if _, err := c.Me(ctx); err != nil {
			x.judged.violation(lostRecord, "%s: a key that is good for a day: %v", x.name, err)
		}
		return nil
	}
}

// remember notes the youngest event of the youngest post, to resume after it.
func (x *clockWorld) remember(ctx context.Context) error {
	stories := x.authors[0].stories
	var t apiv1.Timeline
	err := x.daemon().Call(ctx, "GET", "/posts/"+stories[len(stories)-1].post+"/timeline", "", &t)
	for _, e := range t.Events {
		x.seen = max(x.seen, e.ID)
	}
	return err
}

// resumesEvents makes a post, and asks that who resumes after the event that was noted
// is told of it, and that it goes out.
func (x *clockWorld) resumesEvents(k kind) clockStep {
	return func(ctx context.Context) error {
		s := new(story)
		if err := x.publishes(s, k)(ctx); err != nil {
			return err
		}
		if err := x.awaitEventOf(ctx, s.post); err != nil {
			x.judged.violation(lostRecord, "%s: no event of post %s follows %s: %v", x.name, s.post, x.seen, err)
		}
		return x.isPublished(s, clockCheckLimit)(ctx)
	}
}

// awaitEventOf follows the events after the one that was noted until one is of a post.
func (x *clockWorld) awaitEventOf(ctx context.Context, post string) error {
	ctx, cancel := context.WithTimeout(ctx, promptLimit)
	defer cancel()
	c, err := client.New(client.Config{URL: "http://" + x.daemon().Address, Key: x.daemon().Key})
	if err != nil {
		return err
	}
	for e, err := range c.Events(ctx, x.seen) {
		if err != nil {
			return err
		}
		if e.Data.PostID == post {
			return nil
		}
	}
	return ctx.Err()
}

// judgeEarly asks that no target was tried before its time, by the clock of the
// daemon. Later tries may be, of a target whose time was of a clock that was ahead.
func (x *clockWorld) judgeEarly(ctx context.Context) error {
	for _, s := range x.authors[0].stories {
		var t apiv1.Timeline
		if err := x.daemon().Call(ctx, "GET", "/posts/"+s.post+"/timeline", "", &t); err != nil {
			return err
		}
		for _, target := range t.Targets {
			for _, a := range target.Attempts {
				if a.Number == 1 && target.PublishAt != nil && a.StartedAt != nil && a.StartedAt.Before(target.PublishAt.Time) {
					x.judged.violation(wrongStatus, "%s: target %s is due at %s and was tried at %s", x.name, target.ID, target.PublishAt, a.StartedAt)
				}
			}
		}
	}
	return nil
}
