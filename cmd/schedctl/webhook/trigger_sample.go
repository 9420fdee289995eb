package webhook

import (
	"slices"
	"time"

	"github.com/schedctl/schedctl"
)

// triggerTypes are the events that can be triggered.
func triggerTypes() []schedctl.EventType {
	return append(schedctl.EventTypes(), schedctl.EventWebhookTest)
}

// sampleEvent returns an event of a type in the format of the daemon, about made-up
// objects.
func sampleEvent(typ schedctl.EventType, now time.Time) (schedctl.Event, error) {
	workspace := schedctl.NewID(schedctl.WorkspacePrefix, now)
	account := schedctl.Account{ID: schedctl.NewID(schedctl.AccountPrefix, now), WorkspaceID: workspace, Platform: "mastodon", Name: "sample"}
	hook := schedctl.Webhook{ID: schedctl.NewID(schedctl.WebhookPrefix, now), WorkspaceID: workspace}
	switch typ {
	case schedctl.EventAccountError:
		account.Error = &schedctl.TargetError{
			Kind: schedctl.KindAuth, Message: "the access token was revoked", HTTPStatus: 401, Outcome: schedctl.OutcomeNotPublished,
		}
		return schedctl.AccountErrorEvent(account, now), nil
	case schedctl.EventAccountExpiring:
		account.Expiry.At = schedctl.Millis(now.AddDate(0, 0, 3))
		return schedctl.AccountExpiringEvent(account, now), nil
	case schedctl.EventForecastAppeared:
		about := schedctl.Event{WorkspaceID: workspace, PostID: schedctl.NewID(schedctl.PostPrefix, now), AccountID: account.ID, Platform: account.Platform}
		return schedctl.ForecastAppearedEvent(about, schedctl.TargetError{
			Kind: schedctl.KindAuth, Code: "token_ends", Message: "the credentials of the account mastodon:sample end before it gets a post", Outcome: schedctl.OutcomeNotPublished,
		}, now), nil
	case schedctl.EventWebhookDisabled:
		return schedctl.WebhookDisabledEvent(hook, now), nil
	case schedctl.EventWebhookTest:
		return schedctl.WebhookTestEvent(hook, now), nil
	case schedctl.EventPostSubmitted, schedctl.EventPostApproved, schedctl.EventPostChangesRequested, schedctl.EventPostWithdrawn, schedctl.EventPostNoted:
		return samplePostReview(typ, account, now)
	case schedctl.EventSeriesSubmitted, schedctl.EventSeriesApproved, schedctl.EventSeriesChangesRequested, schedctl.EventSeriesWithdrawn:
		return sampleSeriesReview(typ, workspace, now)
	case schedctl.EventSeriesSkipped, schedctl.EventSeriesEnded:
		return sampleSeriesEvent(typ, workspace, now), nil
	case schedctl.EventSourceHeld, schedctl.EventSourceFailed, schedctl.EventSourceRecovered:
		return sampleSourceEvent(typ, workspace, now), nil
	}
	events, err := sampleHistory(typ, account, now)
	if err != nil {
		return schedctl.Event{}, err
	}
	return events[slices.IndexFunc(events, func(e schedctl.Event) bool { return e.Type == typ })], nil
}

// sampleActor returns an actor with a made-up key.
func sampleActor(name string, now time.Time) schedctl.Actor {
	return schedctl.Actor{Key: schedctl.KeyRef{ID: schedctl.NewID(schedctl.KeyPrefix, now), Name: name}}
}

const sampleNote = "A sample of a note"

// samplePostReview returns an event about the review of a draft.
func samplePostReview(typ schedctl.EventType, account schedctl.Account, now time.Time) (schedctl.Event, error) {
	p, _, err := schedctl.Create(schedctl.NewPost{WorkspaceID: account.WorkspaceID, Content: schedctl.Content{Text: "A sample"}, Accounts: []schedctl.Account{account}}, now)
	if err != nil {
		return schedctl.Event{}, err
	}
	author := sampleActor("author", now)
	events, err := p.Submit(schedctl.Submission{By: author, Note: sampleNote}, now)
	decision := schedctl.Decision{By: sampleActor("reviewer", now), Note: sampleNote, PublishAt: now.Add(time.Hour)}
	switch {
	case err != nil:
		return schedctl.Event{}, err
	case typ == schedctl.EventPostApproved:
		events, err = p.Approve(decision, now)
	case typ == schedctl.EventPostChangesRequested:
		events, err = p.RequestChanges(decision, now)
	case typ == schedctl.EventPostWithdrawn:
		events, err = p.Withdraw(author, now)
	case typ == schedctl.EventPostNoted:
		_, events[0], err = p.AddNote(author, sampleNote, now)
	}
	if err != nil {
		return schedctl.Event{}, err
	}
	return events[0], nil
}

