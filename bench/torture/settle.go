package main

import (
	"context"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// settle makes all networks accept and waits until the daemon is idle. Whatever is
// unfinished after the limit is stuck.
func (w *world) settle(ctx context.Context, limit time.Duration) error {
	w.network.acceptAll()
	started := w.lastStart()
	defer func() { w.settled = time.Since(started) }()
	checks := []struct {
		busy  func(context.Context) (bool, error)
		stuck string // a violation if it is still busy at the limit; empty if the verdict reports it
	}{
		{w.hasPendingPosts, ""},
		{w.hasUnknownTargets, "an attempt of a canceled post is still running after %s"},
	}
	for _, check := range checks {
		for {
			more, err := check.busy(ctx)
			if err != nil {
				return err
			}
			if more && time.Since(started) > limit && check.stuck != "" {
				w.judged.violation(stuckRecord, check.stuck, time.Since(started).Round(time.Second))
			}
			if !more || time.Since(started) > limit {
				break
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
	return nil
}

// hasPendingPosts reports whether a post is scheduled or publishing.
func (w *world) hasPendingPosts(ctx context.Context) (bool, error) {
	var page apiv1.PostList
	err := w.daemon().Call(ctx, "GET", "/posts?limit=1&status=scheduled&status=publishing", "", &page)
	return page.Count > 0, err
}

// hasUnknownTargets reports whether a post was canceled during a call whose outcome is
// still unknown.
func (w *world) hasUnknownTargets(ctx context.Context) (bool, error) {
	for _, a := range w.authors {
		for _, s := range a.stories {
			if s.post == "" || !s.canceled || s.canceledBeforeCall {
				continue
			}
			var timeline apiv1.Timeline
			if err := w.daemon().Call(ctx, "GET", "/posts/"+s.post+"/timeline", "", &timeline); err != nil {
				return false, err
			}
			if s.canceledBeforeCall = !running(timeline); !s.canceledBeforeCall {
				return true, nil
			}
		}
	}
	return false, nil
}

// running reports whether an attempt is unfinished.
func running(t apiv1.Timeline) bool {
	return slices.ContainsFunc(t.Targets, func(t apiv1.TargetTimeline) bool {
		return slices.ContainsFunc(t.Attempts, func(a apiv1.Attempt) bool { return a.Outcome == schedctl.OutcomeRunning })
	})
}
