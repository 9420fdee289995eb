package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/bench/child"
	"github.com/schedctl/schedctl/client/apiv1"
)

// retryLimit is how long a client retries a request that gets no response.
const retryLimit = time.Minute

// author creates and changes posts, one after another. It retries each request with its
// Idempotency-Key until it gets a final response. It is for one goroutine.
type author struct {
	world   *world
	name    string
	random  *rand.Rand
	keys    int
	stories []*story
}

// whileAuthorsWork runs fn while the authors write stories; see whileWorking.
func (w *world) whileAuthorsWork(ctx context.Context, fn func() error) error {
	var workers []worker
	for _, a := range w.authors {
		workers = append(workers, repeatedly("author "+a.name, a.writeStory))
	}
	return whileWorking(ctx, workers, fn)
}

// writeStory creates a post and may change it.
func (a *author) writeStory(ctx context.Context) error {
	s := new(story)
	a.stories = append(a.stories, s)
	accounts := a.world.someAccounts(a.random)
	first := []func(context.Context, *story, []string) error{a.draft, a.schedule, a.schedule, a.now}
	if err := first[a.random.IntN(len(first))](ctx, s, accounts); err != nil || s.post == "" {
		return err
	}
	for range a.random.IntN(3) {
		change := []func(context.Context, *story, int) error{a.patch, a.patch, a.postpone, a.publish, a.cancel}
		if err := change[a.random.IntN(len(change))](ctx, s, len(accounts)); err != nil {
			return err
		}
	}
	return nil
}

func (a *author) draft(ctx context.Context, s *story, accounts []string) error {
	return a.create(ctx, s, apiv1.CreatePost{SocialAccountIDs: accounts}, func() { s.expectEvents(1, schedctl.EventPostCreated) })
}

func (a *author) schedule(ctx context.Context, s *story, accounts []string) error {
	return a.scheduleAt(ctx, s, accounts, a.soon())
}

func (a *author) scheduleAt(ctx context.Context, s *story, accounts []string, at time.Time) error {
	return a.create(ctx, s, apiv1.CreatePost{SocialAccountIDs: accounts, PublishAt: apiv1.At(at)}, func() {
		s.expectEvents(1, schedctl.EventPostCreated, schedctl.EventPostScheduled)
		s.expectEvents(len(accounts), schedctl.EventPostQueued)
	})
}

func (a *author) now(ctx context.Context, s *story, accounts []string) error {
	return a.create(ctx, s, apiv1.CreatePost{SocialAccountIDs: accounts, PublishAt: apiv1.Now()}, func() {
		s.expectEvents(1, schedctl.EventPostCreated)
		s.expectEvents(len(accounts), schedctl.EventPostQueued)
	})
}

// soon returns a time that a kill may precede or follow.
func (a *author) soon() time.Time {
	return time.Now().Add(time.Duration(100+a.random.IntN(700)) * time.Millisecond)
}

func (a *author) create(ctx context.Context, s *story, body apiv1.CreatePost, follows func()) error {
	body.Content = fmt.Sprintf("post %d of %s", a.keys, a.name)
	s.content = body.Content
	return a.write(ctx, s, http.MethodPost, "/posts", body, follows)
}

func (a *author) patch(ctx context.Context, s *story, _ int) error {
	content := fmt.Sprintf("%s, changed by request %d", s.content, a.keys)
	return a.write(ctx, s, http.MethodPatch, "/posts/"+s.post, apiv1.EditPost{Content: &content}, func() {
		s.expectEvents(1, schedctl.EventPostUpdated)
	})
}

// postpone schedules a draft or moves a scheduled post.
func (a *author) postpone(ctx context.Context, s *story, accounts int) error {
	queued := s.events[schedctl.EventPostQueued] > 0
	return a.write(ctx, s, http.MethodPatch, "/posts/"+s.post, apiv1.EditPost{PublishAt: apiv1.At(a.soon())}, func() {
		s.expectEvents(1, schedctl.EventPostUpdated, schedctl.EventPostScheduled)
		if !queued {
			s.expectEvents(accounts, schedctl.EventPostQueued)
		}
	})
}

func (a *author) publish(ctx context.Context, s *story, accounts int) error {
	return a.write(ctx, s, http.MethodPost, "/posts/"+s.post+"/publish-now", nil, func() {
		s.expectEvents(accounts, schedctl.EventPostQueued)
	})
}

func (a *author) cancel(ctx context.Context, s *story, _ int) error {
	return a.write(ctx, s, http.MethodPost, "/posts/"+s.post+"/cancel", nil, func() {
		s.expectEvents(1, schedctl.EventPostCanceled)
	})
}

// write sends a request until it gets a final response, sometimes once more, and adds
// the acknowledged change to the story.
func (a *author) write(ctx context.Context, s *story, method, path string, body any, follows func()) error {
	a.keys++
	w, err := newWrite(method, path, body, fmt.Sprintf("%s-%d", a.name, a.keys))
	if err != nil {
		return err
	}
	if err := a.world.send(ctx, w); err != nil {
		return err
	}
	a.world.atPoint(clientAcknowledged, "")
	changed, err := s.add(w)
	if err != nil {
		return err
	}
	if changed {
		follows()
	}
	if a.random.IntN(4) == 0 {
		if err := a.world.resend(ctx, w); err != nil {
			return err
		}
	}
	time.Sleep(time.Duration(a.random.IntN(20)) * time.Millisecond)
	return nil
}

// send sends a request until it gets a final response, through any number of restarts.
func (w *world) send(ctx context.Context, r *write) error {
	ctx, cancel := context.WithTimeout(ctx, retryLimit)
	defer cancel()
	for {
		answer, err := w.sendOnce(ctx, r.Request)
		r.unanswered = r.unanswered || err != nil
		if err == nil && !isTemporary(answer) {
			r.Response = answer
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s %s: no response: %d %s %w", r.Method, r.Path, answer.Status, answer.Body, err)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// sendOnce sends a request once. When one of several daemons is frozen, the client
// tries another one.
func (w *world) sendOnce(ctx context.Context, r child.Request) (child.Response, error) {
	if len(w.nodes) > 0 {
		short, cancel := context.WithTimeout(ctx, 3*time.Second)
		defer cancel()
		ctx = short
	}
	return w.daemon().Do(ctx, r)
}

// isTemporary reports whether a response asks the client to retry.
func isTemporary(a child.Response) bool {
	if a.Status >= 500 || a.Status == http.StatusTooManyRequests {
		return true
	}
	var refused apiv1.ErrorEnvelope
	return a.Status == http.StatusConflict && json.Unmarshal(a.Body, &refused) == nil && refused.Error.Code == schedctl.IdempotencyRunning
}

// resend sends an acknowledged request again. It fails when the response differs.
func (w *world) resend(ctx context.Context, r *write) error {
	if !r.acknowledged() {
		return nil
	}
	again := &write{Request: r.Request}
	if err := w.send(ctx, again); err != nil {
		return err
	}
	if again.Status != r.Status || string(again.Response.Body) != string(r.Response.Body) {
		w.judged.violation(lostRecord, "%s %s with key %s returned %d %.300s, and now returns %d %.300s",
			r.Method, r.Path, r.IdempotencyKey, r.Status, r.Response.Body, again.Status, again.Response.Body)
	}
	return nil
}