// sampleSeriesReview returns an event about the review of a series.
func sampleSeriesReview(typ schedctl.EventType, workspace string, now time.Time) (schedctl.Event, error) {
	series := schedctl.Series{ID: schedctl.NewID(schedctl.SeriesPrefix, now), WorkspaceID: workspace, Version: 1}
	author := sampleActor("author", now)
	e, err := series.Submit(author, sampleNote, now)
	decision := schedctl.Decision{By: sampleActor("reviewer", now), Note: sampleNote}
	switch {
	case err != nil:
	case typ == schedctl.EventSeriesApproved:
		e, err = series.Decide(schedctl.ApprovalApproved, decision, now)
	case typ == schedctl.EventSeriesChangesRequested:
		e, err = series.Decide(schedctl.ApprovalChangesRequested, decision, now)
	case typ == schedctl.EventSeriesWithdrawn:
		e, err = series.Withdraw(author, now)
	}
	return e, err
}

// sampleSeriesEvent returns an event about a series.
func sampleSeriesEvent(typ schedctl.EventType, workspace string, now time.Time) schedctl.Event {
	series := schedctl.Series{ID: schedctl.NewID(schedctl.SeriesPrefix, now), WorkspaceID: workspace}
	var skipped *schedctl.SkippedOccurrences
	if typ == schedctl.EventSeriesSkipped {
		last := schedctl.LocalTimeOf(now.UTC())
		skipped = &schedctl.SkippedOccurrences{Reason: schedctl.SkipMissed, Count: 2, First: schedctl.LocalTimeOf(now.UTC().AddDate(0, 0, -1)), Last: last}
	}
	return schedctl.SeriesEvent(typ, &series, skipped, now)
}

// sampleSourceEvent returns an event about a source.
func sampleSourceEvent(typ schedctl.EventType, workspace string, now time.Time) schedctl.Event {
	source := schedctl.Source{ID: schedctl.NewID(schedctl.SourcePrefix, now), WorkspaceID: workspace}
	switch typ {
	case schedctl.EventSourceHeld:
		source.Fault = &schedctl.SourceFault{Code: schedctl.SourceFlood, Message: "the feed has 12 new items, more than usual"}
	case schedctl.EventSourceFailed:
		source.Fault = &schedctl.SourceFault{Code: schedctl.SourceGone, Message: "the server says that the feed is gone for good"}
	}
	return schedctl.SourceEvent(typ, &source, now)
}

// sampleHistory returns the changes of a post that lead to an event of the type.
func sampleHistory(typ schedctl.EventType, account schedctl.Account, now time.Time) ([]schedctl.Event, error) {
	sample := schedctl.NewPost{
		WorkspaceID: account.WorkspaceID, Content: schedctl.Content{Text: "A sample"}, Accounts: []schedctl.Account{account}, PublishAt: now.Add(time.Hour),
	}
	if typ == schedctl.EventPostCommentFailed {
		sample.FirstComment = &schedctl.Part{Content: "A sample of a comment"}
	}
	p, events, err := schedctl.Create(sample, now)
	if err != nil {
		return nil, err
	}
	result := schedctl.Result{Receipt: &schedctl.Receipt{ID: "113645923456789012", URL: "https://mastodon.example/@sample/113645923456789012"}}
	failure := schedctl.Result{Error: &schedctl.TargetError{
		Kind: schedctl.KindContent, Message: "the text is too long for the network", HTTPStatus: 422, Outcome: schedctl.OutcomeNotPublished,
	}}
	if typ == schedctl.EventPostFailed {
		result = failure
	}
	words := "A better sample"
	begin := func() ([]schedctl.Event, error) {
		_, err := p.Begin(schedctl.Claim{TargetID: p.Targets[0].ID}, now)
		return nil, err
	}
	steps := []func() ([]schedctl.Event, error){
		func() ([]schedctl.Event, error) {
			return p.Edit(schedctl.Edit{ContentChange: schedctl.ContentChange{Text: &words}}, now)
		},
		func() ([]schedctl.Event, error) { return p.PublishNow(nil, now) },
		begin,
		func() ([]schedctl.Event, error) {
			if typ == schedctl.EventPostUnconfirmed {
				return p.Doubt(p.Targets[0].ID, &schedctl.TargetError{
					Kind: schedctl.KindNetwork, Message: "the connection broke before the network responded", Retryable: true, Outcome: schedctl.OutcomeUnknown,
				}, now.Add(time.Minute), now), nil
			}
			return p.Finish(p.Targets[0].ID, result, now)
		},
	}
	if typ == schedctl.EventPostCommentFailed {
		steps = append(steps, begin, func() ([]schedctl.Event, error) { return p.Finish(p.Targets[0].ID, failure, now) })
	}
	if typ == schedctl.EventPostCanceled {
		steps = []func() ([]schedctl.Event, error){func() ([]schedctl.Event, error) { return p.Cancel(now) }}
	}
	if typ == schedctl.EventPostRemoved {
		steps = []func() ([]schedctl.Event, error){func() ([]schedctl.Event, error) { return []schedctl.Event{p.RemovedEvent(now)}, nil }}
	}
	for _, step := range steps {
		more, err := step()
		if err != nil {
			return nil, err
		}
		events = append(events, more...)
	}
	return events, nil
}
