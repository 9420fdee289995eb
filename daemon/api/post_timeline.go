package api

import (
	"context"
	"net/http"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// The maximum number of events in a timeline, and of attempts for each target. The
// latest ones are kept.
const (
	maxTimeline         = 1000
	maxTimelineAttempts = 50
)

// getTimeline handles GET /posts/{id}/timeline. A key that is limited to accounts
// does not see targets that the post had on other accounts.
func (s *Server) getTimeline(ctx context.Context, c *request) (response, error) {
	var line apiv1.Timeline
	var shown schedctl.Post
	err := s.scan(ctx, c, func(r storage.Reader) error {
		post, err := c.Post(r)
		if err != nil {
			return err
		}
		events, err := r.PostEvents(post.ID, maxTimeline)
		if err != nil {
			return err
		}
		line = apiv1.Timeline{PostID: post.ID, Status: post.Status(), Events: make([]apiv1.TimelineEvent, 0, len(events))}
		for i := range events {
			if e := &events[i]; e.AccountID == "" || c.MayUse(e.AccountID) {
				line.Events = append(line.Events, timelineEvent(e))
			}
		}
		shown = post
		line.Targets, err = targetTimelines(r, post)
		return err
	})
	if err != nil {
		return response{}, err
	}
	targets := make([]*apiv1.Target, len(line.Targets))
	for i := range line.Targets {
		targets[i] = &line.Targets[i].Target
	}
	if _, err := s.addWaits(ctx, c, &shown, targets); err != nil {
		return response{}, err
	}
	return newResponse(http.StatusOK, line)
}

// targetTimelines returns the targets of a post with their latest attempts.
func targetTimelines(r storage.Reader, post schedctl.Post) ([]apiv1.TargetTimeline, error) {
	ids := make([]string, len(post.Targets))
	for i := range post.Targets {
		ids[i] = post.Targets[i].ID
	}
	attempts, err := r.LatestAttempts(ids, maxTimelineAttempts)
	if err != nil {
		return nil, err
	}
	of := make(map[string][]apiv1.Attempt, len(ids))
	for i := range attempts {
		of[attempts[i].TargetID] = append(of[attempts[i].TargetID], timelineAttempt(&attempts[i]))
	}
	lines := make([]apiv1.TargetTimeline, len(post.Targets))
	for i, target := range apiv1.NewPost(post).Targets {
		lines[i] = apiv1.TargetTimeline{Target: target, Attempts: append([]apiv1.Attempt{}, of[target.ID]...)}
	}
	return lines, nil
}

func timelineEvent(e *schedctl.Event) apiv1.TimelineEvent {
	out := apiv1.TimelineEvent{
		ID: e.ID, Type: e.Type, CreatedAt: apiv1.NewTime(e.CreatedAt), Status: e.Status, Error: apiv1.NewTargetError(e.Error),
	}
	if e.TargetID != "" {
		out.TargetID = &e.TargetID
	}
	if e.AccountID != "" {
		out.SocialAccountID = &e.AccountID
	}
	return out
}

func timelineAttempt(a *schedctl.Attempt) apiv1.Attempt {
	out := apiv1.Attempt{
		ID: a.ID, Number: a.Number, Part: a.Part, StartedAt: apiv1.NewTime(a.StartedAt), FinishedAt: apiv1.NewTime(a.FinishedAt),
		Outcome: a.Outcome, Error: apiv1.NewTargetError(a.Error),
	}
	if a.Preparing() {
		out.Preparing, out.Error = true, nil
	} else if a.Outcome == schedctl.OutcomeRunning && a.Error != nil {
		out.Outcome = schedctl.OutcomeUnknown // the call has ended, and schedctl asks the network for the outcome
	}
	if out.Error != nil {
		out.HTTPStatus = out.Error.HTTPStatus
	}
	return out
}
