package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// Time limits, with room for a busy machine: promptLimit when no clock check is
// involved, and clockCheckLimit when the daemon must first check its clock, which it
// does every 30 s.
const (
	promptLimit     = 10 * time.Second
	clockCheckLimit = 45 * time.Second
)

// clockWorld is a world whose clock jumps.
type clockWorld struct {
	*world
	hands  *clockControl
	jumps  int64
	waited int64  // longest wait for an expected effect, in milliseconds
	seen   string // event to resume after
}

// clockStep is a step of a scenario.
type clockStep func(context.Context) error

// runSteps runs steps in order.
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

// suspendFor suspends the machine for a while.
func (x *clockWorld) suspendFor(d time.Duration) clockStep {
	return func(context.Context) error {
		x.jumps++
		return x.hands.sleep(d)
	}
}

// restart stops the daemon cleanly and starts it again.
func (x *clockWorld) restart(ctx context.Context) error {
	return x.stopped(x.wait(0))(ctx)
}

// stopped runs a step while the daemon is stopped.
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

// schedule creates a post that is due after the given time of the daemon's clock.
func (x *clockWorld) schedule(ctx context.Context, in time.Duration, k kind) (*story, error) {
	s := x.tell()
	return s, x.authors[0].scheduleAt(ctx, s, x.accounts[k], x.hands.now().Add(in))
}

func (x *clockWorld) tell() *story {
	s := new(story)
	x.authors[0].stories = append(x.authors[0].stories, s)
	return s
}

// publishes creates a post that is due now.
func (x *clockWorld) publishes(s *story, k kind) clockStep {
	return func(ctx context.Context) error {
		x.authors[0].stories = append(x.authors[0].stories, s)
		return x.authors[0].now(ctx, s, x.accounts[k])
	}
}

// publishesSoon creates a post that is due now and must be published after the next
// clock check.
func (x *clockWorld) publishesSoon(k kind) clockStep {
	return func(ctx context.Context) error {
		s := new(story)
		if err := x.publishes(s, k)(ctx); err != nil {
			return err
		}
		return x.isPublished(s, clockCheckLimit)(ctx)
	}
}

// publishesOnTime creates a post that is due in a second and must be published then.
func (x *clockWorld) publishesOnTime(k kind) clockStep {
	return func(ctx context.Context) error {
		s, err := x.schedule(ctx, time.Second, k)
		if err != nil {
			return err
		}
		return x.isPublished(s, promptLimit)(ctx)
	}
}

// isPublished checks that a post is published within a time.
func (x *clockWorld) isPublished(s *story, within time.Duration) clockStep {
	return x.reachesStatus(s, schedctl.Published, within)
}

// reachesStatus checks that a post reaches a status within a time.
func (x *clockWorld) reachesStatus(s *story, want schedctl.Status, within time.Duration) clockStep {
	return func(ctx context.Context) error {
		started := time.Now()
		for {
			p, err := x.read(ctx, s)
			if err != nil {
				return err
			}
			took := time.Since(started)
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

// hasStatus checks the status of a post.
func (x *clockWorld) hasStatus(s *story, want schedctl.Status) clockStep {
	return func(ctx context.Context) error {
		p, err := x.read(ctx, s)
		if err == nil && p.Status != want {
			x.judged.violation(wrongStatus, "%s: post %s is %s, want %s: %+v", x.name, s.post, p.Status, want, p.Targets)
		}
		return err
	}
}

// allHaveStatus checks the status of several posts.
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
		return fmt.Errorf("post %s was not attempted", s.post)
	}
}

func (x *clockWorld) read(ctx context.Context, s *story) (apiv1.Post, error) {
	var answer apiv1.PostEnvelope
	err := x.daemon().Call(ctx, "GET", "/posts/"+s.post, "", &answer)
	return answer.Post, err
}

// resendAll resends every acknowledged write.
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

// newKey creates an API key that expires after the given time of the daemon's clock.
func (x *clockWorld) newKey(ctx context.Context, expires time.Duration) (secret string, err error) {
	body := map[string]any{"name": "short", "scopes": []string{"posts:read"}, "expires_at": apiv1.NewTime(x.hands.now().Add(expires))}
	made, err := createReliably[apiv1.CreatedAPIKey](ctx, x.world, "/api-keys", body, "key")
	return made.Secret, err
}

// keyWorks checks that a key is valid.
func (x *clockWorld) keyWorks(secret string) clockStep {
	return func(ctx context.Context) error {
		c, err := client.New(client.Config{URL: "http://" + x.daemon().Address, Key: secret})
		if err != nil {
			return err
		}
		if _, err := c.Me(ctx); err != nil {
			x.judged.violation(lostRecord, "%s: a key valid for a day: %v", x.name, err)
		}
		return nil
	}
}

// remember stores the newest event of the newest post, to resume after it.
func (x *clockWorld) remember(ctx context.Context) error {
	stories := x.authors[0].stories
	var t apiv1.Timeline
	err := x.daemon().Call(ctx, "GET", "/posts/"+stories[len(stories)-1].post+"/timeline", "", &t)
	for _, e := range t.Events {
		x.seen = max(x.seen, e.ID)
	}
	return err
}

// resumesEvents creates a post, and checks that a stream resumed after the stored event
// delivers its event, and that the post is published.
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

// awaitEventOf reads events after the stored one until one belongs to the post.
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

// judgeEarly checks that no target was attempted before its time, by the daemon's
// clock. Retries may be, of a target whose time was set by a clock that was ahead.
func (x *clockWorld) judgeEarly(ctx context.Context) error {
	for _, s := range x.authors[0].stories {
		var t apiv1.Timeline
		if err := x.daemon().Call(ctx, "GET", "/posts/"+s.post+"/timeline", "", &t); err != nil {
			return err
		}
		for _, target := range t.Targets {
			for _, a := range target.Attempts {
				if a.Number == 1 && target.PublishAt != nil && a.StartedAt != nil && a.StartedAt.Before(target.PublishAt.Time) {
					x.judged.violation(wrongStatus, "%s: target %s is due at %s and was attempted at %s", x.name, target.ID, target.PublishAt, a.StartedAt)
				}
			}
		}
	}
	return nil
}
